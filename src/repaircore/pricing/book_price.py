"""The price of a repair on a vehicle, according to the repair book."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final

from attrs import evolve, field, frozen

from repaircore.book.model import Fits, PartKind, PartNeed, Per, Problem
from repaircore.kernel.facts import Engine
from repaircore.kernel.money import Cents
from repaircore.pricing.model import Breakdown, PartsTier
from repaircore.vehicle_facts.model import Amounts, EngineBay, Factors, JobFactors


@frozen(kw_only=True)
class BookPart:
    """A part of a repair with its unit price in cents on the vehicle; ``graded`` parts are sold in grades."""

    name: str
    quantity: int
    price: float
    graded: bool = False


@frozen(kw_only=True)
class BookPrice:
    """The book's price of a repair on one vehicle, at the national rate and in the book's year.

    ``hours`` and the parts' prices include the vehicle's factors. ``spread`` is the standard deviation of ln price, and
    ``tier`` the grade of the graded parts, or None if there are none. ``parts_total`` is the sum of the parts and
    ``total`` the price of the job, which is positive, both in cents.
    """

    hours: float
    parts: tuple[BookPart, ...]
    rate: Cents
    spread: float
    tier: PartsTier | None = None
    parts_total: float = field(init=False, eq=False, repr=False)
    total: float = field(init=False, eq=False, repr=False)

    @parts_total.default
    def _sum_of_parts(self) -> float:
        return sum(part.price * part.quantity for part in self.parts)

    @total.default
    def _price(self) -> float:
        return max(1.0, self.hours * self.rate + self.parts_total)

    @property
    def labor_share(self) -> float:
        """Return the labor share of the total, 0 to 1."""
        return self.hours * self.rate / self.total


# Grades of parts: their price relative to the book's aftermarket price, and how often shops install them.
#
# Editorial figures: makers' parts at list price, compared with aftermarket parts, and remanufactured or economy lines below;
# the older the vehicle, the fewer owners pay for the maker's own.


PRICES: Final[Mapping[PartsTier, float]] = {
    PartsTier.ECONOMY: 0.72,
    PartsTier.AFTERMARKET: 1.0,
    PartsTier.OEM: 1.45,
}
"""The price of a part of each grade, relative to the book's price."""

_SHARES: Final[tuple[tuple[int, tuple[float, float, float]], ...]] = (
    (3, (4.0, 31.0, 65.0)),
    (7, (13.0, 54.0, 33.0)),
    (12, (24.0, 60.0, 16.0)),
    (19, (33.0, 58.0, 9.0)),
)
_OLDEST: Final = (52.0, 42.0, 6.0)
"""Beyond 19 years, most invoices have remanufactured and economy parts."""


def shares(age: int | None) -> Mapping[PartsTier, float]:
    """Return the percentage of invoices that have parts of each grade; an unknown age counts as middle age."""
    years = _MIDDLE_AGE if age is None else max(0, age)
    found = next((shares for most, shares in _SHARES if years <= most), _OLDEST)
    return dict(zip(PartsTier, found, strict=True))


@lru_cache(maxsize=128)
def commonest(age: int | None) -> PartsTier:
    """Return the grade that is most common on invoices for vehicles of an age."""
    found = shares(age)
    return max(found, key=found.__getitem__)


_MIDDLE_AGE: Final = 9


@frozen(kw_only=True)
class Relative:
    """The hours and parts of a repair on one vehicle, relative to the book (1.0).

    ``labor_share`` is labor's share of the book's own price, and ``battery`` the capacity of the traction
    battery in kWh, or None if unknown.
    """

    hours: float
    parts: float
    labor_share: float
    battery: float | None

    @property
    def price(self) -> float:
        """Return the factor for the whole price."""
        return self.labor_share * self.hours + (1 - self.labor_share) * self.parts


_Z80 = 1.2815515655446004
"""Eight out of ten values of a normal distribution lie within this many standard deviations of the mean."""

