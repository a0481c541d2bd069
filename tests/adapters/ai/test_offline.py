import math

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from repaircore.adapters.ai.offline import (
    TYPICAL_LABOR_SHARE,
    ComponentTableModel,
    HoursRegressionModel,
    age_factor,
    component_price,
    regression_price,
)
from repaircore.adapters.ai.offline_tables import component_table, hours_regression
from repaircore.adapters.shipped.book import book
from repaircore.book.model import PartNeed
from repaircore.kernel.traits import Body
from repaircore.pricing.model import PriceQuestion
from repaircore.testing.builders import a_problem, a_question, a_vehicle
from repaircore.vehicle_facts.model import Factors

FORMULAS = (component_price, regression_price)
no_deadline = settings(deadline=None)  # a busy machine is not a defect
BARELY = 1 + 1e-9

rates = st.integers(20_00, 400_00)
factors = st.floats(0.3, 4)
ratios = st.floats(1, 5)
SLUGS = [problem.slug for problem in book().problems]


@st.composite
def questions(draw: st.DrawFn) -> PriceQuestion:
    low = draw(st.integers(20_00, 5_000_00))
    problem = a_problem(
        slug=draw(st.sampled_from(SLUGS) | st.just("an-operators-own")),
        labor_hours=draw(st.floats(0.1, 30)),
        parts=(PartNeed(name="part", quantity=draw(st.integers(1, 8)), price=draw(st.integers(0, 900_00))),),
        low=low,
        high=low + draw(st.integers(0, 9_000_00)),
    )
    about = evolve(
        a_vehicle().specs,
        year=draw(st.integers(1980, 2027)),
        make=draw(st.sampled_from(["Honda", "BMW", "Nobody"])),
        body=draw(st.none() | st.sampled_from(Body)),
    )
    return a_question(
        problem=problem,
        vehicle=a_vehicle(specs=about),
        factors=Factors(labor=draw(factors), parts=draw(factors)),
        state=draw(st.sampled_from(["OH", "CA", "MS", "PR", "AE"])),
        labor_rate=draw(rates),
        national_rate=draw(rates),
        price_level=draw(st.floats(0.5, 2)),
    )


@no_deadline
@given(questions())
def test_prices_are_positive(question: PriceQuestion) -> None:
    assert all(formula(question) > 0 for formula in FORMULAS)


@no_deadline
@given(questions(), ratios)
def test_higher_labor_rate_raises_a_price_at_most_in_proportion(
    question: PriceQuestion, ratio: float
) -> None:
    pricier = evolve(question, labor_rate=round(question.labor_rate * ratio))
    most = pricier.labor_rate / question.labor_rate * BARELY
    for formula in FORMULAS:
        assert formula(question) <= formula(pricier) * BARELY
        assert formula(pricier) <= formula(question) * most


@no_deadline
@given(questions(), ratios, ratios)
def test_more_expensive_vehicle_never_lowers_a_price(
    question: PriceQuestion, labor: float, parts: float
) -> None:
    pricier = Factors(labor=question.factors.labor * labor, parts=question.factors.parts * parts)
    for formula in FORMULAS:
        assert formula(question) <= formula(evolve(question, factors=pricier)) * BARELY


@no_deadline
@given(questions(), ratios)
def test_higher_price_level_never_lowers_a_price(question: PriceQuestion, ratio: float) -> None:
    later = evolve(question, price_level=question.price_level * ratio)
    for formula in FORMULAS:
        assert formula(question) <= formula(later) * BARELY


@no_deadline
@given(questions(), ratios)
def test_more_hours_never_lower_a_price(question: PriceQuestion, ratio: float) -> None:
    problem = question.problem
    longer = evolve(question, problem=evolve(problem, labor_hours=problem.labor_hours * ratio))
    for formula in FORMULAS:
        assert formula(question) <= formula(longer) * BARELY


@no_deadline
@given(questions(), rates, factors)
def test_table_ignores_figures_of_the_book_and_shops(
    question: PriceQuestion, rate: int, factor: float
) -> None:
    listed = evolve(question, problem=evolve(question.problem, slug="alternator"))
    other = evolve(listed.problem, labor_hours=9.9, parts=(), low=1, high=2)
    moved = evolve(
        listed,
        problem=other,
        labor_rate=rate,
        national_rate=rate,
        factors=Factors(labor=factor, parts=factor),
    )

    assert component_price(moved) == component_price(listed)


@no_deadline
@given(questions())
def test_regression_ignores_parts_and_range_of_the_book(question: PriceQuestion) -> None:
    other = evolve(question.problem, parts=(), low=1, high=2)

    assert regression_price(evolve(question, problem=other)) == regression_price(question)


@no_deadline
@given(st.integers(1950, 2027), st.integers(0, 30))
def test_older_vehicle_is_never_more_expensive(year: int, years: int) -> None:
    def of(built: int) -> PriceQuestion:
        return a_question(vehicle=a_vehicle(specs=evolve(a_vehicle().specs, year=built)))

    assert age_factor(of(year - years)) <= age_factor(of(year))


def test_table_is_adjusted_to_make_body_and_state() -> None:
    about = evolve(a_vehicle().specs, make="BMW", body=Body.SUV)
    problem = a_problem(slug="alternator", low=100_00, high=2_000_00)
    question = a_question(problem=problem, vehicle=a_vehicle(specs=about), state="CA")
    table = component_table()
    share = table.labor_share(problem.parent.slug, 0)

    expected = 690_00 * 1.5 * 1.1 * 1.126 ** (1.25 * share)

    assert share > 0
    assert ComponentTableModel().price(question, seconds=0) == pytest.approx(expected, abs=1)


def test_regression_multiplies_the_categorys_dollars_by_a_power_of_hours() -> None:
    question = a_question(labor_rate=140_00, national_rate=140_00)
    regression = hours_regression()

    expected = regression.by_category["brakes"] * 1.5**regression.exponent

    assert HoursRegressionModel().price(question, seconds=0) == round(expected)


def test_regression_moves_with_the_region_by_the_labor_share() -> None:
    national = a_question(labor_rate=100_00, national_rate=100_00)
    pricier = evolve(national, labor_rate=120_00)
    ratio = regression_price(pricier) / regression_price(national)

    assert math.isclose(ratio, 1 + 0.2 * TYPICAL_LABOR_SHARE)


@no_deadline
@given(questions())
def test_same_question_gets_the_same_answer(question: PriceQuestion) -> None:
    assert all(formula(question) == formula(evolve(question)) for formula in FORMULAS)
