"""The estimate: what a repair will cost on a vehicle in a place, from the book and the history.

Nothing here does I/O or reads the clock, and the cost does not depend on the size of the history.
Section numbers are those of docs/explanation/estimation.md.
"""

import math
from collections.abc import Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, round_half_up
from repaircore.pricing.book_price import BookPart, BookPrice
from repaircore.pricing.credibility import VehicleIndex, Walk, arrival, vehicle_index, walk
from repaircore.pricing.explanation import basis_of, steps_of
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartLine, balanced
from repaircore.pricing.places import Market
from repaircore.pricing.ranges import Distribution, distribution
from repaircore.pricing.variances import HOURS_VARIANCES, Variances, widened
from repaircore.transactions.evidence import GRAIN, Cell, History, part_key

WITHIN = 0.25
"""An estimate within a quarter of the actual price counts toward the confidence."""

_SHARE_LEANS_ON = 10
_PARTS_LEAN_ON = 5


@frozen(kw_only=True)
class LocalEstimate:
    """The price of a repair, estimated from the book and the history only.

    ``0 < low <= average <= high`` in cents; ``average`` equals ``breakdown.total``. ``sample_size`` counts the invoices
    of this repair; ``effective_sample_size`` is how many invoices of exactly this kind of vehicle would be as
    informative. ``confidence`` is the share (0 to 100) of past errors within 25% of the invoice. ``variance`` is that
    of the mean, and ``spread`` the standard deviation of one invoice (both of ln price). ``labor_share`` is labor's
    share of the standardized price.
    """

    low: Cents
    average: Cents
    high: Cents
    sample_size: int
    effective_sample_size: float
    confidence: int
    basis: tuple[Basis, ...]
    variance: float
    spread: float
    labor_share: float
    breakdown: Breakdown
    steps: tuple[ExplanationStep, ...]


@frozen(kw_only=True)
class Outlook:
    """An estimate before rounding: the center in cents, and its uncertainty.

    ``center`` is the market price at the middle of the distribution of ln price, before the correction by the median of
    past errors; ``spread`` is what errors are measured in (``Variances.scale``). ``hours`` is ln of the expected hours
    relative to the book's; ``variances`` are widened if users rated estimates wrong.
    """

    book: BookPrice
    past: History
    market: Market
    variances: Variances
    walk: Walk
    index: VehicleIndex
    hours: float
    labor_share: float
    center: float
    spread: float
    errors: Distribution

    def price(self, z: float) -> float:
        """Return the price ``z`` spreads above the center, in cents."""
        return self.center * math.exp(self.spread * z)

    def with_book(self, book: BookPrice) -> "Outlook":
        """Return the outlook on the same repair with another grade of parts; the history stays the same."""
        share = labor_share(book, self.past.share)
        center = _center(book, self.past, self.market, self.walk, share)
        return evolve(self, book=book, labor_share=share, center=center)


def outlook(book: BookPrice, past: History, *, market: Market, variances: Variances) -> Outlook:
    """Walk from the book to the vehicle's own years and price the result in the market (sections 2 to 4).

    ``variances`` are those of the problem, from the last refit or from ``variances_of(book.spread)``.
    """
    trusted = widened(variances, good=past.good, wrong=past.wrong)
    index = vehicle_index(past.shared, past.price, trusted, past.prior_index)
    way = walk(past.price, trusted, index, past.prior)
    share = labor_share(book, past.share)
    hours, _ = arrival(past.hours, HOURS_VARIANCES)
    return Outlook(
        book=book,
        past=past,
        market=market,
        variances=trusted,
        walk=way,
        index=index,
        hours=hours,
        labor_share=share,
        center=_center(book, past, market, way, share),
        spread=trusted.scale(way.variance),
        errors=distribution(past.errors, past.errors_of_all, normal=trusted.normal),
    )


def labor_share(book: BookPrice, cell: Cell) -> float:
    """Return the labor share of the standardized price, 0 to 1, from the book and the history."""
    share = (cell.s * GRAIN + _SHARE_LEANS_ON * book.labor_share) / (cell.w + _SHARE_LEANS_ON)
    return min(1.0, max(0.0, share))


def _center(book: BookPrice, past: History, market: Market, way: Walk, share: float) -> float:
    return book.total * math.exp(way.mean + past.drift) * market.factor(share)


