"""Price a visit's lines: each by itself, then what they save together, then the range of their sum."""

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.book.fit import Fit, FitOutcome
from repaircore.kernel.money import Cents, round_half_up
from repaircore.predictions.compute import LocalAnswer
from repaircore.predictions.price_adjustment import adjusted_estimate
from repaircore.pricing.book_price import book_price
from repaircore.pricing.estimator import estimate
from repaircore.pricing.model import Breakdown, PartsTier
from repaircore.pricing.sums import SumRange, sum_range
from repaircore.vehicle_facts.model import Factors
from repaircore.vehicle_facts.overlap import Job, JobSaving, OverlapFacts, OverlapTable, SharedWork
from repaircore.visits.model import LineKind, LineSaving, PricedLine, RequestedLine


def with_tier(answer: LocalAnswer, tier: PartsTier | None, factors: Factors, *, year: int) -> LocalAnswer:
    """Return ``answer`` priced with parts of ``tier`` in ``year``, or unchanged if ``tier`` is None.

    It is also unchanged if the repair has no parts that come in tiers.
    """
    if tier is None or answer.outlook.book.tier is None:
        return answer
    rate = answer.outlook.market.national_rate
    book = book_price(answer.problem, factors, national_rate=rate, year=year, tier=tier)
    outlook = answer.outlook.with_book(book)
    return evolve(answer, outlook=outlook, estimate=estimate(outlook))


@frozen(kw_only=True)
class PricedRepair:
    """The price of doing a repair once by itself: its range, its breakdown, and its distribution."""

    slug: str
    display_name: str
    low: Cents
    average: Cents
    high: Cents
    center: float
    spread: float
    breakdown: Breakdown
    tier: PartsTier | None
    fit: Fit
    outside: bool

    @classmethod
    def of(cls, answer: LocalAnswer, fit: Fit, percent: float) -> "PricedRepair":
        """Return the price in an answer, adjusted by the operator's percentage."""
        local = adjusted_estimate(answer.estimate, percent)
        return cls(
            slug=answer.problem.slug,
            display_name=answer.problem.display_name,
            low=local.low,
            average=local.average,
            high=local.high,
            center=answer.outlook.center * (1 + percent / 100),
            spread=answer.outlook.spread,
            breakdown=local.breakdown,
            tier=answer.outlook.book.tier,
            fit=fit,
            outside=answer.outside is not None,
        )


_REST: Final = "What is left is the difference between the two prices."


@frozen(kw_only=True)
class _Summand:
    """A line as a summand of the total."""

    low: Cents
    average: Cents
    high: Cents
    center: float
    spread: float


def price_lines(
    lines: Sequence[RequestedLine],
    repairs: Mapping[int, PricedRepair],
    *,
    rate: Cents,
    table: OverlapTable,
    facts: OverlapFacts,
) -> tuple[PricedLine, ...]:
    """Return the lines with prices, in order; ``repairs`` are by problem id, and ``rate`` is the labor rate."""
    alone = [
        _own_line(line, rate) if line.problem_id is None else _repair_line(line, repairs[line.problem_id])
        for line in lines
    ]
    return _share_work(alone, table, facts)


def priced_without_others(
    lines: Sequence[PricedLine], shared_work: Sequence[SharedWork]
) -> tuple[PricedLine, ...]:
    """Price some lines of an estimate without the rest; ``shared_work`` is that of the estimate."""
    return _share_work(
        [_alone(line) for line in lines],
        OverlapTable(tuple(work.overlap for work in shared_work)),
        OverlapFacts(),
    )


def _share_work(
    alone: Sequence[PricedLine], table: OverlapTable, facts: OverlapFacts
) -> tuple[PricedLine, ...]:
    by_slug = {line.problem_slug: line for line in alone if line.problem_slug is not None}
    jobs = [_job(line) for line in by_slug.values()]
    savings: dict[str, list[JobSaving]] = {}
    for saving in table.savings(jobs, facts):
        savings.setdefault(saving.job, []).append(saving)
    return tuple(
        _together(line, savings.get(line.problem_slug or "", ()), by_slug)
        if line.problem_slug in savings
        else line
        for line in alone
    )


