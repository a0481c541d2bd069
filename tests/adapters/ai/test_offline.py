from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from repaircore.adapters.ai.offline import (
    TYPICAL_LABOR_SHARE,
    FlatRateModel,
    PriceIndexModel,
    age_factor,
    flat_rate,
    price_index,
)
from repaircore.estimates.model import PriceQuestion
from repaircore.problems.model import PartNeed
from repaircore.testing.builders import a_problem, a_question, a_vehicle
from repaircore.vehicles.model import Factors

FORMULAS = (flat_rate, price_index)
calmly = settings(deadline=None)  # a busy machine is no defect
BARELY = 1 + 1e-9

rates = st.integers(20_00, 400_00)
factors = st.floats(0.3, 4)
ratios = st.floats(1, 5)


@st.composite
def questions(draw: st.DrawFn) -> PriceQuestion:
    low = draw(st.integers(20_00, 5_000_00))
    problem = a_problem(
        labor_hours=draw(st.floats(0.1, 30)),
        parts=(PartNeed(name="part", quantity=draw(st.integers(1, 8)), price=draw(st.integers(0, 900_00))),),
        low=low,
        high=low + draw(st.integers(0, 9_000_00)),
    )
    about = evolve(a_vehicle().about, year=draw(st.integers(1980, 2027)))
    return a_question(
        problem=problem,
        vehicle=a_vehicle(about=about),
        factors=Factors(labor=draw(factors), parts=draw(factors)),
        labor_rate=draw(rates),
        national_rate=draw(rates),
        price_level=draw(st.floats(0.5, 2)),
    )


@calmly
@given(questions())
def test_prices_are_positive(question: PriceQuestion) -> None:
    assert all(formula(question) > 0 for formula in FORMULAS)


@calmly
@given(questions(), ratios)
def test_a_dearer_hour_never_lowers_a_price_nor_moves_it_by_more_than_itself(
    question: PriceQuestion, ratio: float
) -> None:
    dearer = evolve(question, labor_rate=round(question.labor_rate * ratio))
    most = dearer.labor_rate / question.labor_rate * BARELY
    for formula in FORMULAS:
        assert formula(question) <= formula(dearer) * BARELY
        assert formula(dearer) <= formula(question) * most


@calmly
@given(questions(), ratios, ratios)
def test_a_dearer_vehicle_never_lowers_a_price(question: PriceQuestion, labor: float, parts: float) -> None:
    dearer = Factors(labor=question.factors.labor * labor, parts=question.factors.parts * parts)
    for formula in FORMULAS:
        assert formula(question) <= formula(evolve(question, factors=dearer)) * BARELY


@calmly
@given(questions(), st.floats(0.2, 5))
def test_factors_that_grow_alike_scale_the_price(question: PriceQuestion, ratio: float) -> None:
    scaled = Factors(labor=question.factors.labor * ratio, parts=question.factors.parts * ratio)
    for formula in FORMULAS:
        expected = formula(question) * ratio
        assert abs(formula(evolve(question, factors=scaled)) - expected) <= expected * 1e-9


@calmly
@given(questions(), ratios)
def test_a_higher_price_level_never_lowers_a_price(question: PriceQuestion, ratio: float) -> None:
    later = evolve(question, price_level=question.price_level * ratio)
    for formula in FORMULAS:
        assert formula(question) <= formula(later) * BARELY


@calmly
@given(questions(), st.integers(1, 9))
def test_the_price_index_scales_with_the_national_range(question: PriceQuestion, times: int) -> None:
    problem = question.problem
    dearer = evolve(problem, low=problem.low * times, high=problem.high * times)
    expected = price_index(question) * times
    assert abs(price_index(evolve(question, problem=dearer)) - expected) <= expected * 1e-9


@calmly
@given(questions())
def test_the_models_rest_on_different_pages_of_the_book(question: PriceQuestion) -> None:
    problem = question.problem
    other_range = evolve(question, problem=evolve(problem, low=problem.low * 2, high=problem.high * 2))
    other_hours = evolve(question, problem=evolve(problem, labor_hours=problem.labor_hours * 2, parts=()))
    assert flat_rate(other_range) == flat_rate(question)
    assert price_index(other_hours) == price_index(question)


@calmly
@given(st.integers(1950, 2027), st.integers(0, 30))
def test_an_older_vehicle_is_never_dearer(year: int, years: int) -> None:
    def of(built: int) -> PriceQuestion:
        return a_question(vehicle=a_vehicle(about=evolve(a_vehicle().about, year=built)))

    assert age_factor(of(year - years)) <= age_factor(of(year))


def test_the_flat_rate_is_hours_by_rate_and_parts() -> None:
    question = a_question(factors=Factors(labor=2.0, parts=1.5), price_level=1.1)
    assert FlatRateModel().price(question, seconds=0) == round(1.5 * 2 * 130_00 + 120_00 * 1.5 * 1.1)


def test_the_price_index_is_the_geometric_middle_at_the_national_rate_and_middle_age() -> None:
    problem = a_problem(low=100_00, high=400_00)
    question = a_question(problem=problem, labor_rate=140_00, national_rate=140_00)
    assert PriceIndexModel().price(question, seconds=0) == 200_00


def test_the_price_index_moves_with_the_region_by_the_labor_share() -> None:
    national = a_question(labor_rate=100_00, national_rate=100_00)
    dearer = evolve(national, labor_rate=120_00)
    ratio = price_index(dearer) / price_index(national)
    assert abs(ratio - (1 + 0.2 * TYPICAL_LABOR_SHARE)) < 1e-12


@calmly
@given(questions())
def test_the_same_question_gets_the_same_answer(question: PriceQuestion) -> None:
    assert all(formula(question) == formula(evolve(question)) for formula in FORMULAS)
