"""Repairs with labor in common, from the shipped file."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from repaircore.kernel.traits import Drive
from repaircore.vehicle_facts.model import EngineBay
from repaircore.vehicle_facts.overlap import ALWAYS, Overlap, OverlapCondition, OverlapTable


@cache
def shipped_overlaps() -> OverlapTable:
    """Read ``data/labor_overlaps.toml``, once per process."""
    return overlaps((files("repaircore") / "data" / "labor_overlaps.toml").read_text("utf-8"))


def overlaps(text: str) -> OverlapTable:
    """Read a table of overlaps.

    Raises:
        ValueError: an entry lacks a field, has an unknown value, or saves nothing or more than a whole job.
    """
    data = tomllib.loads(text)
    try:
        return OverlapTable(tuple(_overlap(line) for line in data["overlap"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"Invalid overlap table: {error!r}.") from error


def _overlap(line: Mapping[str, Any]) -> Overlap:
    jobs = frozenset(line["jobs"])
    share, hours = line.get("share", 1.0), line.get("hours")
    if not 0 < share <= 1 or (hours is not None and not hours > 0):
        raise ValueError(
            f"The overlap of {', '.join(sorted(jobs))} must have a share above 0 and at most 1, and any hours above 0."
        )
    return Overlap(
        jobs=jobs,
        others=frozenset(line.get("with", jobs)),
        share=float(share),
        hours=None if hours is None else float(hours),
        parts=frozenset(line.get("parts", ())),
        includes=line.get("includes", False),
        when=_condition(line["when"]) if "when" in line else ALWAYS,
        reason=line["reason"],
        source=line["source"],
    )


def _condition(line: Mapping[str, Any]) -> OverlapCondition:
    unknown = line.keys() - {"bays", "drives", "pump_under_belt"}
    if unknown:
        raise ValueError(f"Unknown conditions: {', '.join(sorted(unknown))}.")
    return OverlapCondition(
        bays=frozenset(map(EngineBay, line.get("bays", ()))),
        drives=frozenset(map(Drive, line.get("drives", ()))),
        is_pump_under_belt=line.get("pump_under_belt"),
    )
