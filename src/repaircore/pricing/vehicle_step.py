"""The step of an explanation about the vehicle, its age and the grade of parts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from repaircore.book.model import PartKind, PartNeed, Per, Problem
from repaircore.kernel.money import Cents
from repaircore.kernel.wording import signed
from repaircore.pricing.book_price import (
    age_of,
    bay_factor,
    choices,
    hours_factor,
    outside_reason,
    parts_factor,
    quantity_of,
    shares,
)
from repaircore.pricing.model import BookPrice, Breakdown, ExplanationStep, PartsTier
from repaircore.vehicle_facts.model import EngineBay, Factors

# The effect of a vehicle's age on the price of parts and on hours: editorial curves, after what shops see.
#
# The book's figures are those of a vehicle of middle age. Parts of common makes get cheaper once many makers offer them and
# salvage yards are full of them; hours grow as bolts rust and plastic turns brittle.


TierPrice = tuple[PartsTier, Cents, Cents, float]
"""A grade, the parts and the whole with it in cents, and the percentage of invoices that have it."""

_BAYS: Final = {
    EngineBay.FOUR_TRANSVERSE: "a transverse inline engine",
    EngineBay.FOUR_LONGITUDINAL: "a lengthwise four-cylinder engine",
    EngineBay.INLINE_SIX: "a lengthwise inline six",
    EngineBay.V6_TRANSVERSE: "a transverse V6",
    EngineBay.V6_LONGITUDINAL: "a lengthwise V6",
    EngineBay.V8: "a V8",
    EngineBay.V10_AND_MORE: "an engine of ten cylinders or more",
    EngineBay.FLAT: "a flat engine",
    EngineBay.ROTARY: "a rotary engine",
    EngineBay.DIESEL_CAR: "a light diesel engine",
    EngineBay.DIESEL_TRUCK: "a truck diesel engine",
    EngineBay.DIESEL_TRUCK_INLINE: "an inline truck diesel engine",
}
_UNITS: Final = {
    Per.SPARK_PLUG: "spark plugs",
    Per.CYLINDER: "of a part for each cylinder",
    Per.OIL_QUART: "quarts of oil",
    Per.COOLANT_GALLON: "gallons of coolant",
    Per.TRANSMISSION_QUART: "quarts of transmission fluid",
}
_TIERS: Final = {
    PartsTier.ECONOMY: "economy or remanufactured",
    PartsTier.AFTERMARKET: "aftermarket",
    PartsTier.OEM: "the maker's own",
}
_NOTICEABLE: Final = 0.005


def vehicle_step(problem: Problem, factors: Factors, book: BookPrice, *, year: int) -> ExplanationStep | None:
    """Return the step that says what the vehicle changed, or None."""
    sentences = [
        *_facts(problem, factors, book),
        *_parts(factors, book, year),
        *_age(problem, factors, book, year),
    ]
    outside = outside_reason(problem, factors)
    if outside is not None:
        sentences.append(f"{outside.rstrip('.')}: the range is wider")
    if not sentences:
        return None
    return ExplanationStep(name="vehicle", text=f"{'. '.join(sentences)}.", value=round(book.total / 100, 2))


def tier_prices(
    book: BookPrice, priced: Callable[[PartsTier], Breakdown], factors: Factors, *, year: int
) -> tuple[TierPrice, ...]:
    """Return the price of the repair with parts of each grade; nothing if its parts have no grades.

    ``priced`` returns the breakdown with a grade: each is what the answer would be if that grade were asked for, rounded once.
    """
    if book.tier is None:
        return ()
    found = shares(age_of(factors, year))
    breakdowns = [(tier, priced(tier)) for tier in PartsTier]
    return tuple((tier, one.parts_total, one.total, found[tier]) for tier, one in breakdowns)


def _facts(problem: Problem, factors: Factors, book: BookPrice) -> Iterator[str]:
    possible = choices(problem, factors)
    jobs = {one.job(problem.slug) for one in possible}
    job = jobs.pop() if len(jobs) == 1 else None
    if job is not None:
        yield job.why
    yield from _hours(problem, possible)
    taken = {used.name: used.quantity for used in book.parts}
    counted = [
        (part, taken[part.name])
        for part in problem.parts
        if part.per in _UNITS and part.name in taken and (job is None or job.quantity is None)
    ]
    same = [(part, number) for part, number in counted if _is_sure(part, possible)]
    known = _amounts(part for part in same if part[1] != part[0].quantity)
    if known:
        yield f"This vehicle takes {known}"
    likely = _amounts(part for part in counted if part not in same)
    if likely:
        yield f"Its engine is not known; most like it take {likely}"
    packs = {one.amounts.battery for one in possible}
    if any(part.per is Per.BATTERY_KWH for part in problem.parts) and len(packs) == 1 and any(packs):
        yield f"The battery is priced by its {packs.pop():g} kWh"


def _hours(problem: Problem, possible: Sequence[Factors]) -> Iterator[str]:
    if problem.under_belt is not None and all(one.pump_under_belt for one in possible):
        yield "The timing belt has to come off first: the hours are at least the belt's"
        return
    factors_by_bay = {one.bay: bay_factor(problem, one.bay) for one in possible}
    if len(set(factors_by_bay.values())) > 1:
        yield "Hours are those of the middle one of the engines that it may have"
        return
    bay, factor = next(iter(factors_by_bay.items()))
    if factor is not None and bay is not None:
        yield f"Hours are those of {_BAYS[bay]}"


def _is_sure(part: PartNeed, possible: Sequence[Factors]) -> bool:
    return len({quantity_of(part, one.amounts) for one in possible}) == 1


def _amounts(counted: Iterable[tuple[PartNeed, int]]) -> str:
    by_unit = {_UNITS[part.per]: number for part, number in counted if part.per is not None}
    return ", ".join(f"{number} {unit}" for unit, number in by_unit.items())


def _parts(factors: Factors, book: BookPrice, year: int) -> Iterator[str]:
    if book.tier is not None:
        age, share = age_of(factors, year), shares(age_of(factors, year))[book.tier]
        when = "" if age is None else f" at {age} year{'' if age == 1 else 's'}"
        yield f"Parts are {_TIERS[book.tier]}, as on {share:g} % of invoices{when}"


def _age(problem: Problem, factors: Factors, book: BookPrice, year: int) -> Iterator[str]:
    age = age_of(factors, year)
    hours, parts = hours_factor(age) - 1, _aged_parts(problem, factors, age) - 1
    changes = [
        f"{what} {signed(change)}"
        for what, change, there in (("hours", hours, book.hours > 0), ("parts", parts, book.parts_total > 0))
        if there and abs(change) >= _NOTICEABLE
    ]
    if changes:
        yield f"Its age moves {' and '.join(changes)}"


def _aged_parts(problem: Problem, factors: Factors, age: int | None) -> float:
    """Return the effect of age on the price of all parts together; some parts move more than others."""
    aged = [
        (part.price * part.quantity, parts_factor(age, common=factors.common, times=part.ageing))
        for part in problem.parts
        if part.kind is PartKind.PART
    ]
    total = sum(price for price, _ in aged)
    return sum(price * factor for price, factor in aged) / total if total else 1.0
