"""The recalls of a vehicle, merged from several sources, and how many of them count as open.

Campaigns cover model years. Only the manufacturer knows whether one covers a VIN, and whether it was repaired. So a
campaign counts as open until the owner marks it as done, and an open-recall count that the owner reports for the VIN
replaces the list. Campaigns reported after that count are added, and those marked as done after it are subtracted.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeVar

from attrs import evolve, fields, frozen

from repaircore.fleet.signals import Signal
from repaircore.kernel.spelling import key, make_key
from repaircore.recalls.model import Campaign, Recall, RecalledVehicle, RecallSource

T = TypeVar("T")

_SEPARATOR: Final = "; "
_MERGED_FIELDS: Final = tuple(
    field.name for field in fields(Campaign) if field.name not in {"campaign", "source"}
)


def identity(vehicle: RecalledVehicle) -> tuple[str, str, str, int | None]:
    """Return the identity of a row: its campaign, make, model and year, regardless of spelling."""
    return vehicle.campaign, make_key(vehicle.make), key(vehicle.model), vehicle.year


def merge_campaigns(old: Campaign, new: Campaign) -> Campaign:
    """Return a campaign updated from a newer record of it.

    Fields that the newer record lacks stay. A list only fills in missing fields: it may truncate its text, or describe
    the letters to owners instead of the defect.
    """
    first, second = (old, new) if new.source is RecallSource.LIST else (new, old)
    merged: dict[str, Any] = {
        name: _either(getattr(first, name), getattr(second, name)) for name in _MERGED_FIELDS
    }
    return evolve(first, **merged)


def merge_components(old: RecalledVehicle, new: RecalledVehicle) -> RecalledVehicle:
    """Return a vehicle with the components of both records: NHTSA writes a row for each component."""
    components = {
        component
        for vehicle in (old, new)
        if vehicle.component
        for component in vehicle.component.split(_SEPARATOR)
    }
    return evolve(old, component=_SEPARATOR.join(sorted(components)) or None)


def _either(first: T | None, second: T | None) -> T | None:
    return second if first is None else first


@frozen(kw_only=True)
class ListedRecall:
    """A campaign for a vehicle's make, model and year, and its sources.

    ``vehicle`` is one of the models that it covers, as the source names it; ``dealt_with_at`` is when the owner marked it
    as done, or None.
    """

    campaign: Campaign
    vehicle: RecalledVehicle
    sources: tuple[RecallSource, ...]
    dealt_with_at: datetime | None = None

    @property
    def number(self) -> str:
        """Return the number of the campaign."""
        return self.campaign.campaign

    @property
    def is_open(self) -> bool:
        """Return whether the owner has not marked it as done."""
        return self.dealt_with_at is None


@frozen(kw_only=True)
class OpenRecalls:
    """How many recalls count as open; ``confirmed`` is whether the owner reported how many this vehicle has."""

    count: int
    park_it: bool
    confirmed: bool
    as_of: datetime


def list_recalls(recalls: Iterable[Recall], marks: Mapping[str, datetime]) -> Sequence[ListedRecall]:
    """Return each campaign once, newest first; later records fill in and correct earlier ones."""
    by_number: dict[str, ListedRecall] = {}
    for recall in recalls:
        new = ListedRecall(
            campaign=recall.campaign, vehicle=recall.vehicle, sources=(recall.campaign.source,)
        )
        old = by_number.get(new.number)
        by_number[new.number] = new if old is None else _merged(old, new)
    marked = (evolve(recall, dealt_with_at=marks.get(number)) for number, recall in by_number.items())
    return sorted(marked, key=_age, reverse=True)


def count_open_recalls(
    recalls: Sequence[ListedRecall] | None,
    reported: Signal | None,
    *,
    now: datetime,
    is_complete: bool = True,
) -> OpenRecalls | None:
    """Count the open recalls, or return None if too little is known; ``recalls`` is None if no source responded.

    Unless ``is_complete``, some campaign years are missing: finding no open recall then does not mean that there is
    none.
    """
    known = recalls or ()
    park_it = any(recall.is_open and bool(recall.campaign.park_it) for recall in known)
    if reported is None or not isinstance(reported.value, int):
        if recalls is None:
            return None
        count = sum(recall.is_open for recall in known)
        if not count and not is_complete:
            return None
        return OpenRecalls(count=count, park_it=park_it, confirmed=False, as_of=now)
    newer = [recall for recall in known if _reported_after(recall, reported.at.date())]
    done = sum(
        recall.dealt_with_at is not None and recall.dealt_with_at > reported.at
        for recall in known
        if recall not in newer
    )
    count = max(0, reported.value - done) + sum(recall.is_open for recall in newer)
    return OpenRecalls(count=count, park_it=park_it and count > 0, confirmed=True, as_of=reported.at)


def _merged(old: ListedRecall, new: ListedRecall) -> ListedRecall:
    return evolve(
        old,
        campaign=merge_campaigns(old.campaign, new.campaign),
        vehicle=merge_components(old.vehicle, new.vehicle),
        sources=tuple(dict.fromkeys((*old.sources, *new.sources))),
    )


def _age(recall: ListedRecall) -> tuple[date, str]:
    return recall.campaign.reported_on or date.min, recall.number


def _reported_after(recall: ListedRecall, day: date) -> bool:
    return recall.campaign.reported_on is not None and recall.campaign.reported_on > day
