"""The recalls of a vehicle, put together from what several sources tell, and how many of them count as open.

A campaign is of a model year. Whether it is of one VIN, and whether it was repaired, only the maker knows; so a campaign
counts as open until the owner marks it, and a count that the owner tells (of one VIN, as the maker or a dealer told
it) counts instead of the list. What is reported, or dealt with, after the owner told it, is added and taken off.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeVar

from attrs import evolve, fields, frozen

from repaircore.fleet.signals import Signal
from repaircore.kernel.spelling import key, make_key
from repaircore.recalls.model import Campaign, RecallCampaign, RecalledVehicle, RecallSource

# What is kept of a campaign when a file tells of it again.


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


@frozen(kw_only=True)
class ListedRecall:
    """A campaign of a vehicle's make, model and year, and who told of it.

    ``vehicle`` is one of the models that it is of, as the source names it; ``dealt_with_at`` is when the owner marked
    it, None when they did not.
    """

    campaign: Campaign
    vehicle: RecalledVehicle
    sources: tuple[RecallSource, ...]
    dealt_with_at: datetime | None = None

    @property
    def number(self) -> str:
        """Give the number of the campaign."""
        return self.campaign.campaign

    @property
    def is_open(self) -> bool:
        """Tell whether the owner has not marked it."""
        return self.dealt_with_at is None


@frozen(kw_only=True)
class OpenRecalls:
    """How many recalls count as open; ``confirmed`` when the owner told how many there are of this very vehicle."""

    count: int
    park_it: bool
    confirmed: bool
    as_of: datetime


def listed(told: Iterable[RecallCampaign], marks: Mapping[str, datetime]) -> Sequence[ListedRecall]:
    """Give each campaign once, the newest first; what was told later fills in and corrects what was told before."""
    found: dict[str, ListedRecall] = {}
    for one in told:
        new = _one(one)
        before = found.get(new.number)
        found[new.number] = new if before is None else _together(before, new)
    marked = (evolve(one, dealt_with_at=marks.get(number)) for number, one in found.items())
    return sorted(marked, key=_age, reverse=True)


def open_recalls(
    campaigns: Sequence[ListedRecall] | None, told: Signal | None, *, now: datetime, is_complete: bool = True
) -> OpenRecalls | None:
    """Count the open ones; ``campaigns`` None: nobody can be asked. None when nothing is known at all.

    Without ``is_complete`` some years of campaigns are missing: none among the others is not known to be none.
    """
    known = campaigns or ()
    park_it = any(one.is_open and bool(one.campaign.park_it) for one in known)
    if told is None or not isinstance(told.value, int):
        if campaigns is None:
            return None
        count = sum(one.is_open for one in known)
        if not count and not is_complete:
            return None
        return OpenRecalls(count=count, park_it=park_it, confirmed=False, as_of=now)
    since = [one for one in known if _reported_after(one, told.at.date())]
    settled = sum(
        one.dealt_with_at is not None and one.dealt_with_at > told.at for one in known if one not in since
    )
    count = max(0, told.value - settled) + sum(one.is_open for one in since)
    return OpenRecalls(count=count, park_it=park_it and count > 0, confirmed=True, as_of=told.at)


def _one(told: RecallCampaign) -> ListedRecall:
    return ListedRecall(
        campaign=Campaign(
            campaign=told.campaign,
            summary=told.summary,
            consequence=told.consequence,
            remedy=told.remedy,
            park_it=told.park_it,
            park_outside=told.park_outside,
            reported_on=told.reported_on,
            source=told.source,
        ),
        vehicle=RecalledVehicle(
            campaign=told.campaign,
            make=told.make,
            model=told.model,
            year=told.year,
            component=told.component,
        ),
        sources=(told.source,),
    )


def _together(before: ListedRecall, new: ListedRecall) -> ListedRecall:
    return evolve(
        before,
        campaign=merged(before.campaign, new.campaign),
        vehicle=with_components(before.vehicle, new.vehicle),
        sources=tuple(dict.fromkeys((*before.sources, *new.sources))),
    )


def _age(one: ListedRecall) -> tuple[date, str]:
    return one.campaign.reported_on or date.min, one.number


def _reported_after(one: ListedRecall, day: date) -> bool:
    return one.campaign.reported_on is not None and one.campaign.reported_on > day
