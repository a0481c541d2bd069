"""The book's price of made-up repairs, with each of the vehicle's factors by itself."""

import math
from typing import Any

import pytest
from attrs import evolve

from repaircore.book.model import Category, Fits, LaborHours, PartKind, PartNeed, Per
from repaircore.kernel.facts import Engine
from repaircore.kernel.traits import Powertrain
from repaircore.pricing.book_price import (
    age_of,
    bay_factor,
    book_price,
    book_spread,
    choices,
    commonest,
    hours_factor,
    parts_factor,
    relative,
    shares,
)
from repaircore.pricing.model import PartsTier
from repaircore.testing.builders import a_problem
from repaircore.vehicle_facts.model import Amounts, EngineBay, Factors, JobFactors

RATE = 100_00
PLAIN = Factors(labor=1.0, parts=1.0)
PAD = PartNeed(name="Pad set", quantity=1, price=70_00)
ROTOR = PartNeed(name="Rotor", quantity=2, price=25_00)
FLUID = PartNeed(name="Fluid", quantity=3, price=10_00, kind=PartKind.FLUID)
PLUG = PartNeed(name="Plug", quantity=4, price=10_00, per=Per.CYLINDER)
PACK = PartNeed(name="Pack", quantity=1, price=6_000_00, per=Per.BATTERY_KWH, reference=60.0)
TUBES = PartNeed(name="Tube seals", quantity=1, price=20_00, per=Per.PLUG_TUBES)


def _figures(problem: Any, factors: Factors = PLAIN, **choice: Any) -> tuple[float, list[tuple[int, float]]]:
    found = book_price(problem, factors, national_rate=RATE, **choice)
    return found.hours, [(part.quantity, part.price) for part in found.parts]


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (-1, (4, 31, 65)),
        (3, (4, 31, 65)),
        (4, (13, 54, 33)),
        (7, (13, 54, 33)),
        (8, (24, 60, 16)),
        (None, (24, 60, 16)),
        (12, (24, 60, 16)),
        (13, (33, 58, 9)),
        (19, (33, 58, 9)),
        (20, (52, 42, 6)),
    ],
)
def test_shares_of_grades_change_at_four_eight_thirteen_and_twenty_years(
    age: int | None, expected: tuple[float, ...]
) -> None:
    assert shares(age) == dict(zip(PartsTier, expected, strict=True))
    assert shares(age)[commonest(age)] == max(expected)


@pytest.mark.parametrize(
    ("age", "times", "factor"),
    [(None, 1, 1), (0, 1, 1), (10, 1, 1), (11, 1, 0.988), (23, 1, 0.844), (24, 1, 0.84), (60, 1, 0.84), (11, 2, 0.976), (60, 2, 0.68)],
)  # fmt: skip
def test_parts_of_common_makes_get_cheaper_from_the_eleventh_year(
    age: int | None, times: float, factor: float
) -> None:
    assert parts_factor(age, common=True, times=times) == pytest.approx(factor)
    assert parts_factor(age, common=False, times=times) == 1


@pytest.mark.parametrize(
    ("age", "factor"), [(None, 1), (0, 1), (10, 1), (11, 1.006), (26, 1.096), (27, 1.1), (60, 1.1)]
)
def test_hours_grow_from_the_eleventh_year_by_a_tenth_at_most(age: int | None, factor: float) -> None:
    assert hours_factor(age) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("model_year", "year", "age"),
    [(2018, 2026, 8), (2026, 2026, 0), (2027, 2026, 0), (None, 2026, None), (2018, None, None)],
)
def test_age_is_the_number_of_years_since_the_model_year(
    model_year: int | None, year: int | None, age: int | None
) -> None:
    assert age_of(evolve(PLAIN, year=model_year), year) == age


@pytest.mark.parametrize(
    ("low", "high", "spread"),
    [
        (100_00, 100_00, 0.05),
        (200_00, 100_00, 0.05),
        (100_00, 200_00, math.log(2) / 2.5631031311),
        (0, 2, math.log(2) / 2.5631031311),
        (0, 0, 0.05),
        (1_00, 100_000_00, 1.0),
    ],
)
def test_spread_follows_from_the_range_of_the_book(low: int, high: int, spread: float) -> None:
    assert book_spread(a_problem(low=low, high=high)) == pytest.approx(spread)


