"""Price levels of a place, looked up in the same way for a question and an invoice."""

import math
from collections.abc import Sequence

from attrs import evolve, frozen

from repaircore.facilities.labor_table import LaborRates
from repaircore.facilities.model import Facility, Region, ZipPlace
from repaircore.facilities.normalization import fields_of, home_zip
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.rates import RegionRate, region_rate
from repaircore.facilities.region import EnteredRate, entered_rate, nearest_shops
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.predictions.ports import PredictionsWork
from repaircore.pricing.places import PlaceCells, PlacePrices, place_levels
from repaircore.transactions.evidence import NOWHERE, Place


@frozen(kw_only=True)
class LocalPrices:
    """The price levels of a place, and their sources."""

    prices: PlacePrices
    cells: PlaceCells
    entered: EnteredRate | None

    def rate(self, rate: Cents, place: ZipPlace, table: LaborRates) -> RegionRate:
        """Return a labor rate together with its source."""
        cells = self.cells
        here = max(cells.rate_shop.w, cells.rate_area.w)
        elsewhere = cells.rate_country.w + cells.rate_unplaced.w
        return region_rate(
            rate,
            table.at(place.zip_code, place.state),
            place.state,
            entered=self.entered,
            here=here,
            in_state=cells.rate_state.w,
            elsewhere=elsewhere,
        )


@frozen(kw_only=True)
class LocalPriceLookup:
    """Looks up the price levels of places.

    ``wages`` is the wage level of today, since the rates that operators entered are those of today.
    """

    zip_codes: ZipCodes
    rates: LaborRates

    def of_region(
        self, work: PredictionsWork, environment: Environment, at: ZipPlace, region: Region, *, wages: float
    ) -> LocalPrices:
        """Return the price levels at a ZIP code: those of its nearest shop, or else of its area."""
        shops = nearest_shops(region)
        place = Place(state=at.state, area=at.zip_code[:3], shop=shops[0].id if shops else None)
        ids = [shop.id for shop in shops]
        return self._prices(work, environment, place, ids, entered=entered_rate(region), wages=wages)

    def of_zip_code(
        self, work: PredictionsWork, environment: Environment, at: ZipPlace, region: Region, *, wages: float
    ) -> LocalPrices:
        """Return the price levels that an invoice from a ZIP code is compared with: those of an estimate there.

        The invoice may not be from the nearest shop, so only the area learns from it.
        """
        local = self.of_region(work, environment, at, region, wages=wages)
        return evolve(local, prices=evolve(local.prices, place=Place(state=at.state, area=at.zip_code[:3])))

    def of_invoice(
        self,
        work: PredictionsWork,
        environment: Environment,
        place: Place,
        shop: Facility | None,
        *,
        wages: float,
    ) -> LocalPrices:
        """Return the price levels that an invoice from a place is compared with; ``shop`` is None if unknown."""
        entered = None if shop is None else entered_rate(Region(state=place.state, shops=(shop,)))
        ids = () if place.shop is None else (place.shop,)
        return self._prices(work, environment, place, ids, entered=entered, wages=wages)

    def place_of(self, shop: Facility | None, zip5: str | None = None) -> Place:
        """Return the place of an invoice: that of its shop, or else of a ZIP code; ``NOWHERE`` if both are unknown."""
        if shop is not None:
            return place_of(shop, self.zip_codes)
        at = None if zip5 is None else self.zip_codes.find(zip5)
        return NOWHERE if at is None else Place(state=at.state, area=at.zip_code[:3])

    def _prices(
        self,
        work: PredictionsWork,
        environment: Environment,
        place: Place,
        shops: Sequence[int],
        *,
        entered: EnteredRate | None,
        wages: float,
    ) -> LocalPrices:
        cells = work.evidence.get_place_cells(environment, place, shops)
        national = self.rates.national
        levels = place_levels(
            cells,
            table=math.log(self.rates.at(place.area, place.state).rate / national),
            entered=None if entered is None else math.log(entered.rate / (national * wages)),
        )
        return LocalPrices(prices=PlacePrices(place=place, levels=levels), cells=cells, entered=entered)


def place_of(shop: Facility, zip_codes: ZipCodes) -> Place:
    """Return the place of a shop: its state and area if its ZIP code is in use, or else only its state."""
    code = home_zip(fields_of(shop))
    at = None if code is None else zip_codes.find(code)
    if at is not None:
        return Place(state=at.state, area=at.zip_code[:3], shop=shop.id)
    return Place(state=shop.state or "", shop=shop.id)
