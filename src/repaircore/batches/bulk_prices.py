"""Prices of many repairs on many vehicles, computed together; each is the same as in a single estimate."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from attrs import define, field, frozen

from repaircore.book.model import Problem
from repaircore.facilities.model import ZipPlace
from repaircore.facilities.service import region_around
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import PriceRange
from repaircore.kernel.types import Lazy
from repaircore.predictions.compute import Computation, lineage_of
from repaircore.predictions.ports import PredictionsWork
from repaircore.predictions.price_adjustment import adjusted_estimate
from repaircore.predictions.statutory_fees import FeeKind, fixed_estimate
from repaircore.pricing.book_price import book_price, outside_reason
from repaircore.pricing.estimator import estimate, outlook
from repaircore.pricing.places import Market
from repaircore.pricing.price_index import day_levels
from repaircore.vehicle_facts.model import Factors, VehicleSpecs

OpenWork: TypeAlias = Callable[[], AbstractContextManager[PredictionsWork]]
"""Open a unit of work that only reads, and reads each record at most once."""


@frozen(kw_only=True)
class VehiclePrices:
    """The prices of repairs on a vehicle, by repair ID.

    ``labor_level`` is the local labor rate divided by the national one. ``is_outside_book`` is whether the book
    fails to cover at least one of the repairs on this vehicle.
    """

    prices: Mapping[int, PriceRange]
    labor_level: float
    is_outside_book: bool


@define(kw_only=True)
class PriceList:
    """Prices repairs on vehicles; each repair is priced once for all vehicles of the same build in a ZIP code."""

    work: PredictionsWork
    environment: Environment
    computation: Computation
    percent: float
    _markets: dict[str, tuple[ZipPlace, Market]] = field(init=False, factory=dict)
    _priced: dict[tuple[str, str], dict[int, PriceRange]] = field(init=False, factory=dict)

    def of(self, key: str, about: VehicleSpecs, zip5: str, problems: Collection[Problem]) -> VehiclePrices:
        """Return the prices of some repairs on a vehicle; ``key`` identifies the vehicle's build.

        Raises:
            LookupError: the ZIP code is not in use; callers should check it first.
        """
        place, market = self._place(zip5)
        known = self._priced.setdefault((key, zip5), {})
        factors = self.computation.factors_of(about)
        for problem in problems:
            if problem.id not in known:
                known[problem.id] = self._price(problem, about, factors, place, market)
        return VehiclePrices(
            prices={problem.id: known[problem.id] for problem in problems},
            labor_level=market.rate / market.national_rate,
            is_outside_book=any(outside_reason(problem, factors) is not None for problem in problems),
        )

    def _place(self, zip5: str) -> tuple[ZipPlace, Market]:
        if zip5 not in self._markets:
            self._markets[zip5] = self._look_up(zip5)
        return self._markets[zip5]

    def _look_up(self, zip5: str) -> tuple[ZipPlace, Market]:
        computation = self.computation
        place = computation.zip_codes.find(zip5)
        if place is None:
            raise LookupError(zip5)
        rates = computation.local_prices.rates
        levels = day_levels(computation.prices, rates, computation.clock().date())
        local = computation.local_prices.of_region(
            self.work,
            self.environment,
            place,
            region_around(self.work.facilities, place),
            wages=levels.wages,
        )
        return place, local.prices.market(rates.national, levels)

    def _price(
        self, problem: Problem, about: VehicleSpecs, factors: Factors, place: ZipPlace, market: Market
    ) -> PriceRange:
        year = self.computation.clock().year
        book = book_price(problem, factors, national_rate=market.national_rate, year=year)
        past = self.work.evidence.get_history(self.environment, problem, lineage_of(about))
        variances = self.work.evidence.get_variances(self.environment, problem.id, spread=book.spread)
        found = estimate(outlook(book, past, market=market, variances=variances))
        fee = self.computation.fees.find(problem.slug, place.state, place.zip_code)
        if fee is not None and fee.kind is FeeKind.FIXED:
            found = fixed_estimate(found, fee)
        adjusted = adjusted_estimate(found, self.percent)
        return PriceRange(low=adjusted.low, average=adjusted.average, high=adjusted.high)


@frozen(kw_only=True)
class BulkPrices:
    """Opens price lists, each computed from a consistent snapshot."""

    read: OpenWork
    computation: Lazy[Computation]

    @contextmanager
    def open(self, environment: Environment) -> Iterator[PriceList]:
        """Open a price list.

        Raises:
            Unavailable: the database is not responding.
        """
        with self.read() as work:
            yield PriceList(
                work=work,
                environment=environment,
                computation=self.computation(),
                percent=work.adjustment.get(),
            )
