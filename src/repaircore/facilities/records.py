"""Keeping what is told of shops, each change with its entry in the audit."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from attrs import evolve, frozen

from repaircore.facilities.model import Facility, FacilityFields, FacilityInput, ZipPlace
from repaircore.facilities.ports import FacilitiesWork, ZipCodes
from repaircore.facilities.region import is_near
from repaircore.facilities.shops import home_zip, identity, settled, shop_of, shown
from repaircore.kernel.audit import difference
from repaircore.kernel.callers import Caller
from repaircore.kernel.geo import Point
from repaircore.kernel.imports import BatchCounts
from repaircore.kernel.money import Cents
from repaircore.kernel.types import Clock

Change: TypeAlias = tuple[Facility | None, Facility | None]
"""A shop before and after; None where there is none."""


@frozen(kw_only=True)
class FacilityEditor:
    """The keeping on behalf of one caller; what is told is judged already."""

    zip_codes: ZipCodes
    clock: Clock
    caller: Caller

    def add(self, work: FacilitiesWork, fields: FacilityInput) -> Facility:
        """Keep a new shop; its ZIP code says where it stands."""
        kept = self._add(work, fields)
        self.forget_around(work, [(None, kept)])
        return kept

    def _add(self, work: FacilitiesWork, fields: FacilityInput) -> Facility:
        shop, place = self._placed(_shop(fields))
        kept = work.facilities.add(shop, point=None if place is None else place.point, at=self.clock())
        work.audit.add(
            self.caller, "region.add", _subject(kept.id), before=None, after=shown(kept), at=self.clock()
        )
        return kept

    def change(self, work: FacilitiesWork, kept: Facility, fields: FacilityInput) -> Facility:
        """Change what is told; what is not told stays, and nothing is written when all of it does.

        Raises:
            Conflict: somebody else changed it at the same moment.
        """
        new = self._change(work, kept, fields)
        self.forget_around(work, [(kept, new)])
        return new

    def remove(self, work: FacilitiesWork, kept: Facility) -> bool:
        """Forget a shop; False when somebody else did."""
        if not work.facilities.remove(kept.id):
            return False
        self.forget_around(work, [(kept, None)])
        work.audit.add(
            self.caller, "region.remove", _subject(kept.id), before=shown(kept), after=None, at=self.clock()
        )
        return True

    def _change(self, work: FacilitiesWork, kept: Facility, fields: FacilityInput) -> Facility:
        before = shop_of(kept)
        shop, place = self._placed(self._moved(before, fields))
        return kept if shop == before else self.replace(work, kept, _next(kept, shop, place))

    def replace(self, work: FacilitiesWork, old: Facility, new: Facility) -> Facility:
        """Keep the next state of a shop.

        Raises:
            Conflict: somebody else changed it at the same moment.
        """
        kept = work.facilities.replace(old, new)
        before, after = difference(shown(old), shown(kept))
        work.audit.add(
            self.caller, "region.change", _subject(old.id), before=before, after=after, at=self.clock()
        )
        return kept

    def take_over(self, work: FacilitiesWork, rows: Sequence[FacilityInput]) -> BatchCounts:
        """Keep the rows of a file: of a shop that is known, what they tell of it."""
        known: dict[tuple[str | None, ...], Facility] = {}
        for shop in work.facilities.named({row["name"] for row in rows}):
            known.setdefault(identity(shop_of(shop)), shop)
        added = updated = 0
        changes: list[Change] = []
        for row in rows:
            told, _ = self._placed(_shop(row))
            before = known.get(identity(told))
            after = self._add(work, row) if before is None else self._change(work, before, row)
            changes.append((before, after))
            added += before is None
            updated += before is not None and after != before
            known[identity(told)] = after
        self.forget_around(work, changes)
        return BatchCounts(added=added, updated=updated)

    def forget_around(self, work: FacilitiesWork, changes: Iterable[Change]) -> None:
        """Forget what was answered where a stated rate came, went or changed: who states one wants to see it at once."""
        around = {point for before, after in changes for point in _repriced(before, after)}
        if not around:
            return
        answered = {code: self.zip_codes.find(code) for code in work.answers.zip_codes()}
        work.answers.forget_at(
            {
                code
                for code, place in answered.items()
                if place is not None
                and place.point is not None
                and any(is_near(place.point, point) for point in around)
            }
        )

    def _placed(self, shop: FacilityFields) -> tuple[FacilityFields, ZipPlace | None]:
        """Give a shop as it is kept, and where it stands, which also tells a state that is not told."""
        told = settled(shop)
        code = home_zip(told)
        place = None if code is None else self.zip_codes.find(code)
        return (told if place is None or told.state else evolve(told, state=place.state)), place

    def _moved(self, kept: FacilityFields, fields: FacilityInput) -> FacilityFields:
        """Give a shop with what is told anew; a state that only its ZIP code told moves with that."""
        shop = evolve(kept, **fields)
        if "state" in fields or self._state_of(kept) != kept.state:
            return shop
        return evolve(shop, state=self._state_of(shop) or kept.state)

    def _state_of(self, shop: FacilityFields) -> str | None:
        _, place = self._placed(shop)
        return None if place is None else place.state


def _shop(fields: FacilityInput) -> FacilityFields:
    return evolve(FacilityFields(name=""), **fields)


def _next(kept: Facility, shop: FacilityFields, place: ZipPlace | None) -> Facility:
    """Give the next state of a shop; a rate that somebody tells is of no invoices."""
    same_rate = shop.avg_labor_rate == kept.avg_labor_rate
    return evolve(
        kept,
        name=shop.name,
        city=shop.city,
        state=shop.state,
        zip_code=shop.zip_code,
        country=shop.country,
        avg_labor_rate=shop.avg_labor_rate,
        sample_size=kept.sample_size if same_rate else 0,
        point=None if place is None else place.point,
    )


def _repriced(before: Facility | None, after: Facility | None) -> Iterable[Point]:
    """Return the points around which an entered rate came, went or changed."""
    told = [None if shop is None else _entered(shop) for shop in (before, after)]
    return () if told[0] == told[1] else [one[0] for one in told if one is not None]


def _entered(shop: Facility) -> tuple[Point, Cents] | None:
    if shop.point is None or not shop.avg_labor_rate or shop.sample_size:
        return None
    return shop.point, shop.avg_labor_rate


def _subject(facility_id: int) -> str:
    return f"regions/{facility_id}"
