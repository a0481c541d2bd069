"""The explanation of an estimate in steps, each with the figures to check it."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from repaircore.book.model import PartKind, PartNeed, Per, Problem
from repaircore.kernel.money import Cents
from repaircore.kernel.wording import join_words, money, percent, signed
from repaircore.pricing.book_price import (
    BookPrice,
    age_of,
    bay_factor,
    choices,
    hours_factor,
    outside_reason,
    parts_factor,
    quantity_of,
    shares,
)
from repaircore.pricing.credibility import LevelResult, VehicleIndex, Walk
from repaircore.pricing.drift import DRIFT_MONTHS
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartsTier
from repaircore.pricing.places import Market
from repaircore.pricing.variances import Variances
from repaircore.transactions.evidence import GRAIN, Lineage
from repaircore.transactions.levels import Level
from repaircore.vehicle_facts.model import EngineBay, Factors


def basis_of(way: Walk, lineage: Lineage) -> tuple[Basis, ...]:
    """Return the weights of the book and of each level that has invoices, which add up to 100 percent.

    The weight of another installation's history, if there is any, follows that of the book.
    """
    rest, elsewhere, found = 1.0, 0.0, []
    for stop in reversed(way.stops):
        known = stop.invoices + stop.taken
        if stop.invoices:
            found.append((stop, rest * stop.credibility * stop.invoices / known))
        if stop.taken:
            elsewhere += rest * stop.credibility * stop.taken / known
        rest *= 1 - stop.credibility
    weights = [round(100 * weight, 1) for _, weight in reversed(found)]
    taken = round(100 * elsewhere, 1)
    book = Basis(
        level=None, name="the repair book", invoices=0, weight=round(100.0 - sum(weights) - taken, 1)
    )
    return (
        book,
        *([Basis(level=None, name="another installation", invoices=0, weight=taken)] if elsewhere else ()),
        *(
            Basis(
                level=stop.level, name=_level_text(stop.level, lineage), invoices=stop.invoices, weight=weight
            )
            for (stop, _), weight in zip(reversed(found), weights, strict=True)
        ),
    )


def _level_text(level: Level, lineage: Lineage) -> str:
    match level:
        case Level.PROBLEM:
            return "this job on other makes"
        case Level.MAKE:
            return f"this job on other models of the make ({lineage.make})"
        case Level.MODEL:
            return f"this job on other years of the model ({lineage.make} {lineage.model})"
        case Level.YEARS:
            years = f"{lineage.first_year} to {lineage.last_year}"
            return f"this job on the model's years ({lineage.make} {lineage.model}, {years})"
        case _:
            raise ValueError(level)


_PLACE = {
    Level.PROBLEM: ("on other makes", "what the book says"),
    Level.MAKE: ("on other models of this make", "what the job costs on all makes"),
    Level.MODEL: ("on other years of this model", "what the job costs on the make"),
    Level.YEARS: ("on this model's years", "what the job costs on the model"),
}


def steps_of(
    book: BookPrice,
    lineage: Lineage,
    market: Market,
    *,
    way: Walk,
    index: VehicleIndex,
    variances: Variances,
    drift: float,
    labor_share: float,
    correction: float,
    range_: tuple[Cents, Cents, Cents],
    breakdown: Breakdown,
) -> tuple[ExplanationStep, ...]:
    """Return the steps of an estimate, in the order of computation."""
    national = book.total * math.exp(way.mean + drift)
    here = national * market.factor(labor_share)
    steps = [_book_step(book, lineage)]
    if variances.root:
        steps.append(_root_step(variances.root * GRAIN, book))
    steps += _history_steps(book, lineage, way, index, variances)
    if drift:
        steps.append(_drift_step(drift, national))
    if not market.price_level == market.parts_level == market.hours_level == 1:
        steps.append(_prices_step(market, labor_share, national))
    steps.append(_region_step(market, labor_share, here))
    if correction:
        steps.append(_correction_step(correction, here, own=any(stop.invoices for stop in way.stops)))
    steps += (_lines_step(breakdown), _range_step(range_))
    return tuple(steps)


def _step(name: str, text: str, amount: float) -> ExplanationStep:
    return ExplanationStep(name=name, text=text, value=round(amount / 100, 2))


def _book_step(book: BookPrice, lineage: Lineage) -> ExplanationStep:
    parts = f" and {money(book.parts_total)} of parts" if book.parts else ""
    text = (
        f"The book expects {book.hours:.2f} h{parts} on a {lineage.year} {lineage.make} {lineage.model}: "
        f"{money(book.total)} at the national rate of {money(book.rate)} an hour."
    )
    return _step("book", text, book.total)


def _root_step(root: float, book: BookPrice) -> ExplanationStep:
    text = f"Across all repairs, invoices differ from the book by {signed(math.expm1(root))}; that applies to repairs without invoices, too."
    return _step("all_repairs", text, book.total * math.exp(root))


def _drift_step(drift: float, national: float) -> ExplanationStep:
    text = (
        f"Prices have moved by {signed(math.expm1(drift))} beyond the price index since these invoices, "
        f"judging by their trend and by the invoices of the last {DRIFT_MONTHS} months; we add that."
    )
    return _step("drift", text, national)


def _history_steps(
    book: BookPrice, lineage: Lineage, way: Walk, index: VehicleIndex, variances: Variances
) -> list[ExplanationStep]:
    steps, before = [], ""
    for turn, stop in enumerate(way.stops):
        amount = book.total * math.exp(stop.mean)
        text = _index_text(stop.level, lineage, index)
        if text:
            # The mean with the index, but without the cell itself.
            moved = way.stops[turn - 1].mean + (index.make if stop.level is Level.MAKE else index.model)
            steps.append(_step(f"{stop.level.value}_index", text, book.total * math.exp(moved)))
        if stop.invoices or stop.taken:
            steps.append(_step(stop.level.value, _cell_text(stop, variances), amount))
        elif not before:
            before = _no_invoices_text(stop.level)
            steps.append(_step(stop.level.value, before, amount))
    return steps


def _index_text(level: Level, lineage: Lineage, index: VehicleIndex) -> str:
    match level:
        case Level.MAKE if index.make_invoices or index.make_taken:
            change, who, than = index.make, lineage.make, "on all vehicles"
            n, taken = index.make_invoices, index.make_taken
        case Level.MODEL if index.model_invoices or index.model_taken:
            change, who, than = index.model, f"{lineage.make} {lineage.model}", "on the make"
            n, taken = index.model_invoices, index.model_taken
        case _:
            return ""
    known = _count(n) + (f" and another installation's, which count as {taken:,}," if taken else "")
    suggest = "suggests" if n == 1 and not taken else "suggest"
    return f"{known} for other jobs on {who} vehicles {suggest} {signed(math.expm1(change))} compared with those {than}."


def _count(n: int) -> str:
    return f"{n:,} invoice{'s' if n != 1 else ''}"


def _cell_text(stop: LevelResult, variances: Variances) -> str:
    where, rest = _PLACE[stop.level]
    pronoun = "It makes up" if stop.invoices == 1 else "They make up"
    counts_as = f"{variances.around / variances.book:.2g}"
    book = f" (the book counts as {counts_as} invoices)" if stop.level is Level.PROBLEM else ""
    own = round(100 * stop.credibility)
    if stop.taken:
        return (
            f"We have {f'{stop.invoices:,}' if stop.invoices else 'none'} of these {where}, and another installation's count as {stop.taken:,}. "
            f"Together they make up {own}% of the price; the other {100 - own}% is {rest}{book}."
        )
    return (
        f"We have {stop.invoices:,} of these {where}. {pronoun} {own}% of the price; "
        f"the other {100 - own}% is {rest}{book}."
    )


def _no_invoices_text(level: Level) -> str:
    where, rest = _PLACE[level]
    return f"We have none of these {where} yet; the price is {rest}."


def _prices_step(market: Market, labor_share: float, national: float) -> ExplanationStep:
    change = market.price_level * market.parts_level - 1
    moved = national * (1 + (1 - labor_share) * change)
    text = (
        f"Parts are {percent(1 - labor_share)} of this job, and repairs cost {_compared(market.price_level)} "
        f"in the book's base year; that moves the price by {signed((1 - labor_share) * (market.price_level - 1))}."
    )
    if market.parts_level != 1 or market.hours_level != 1:
        text += (
            f" Shops here differ from shops elsewhere by {signed(market.parts_level - 1)} in parts prices "
            f"and by {signed(market.hours_level - 1)} in billed hours."
        )
    return _step("prices", text, moved)


def _compared(level: float) -> str:
    change = level - 1
    if not round(100 * change):
        return "as much as"
    return f"{percent(abs(change))} {'more' if change > 0 else 'less'} than"


def _region_step(market: Market, labor_share: float, here: float) -> ExplanationStep:
    change = market.hours_level * market.rate / market.national_rate - 1
    apart = market.rate / market.national_rate - 1
    more = "more" if apart >= 0 else "less"
    text = (
        f"Labor is {percent(labor_share)} of this job, and your area charges {abs(100 * apart):.0f}% {more} "
        f"than the national rate ({money(market.rate)} against {money(market.national_rate)} an hour); "
        f"that moves the price by {signed(labor_share * change)}."
    )
    return _step("region", text, here)


def _correction_step(correction: float, here: float, *, own: bool) -> ExplanationStep:
    whose = "such jobs" if own else "other repairs"
    text = (
        f"Our past estimates of {whose} were off by a median of {signed(math.expm1(correction))}, "
        "on top of what has been learned since; we add that."
    )
    return _step("past_errors", text, here * math.exp(correction))


def _lines_step(breakdown: Breakdown) -> ExplanationStep:
    text = (
        f"{breakdown.labor_hours:.2f} h at {money(breakdown.labor_rate)} is {money(breakdown.labor_total)}, "
        f"parts are {money(breakdown.parts_total)}: together {money(breakdown.total)}."
    )
    return _step("lines", text, breakdown.total)


def _range_step(range_: tuple[Cents, Cents, Cents]) -> ExplanationStep:
    low, average, high = range_
    text = f"About eight out of ten invoices should lie between {money(low)} and {money(high)}."
    return _step("range", text, average)


_BAYS: Final = {
    EngineBay.FOUR_TRANSVERSE: "a transverse inline engine",
    EngineBay.FOUR_LONGITUDINAL: "a longitudinal four-cylinder engine",
    EngineBay.INLINE_SIX: "a longitudinal inline six",
    EngineBay.V6_TRANSVERSE: "a transverse V6",
    EngineBay.V6_LONGITUDINAL: "a longitudinal V6",
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
    Per.CYLINDER: "of the part that each cylinder has",
    Per.OIL_QUART: "quarts of oil",
    Per.COOLANT_GALLON: "gallons of coolant",
    Per.TRANSMISSION_QUART: "quarts of transmission fluid",
}
_TIERS: Final = {
    PartsTier.ECONOMY: "economy or remanufactured",
    PartsTier.AFTERMARKET: "aftermarket",
    PartsTier.OEM: "original (OEM)",
}
_NOTICEABLE: Final = 0.005


def vehicle_step(problem: Problem, factors: Factors, book: BookPrice, *, year: int) -> ExplanationStep | None:
    """Return the step that explains what the vehicle changed, or None if it changed nothing."""
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


def _facts(problem: Problem, factors: Factors, book: BookPrice) -> Iterator[str]:
    possible = choices(problem, factors)
    jobs = {choice.job(problem.slug) for choice in possible}
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
        yield f"Its engine is unknown; most vehicles like it take {likely}"
    packs = {choice.amounts.battery for choice in possible}
    if any(part.per is Per.BATTERY_KWH for part in problem.parts) and len(packs) == 1 and any(packs):
        yield f"The battery is priced by its capacity of {packs.pop():g} kWh"


def _hours(problem: Problem, possible: Sequence[Factors]) -> Iterator[str]:
    if problem.under_belt is not None and all(choice.pump_under_belt for choice in possible):
        yield "The timing belt has to come off first, so the hours are at least those for the belt"
        return
    factors_by_bay = {choice.bay: bay_factor(problem, choice.bay) for choice in possible}
    if len(set(factors_by_bay.values())) > 1:
        yield "Hours are for the possible engine with the median price"
        return
    if None not in factors_by_bay.values():
        names = [_BAYS[bay] for bay in factors_by_bay if bay is not None]
        yield f"Hours are for {join_words(names, 'or')}"


def _is_sure(part: PartNeed, possible: Sequence[Factors]) -> bool:
    return len({quantity_of(part, choice.amounts) for choice in possible}) == 1


def _amounts(counted: Iterable[tuple[PartNeed, int]]) -> str:
    by_unit = {_UNITS[part.per]: number for part, number in counted if part.per is not None}
    return ", ".join(f"{number} {unit}" for unit, number in by_unit.items())


def _parts(factors: Factors, book: BookPrice, year: int) -> Iterator[str]:
    if book.tier is not None:
        age, share = age_of(factors, year), shares(age_of(factors, year))[book.tier]
        when = "" if age is None else f" at {age} year{'' if age == 1 else 's'}"
        yield f"Parts are {_TIERS[book.tier]}, as on {share:g}% of invoices{when}"


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
    """Return the factor by which age changes the total price of parts; some parts change more than others."""
    aged = [
        (part.price * part.quantity, parts_factor(age, common=factors.common, times=part.ageing))
        for part in problem.parts
        if part.kind is PartKind.PART
    ]
    total = sum(price for price, _ in aged)
    return sum(price * factor for price, factor in aged) / total if total else 1.0
