"""The estimate told in steps, each with the figures that it can be checked by."""

import math

from repaircore.estimates.model import Basis, BookPrice, Breakdown, Market, Step
from repaircore.estimates.variances import BOOK_COUNTS_AS
from repaircore.estimates.walk import Stop, VehicleIndex, Walk
from repaircore.estimates.wording import money, percent, signed
from repaircore.kernel.money import Cents
from repaircore.transactions.evidence import Level, Lineage

__all__ = ["basis_of", "money", "percent", "signed", "steps_of"]


def basis_of(way: Walk, lineage: Lineage) -> tuple[Basis, ...]:
    """Give the book and each level that has invoices, with its part of the answer; together 100 percent."""
    rest, found = 1.0, []
    for stop in reversed(way.stops):
        if stop.invoices:
            found.append((stop, rest * stop.credibility))
            rest *= 1 - stop.credibility
    weights = [round(100 * weight, 1) for _, weight in reversed(found)]
    book = Basis(level=None, name="the repair book", invoices=0, weight=round(100.0 - sum(weights), 1))
    return (
        book,
        *(
            Basis(level=stop.level, name=_on(stop.level, lineage), invoices=stop.invoices, weight=weight)
            for (stop, _), weight in zip(reversed(found), weights, strict=True)
        ),
    )


def _on(level: Level, lineage: Lineage) -> str:
    match level:
        case Level.PROBLEM:
            return "this job on any vehicle"
        case Level.MAKE:
            return f"this job on the make ({lineage.make})"
        case Level.MODEL:
            return f"this job on the model ({lineage.make} {lineage.model})"
        case Level.YEARS:
            years = f"{lineage.first_year} to {lineage.last_year}"
            return f"this job on the model's years ({lineage.make} {lineage.model}, {years})"


_PLACE = {
    Level.PROBLEM: ("on any vehicle", "what the book says"),
    Level.MAKE: ("on this make", "what the job costs on all makes"),
    Level.MODEL: ("on this model", "what the job costs on the make"),
    Level.YEARS: ("on this model's years", "what the job costs on the model"),
}


def steps_of(
    book: BookPrice,
    lineage: Lineage,
    market: Market,
    *,
    way: Walk,
    index: VehicleIndex,
    labor_share: float,
    correction: float,
    range_: tuple[Cents, Cents, Cents],
    breakdown: Breakdown,
) -> tuple[Step, ...]:
    """Tell the estimate in the order in which it was made."""
    national = book.total * math.exp(way.mean)
    here = national * market.factor(labor_share)
    steps = [_book_step(book, lineage)]
    steps += _history_steps(book, lineage, way, index)
    if market.price_level != 1:
        steps.append(_prices_step(market, labor_share, national))
    steps.append(_region_step(market, labor_share, here))
    if correction:
        steps.append(_correction_step(correction, here, own=way.stops[0].invoices > 0))
    steps += (_lines_step(breakdown), _range_step(range_))
    return tuple(steps)


def _step(name: str, text: str, amount: float) -> Step:
    return Step(name=name, text=text, value=round(amount / 100, 2))


def _book_step(book: BookPrice, lineage: Lineage) -> Step:
    parts = f" and {money(book.parts_total)} of parts" if book.parts else ""
    text = (
        f"The book expects {book.hours:.2f} h{parts} on a {lineage.year} {lineage.make} {lineage.model}: "
        f"{money(book.total)} at the national rate of {money(book.rate)} an hour."
    )
    return _step("book", text, book.total)


def _history_steps(book: BookPrice, lineage: Lineage, way: Walk, index: VehicleIndex) -> list[Step]:
    steps, before = [], ""
    for stop in way.stops:
        amount = book.total * math.exp(stop.mean)
        told = _index_text(stop.level, lineage, index)
        if told:
            steps.append(
                _step(f"{stop.level.value}_index", told, book.total * math.exp(_unmoved(stop, way, index)))
            )
        if stop.invoices:
            steps.append(_step(stop.level.value, _cell_text(stop), amount))
        elif not before:
            before = _nothing_text(stop.level)
            steps.append(_step(stop.level.value, before, amount))
    return steps


def _unmoved(stop: Stop, way: Walk, index: VehicleIndex) -> float:
    # The mean after the index was added and before the cell itself had its say.
    earlier = way.stops[[s.level for s in way.stops].index(stop.level) - 1].mean
    return earlier + (index.make if stop.level is Level.MAKE else index.model)


def _index_text(level: Level, lineage: Lineage, index: VehicleIndex) -> str:
    match level:
        case Level.MAKE if index.make_invoices:
            change, who, n, than = index.make, lineage.make, index.make_invoices, "on all vehicles"
        case Level.MODEL if index.model_invoices:
            change, who, n, than = (
                index.model,
                f"{lineage.make} {lineage.model}",
                index.model_invoices,
                "on the make",
            )
        case _:
            return ""
    return f"{_count(n)} of other jobs on a {who} let us expect {signed(math.expm1(change))} against those {than}."


def _count(n: int) -> str:
    return f"{n:,} invoice{'s' if n != 1 else ''}"


def _cell_text(stop: Stop) -> str:
    where, rest = _PLACE[stop.level]
    verb = "counts" if stop.invoices == 1 else "count"
    pronoun = "it" if stop.invoices == 1 else "they"
    book = f" (the book counts as {BOOK_COUNTS_AS} invoices)" if stop.level is Level.PROBLEM else ""
    own = round(100 * stop.credibility)
    return (
        f"We have {stop.invoices:,} of these {where}; {pronoun} {verb} {own} %, "
        f"the other {100 - own} % is {rest}{book}."
    )


def _nothing_text(level: Level) -> str:
    where, rest = _PLACE[level]
    return f"We have none of these {where} yet; the price is {rest}."


def _prices_step(market: Market, labor_share: float, national: float) -> Step:
    change = market.price_level - 1
    text = (
        f"Parts are {percent(1 - labor_share)} of this job, and repairs cost {signed(change)} "
        f"against the book's year; that moves the price by {signed((1 - labor_share) * change)}."
    )
    return _step("prices", text, national * (1 + (1 - labor_share) * change))


def _region_step(market: Market, labor_share: float, here: float) -> Step:
    change = market.rate / market.national_rate - 1
    more = "more" if change >= 0 else "less"
    text = (
        f"Labor is {percent(labor_share)} of this job, and your area charges {abs(100 * change):.0f} % {more} "
        f"than the country ({money(market.rate)} against {money(market.national_rate)} an hour); "
        f"that moves the price by {signed(labor_share * change)} of what it was at the national rate."
    )
    return _step("region", text, here)


def _correction_step(correction: float, here: float, *, own: bool) -> Step:
    whose = "such jobs" if own else "other repairs"
    text = (
        f"Our past estimates of {whose} were off by {signed(math.expm1(correction))} in the middle, "
        "beyond what was learned since; that is added."
    )
    return _step("past_errors", text, here * math.exp(correction))


def _lines_step(breakdown: Breakdown) -> Step:
    text = (
        f"{breakdown.labor_hours:.2f} h at {money(breakdown.labor_rate)} is {money(breakdown.labor_total)}, "
        f"parts are {money(breakdown.parts_total)}: together {money(breakdown.total)}."
    )
    return _step("lines", text, breakdown.total)


def _range_step(range_: tuple[Cents, Cents, Cents]) -> Step:
    low, average, high = range_
    text = f"About eight of ten invoices should lie between {money(low)} and {money(high)}."
    return _step("range", text, average)