_NARROWEST = 0.05
_WIDEST = 1.0
_OUTSIDE_WIDER = 1.7
"""How much wider the range is for vehicles that the book does not cover."""

_ALIKE = {
    EngineBay.DIESEL_TRUCK_INLINE: EngineBay.DIESEL_TRUCK,
    EngineBay.ROTARY: EngineBay.FOUR_LONGITUDINAL,
}
"""The most similar bay, whose hours stand in for a bay without its own."""

BRAKES = "brakes"
_ROUND_UP_FROM = 0.25
"""Fluids are sold in whole containers; a remainder of at least a quarter takes another one."""


def book_price(
    problem: Problem,
    factors: Factors,
    *,
    national_rate: Cents,
    year: int | None = None,
    tier: PartsTier | None = None,
) -> BookPrice:
    """Return the book's hours and parts for a vehicle, by its size, engine bay, amounts and age in ``year``.

    Parts are those of ``tier``, by default the most common grade at the vehicle's age. If several engines are possible,
    the one with the middle price counts. A repair for which the book knows neither hours nor parts counts as labor
    alone, at the geometric mean of its low and high prices.
    """
    return _priced(problem, factors, national_rate=national_rate, year=year, tier=tier)[1]


def relative(
    problem: Problem, factors: Factors, *, national_rate: Cents, year: int | None = None
) -> Relative:
    """Return the hours and parts of a repair relative to the book, for a vehicle's engine, amounts and exceptions."""
    chosen, _ = _priced(problem, factors, national_rate=national_rate, year=year, tier=None)
    job = chosen.job(problem.slug)
    usual = sum(part.price * part.quantity for part in problem.parts)
    taken = sum(_taken(part, chosen, job, first=not turn) for turn, part in enumerate(problem.parts))
    hours = _hours(problem, chosen) / (problem.labor_hours * chosen.labor) if problem.labor_hours > 0 else 1.0
    return Relative(
        hours=hours * (1.0 if job is None else job.labor),
        parts=taken / usual if usual > 0 else 1.0,
        labor_share=_plain_share(problem, usual, national_rate),
        battery=chosen.amounts.battery,
    )


def _taken(part: PartNeed, factors: Factors, job: JobFactors | None, *, first: bool) -> float:
    plain = BookPart(name=part.name, quantity=quantity_of(part, factors.amounts), price=float(part.price))
    found = plain if job is None else _of_job(plain, part, job, first=first)
    return found.price * found.quantity * _capacity(part, factors)


def _capacity(part: PartNeed, factors: Factors) -> float:
    battery = factors.amounts.battery
    return battery / part.reference if part.per is Per.BATTERY_KWH and battery and part.reference else 1.0


def _plain_share(problem: Problem, parts: float, national_rate: Cents) -> float:
    labor = problem.labor_hours * national_rate
    return labor / (labor + parts) if labor + parts > 0 else 1.0


