"""Shops, and what an hour of labor costs around a ZIP code."""

from collections.abc import Iterator
from typing import Final, Unpack

from attrs import evolve, frozen

from repaircore.facilities.distance import MILES_PER_DEGREE
from repaircore.facilities.faults import shop_faults
from repaircore.facilities.labor import ShopLabor, labor_of, three_years_before
from repaircore.facilities.model import (
    Facility,
    FacilityStats,
    Recalculated,
    Shop,
    ShopFields,
    StateSummary,
    ZipPlace,
)
from repaircore.facilities.ports import Begin, FacilitiesWork, ZipCodes
from repaircore.facilities.rates import LaborRates, RegionRate, ShopRates, region_rate
from repaircore.facilities.region import NEAR, region_of
from repaircore.facilities.shops import changes, home_zip, settled, shop_of, shown
from repaircore.facilities.states import state_code
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from repaircore.kernel.paging import Page
from repaircore.kernel.references import referring
from repaircore.kernel.types import Clock

__all__ = ["Regions"]

_REACH: Final = NEAR / MILES_PER_DEGREE
_BATCH: Final = 500


@frozen(kw_only=True)
class Regions:
    """The use cases of facilities. ``rates`` is the table that a place without shops goes by.

    Both environments share the shops, so a test key may look at them, and not change them.
    """

    begin: Begin
    look: Begin
    zip_codes: ZipCodes
    rates: LaborRates
    clock: Clock

    def faults(self, **fields: Unpack[ShopFields]) -> dict[str, list[str]]:
        """Name what is wrong with what is told of a shop; what is not told is not judged."""
        return shop_faults(**fields)

    def add(self, caller: Caller = LOCAL, **fields: Unpack[ShopFields]) -> Facility:
        """Keep a shop; its ZIP code says where it stands.

        Raises:
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            Invalid: every bad field is named, ``name`` as ``facility_name``.
        """
        _demand_operator(caller)
        _judge({"name": "", **fields})
        shop, place = self._placed(evolve(Shop(name=""), **fields))
        with self.begin() as work:
            kept = work.facilities.add(
                name=shop.name,
                city=shop.city,
                state=shop.state,
                zip_code=shop.zip_code,
                country=shop.country,
                avg_labor_rate=shop.avg_labor_rate,
                point=None if place is None else place.point,
                at=self.clock(),
            )
            work.audit.add(
                caller, "region.add", _subject(kept.id), before=None, after=shown(kept), at=self.clock()
            )
            return kept

    def change(self, facility_id: int, caller: Caller = LOCAL, **fields: Unpack[ShopFields]) -> Facility:
        """Change what is told of a shop; what is not told stays as it is.

        Raises:
            Conflict: somebody else changed it at the same moment.
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            Invalid: every bad field is named, ``name`` as ``facility_name``.
            NotFound: there is no such shop.
        """
        _demand_operator(caller)
        with self.begin() as work:
            kept = _kept(work, facility_id)
            _judge(fields)
            shop, place = self._placed(self._moved(shop_of(kept), fields))
            if shop == shop_of(kept):
                return kept
            return self._replaced(work, caller, kept, _next(kept, shop, place))

    def remove(self, facility_id: int, caller: Caller = LOCAL) -> None:
        """Forget a shop.

        Raises:
            Conflict: something refers to it; what, is told.
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            NotFound: there is no such shop.
        """
        _demand_operator(caller)
        with self.begin() as work:
            kept = _kept(work, facility_id)
            referents = work.facilities.referents(facility_id)
            told = referring(transaction=referents.transactions, vehicle=referents.vehicles)
            if told is not None:
                raise Conflict(f"The region cannot be deleted: {told}")
            if not work.facilities.remove(facility_id):
                raise _not_found()
            work.audit.add(
                caller,
                "region.remove",
                _subject(facility_id),
                before=shown(kept),
                after=None,
                at=self.clock(),
            )

    def show(self, facility_id: int) -> Facility:
        """Give a shop.

        Raises:
            NotFound: there is no such shop.
        """
        with self.look() as work:
            return _kept(work, facility_id)

    def page(
        self, *, search: str = "", state: str | None = None, number: int = 1, per_page: int = 15
    ) -> Page[Facility]:
        """List shops by name: those that ``search`` is found in, and that stand in ``state``."""
        with self.look() as work:
            return work.facilities.page(
                search=search, state=state_code(state), number=number, per_page=per_page
            )

    def states(self) -> tuple[StateSummary, ...]:
        """Sum the shops up by state, in the order of the alphabet."""
        with self.look() as work:
            return tuple(work.facilities.states())

    def stats(self, caller: Caller = LOCAL) -> FacilityStats:
        """Sum all shops up, and the invoices of the caller's environment that name one."""
        with self.look() as work:
            return work.facilities.stats(caller.environment)

    def recalculate(self, caller: Caller = LOCAL) -> Recalculated:
        """Set each shop's rate to what its live invoices say, where enough do (see ``labor.labor_of``).

        The invoices are read first; then what came out different is written in one short unit of work. A shop that somebody
        changed in between is left as they wanted it.

        Raises:
            Forbidden: the caller is not an admin, or shows a key of the test environment.
        """
        _demand_operator(caller)
        with self.look() as work:
            found = {
                labor.facility_id: labor
                for labor in labor_of(
                    work.labor_bills.by_facility(), since=three_years_before(self.clock().date())
                )
            }
            shops = list(_all(work))
        different = [shop for shop in shops if shop.id in found and not _tells(shop, found[shop.id])]
        lost = self._set_rates(caller, different, found) if different else 0
        return Recalculated(updated=len(found) - lost, skipped=len(shops) - len(found) + lost)

    def rate_at(self, place: ZipPlace, *, growth: float) -> RegionRate:
        """Give the labor rate around a place today.

        ``growth`` is how prices rose since the table's year; what shops tell of themselves is of today.
        """
        with self.look() as work:
            region = region_of(place, work.facilities.around(place.point, degrees=_REACH))
            in_state = work.facilities.rates_in(region.state)
        here = ShopRates.of(shop.avg_labor_rate for shop in region.shops if shop.avg_labor_rate)
        return region_rate(region.state, self.rates.aged(growth), here=here, in_state=in_state)

    def _placed(self, shop: Shop) -> tuple[Shop, ZipPlace | None]:
        """Give a shop as it is kept, and where it stands, which also tells a state that is not told."""
        told = settled(shop)
        code = home_zip(told)
        place = None if code is None else self.zip_codes.find(code)
        return (told if place is None or told.state else evolve(told, state=place.state)), place

    def _moved(self, kept: Shop, fields: ShopFields) -> Shop:
        """Give a shop with what is told anew; a state that only its ZIP code told moves with that."""
        shop = evolve(kept, **fields)
        if "state" in fields or self._state_of(kept) != kept.state:
            return shop
        return evolve(shop, state=self._state_of(shop) or kept.state)

    def _state_of(self, shop: Shop) -> str | None:
        _, place = self._placed(shop)
        return None if place is None else place.state

    def _replaced(self, work: FacilitiesWork, caller: Caller, old: Facility, new: Facility) -> Facility:
        kept = work.facilities.replace(old, new)
        before, after = changes(old, kept)
        work.audit.add(caller, "region.change", _subject(old.id), before=before, after=after, at=self.clock())
        return kept

    def _set_rates(self, caller: Caller, shops: list[Facility], found: dict[int, ShopLabor]) -> int:
        """Keep the rates that were found, and count the shops that were changed by somebody meanwhile."""
        lost = 0
        with self.begin() as work:
            for shop in shops:
                labor = found[shop.id]
                new = evolve(shop, avg_labor_rate=labor.rate, sample_size=labor.sample_size)
                try:
                    self._replaced(work, caller, shop, new)
                except Conflict:
                    lost += 1
        return lost


def _demand_operator(caller: Caller) -> None:
    if not caller.is_admin or caller.environment is Environment.TEST:
        raise Forbidden


def _judge(fields: ShopFields) -> None:
    wrong = shop_faults(**fields)
    if wrong:
        raise Invalid(wrong)


def _kept(work: FacilitiesWork, facility_id: int) -> Facility:
    # A database counts to 2^63.
    found = work.facilities.by_id(facility_id) if 0 < facility_id < 2**63 else None
    if found is None:
        raise _not_found()
    return found


def _not_found() -> NotFound:
    return NotFound("Region not found.")


def _subject(facility_id: int) -> str:
    return f"regions/{facility_id}"


def _next(kept: Facility, shop: Shop, place: ZipPlace | None) -> Facility:
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


def _tells(shop: Facility, labor: ShopLabor) -> bool:
    return (shop.avg_labor_rate, shop.sample_size) == (labor.rate, labor.sample_size)


def _all(work: FacilitiesWork) -> Iterator[Facility]:
    last = 0
    while batch := work.facilities.after(last, limit=_BATCH):
        yield from batch
        last = batch[-1].id