def estimate(seen: Outlook) -> LocalEstimate:
    """Return the low, average and high price with their breakdown, basis and explanation."""
    past, errors = seen.past, seen.errors
    low_z, middle_z, high_z = errors.bounds(past.alpha)
    breakdown = _itemized(seen, average=seen.price(middle_z))
    average = breakdown.total
    low, high = min(average, _cents(seen.price(low_z))), max(average, _cents(seen.price(high_z)))
    lately = errors.calibration(low_z, high_z)
    within = errors.share_within(WITHIN, spread=seen.spread * lately, middle=middle_z)
    return LocalEstimate(
        low=low,
        average=average,
        high=high,
        sample_size=past.price.problem.w,
        effective_sample_size=_effective(seen.variances, seen.walk.variance),
        confidence=round_half_up(100 * min(1.0, max(0.0, within))),
        basis=basis_of(seen.walk, past.lineage),
        variance=seen.walk.variance,
        spread=math.sqrt(seen.variances.within + seen.walk.variance),
        labor_share=seen.labor_share,
        breakdown=breakdown,
        steps=steps_of(
            seen.book,
            past.lineage,
            seen.market,
            way=seen.walk,
            index=seen.index,
            variances=seen.variances,
            drift=past.drift,
            labor_share=seen.labor_share,
            correction=seen.spread * middle_z,
            range_=(low, average, high),
            breakdown=breakdown,
        ),
    )


def breakdown_of(seen: Outlook) -> Breakdown:
    """Return only the breakdown that ``estimate`` would return."""
    return _itemized(seen, average=seen.price(seen.errors.middle()))


def _itemized(seen: Outlook, *, average: float) -> Breakdown:
    return itemized(
        _cents(average),
        hours=seen.book.hours * math.exp(seen.hours) * seen.market.hours_level,
        rate=seen.market.rate,
        parts=_expected_parts(seen),
    )


def _cents(amount: float) -> Cents:
    return max(1, round_half_up(amount))


def _effective(variances: Variances, doubt: float) -> float:
    return round(max(0.0, variances.within / doubt - variances.within / variances.untaught), 1)


def _expected_parts(seen: Outlook) -> list[BookPart]:
    level = seen.market.price_level * seen.market.parts_level
    return [_expected(part, seen.past, level) for part in seen.book.parts]


def _expected(part: BookPart, past: History, level: float) -> BookPart:
    cell = past.parts.get(part_key(part.name))
    learned = math.exp(cell.s * GRAIN / (cell.w + _PARTS_LEAN_ON)) if cell else 1.0
    return BookPart(
        name=part.name, quantity=part.quantity, price=part.price * learned * level, graded=part.graded
    )


_LEAST_SCALE: Final = 0.5
_MOST_SCALE: Final = 2.0
_LEAST_HOURS: Final = 0.25
"""If less than this share of the expected hours would be left, labor and parts shrink in proportion."""


def itemized(target: Cents, *, hours: float, rate: Cents, parts: Sequence[BookPart]) -> Breakdown:
    """Split ``target`` (cents, positive) into parts and labor, in proportion to their expected prices.

    Parts are scaled by ``(target - hours·rate)/Σparts``, clamped to 0.5 to 2; the rest is labor. Unit prices
    are whole cents and hours have two decimals, so a job without parts may miss the target by half a hundredth of an
    hour, and one whose parts all come in pairs by a cent: the total is the sum of the lines.
    """
    priced = [part for part in parts if part.price > 0 and part.quantity > 0]
    expected = sum(part.price * part.quantity for part in priced)
    if not priced:
        return Breakdown(parts=(), labor_hours=_billed(target / rate, target, rate), labor_rate=rate)
    billed = round(_hours_left(target, hours, rate, expected), 2) if hours > 0 else 0.0
    for_parts = target - round_half_up(round(billed * rate, 6))
    if for_parts < sum(part.quantity for part in priced):
        billed, for_parts = 0.0, target
    lines = _scaled(priced, for_parts / expected)
    return Breakdown(parts=balanced(lines, for_parts), labor_hours=billed, labor_rate=rate)


def _billed(hours: float, target: Cents, rate: Cents) -> float:
    # A price below half a hundredth of an hour must not vanish.
    rounded = round(hours, 2)
    return rounded if round_half_up(round(rounded * rate, 6)) > 0 else target / rate


def _hours_left(target: Cents, hours: float, rate: Cents, expected: float) -> float:
    scale = min(_MOST_SCALE, max(_LEAST_SCALE, (target - hours * rate) / expected))
    left = (target - scale * expected) / rate
    return left if left >= _LEAST_HOURS * hours else hours * target / (hours * rate + expected)


def _scaled(parts: Sequence[BookPart], scale: float) -> list[PartLine]:
    return [
        PartLine(name=p.name, unit_price=max(1, round_half_up(p.price * scale)), quantity=p.quantity)
        for p in parts
    ]
