"""What a vehicle will cost beyond its services, and what it has cost."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from attrs import frozen

from repaircore.garage.driving import Reading
from repaircore.kernel.money import Cents
from repaircore.kernel.traits import Powertrain
from repaircore.pricing.sums import CostSum
from repaircore.schedules.due import add_months

_UPKEEP: Final[Mapping[Powertrain, float]] = {
    Powertrain.HYBRID: 0.93,
    Powertrain.PLUG_IN_HYBRID: 0.89,
    Powertrain.ELECTRIC: 0.60,
}
"""The cost of maintenance and repair relative to a combustion engine: 9.4, 9.0 and 6.1 cents per mile compared with
10.1 (Argonne National Laboratory, ANL/ESD-21/4, 2021)."""

_LEAST_SHARE: Final = 0.25
"""Unplanned repairs are at least this share of the usual upkeep."""

_USUAL_PACE: Final = 1_000.0
_LEAST_USE: Final = 0.5
_MOST_USE: Final = 3.0
_MEAN_BILL: Final[Cents] = 450_00
"""The mean cost of an unplanned repair, and also its standard deviation. Both are judgments."""

_COMMON_DOUBT: Final = 0.25
"""How far the level of unplanned repairs may be off for all vehicles at once: a judgment."""

_SHORTEST_LOG: Final = 60
_FEWEST_MILES: Final = 1_000
YEAR: Final = 12
_DAYS_A_YEAR: Final = 365.25


@frozen(kw_only=True)
class PastCost:
    """What was paid for a vehicle on a day; ``label`` says for what."""

    on: date
    amount: Cents
    label: str


@frozen(kw_only=True)
class CostPerMile:
    """What the miles between two odometer readings cost: ``cents`` per mile, ``amount`` in total."""

    cents: float
    miles: int
    amount: Cents
    since: date
    until: date


def unplanned_cost(
    *, upkeep: Cents, planned: float, pace: float, powertrain: Powertrain | None, labor_level: float
) -> CostSum:
    """Return the expected cost of a year's unplanned repairs, and how far it may be off.

    ``upkeep`` is the whole cost of such a vehicle in a usual year, nationwide, and ``planned`` is the average yearly
    cost of its services, both in cents. The cost of one repair varies, so the sum of a few repairs varies widely.
    """
    use = min(_MOST_USE, max(_LEAST_USE, pace / _USUAL_PACE))
    usual = upkeep * use * labor_level * (1.0 if powertrain is None else _UPKEEP.get(powertrain, 1.0))
    mean = max(_LEAST_SHARE * usual, usual - planned)
    return CostSum(mean=mean, common=_COMMON_DOUBT * mean, own=mean * 2 * _MEAN_BILL)


def year_from(today: date) -> date:
    """Return the first day after the coming twelve months."""
    return add_months(today, YEAR)


def months_from(today: date) -> Iterator[tuple[str, float]]:
    """Yield the months of the coming year, each with its share of the year; the first and last months are partial."""
    end = year_from(today)
    whole = (end - today).days
    start = today
    while start < end:
        after = min(end, add_months(start.replace(day=1), 1))
        yield f"{start:%Y-%m}", (after - start).days / whole
        start = after


def merge_costs(visits: Sequence[PastCost], others: Iterable[PastCost]) -> Sequence[PastCost]:
    """Return past costs, oldest first; ``others`` on the day of a visit are left out, as they repeat its lines."""
    days = {visit.on for visit in visits}
    return sorted((*visits, *(cost for cost in others if cost.on not in days)), key=lambda cost: cost.on)


def cost_by_month(costs: Iterable[PastCost], *, since: date) -> Mapping[str, Cents]:
    """Return what was paid in each month since a day; months without costs are left out."""
    months: dict[str, Cents] = {}
    for cost in costs:
        if cost.on >= since:
            month = f"{cost.on:%Y-%m}"
            months[month] = months.get(month, 0) + cost.amount
    return months


def cost_per_mile(
    costs: Iterable[PastCost], readings: Sequence[Reading], *, today: date
) -> CostPerMile | None:
    """Return the cost per mile over up to two years of the odometer log.

    Return None if the log is too short or there are no costs.
    """
    recent = [reading for reading in readings if reading.day >= today - timedelta(days=2 * _DAYS_A_YEAR)]
    if not recent:
        return None
    first, last = recent[0], recent[-1]
    miles = last.miles - first.miles
    if (last.day - first.day).days < _SHORTEST_LOG or miles < _FEWEST_MILES:
        return None
    paid = [cost.amount for cost in costs if first.day <= cost.on <= last.day]
    if not paid:
        return None
    amount = sum(paid)
    return CostPerMile(cents=amount / miles, miles=miles, amount=amount, since=first.day, until=last.day)