def repairs_range(lines: Sequence[PricedLine], repairs: Mapping[int, PricedRepair]) -> SumRange | None:
    """Return the range of the sum of the repairs among the lines, or None if none of them costs anything."""
    summands = [
        _Summand(
            low=max(1, line.low),
            average=line.average,
            high=line.high,
            center=repair.center * line.average / repair.average,
            spread=repair.spread,
        )
        for line in lines
        if line.requested.problem_id is not None and line.average > 0
        for repair in (repairs[line.requested.problem_id],)
    ]
    return sum_range(summands) if summands else None


def _own_line(line: RequestedLine, rate: Cents) -> PricedLine:
    hours = (line.hours or 0.0) * line.quantity
    each = line.price if line.price is not None else 0
    price = each * line.quantity if line.hours is None else round_half_up(round(hours * rate, 6))
    return PricedLine(
        requested=line,
        description=line.description or "",
        parts=price if line.kind is LineKind.PART else 0,
        labor=price if line.kind is LineKind.LABOR else 0,
        fee=price if line.kind is LineKind.FEE else 0,
        hours=hours,
        rate=rate if line.hours is not None else 0,
        apart=price,
        low=price,
        average=price,
        high=price,
    )


def _repair_line(line: RequestedLine, repair: PricedRepair) -> PricedLine:
    breakdown, pieces = repair.breakdown, line.quantity
    parts, labor = breakdown.parts_total * pieces, breakdown.labor_total * pieces
    return PricedLine(
        requested=line,
        description=line.description or repair.display_name,
        problem_slug=repair.slug,
        parts_tier=repair.tier,
        items=tuple(evolve(item, quantity=item.quantity * pieces) for item in breakdown.parts),
        parts=parts,
        labor=labor,
        hours=round(breakdown.labor_hours * pieces, 4),
        rate=breakdown.labor_rate,
        apart=parts + labor,
        low=min(repair.low * pieces, parts + labor),
        average=parts + labor,
        high=max(repair.high * pieces, parts + labor),
        fit=repair.fit.outcome,
        fit_reason=None if repair.fit.outcome is FitOutcome.FITS else repair.fit.reason,
        outside=repair.outside,
    )


def _job(line: PricedLine) -> Job:
    parts: dict[str, Cents] = {}
    for item in line.items:
        parts[item.name] = parts.get(item.name, 0) + item.total
    return Job(slug=line.problem_slug or "", hours=line.hours, parts=parts)


def _together(
    line: PricedLine, savings: Sequence[JobSaving], by_slug: Mapping[str, PricedLine]
) -> PricedLine:
    """Return a line with its savings, with its range reduced in proportion."""
    found = tuple(_line_saving(line, saving, by_slug[saving.other]) for saving in savings)
    labor = line.labor - sum(saving.labor for saving in found)
    parts = line.parts - sum(saving.parts for saving in found)
    if labor + parts > 0 and any(saving.covers for saving in savings):
        # The job that covers this one is the cheaper of the two.
        found = tuple(evolve(saving, reason=f"{saving.reason} {_REST}") for saving in found)
    left = (parts + labor) / line.apart if line.apart else 1.0
    return evolve(
        line,
        parts=parts,
        labor=labor,
        hours=round(max(0.0, line.hours - sum(saving.hours for saving in found)), 4),
        low=min(parts + labor, round_half_up(line.low * left)),
        average=parts + labor,
        high=max(parts + labor, round_half_up(line.high * left)),
        savings=found,
    )


def _alone(line: PricedLine) -> PricedLine:
    """Return a line without its savings, with its range increased in proportion."""
    if not line.savings:
        return line
    left = line.average / line.apart if line.apart else 1.0
    low, high = (round_half_up(end / left) if left else line.apart for end in (line.low, line.high))
    return evolve(
        line,
        parts=line.parts + sum(saving.parts for saving in line.savings),
        labor=line.labor + sum(saving.labor for saving in line.savings),
        hours=round(line.hours + sum(saving.hours for saving in line.savings), 4),
        low=min(line.apart, low),
        average=line.apart,
        high=max(line.apart, high),
        savings=(),
    )


def _line_saving(line: PricedLine, saving: JobSaving, other: PricedLine) -> LineSaving:
    share = saving.hours / line.hours if line.hours else 0.0
    return LineSaving(
        other=other.id,
        hours=round(saving.hours, 4),
        labor=min(line.labor, other.labor, round_half_up(line.labor * share)),
        parts=saving.parts,
        reason=saving.reason,
    )