@pytest.mark.parametrize(
    ("outside", "parent", "ceramic", "wider"),
    [(None, "brakes", False, 1.0), ("A bus.", "brakes", False, 1.7), (None, "brakes", True, 1.7), (None, "engine", True, 1.0)],
)  # fmt: skip
def test_range_is_wider_outside_the_book(
    *, outside: str | None, parent: str, ceramic: bool, wider: float
) -> None:
    problem = a_problem(
        low=100_00, high=200_00, parent=Category(id=1, slug=parent, name=parent, description="")
    )
    factors = evolve(PLAIN, outside=outside, ceramic_brakes=ceramic)
    found = book_price(problem, factors, national_rate=RATE)

    assert found.spread == pytest.approx(wider * book_spread(problem))
    widest = book_price(evolve(problem, high=10_000_00), factors, national_rate=RATE)

    assert widest.spread == pytest.approx(min(1.0, wider * math.log(100) / 2.5631031311))


def test_repair_with_hours_and_parts_is_scaled_by_the_vehicle() -> None:
    problem = a_problem(labor_hours=2.0, parts=(PAD, ROTOR, FLUID))
    factors = Factors(labor=1.5, parts=1.2, year=2015)

    assert _figures(problem) == (2.0, [(1, 70_00), (2, 25_00), (3, 10_00)])
    hours, parts = _figures(problem, factors, year=2026, tier=PartsTier.OEM)

    assert hours == pytest.approx(2.0 * 1.5 * 1.006)
    assert parts == [(1, pytest.approx(70_00 * 1.2 * 0.988 * 1.45)), (2, pytest.approx(25_00 * 1.2 * 0.988 * 1.45)), (3, 10_00)]  # fmt: skip


def test_job_has_its_own_hours_prices_and_quantity_of_the_first_part() -> None:
    problem = a_problem(labor_hours=2.0, parts=(PAD, ROTOR, FLUID))
    job = JobFactors(repair=problem.slug, labor=1.5, parts=2.0, quantity=4, why="Four sets.")
    other = evolve(job, repair="another", labor=9.0)

    assert _figures(problem, evolve(PLAIN, jobs=(other, job))) == (3.0, [(4, 140_00), (2, 50_00), (3, 10_00)])
    usual = evolve(job, quantity=None)

    assert _figures(problem, evolve(PLAIN, jobs=(usual,)))[1] == [(1, 140_00), (2, 50_00), (3, 10_00)]
    assert _figures(problem, evolve(PLAIN, jobs=(evolve(job, quantity=0),)))[1] == [(2, 50_00), (3, 10_00)]


@pytest.mark.parametrize(("low", "high"), [(100_00, 400_00), (0, 400_00), (100_00, 0)])
def test_repair_without_hours_and_parts_is_labor_at_the_mean_of_its_range(low: int, high: int) -> None:
    problem = a_problem(labor_hours=0, parts=(evolve(PAD, price=0),), low=low, high=high)
    middle = math.sqrt(max(1, low) * max(1, high))

    assert _figures(problem, evolve(PLAIN, labor=1.5))[0] == pytest.approx(middle * 1.5 / RATE)
    assert book_price(problem, PLAIN, national_rate=RATE).tier is None


def test_repair_of_parts_alone_has_no_hours() -> None:
    assert _figures(a_problem(labor_hours=0, parts=(evolve(PAD, price=1),))) == (0, [(1, 1)])


@pytest.mark.parametrize(
    ("bay", "factor", "hours"),
    [
        (None, None, 2.0 * 1.5),
        (EngineBay.FLAT, None, 2.0 * 1.5),
        (EngineBay.V8, 1.4, 2.0 * 1.4 * 1.5 / 1.25),
        (EngineBay.ROTARY, 0.8, 2.0 * 0.8 * 1.5 / 1.25),
        (EngineBay.DIESEL_TRUCK_INLINE, 3.0, 2.0 * 3.0 * 1.5 / 1.25),
    ],
)
def test_hours_of_an_engine_bay_replace_those_of_the_size(
    bay: EngineBay | None, factor: float | None, hours: float
) -> None:
    problem = a_problem(
        labor_hours=2.0, labor_factors={"v8": 1.4, "four_longitudinal": 0.8, "diesel_truck": 3.0}, parts=()
    )

    assert bay_factor(problem, bay) == factor
    assert _figures(problem, Factors(labor=1.5, parts=1.0, size=1.25, bay=bay))[0] == pytest.approx(hours)


@pytest.mark.parametrize(
    ("own", "is_under_belt", "hours"), [(2.0, True, 3.0), (2.0, False, 2.0), (4.0, True, 4.0)]
)
def test_part_under_the_timing_belt_takes_at_least_the_hours_of_the_belt(
    *, own: float, is_under_belt: bool, hours: float
) -> None:
    problem = a_problem(
        labor_hours=own, under_belt=LaborHours(repair="timing-belt", hours=3.0, factors={}), parts=()
    )

    assert _figures(problem, evolve(PLAIN, pump_under_belt=is_under_belt))[0] == hours