def _priced(
    problem: Problem, factors: Factors, *, national_rate: Cents, year: int | None, tier: PartsTier | None
) -> tuple[Factors, BookPrice]:
    """Price a repair with each possible engine; return the factors and the price of the one in the middle.

    If two are in the middle, the cheaper one counts.
    """
    priced = [
        (choice, _book_price(problem, choice, national_rate=national_rate, year=year, tier=tier))
        for choice in choices(problem, factors)
    ]
    if len(priced) > 1:
        priced.sort(key=lambda pair: pair[1].total)
    return priced[(len(priced) - 1) // 2]


def choices(problem: Problem, factors: Factors) -> Sequence[Factors]:
    """Return a vehicle's factors for each possible engine that may need a repair, or for all engines if none may."""
    fitting = [own for engine, own in factors.possible if _may_take(problem.fits, engine)]
    return fitting or [own for _, own in factors.possible] or [factors]


def _may_take(fits: Fits, engine: Engine) -> bool:
    """Return whether a repair may apply to an engine, as far as is known; a diesel, for example, has no spark plugs."""
    needed: Sequence[tuple[object, Collection[object]]] = (
        (engine.powertrain, fits.powertrains | fits.perhaps),
        (engine.layout, fits.layouts),
        (engine.valve_train, fits.valve_trains),
        (engine.cam_drive, fits.cam_drives),
        (engine.aspiration, fits.aspirations),
    )
    return all(has is None or not wanted or has in wanted for has, wanted in needed)


def _book_price(
    problem: Problem, factors: Factors, *, national_rate: Cents, year: int | None, tier: PartsTier | None
) -> BookPrice:
    age = age_of(factors, year)
    grade = tier or commonest(age)
    job = factors.job(problem.slug)
    hours = _hours(problem, factors) * hours_factor(age) * (1.0 if job is None else job.labor)
    parts = tuple(_part(part, factors, age, grade) for part in problem.parts)
    if job is not None:
        parts = tuple(
            _of_job(part, need, job, first=not turn)
            for turn, (part, need) in enumerate(zip(parts, problem.parts, strict=True))
        )
    if hours <= 0 and not any(part.price > 0 for part in parts):
        hours = math.sqrt(max(1, problem.low) * max(1, problem.high)) * factors.labor / national_rate
    wider = 1.0 if outside_reason(problem, factors) is None else _OUTSIDE_WIDER
    return BookPrice(
        hours=hours,
        parts=tuple(part for part in parts if part.quantity > 0),
        rate=national_rate,
        spread=min(_WIDEST, book_spread(problem) * wider),
        tier=grade if any(part.graded and part.price > 0 for part in parts) else None,
    )


def age_of(factors: Factors, year: int | None) -> int | None:
    """Return the age of a vehicle in a calendar year; None if either year is unknown."""
    return None if year is None or factors.year is None else max(0, year - factors.year)


def is_graded(part: PartNeed) -> bool:
    """Return whether a part is sold in grades; fluids, materials, sublet work and traction batteries are not."""
    return part.kind is PartKind.PART and part.per is not Per.BATTERY_KWH


def outside_reason(problem: Problem, factors: Factors) -> str | None:
    """Return why the book does not cover this repair on such a vehicle, or None if it does."""
    if factors.outside is None and factors.ceramic_brakes and problem.parent.slug == BRAKES:
        return "The repair book has no figures for ceramic brakes."
    return factors.outside


def quantity_of(part: PartNeed, amounts: Amounts) -> int:
    """Return the quantity of a part on a vehicle: 0 if it has none, or the book's if the vehicle's is unknown."""
    if part.per is Per.PLUG_TUBES and amounts.plug_tubes is False:
        return 0
    match part.per:
        case Per.SPARK_PLUG:
            amount: float | None = amounts.cylinders if amounts.plugs is None else amounts.plugs
        case Per.CYLINDER:
            amount = amounts.cylinders
        case Per.OIL_QUART:
            amount = amounts.oil
        case Per.COOLANT_GALLON:
            amount = None if amounts.coolant is None else amounts.coolant * part.quantity / 2
        case Per.TRANSMISSION_QUART:
            amount = amounts.transmission_fluid
        case _:
            return part.quantity
    return part.quantity if amount is None else max(1, math.floor(amount + 1 - _ROUND_UP_FROM))


def bay_factor(problem: Problem, bay: EngineBay | None) -> float | None:
    """Return the factor for a repair's hours in an engine bay or in the most similar one, or None if neither has one."""
    return _in_bay(problem.labor_factors, bay)


def _in_bay(labor_factors: Mapping[str, float], bay: EngineBay | None) -> float | None:
    if bay is None:
        return None
    found = labor_factors.get(bay.value)
    alike = _ALIKE.get(bay)
    return found if found is not None or alike is None else labor_factors.get(alike.value)


def _hours(problem: Problem, factors: Factors) -> float:
    """Return a repair's hours; if the timing belt covers the part, at least those of the belt."""
    own = _in_trade(problem.labor_hours, problem.labor_factors, factors)
    belt = problem.under_belt if factors.pump_under_belt else None
    return own if belt is None else max(own, _in_trade(belt.hours, belt.factors, factors))


def _in_trade(hours: float, labor_factors: Mapping[str, float], factors: Factors) -> float:
    """Scale hours by the vehicle's labor factor, in which a factor for the engine bay replaces that for the size."""
    bay = _in_bay(labor_factors, factors.bay)
    return hours * factors.labor if bay is None else hours * bay * factors.labor / factors.size


def _part(part: PartNeed, factors: Factors, age: int | None, tier: PartsTier) -> BookPart:
    price = float(part.price)
    if part.per is Per.BATTERY_KWH and factors.amounts.battery and part.reference:
        price *= _capacity(part, factors)  # battery cells cost the same in small and large cars
    elif part.kind is PartKind.PART:
        price *= factors.parts * parts_factor(age, common=factors.common, times=part.ageing)
    graded = is_graded(part)
    return BookPart(
        name=part.name,
        quantity=quantity_of(part, factors.amounts),
        price=price * PRICES[tier] if graded else price,
        graded=graded,
    )


def _of_job(part: BookPart, need: PartNeed, job: JobFactors, *, first: bool) -> BookPart:
    """Return a part with the job's price factor applied and, if it is the first part, with the job's quantity.

    The prices of fluids and sublet work stay unchanged.
    """
    return evolve(
        part,
        price=part.price * job.parts if need.kind is PartKind.PART else part.price,
        quantity=part.quantity if job.quantity is None or not first else job.quantity,
    )


def book_spread(problem: Problem) -> float:
    """Return the standard deviation of ln price that the book's low and high imply."""
    ratio = max(1, problem.high) / max(1, problem.low)
    return min(_WIDEST, max(_NARROWEST, math.log(max(1.0, ratio)) / (2 * _Z80)))


# The effect of a vehicle's age on the price of parts and on hours: editorial curves, from shops' experience.
#
# The book's figures are those of a vehicle of middle age. Parts of common makes get cheaper once many makers offer them and
# salvage yards are full of them; hours grow as bolts rust and plastic turns brittle.

_PARTS_FROM: Final = 10
_PARTS_EACH_YEAR: Final = 0.012
_PARTS_LEAST: Final = 0.84
_HOURS_FROM: Final = 10
_HOURS_EACH_YEAR: Final = 0.006
_HOURS_MOST: Final = 1.10


def parts_factor(age: int | None, *, common: bool, times: float = 1.0) -> float:
    """Return the price of parts at an age, relative to middle age.

    Only parts of common makes get cheaper; an unknown age changes nothing. ``times`` multiplies both how fast and how
    far the price falls.
    """
    if age is None or not common:
        return 1.0
    return max(1 - times * (1 - _PARTS_LEAST), 1 - times * _PARTS_EACH_YEAR * max(0, age - _PARTS_FROM))


def hours_factor(age: int | None) -> float:
    """Return the hours of work at an age, relative to middle age; an unknown age changes nothing."""
    return 1.0 if age is None else min(_HOURS_MOST, 1 + _HOURS_EACH_YEAR * max(0, age - _HOURS_FROM))


TierPrice = tuple[PartsTier, Cents, Cents, float]
"""A grade, the price of parts and the total with it in cents, and the percentage of invoices that have it."""


def tier_prices(
    book: BookPrice, priced: Callable[[PartsTier], Breakdown], factors: Factors, *, year: int
) -> tuple[TierPrice, ...]:
    """Return the price of the repair with parts of each grade; empty if its parts have no grades.

    ``priced`` returns the breakdown for a grade, so each price is what a request for that grade returns, rounded once.
    """
    if book.tier is None:
        return ()
    found = shares(age_of(factors, year))
    breakdowns = [(tier, priced(tier)) for tier in PartsTier]
    return tuple(
        (tier, breakdown.parts_total, breakdown.total, found[tier]) for tier, breakdown in breakdowns
    )
