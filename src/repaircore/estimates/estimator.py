"""The estimate: what a repair will cost on a vehicle in a place, from the book and the history.

Nothing here reads, waits or counts time, and the cost does not depend on the size of the history.
Section numbers are those of docs/explanation/estimation.md.
"""

import math

from attrs import evolve, frozen

from repaircore.estimates.breakdown import itemized
from repaircore.estimates.explanation import basis_of, steps_of
from repaircore.estimates.model import BookPart, BookPrice, History, LocalEstimate, Market
from repaircore.estimates.ranges import Distribution, distribution, learned_since
from repaircore.estimates.variances import HOURS_VARIANCES, Variances, widened
from repaircore.estimates.walk import VehicleIndex, Walk, vehicle_index, walk
from repaircore.kernel.money import Cents, half_up
from repaircore.transactions.evidence import GRAIN, Cell, part_key

__all__ = ["Outlook", "estimate", "labor_share", "outlook"]

WITHIN = 0.25
"""An error within a quarter of the estimate counts toward the confidence."""

_SHARE_LEANS_ON = 10
_PARTS_LEAN_ON = 5


@frozen(kw_only=True)
class Outlook:
    """Where the walk leads before anything is rounded: the center in cents, and how far off it may be.

    ``center`` is the market price at the middle of the distribution of ln price, before the correction
    by the middle of past errors; ``spread`` is the standard deviation of one invoice (ln).
    """

    walk: Walk
    index: VehicleIndex
    labor_share: float
    center: float
    spread: float
    errors: Distribution

    def price(self, z: float) -> float:
        """Give the price ``z`` spreads above the center, in cents."""
        return self.center * math.exp(self.spread * z)


def outlook(book: BookPrice, past: History, *, market: Market, variances: Variances) -> Outlook:
    """Walk from the book to the vehicle's own years and price the result in the market (sections 2 to 4)."""
    index = vehicle_index(past.shared, past.price, variances.center)
    way = walk(past.price, variances, index)
    share = labor_share(book, past.share)
    return Outlook(
        walk=way,
        index=index,
        labor_share=share,
        center=book.total * math.exp(way.mean) * market.factor(share),
        spread=math.sqrt(variances.within + way.variance),
        errors=distribution(
            past.errors,
            past.errors_of_all,
            learned=learned_since(past.errors, invoices=past.price.problem.w, book=way.book),
        ),
    )


def labor_share(book: BookPrice, cell: Cell) -> float:
    """Give the labor's part of the standardized price, 0 to 1, from the book and the history."""
    share = (cell.s * GRAIN + _SHARE_LEANS_ON * book.labor_share) / (cell.w + _SHARE_LEANS_ON)
    return min(1.0, max(0.0, share))


def estimate(book: BookPrice, past: History, *, market: Market, variances: Variances) -> LocalEstimate:
    """Give low, average and high with their breakdown, their basis and their explanation.

    ``variances`` are those of the problem, from the last refit or from ``variances_of(book.spread)``.
    """
    trusted = widened(variances, good=past.good, wrong=past.wrong)
    seen = outlook(book, past, market=market, variances=trusted)
    low_z, middle_z, high_z = seen.errors.bounds(past.alpha)
    breakdown = itemized(
        _cents(seen.price(middle_z)),
        hours=book.hours * math.exp(walk(past.hours, HOURS_VARIANCES).mean),
        rate=market.rate,
        parts=_expected_parts(book, past, market),
    )
    average = breakdown.total
    low, high = min(average, _cents(seen.price(low_z))), max(average, _cents(seen.price(high_z)))
    within = seen.errors.share_within(WITHIN, spread=seen.spread, middle=middle_z)
    return LocalEstimate(
        low=low,
        average=average,
        high=high,
        sample_size=past.price.problem.w,
        effective_sample_size=_effective(trusted, seen.walk.variance),
        confidence=half_up(100 * min(1.0, max(0.0, within))),
        basis=basis_of(seen.walk, past.lineage),
        variance=seen.walk.variance,
        spread=seen.spread,
        labor_share=seen.labor_share,
        breakdown=breakdown,
        steps=steps_of(
            book,
            past.lineage,
            market,
            way=seen.walk,
            index=seen.index,
            labor_share=seen.labor_share,
            correction=seen.spread * middle_z,
            range_=(low, average, high),
            breakdown=breakdown,
        ),
    )


def _cents(amount: float) -> Cents:
    return max(1, half_up(amount))


def _effective(variances: Variances, doubt: float) -> float:
    return round(max(0.0, variances.within / doubt - variances.within / variances.untaught), 1)


def _expected_parts(book: BookPrice, past: History, market: Market) -> list[BookPart]:
    return [_expected(part, past, market.price_level) for part in book.parts]


def _expected(part: BookPart, past: History, level: float) -> BookPart:
    cell = past.parts.get(part_key(part.name))
    learned = math.exp(cell.s * GRAIN / (cell.w + _PARTS_LEAN_ON)) if cell else 1.0
    return evolve(part, price=part.price * learned * level)