@pytest.mark.parametrize(
    ("prices", "chosen"),
    [((1.0,), 1.0), ((2.0, 1.0), 1.0), ((3.0, 1.0, 2.0), 2.0), ((4.0, 1.0, 3.0, 2.0), 2.0)],
)
def test_engine_with_the_middle_price_counts_and_the_cheaper_of_two(
    prices: tuple[float, ...], chosen: float
) -> None:
    possible = tuple((Engine(), evolve(PLAIN, labor=labor)) for labor in prices)

    assert (
        _figures(a_problem(labor_hours=1.0, parts=()), evolve(PLAIN, labor=9.0, possible=possible))[0]
        == chosen
    )


def test_only_engines_that_may_need_the_repair_count() -> None:
    gas, diesel, unknown = (
        (Engine(powertrain=powertrain), evolve(PLAIN, labor=labor))
        for powertrain, labor in ((Powertrain.GAS, 1.0), (Powertrain.DIESEL, 2.0), (None, 3.0))
    )
    factors = evolve(PLAIN, labor=9.0, possible=(gas, diesel, unknown))
    perhaps = Fits(powertrains=frozenset({Powertrain.ELECTRIC}), perhaps=frozenset({Powertrain.DIESEL}))
    for fits, labors in (
        (Fits(), [1, 2, 3]),
        (Fits(powertrains=frozenset({Powertrain.GAS})), [1, 3]),
        (perhaps, [2, 3]),
    ):
        assert [one.labor for one in choices(a_problem(fits=fits), factors)] == labors
    electric = a_problem(fits=Fits(powertrains=frozenset({Powertrain.ELECTRIC})))
    known = evolve(factors, possible=(gas, diesel))

    assert [one.labor for one in choices(electric, known)] == [1, 2]
    assert choices(electric, PLAIN) == [PLAIN]


@pytest.mark.parametrize(
    ("changes", "factors", "expected"),
    [
        ({}, PLAIN, (1.0, 1.0, 200 / 320)),
        ({}, Factors(labor=2.0, parts=3.0), (1.0, 1.0, 200 / 320)),
        ({"labor_hours": 0}, PLAIN, (1.0, 1.0, 0.0)),
        ({"parts": ()}, PLAIN, (1.0, 1.0, 1.0)),
        ({"labor_hours": 0, "parts": ()}, PLAIN, (1.0, 1.0, 1.0)),
        ({"labor_factors": {"v8": 1.5}}, evolve(PLAIN, bay=EngineBay.V8), (1.5, 1.0, 200 / 320)),
        ({"parts": (PLUG, TUBES)}, evolve(PLAIN, amounts=Amounts(cylinders=8, plug_tubes=False)), (1.0, 80 / 60, 200 / 260)),
        ({"parts": (PACK,)}, evolve(PLAIN, amounts=Amounts(battery=90)), (1.0, 1.5, 200 / 6_200)),
        ({"parts": (evolve(PACK, reference=None),)}, evolve(PLAIN, amounts=Amounts(battery=90)), (1.0, 1.0, 200 / 6_200)),
        (
            {"parts": (PAD, ROTOR, FLUID)},
            evolve(PLAIN, jobs=(JobFactors(repair="front-brake-pads", labor=1.5, parts=2.0, quantity=3, why=""),)),
            (1.5, (3 * 140 + 2 * 50 + 30) / 150, 200 / 350),
        ),
    ],
)  # fmt: skip
def test_repair_relative_to_the_book_shows_only_what_its_engine_amounts_and_exceptions_change(
    changes: dict[str, Any], factors: Factors, expected: tuple[float, float, float]
) -> None:
    problem = a_problem(**{"labor_hours": 2.0, "parts": (PAD, ROTOR), **changes})
    found = relative(problem, factors, national_rate=RATE, year=2026)

    assert (found.hours, found.parts, found.labor_share) == pytest.approx(expected)
    assert found.battery == factors.amounts.battery
    hours, parts, share = expected
    assert found.price == pytest.approx(share * hours + (1 - share) * parts)


def test_traction_battery_is_priced_by_its_capacity_and_not_by_age_or_grade() -> None:
    problem = a_problem(parts=(PACK,))
    factors = Factors(labor=1.0, parts=2.0, year=2000, amounts=Amounts(battery=90))

    assert _figures(problem, factors, year=2026, tier=PartsTier.OEM)[1] == [(1, 9_000_00)]
    assert book_price(problem, factors, national_rate=RATE).tier is None
