"""The warning lights of a dashboard that are symptoms of the book: all that a photo of one may tell."""

from collections.abc import Iterable, Mapping
from typing import Final

__all__ = ["LIGHTS", "known_lights"]

LIGHTS: Final = (
    "abs-light",
    "air-suspension-light",
    "airbag-light",
    "battery-light",
    "brake-warning-light",
    "check-engine-light",
    "def-light",
    "dpf-light",
    "oil-pressure-light",
    "steering-light",
    "temperature-light",
    "tpms-light",
    "traction-light",
)
"""Slugs of symptoms. Whether a light flashes no photo shows."""


def known_lights(seen: Iterable[str], symptoms: Mapping[str, str]) -> tuple[str, ...]:
    """Keep what is a warning light and a symptom, each once; everything else that somebody saw is dropped."""
    return tuple(one for one in dict.fromkeys(seen) if one in LIGHTS and one in symptoms)
