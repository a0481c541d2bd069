"""What is kept of a campaign when a file tells of it again."""

from typing import Any, Final, TypeVar

from attrs import evolve, fields

from repaircore.fleet.model import Campaign, RecalledVehicle, RecallSource
from repaircore.kernel.spelling import key, make_key

__all__ = ["identity", "merged", "with_components"]

T = TypeVar("T")

_BETWEEN: Final = "; "
_TOLD: Final = tuple(field.name for field in fields(Campaign) if field.name not in {"campaign", "source"})


def identity(vehicle: RecalledVehicle) -> tuple[str, str, str, int | None]:
    """Give what a row is recognized by: campaign, make, model and year, however they are spelled."""
    return vehicle.campaign, make_key(vehicle.make), key(vehicle.model), vehicle.year


def merged(kept: Campaign, told: Campaign) -> Campaign:
    """Give what is known of a campaign once more is told of it.

    What the newer file does not tell stays. A list fills only what was not known, for it may cut texts off and
    tell of the letters that were written rather than of the defect.
    """
    first, second = (kept, told) if told.source is RecallSource.LIST else (told, kept)
    known: dict[str, Any] = {name: _either(getattr(first, name), getattr(second, name)) for name in _TOLD}
    return evolve(first, **known)


def with_components(kept: RecalledVehicle, told: RecalledVehicle) -> RecalledVehicle:
    """Name the components of both: the authority writes a row for each."""
    named = {part for one in (kept, told) if one.component for part in one.component.split(_BETWEEN)}
    return evolve(kept, component=_BETWEEN.join(sorted(named)) or None)


def _either(first: T | None, second: T | None) -> T | None:
    return second if first is None else first
