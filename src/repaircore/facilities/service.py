"""Shops, and what an hour of labor costs around a ZIP code."""

from typing import Final

from attrs import frozen

from repaircore.facilities.distance import MILES_PER_DEGREE
from repaircore.facilities.faults import shop_faults
from repaircore.facilities.model import Facility, ZipPlace
from repaircore.facilities.ports import Begin, ZipCodes
from repaircore.facilities.rates import LaborRates, RegionRate, ShopRates, region_rate
from repaircore.facilities.region import NEAR, region_of
from repaircore.facilities.zip_code import zip5
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.kernel.types import Clock

__all__ = ["Regions"]

_REACH: Final = NEAR / MILES_PER_DEGREE


@frozen(kw_only=True)
class Regions:
    """The use cases of facilities. ``rates`` is the table that a place without shops goes by."""

    begin: Begin
    look: Begin
    zip_codes: ZipCodes
    rates: LaborRates
    clock: Clock

    def add(
        self,
        *,
        name: str,
        city: str | None = None,
        state: str | None = None,
        zip_code: str | None = None,
        country: str | None = None,
        avg_labor_rate: Cents | None = None,
    ) -> Facility:
        """Keep a shop; its ZIP code says where it stands.

        Raises:
            Invalid: every bad field is named.
        """
        told = shop_faults(
            name=name,
            city=city,
            state=state,
            zip_code=zip_code,
            country=country,
            avg_labor_rate=avg_labor_rate,
        )
        if told:
            raise Invalid(told)
        code = None if zip_code is None else zip5(zip_code)
        place = None if code is None else self.zip_codes.find(code)
        with self.begin() as work:
            return work.facilities.add(
                name=name,
                city=city,
                state=state or (place.state if place else None),
                zip_code=zip_code,
                country=country,
                avg_labor_rate=avg_labor_rate,
                point=place.point if place else None,
                at=self.clock(),
            )

    def rate_at(self, place: ZipPlace, *, growth: float) -> RegionRate:
        """Give the labor rate around a place today.

        ``growth`` is how prices rose since the table's year; what shops tell of themselves is of today.
        """
        with self.look() as work:
            region = region_of(place, work.facilities.around(place.point, degrees=_REACH))
            in_state = work.facilities.rates_in(region.state)
        here = ShopRates.of(shop.avg_labor_rate for shop in region.shops if shop.avg_labor_rate is not None)
        return region_rate(region.state, self.rates.aged(growth), here=here, in_state=in_state)
