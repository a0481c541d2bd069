"""Worlds to estimate in: made-up invoices, and the law that they follow.

Every world has its own law, drawn from its seed: what a repair costs, how makes, models and shops differ, how prices rise. What is
left after all that is noise of a known shape, so that nobody can do better than the oracle, who knows the law.
"""

import math
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from bench.quality.catalog import profile_of
from bench.quality.vehicles import MAKES, MODELS, YEARS, ZIP_CODES
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.kernel.traits import Powertrain, Traits
from repaircore.pricing.book_price import book_price
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.wiring.learning import sample_of_invoices

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MONTHS: Final = 72
LEARNED: Final = 66
"""The first months teach, the last six are to be estimated."""

END: Final = date(2026, 10, 1)
"""The day on which the last month ends."""

_DAYS_OF_MONTH: Final = 30.4375
_RATE: Final = 140.0
_WAGES: Final = 0.0042
_PRICES: Final = 0.0033
_MIDDLE_YEAR: Final = 2013
_GAS: Final = Traits(powertrain=Powertrain.GAS, drive=None, body=None)
_WEIGHT_OF_YEAR: Final = (0.14, 0.2, 0.26, 0.24, 0.16)
_DRAWS: Final = 200
_BRANDED: Final = 0.3
"""So many parts come from the vehicle's own brand, which costs more."""


@frozen(kw_only=True)
class World:
    """What makes one world differ from the next; ``step`` and ``dearer`` are logarithms of prices.

    ``off_book`` is how far the hours and the parts of a repair lie from the repair book's (the standard deviation of
    their logarithms); None when they have nothing to do with them.
    """

    name: str
    text: str
    off_book: float | None = 0.35
    step: float = 0.0
    step_month: float = 60.0
    dear_shops: float = 0.0
    dearer: float = math.log(1.3)
    gross_errors: float = 0.015
    problems: int = 40
    models: int = len(MODELS)
    shops: int = len(ZIP_CODES)


WORLDS: Final[Mapping[str, World]] = {
    world.name: world
    for world in (
        World(name="foreign", text="another book's prices, up or down by a third"),
        World(name="unrelated", text="prices that have nothing to do with the repair book's", off_book=None),
        World(name="book", text="the repair book's own prices", off_book=0.0),
        World(name="step", text="all prices rise by 12% in month 60 of 66", step=math.log(1.12)),
        World(name="dear", text="a tenth of the shops charge 30% more, for parts and labor", dear_shops=0.1),
        World(name="errors", text="6% gross errors among the invoices to learn from", gross_errors=0.06),
        World(name="sparse", text="160 repairs on all models: few invoices of each", problems=160),
        World(name="dense", text="8 repairs on 6 models at 6 shops", problems=8, models=6, shops=6),
    )
}


@frozen(kw_only=True, eq=False)
class Jobs:
    """Repairs, each named by its place in the lists of the world; ``month`` counts from the beginning."""

    month: Floats
    problem: Ints
    model: Ints
    make: Ints
    year: Ints
    shop: Ints

    def __len__(self) -> int:
        return len(self.month)

    def take(self, chosen: Ints | NDArray[np.bool_]) -> "Jobs":
        """Give some of them."""
        return Jobs(
            month=self.month[chosen],
            problem=self.problem[chosen],
            model=self.model[chosen],
            make=self.make[chosen],
            year=self.year[chosen],
            shop=self.shop[chosen],
        )


@frozen(kw_only=True, eq=False)
class Charges:
    """What was charged, in dollars and hours; ``gross`` marks what is grossly wrong."""

    parts: Floats
    hours: Floats
    rate: Floats
    gross: NDArray[np.bool_]

    @property
    def total(self) -> Floats:
        return self.parts + np.round(self.hours * self.rate, 2)

    def take(self, chosen: "Ints | NDArray[np.bool_]") -> "Charges":
        return Charges(
            parts=self.parts[chosen],
            hours=self.hours[chosen],
            rate=self.rate[chosen],
            gross=self.gross[chosen],
        )


