"""The details of timeline steps, in words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from attrs import frozen

from repaircore.dispatch.ports import AreaAt
from repaircore.kernel.geo import Point
from repaircore.kernel.money import cents
from repaircore.kernel.timeline import Step
from repaircore.kernel.wording import counted, money
from repaircore.rides.lifecycles import Action
from repaircore_http.console.dates import moment_text

_AMOUNTS: Final = (
    "amount",
    "difference",
    "fee",
    "owed",
    "previous_total",
    "price",
    "refunded",
    "released",
    "total",
)
_MINUTES: Final = ("eta_minutes", "late_minutes")
_WORDS: Final = ("form", "reason", "stage")
"""The details that may be an enum value, which has underscores for spaces."""
_FORMATS: Final[Mapping[str, Callable[[Any], str]]] = {
    **dict.fromkeys(_AMOUNTS, lambda dollars: money(cents(dollars))),
    **dict.fromkeys(_MINUTES, lambda minutes: counted(minutes, "minute")),
    **dict.fromkeys(_WORDS, lambda word: word.replace("_", " ")),
    "partial": lambda is_partial: "yes" if is_partial else "no",
    "changed": lambda names: ", ".join(names).replace("_", " "),
    "scheduled_for": lambda at: moment_text(datetime.fromisoformat(at)),
}

_PLACES: Final = {"latitude": ("longitude", ""), "previous_latitude": ("previous_longitude", "previous ")}
"""The details with a latitude, each with the name of its longitude and the word to put before the place."""
_LONGITUDES: Final = frozenset(longitude for longitude, _ in _PLACES.values())

_LABELS: Final = {
    "asked": "providers asked",
    "eta_minutes": "arrives in",
    "late_minutes": "late by",
    "linked_ref": "linked to",
    "previous_total": "previous price",
    "provider_ref": "provider",
    "total": "price",
    "why": "reason",
}
"""The labels of details whose name is not suitable as a label."""


@frozen
class ShownStep:
    """A step with the label and the text of each detail."""

    step: Step
    details: Sequence[tuple[str, str]]


def shown_steps(steps: Sequence[Step], area_at: AreaAt) -> list[ShownStep]:
    """Return the steps of a timeline with their details in words; ``area_at`` names the places."""
    return [ShownStep(step, list(_details(step, area_at))) for step in steps]


def _details(step: Step, area_at: AreaAt) -> Iterator[tuple[str, str]]:
    detail = step.detail or {}
    place = "position" if step.action == Action.EN_ROUTE else "destination"
    for name, value in detail.items():
        if name in _PLACES:
            longitude, which = _PLACES[name]
            yield f"{which}{place}", _place(Point(value, detail[longitude]), area_at)
        elif name not in _LONGITUDES and value is not None:
            yield _LABELS.get(name, name.replace("_", " ")), _FORMATS.get(name, str)(value)


def _place(point: Point, area_at: AreaAt) -> str:
    area = area_at(point)
    return f"{point.latitude:.4f}, {point.longitude:.4f}" if area is None else f"near {area}"
