"""The maintenance plan of a vehicle: which of the book's repairs it needs at intervals.

The list is our own: what makers' schedules have in common, and what wears out on every vehicle. The intervals are the
book's, with operators' corrections. If a maker's schedule differs, the owner's manual is right: create a schedule for
such a service.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from attrs import evolve, frozen

from repaircore.book.equipment import possible_layouts, possible_powertrains
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem, Recurrence
from repaircore.book.oil_changes import (
    CONVENTIONAL,
    DIESEL,
    HIGH_MILEAGE,
    OIL_CHANGES,
    SYNTHETIC,
    takes_synthetic,
)
from repaircore.kernel.facts import Layout
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.spelling import make_key
from repaircore.kernel.traits import Powertrain
from repaircore.schedules.due import Interval

_HIGH_MILEAGE: Final = 75_000
_REGENERATIVE: Final = 2
"""How many times as long brake pads last if the motor brakes too: a judgment."""

_TIRE_MONTHS: Final = 120
_PLAIN_PLUG_MILES: Final = 30_000
"""How long spark plugs of copper and nickel last, those of old cars and of rotary engines."""
_LAST_PLAIN_PLUGS: Final = 1995
_LATE_PLAIN_PLUGS: Final = {"geo": 1997, "suzuki": 2001}
"""The last model year with plain spark plugs, of makes that had them for longer than others."""
_LAST_SHORT_BELTS: Final = 1996
_SHORT_BELT: Final = (60_000, 72)
"""The miles and months that most makers gave a timing belt before belts of better rubber came."""

_WITH_A_MOTOR: Final = frozenset({Powertrain.HYBRID, Powertrain.PLUG_IN_HYBRID, Powertrain.ELECTRIC})
_PADS: Final = frozenset({"brake-pads-front", "brake-pads-rear", "brake-shoes-rear"})


class Limit(StrEnum):
    """What wears a part out."""

    BOTH = "both"
    MILES = "miles"
    MONTHS = "months"
    TIRES = "tires"
    """Miles, or ten years, because rubber ages."""


@frozen
class PlanItem:
    """Alternative repairs, of which a vehicle needs the first that fits.

    If none certainly fits and ``perhaps`` is true, it needs the first that may fit. ``limit`` is what wears the part
    out; an interval of the book in another unit is ignored. ``electric`` is False for a repair that the yearly service
    of an electric vehicle includes.
    """

    slugs: tuple[str, ...]
    perhaps: bool = False
    limit: Limit = Limit.BOTH
    electric: bool = True


_ITEMS: Final = (
    PlanItem(("ev-annual-service",)),
    PlanItem(("tire-rotation",), electric=False),
    PlanItem(("engine-air-filter",)),
    PlanItem(("cabin-air-filter",), electric=False),
    PlanItem(("fuel-filter-diesel",), limit=Limit.MILES),
    PlanItem(("def-refill",), limit=Limit.MILES),
    PlanItem(("brake-fluid-flush",)),
    PlanItem(("coolant-flush",)),
    PlanItem(("hv-coolant-service",)),
    PlanItem(("transmission-fluid-service",), perhaps=True),
    PlanItem(("manual-transmission-fluid",)),
    PlanItem(("rear-differential-fluid",)),
    PlanItem(("front-differential-fluid",)),
    PlanItem(("transfer-case-fluid",)),
    PlanItem(("spark-plugs",), limit=Limit.MILES),
    PlanItem(("timing-belt",)),
    PlanItem(("wiper-blades",), limit=Limit.MONTHS),
    PlanItem(("battery-replacement",), limit=Limit.MONTHS),
    PlanItem(("tire-replacement-set",), limit=Limit.TIRES),
    PlanItem(("brake-pads-front",), limit=Limit.MILES),
    PlanItem(("brake-pads-rear", "brake-shoes-rear"), perhaps=True, limit=Limit.MILES),
)

PLANNED_SLUGS: Final = OIL_CHANGES | {slug for item in _ITEMS for slug in item.slugs}
"""The repairs that a plan may contain."""


@frozen(kw_only=True)
class PlanService:
    """A service of a plan, and how often it recurs."""

    problem: Problem
    interval: Interval


def plan_for(
    profile: VehicleProfile, problems: Mapping[str, Problem], *, miles: int
) -> Iterator[PlanService]:
    """Yield the services of a vehicle's plan; ``problems`` are the book's repairs by slug, ``miles`` the odometer."""
    powertrains = possible_powertrains(profile) or frozenset()
    oil = _oil_change(profile, problems, miles)
    if oil is not None:
        yield _service(oil, profile)
    for item in _ITEMS:
        if not item.electric and powertrains == {Powertrain.ELECTRIC}:
            continue
        found = _first_fitting(item, profile, problems)
        if found is not None:
            yield _service(found, profile, item.limit)


def _oil_change(profile: VehicleProfile, problems: Mapping[str, Problem], miles: int) -> Problem | None:
    if takes_synthetic(profile):
        order: tuple[str, ...] = (DIESEL, SYNTHETIC)
    elif miles >= _HIGH_MILEAGE:
        order = (DIESEL, HIGH_MILEAGE, SYNTHETIC)
    else:
        order = (DIESEL, CONVENTIONAL, SYNTHETIC)
    # If both a gasoline and a diesel engine are possible, gasoline is far more common.
    return _first_fitting(PlanItem(order), profile, problems) or _first_fitting(
        PlanItem(order[1:], perhaps=True), profile, problems
    )


def _first_fitting(
    item: PlanItem, profile: VehicleProfile, problems: Mapping[str, Problem]
) -> Problem | None:
    known = [problems[slug] for slug in item.slugs if slug in problems]
    outcomes = {problem.slug: check_fit(problem, profile).outcome for problem in known}
    accepted = (FitOutcome.FITS, FitOutcome.UNKNOWN) if item.perhaps else (FitOutcome.FITS,)
    return next(
        (problem for wanted in accepted for problem in known if outcomes[problem.slug] is wanted), None
    )


def _service(problem: Problem, profile: VehicleProfile, limit: Limit = Limit.BOTH) -> PlanService:
    powertrains = possible_powertrains(profile) or frozenset()
    is_braked_by_motor = bool(powertrains) and powertrains <= _WITH_A_MOTOR
    longer = _REGENERATIVE if problem.slug in _PADS and is_braked_by_motor else 1
    return PlanService(problem=problem, interval=_interval(_recurrence(problem, profile), limit, longer))


def _recurrence(problem: Problem, profile: VehicleProfile) -> Recurrence:
    """Return the book's interval, or that of an older kind of part if it is shorter."""
    every = problem.recurrence
    if problem.slug == "spark-plugs" and _has_plain_plugs(profile):
        return evolve(every, miles=min(every.miles, _PLAIN_PLUG_MILES))
    if problem.slug == "timing-belt" and profile.year <= _LAST_SHORT_BELTS:
        miles, months = _SHORT_BELT
        return evolve(every, miles=min(every.miles, miles), months=min(every.months, months))
    return every


def _has_plain_plugs(profile: VehicleProfile) -> bool:
    last = _LATE_PLAIN_PLUGS.get(make_key(profile.make), _LAST_PLAIN_PLUGS)
    return profile.year <= last or possible_layouts(profile) == {Layout.ROTARY}


def _interval(every: Recurrence, limit: Limit, longer: int) -> Interval:
    miles = None if limit is Limit.MONTHS else every.miles * longer
    match limit:
        case Limit.MILES:
            return Interval(miles=miles)
        case Limit.TIRES:
            return Interval(miles=miles, months=_TIRE_MONTHS)
        case Limit.BOTH | Limit.MONTHS:
            return Interval(miles=miles, months=every.months * longer)