class Law:
    """What repairs cost in a world."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self._dice = dice = np.random.default_rng(seed)
        self._book = sample_of_invoices()
        fitting = [one for one in self._book.problems if one.fits.allows(_GAS) and one.labor_hours > 0]
        self.problems = [fitting[i] for i in sorted(dice.choice(len(fitting), world.problems, replace=False))]
        self.models = self._popular_models()
        self.zip_codes = [
            ZIP_CODES[i] for i in sorted(dice.choice(len(ZIP_CODES), world.shops, replace=False))
        ]
        count, models, makes = world.problems, len(MODELS), len(MAKES)
        small = 0.3 if world.off_book == 0 else 1.0  # the book knows most of what makes and models cost
        self._off_book = _Effect(
            dice, (count,), parts=world.off_book or 0.0, hours=(world.off_book or 0.0) / 2
        )
        self._unrelated = _Effect(dice, (count,), parts=0.95, hours=0.65)
        self._make = _Effect(dice, (makes,), parts=0.22 * small, hours=0.08 * small)
        self._model = _Effect(dice, (models,), parts=0.13 * small, hours=0.09 * small)
        self._of_make = _Effect(dice, (count, makes), parts=0.12 * small, hours=0.06 * small)
        self._of_model = _Effect(dice, (count, models), parts=0.10 * small, hours=0.08 * small)
        self._shop = _Effect(dice, (world.shops,), parts=0.06, hours=0.09)
        dear = np.zeros(world.shops)
        dear[: round(world.dear_shops * world.shops)] = world.dearer
        self._dear = dice.permutation(dear)
        self._uneven = np.exp(dice.normal(0, 0.3, count))
        self._weight_of_problem = _shares(dice.gamma(1.2, 1, count))
        self._weight_of_model = _shares(dice.gamma(0.8, 1, len(self.models)) + 0.02)
        self._weight_of_shop = _shares(dice.gamma(1.5, 1, world.shops) + 0.05)
        self._make_of = np.array([MAKES.index(make) for make, _ in MODELS])
        self._booked: dict[tuple[int, int, int], tuple[float, float]] = {}
        self._fitting: dict[tuple[int, int], Floats] = {}

    def jobs(self, count: int, *, first: float = 0.0, last: float = MONTHS, shop: int | None = None) -> Jobs:
        """Draw repairs, the oldest first; ``shop`` has them all done by one."""
        dice = self._dice
        model, year = self._vehicles(count)
        shops = dice.choice(self.world.shops, count, p=self._weight_of_shop)
        return Jobs(
            month=np.sort(dice.uniform(first, last, count)),
            problem=self._problems_of(model, year),
            model=model,
            make=self._make_of[model],
            year=year,
            shop=shops if shop is None else np.full(count, shop),
        )

    def _vehicles(self, count: int) -> tuple[Ints, Ints]:
        """Draw models and years that at least one of the world's repairs fits."""
        dice = self._dice
        model, year = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        missing = np.arange(count)
        for _ in range(_DRAWS):
            drawn = np.asarray(self.models)[
                dice.choice(len(self.models), len(missing), p=self._weight_of_model)
            ]
            model[missing] = drawn
            year[missing] = np.asarray(YEARS)[dice.choice(len(YEARS), len(missing), p=_WEIGHT_OF_YEAR)]
            having = [self._weights(int(model[i]), int(year[i])).any() for i in missing]
            missing = missing[~np.array(having, dtype=bool)]
            if not len(missing):
                return model, year
        raise RuntimeError("No repair of this world fits its vehicles.")

    def _problems_of(self, model: Ints, year: Ints) -> Ints:
        """Draw a repair for each vehicle, of those that an invoice of it can have."""
        problem = np.zeros(len(model), dtype=np.int64)
        for one, built in sorted({(int(m), int(y)) for m, y in zip(model, year, strict=True)}):
            alike = np.flatnonzero((model == one) & (year == built))
            weights = self._weights(one, built)
            problem[alike] = self._dice.choice(len(weights), len(alike), p=weights / weights.sum())
        return problem

    def _weights(self, model: int, year: int) -> Floats:
        """Return how common each repair is on a vehicle: 0 where the repair book says that it does not fit.

        Nobody has an invoice for a vehicle that was never made, so all of them are 0 there.
        """
        key = model, year
        if key not in self._fitting:
            profile = profile_of(*MODELS[model], year)
            fits = [
                profile is not None and check_fit(one, profile).outcome is not FitOutcome.DOES_NOT_FIT
                for one in self.problems
            ]
            self._fitting[key] = self._weight_of_problem * np.array(fits)
        return self._fitting[key]

    def charged(self, jobs: Jobs, *, gross_errors: float | None = None) -> Charges:
        """Draw what is charged."""
        dice, count = self._dice, len(jobs)
        parts, hours, rate = self._middles(jobs)
        branded = np.where(dice.random(count) < _BRANDED, 0.28, -0.12)
        parts = parts * np.exp(dice.normal(0, 0.2, count) * self._uneven[jobs.problem] + branded)
        hours = hours * np.exp(dice.normal(0, 0.14, count))
        rate = rate * np.exp(dice.normal(0, 0.06, count))
        share = self.world.gross_errors if gross_errors is None else gross_errors
        gross = dice.random(count) < share
        times = np.where(
            dice.random(count) < 0.6, dice.uniform(2.5, 8, count), dice.uniform(0.1, 0.35, count)
        )
        parts, hours = (np.where(gross, one * times, one) for one in (parts, hours))
        return Charges(
            parts=np.maximum(0.01, np.round(parts, 2)),
            hours=np.maximum(0.1, np.round(hours, 1)),
            rate=np.round(rate, 2),
            gross=gross,
        )

    @property
    def dear_shops(self) -> list[int]:
        """Name the shops that charge more than the others for everything."""
        return [int(i) for i in np.flatnonzero(self._dear)]

    def quantiles(self, jobs: Jobs, *, draws: int = 301) -> Floats:
        """Give the 10, 50 and 90% quantiles of what sound invoices of each repair charge: nobody can know more."""
        totals = np.stack([self.charged(jobs, gross_errors=0.0).total for _ in range(draws)])
        return np.asarray(np.quantile(totals, (0.1, 0.5, 0.9), axis=0).T)

    def _middles(self, jobs: Jobs) -> tuple[Floats, Floats, Floats]:
        """Give the parts, hours and rate that the noise goes around."""
        p, mk, md, shop = jobs.problem, jobs.make, jobs.model, jobs.shop
        base = self._base(jobs)
        age = 0.011 * (jobs.year - _MIDDLE_YEAR)
        step = self.world.step * (jobs.month >= self.world.step_month)
        lasting = step + self._dear[shop]
        parts = (
            base[0]
            + self._make.parts[mk]
            + self._model.parts[md]
            + self._of_make.parts[p, mk]
            + self._of_model.parts[p, md]
        )
        hours = (
            base[1]
            + self._make.hours[mk]
            + self._model.hours[md]
            + self._of_make.hours[p, mk]
            + self._of_model.hours[p, md]
        )
        since = jobs.month - MONTHS
        if self.world.off_book != 0:
            parts = parts + age
        parts = parts + self._shop.parts[shop] + _PRICES * since + lasting
        rate = math.log(_RATE) + self._shop.hours[shop] + _WAGES * since + lasting
        return np.exp(parts), np.exp(hours), np.exp(rate)

    def _base(self, jobs: Jobs) -> tuple[Floats, Floats]:
        p = jobs.problem
        if self.world.off_book is None:
            return math.log(190) + self._unrelated.parts[p], math.log(1.8) + self._unrelated.hours[p]
        expected = np.array([self._of_book(*one) for one in zip(p, jobs.model, jobs.year, strict=True)])
        parts, hours = expected.reshape(-1, 2).T
        return parts + self._off_book.parts[p], hours + self._off_book.hours[p]

    def _of_book(self, problem: int, model: int, year: int) -> tuple[float, float]:
        key = (int(problem), int(model), int(year))
        if key not in self._booked:
            make, name = MODELS[key[1]]
            factors = self._book.factors_of(VehicleSpecs(make=make, model=name, year=key[2], source="bench"))
            book = book_price(self.problems[key[0]], factors, national_rate=self._book.national_rate)
            self._booked[key] = math.log(max(0.01, book.parts_total / 100)), math.log(max(0.1, book.hours))
        return self._booked[key]

    def _popular_models(self) -> list[int]:
        """Choose the models of the world; of few, from as many makes."""
        return sorted(int(i) for i in self._dice.choice(len(MODELS), self.world.models, replace=False))


class _Effect:
    """How much something moves parts and hours, as logarithms."""

    def __init__(
        self, dice: np.random.Generator, shape: tuple[int, ...], *, parts: float, hours: float
    ) -> None:
        self.parts = dice.normal(0, parts, shape)
        self.hours = dice.normal(0, hours, shape)


def _shares(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum())


def day_of(month: float) -> date:
    """Give the day of a month of the world."""
    return END - timedelta(days=math.ceil((MONTHS - month) * _DAYS_OF_MONTH))


@frozen(kw_only=True, eq=False)
class Trial:
    """Invoices to learn from, and sound ones of the months after them to be estimated."""

    law: Law
    seed: int
    past: Jobs
    charges: Charges
    coming: Jobs
    paid: Charges


def drawn(world: World, seed: int, *, learned: int, tested: int) -> Trial:
    """Draw the invoices of a trial."""
    law = Law(world, seed)
    past, coming = law.jobs(learned, last=LEARNED), law.jobs(tested, first=LEARNED)
    return Trial(
        law=law,
        seed=seed,
        past=past,
        charges=law.charged(past),
        coming=coming,
        paid=law.charged(coming, gross_errors=0.0),
    )
