import math
import random
from statistics import median

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.pricing.jobs import (
    ACCORD,
    BATTERY,
    BOOK,
    CAMRY,
    HOME,
    LABOR_ONLY,
    PADS,
    PILOT,
    RATE,
    Past,
    appraised,
    estimated,
    evidence,
    invoice,
    outlook_of,
    problem,
)

from repaircore.pricing.book_price import BookPart, BookPrice, book_price
from repaircore.pricing.estimator import estimate, outlook
from repaircore.pricing.places import Market
from repaircore.pricing.variances import variances_of, widened
from repaircore.transactions.evidence import EVERY_PROBLEM, Evidence, Lineage
from repaircore.transactions.tally import BINS, NO_ERRORS
from repaircore.vehicle_facts.model import Factors

LINEAGES = st.sampled_from([ACCORD, PILOT, CAMRY, evolve(ACCORD, year=2020)])
RESIDUALS = st.integers(-150_000, 150_000)
EVIDENCE = st.builds(
    Evidence,
    problem_id=st.sampled_from([PADS, BATTERY]),
    lineage=LINEAGES,
    price=RESIDUALS,
    hours=st.none() | RESIDUALS,
    share=st.integers(0, 100_000),
)
HISTORIES = st.lists(EVIDENCE, max_size=25)
BOOKS = st.builds(
    BookPrice,
    hours=st.just(0.0) | st.floats(0.05, 40),
    parts=st.lists(
        st.builds(
            BookPart,
            name=st.sampled_from(["Pad set", "Rotor", "Fluid"]),
            quantity=st.integers(1, 16),
            price=st.floats(1, 500_000),
        ),
        max_size=4,
    ).map(tuple),
    rate=st.just(RATE),
    spread=st.floats(0.05, 1),
)
MARKETS = st.builds(
    Market, rate=st.integers(3_000, 60_000), national_rate=st.just(RATE), price_level=st.floats(0.4, 3)
)


def _past(history: list[Evidence], bins: list[int], alpha: int) -> Past:
    tally = NO_ERRORS
    for number in bins:
        tally = tally.plus(number)
    return evolve(Past().with_evidence(*history), errors={PADS: tally, EVERY_PROBLEM: tally}, alpha=alpha)


PASTS = st.builds(
    _past, HISTORIES, st.lists(st.integers(0, BINS - 1), max_size=40), st.integers(2_000, 60_000)
)


@given(PASTS, BOOKS, MARKETS, LINEAGES)
def test_low_average_and_high_are_positive_and_in_order(
    past: Past, book: BookPrice, market: Market, lineage: Lineage
) -> None:
    result = estimated(past, lineage, book=book, market=market)

    assert 0 < result.low <= result.average <= result.high
    assert result.average == result.breakdown.total
    assert 0 <= result.confidence <= 100
    assert result.effective_sample_size >= 0
    assert math.isclose(sum(b.weight for b in result.basis), 100, abs_tol=0.01)


def test_no_data_gives_the_book() -> None:
    result = estimated()

    assert result.average == 39_000 == BOOK.total
    assert math.isclose(math.log(result.high / result.low) / (2 * 1.28155), BOOK.spread, rel_tol=1e-3)
    assert (result.sample_size, result.effective_sample_size) == (0, 0)
    assert [b.name for b in result.basis] == ["the repair book"]


def test_book_price_is_scaled_by_the_factors_of_the_vehicle() -> None:
    job = problem(hours=2, parts=[("Pump", 1, 10_000)], low=20_000, high=60_000)
    book = book_price(job, Factors(labor=1.5, parts=2.0), national_rate=RATE)

    assert book.total == 3 * RATE + 20_000
    assert math.isclose(book.spread, math.log(3) / 2.5631, rel_tol=1e-3)


def test_repair_without_hours_and_parts_lies_between_the_books_low_and_high() -> None:
    book = book_price(
        problem(hours=0, low=10_000, high=40_000), Factors(labor=1, parts=1), national_rate=RATE
    )

    assert estimated(book=book).average in range(19_900, 20_101)


@given(HISTORIES, st.integers(2, 9), LINEAGES)
def test_estimate_scales_with_all_costs(history: list[Evidence], factor: int, lineage: Lineage) -> None:
    past = Past().with_evidence(*history)
    dearer = evolve(
        BOOK, rate=BOOK.rate * factor, parts=tuple(evolve(p, price=p.price * factor) for p in BOOK.parts)
    )
    market = Market(rate=HOME.rate * factor, national_rate=RATE * factor)
    one, many = estimated(past, lineage), estimated(past, lineage, book=dearer, market=market)
    for small, large in ((one.low, many.low), (one.average, many.average), (one.high, many.high)):
        assert abs(large - small * factor) <= factor


@given(HISTORIES, st.randoms(use_true_random=False), LINEAGES)
def test_order_of_invoices_does_not_matter(
    history: list[Evidence], dice: random.Random, lineage: Lineage
) -> None:
    shuffled = list(history)
    dice.shuffle(shuffled)

    assert estimated(Past().with_evidence(*history), lineage) == estimated(
        Past().with_evidence(*shuffled), lineage
    )


@given(HISTORIES, st.lists(EVIDENCE, min_size=1, max_size=10), st.randoms(use_true_random=False))
def test_removing_invoices_undoes_adding_them_to_the_last_bit(
    history: list[Evidence], more: list[Evidence], dice: random.Random
) -> None:
    before = Past().with_evidence(*history)
    after = before.with_evidence(*more)
    dice.shuffle(more)
    again = after.without_evidence(*more)

    assert again == before
    assert estimated(again) == estimated(before)


def test_five_thousand_equal_invoices_give_their_price() -> None:
    past = Past()
    for _ in range(5_000):
        past = past.learned(appraised(invoice(123_400), past))
    result = estimated(past)

    assert abs(result.average - 123_400) < 1_234
    assert result.sample_size == 5_000
    assert result.confidence > 90


@settings(max_examples=60, deadline=None)
@given(st.integers(-300, 350), st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_equal_invoices_never_move_an_estimate_beyond_their_price(change: int, files: list[int]) -> None:
    price = round(BOOK.total * math.exp(change / 100))
    low, high = sorted((BOOK.total, price))
    past = Past()
    for count in files:
        past = past.learned(appraised(invoice(price), past), times=count)
        result = estimated(past)
        slack = math.exp(0.2 * result.spread) + 1e-4

        assert low / slack <= result.average <= high * slack


@given(st.integers(1, 60), st.sampled_from([-40, -20, 15, 30, 60]))
def test_lesson_of_a_file_is_not_counted_again_as_an_error(count: int, change: int) -> None:
    price = round(BOOK.total * math.exp(change / 100))
    past = Past().learned(appraised(invoice(price)), times=count)
    low, high = sorted((BOOK.total, price))

    # The median of the errors moves with their shape.
    assert low / 1.01 <= estimated(past).average <= high * 1.01


def test_estimate_follows_a_sudden_change_without_overshooting() -> None:
    past = Past().learned(appraised(invoice(261_200)), times=25)
    once = estimated(past).average

    assert 1.8 * BOOK.total < once < 261_200
    past = past.learned(appraised(invoice(261_200), past), times=25)

    assert once < estimated(past).average < 261_200 * 1.06


def test_repair_without_invoices_inherits_the_deviation_of_other_repairs() -> None:
    past = Past().learned(appraised(invoice(41_000)), times=200)
    result = estimate(
        outlook(BOOK, past.of(ACCORD, BATTERY), market=HOME, variances=variances_of(BOOK.spread))
    )
    step = next(step for step in result.steps if step.name == "past_errors")

    assert step.text.startswith("Our past estimates of other repairs were off by a median of +")
    assert BOOK.total < result.average < 41_000


def test_unseen_model_gets_the_estimate_of_its_make() -> None:
    past = Past().with_evidence(*[evidence(30_000, PILOT)] * 8, *[evidence(-5_000, CAMRY)] * 8)
    unseen = evolve(ACCORD, model="Prelude")
    of_make = estimated(past, evolve(ACCORD, model="Passport"))

    assert estimated(past, unseen).average == of_make.average
    assert estimated(past, unseen).average > estimated(past, CAMRY).average


def test_model_with_many_invoices_determines_its_own_estimate() -> None:
    past = Past().with_evidence(*[evidence(50_000, ACCORD)] * 500, *[evidence(-20_000, PILOT)] * 500)

    assert math.isclose(estimated(past, ACCORD).average, BOOK.total * math.exp(0.5), rel_tol=0.02)
    assert math.isclose(estimated(past, PILOT).average, BOOK.total * math.exp(-0.2), rel_tol=0.02)


@given(st.floats(0.05, 0.5), st.sampled_from([-1, 1]), BOOKS)
def test_one_invoice_moves_its_job_by_a_credible_share_and_less_for_less_similar_vehicles(
    off: float, sign: int, book: BookPrice
) -> None:
    past = Past().with_evidence(evidence(round(sign * off * 1e5)))
    moved = [
        math.log(outlook_of(past, lineage, book=book).center / outlook_of(Past(), lineage, book=book).center)
        / (sign * off)
        for lineage in (ACCORD, evolve(ACCORD, year=2002), PILOT, CAMRY)
    ]

    assert moved == sorted(moved, reverse=True)
    assert 0.10 < moved[-1] < moved[0] < 0.35


@given(HISTORIES, st.integers(-150_000, 100_000), st.integers(0, 50_000), LINEAGES)
def test_higher_invoice_never_lowers_its_own_cell(
    history: list[Evidence], y: int, more: int, lineage: Lineage
) -> None:
    past = Past().with_evidence(*history)
    cheap = past.with_evidence(evidence(y, lineage))
    dear = past.with_evidence(evidence(y + more, lineage))

    assert (
        estimated(dear, lineage, book=LABOR_FREE).average
        >= estimated(cheap, lineage, book=LABOR_FREE).average
    )


LABOR_FREE = evolve(BOOK, hours=0.0)


@given(HISTORIES, st.integers(3_000, 50_000), st.integers(0, 20_000), LINEAGES)
def test_higher_rate_never_lowers_a_price_and_moves_it_by_at_most_the_labor_share(
    history: list[Evidence], rate: int, more: int, lineage: Lineage
) -> None:
    past = Past().with_evidence(*history)
    low = estimated(past, lineage, market=evolve(HOME, rate=rate))
    high = estimated(past, lineage, market=evolve(HOME, rate=rate + more))

    assert high.average >= low.average
    assert high.low >= low.low
    assert high.high >= low.high
    national = estimated(past, lineage).average

    assert high.average - low.average <= low.labor_share * more / RATE * national + 2


def test_hours_without_parts_are_billed_at_the_rate_of_the_region() -> None:
    result = estimated(book=LABOR_ONLY, market=evolve(HOME, rate=15_000))

    assert (result.breakdown.labor_hours, result.breakdown.total, result.average) == (1.0, 15_000, 15_000)


def test_other_repairs_of_a_make_move_a_repair_it_never_had() -> None:
    dear = [evidence(30_000, PILOT, BATTERY)] * 60
    usual = [evidence(0, CAMRY, BATTERY)] * 60
    past = Past().with_evidence(*dear, *usual)

    assert estimated(past, PILOT).average > BOOK.total * 1.08
    assert estimated(past, CAMRY).average < BOOK.total
    assert any(step.name == "make_index" for step in estimated(past, PILOT).steps)


def test_own_invoices_do_not_count_twice_through_the_index_of_the_make() -> None:
    past = Past().with_evidence(*[evidence(30_000)] * 10)

    assert not any(step.name == "make_index" for step in estimated(past).steps)


@given(st.integers(0, 400), st.integers(0, 400))
def test_ratings_widen_the_variance_by_at_most_a_quarter_and_only_when_most_are_wrong(
    good: int, wrong: int
) -> None:
    plain = variances_of(0.3)
    rated = widened(plain, good=good, wrong=wrong)

    assert plain.within <= rated.within <= 1.25 * plain.within
    assert widened(plain, good=good + wrong, wrong=wrong) == plain
    assert evolve(rated, within=plain.within) == plain


def test_wrong_ratings_widen_the_range_of_an_estimate() -> None:
    past = Past().of(ACCORD)
    result = estimate(outlook(BOOK, past, market=HOME, variances=variances_of(0.3)))
    disliked = estimate(outlook(BOOK, evolve(past, wrong=20), market=HOME, variances=variances_of(0.3)))

    assert disliked.average == result.average
    assert disliked.low < result.low < result.high < disliked.high


def test_explanation_states_the_weight_of_each_level() -> None:
    past = Past().with_evidence(*[evidence(20_000)] * 4, *[evidence(5_000, PILOT)] * 3)
    result = estimated(past)
    years = next(step for step in result.steps if step.name == "years")

    assert years.text.startswith("We have 4 of these on this model's years. They make up ")
    assert years.text.endswith("% is what the job costs on the model.")
    assert result.steps[0].value == 390.0
    assert result.steps[-1].value == result.average / 100
    assert [b.invoices for b in result.basis] == [0, 3, 4]


@pytest.mark.parametrize(
    ("parts", "hours", "said"),
    [
        (1.0, 1.0, ""),
        (
            1.1,
            1.0,
            " Shops here differ from shops elsewhere by +10% in parts prices and by +0% in billed hours.",
        ),
        (
            1.0,
            0.9,
            " Shops here differ from shops elsewhere by +0% in parts prices and by \N{MINUS SIGN}10% in billed hours.",
        ),
    ],
)
def test_explanation_states_what_the_shops_of_a_place_charge(parts: float, hours: float, said: str) -> None:
    market = evolve(HOME, price_level=1.2, parts_level=parts, hours_level=hours)
    steps = estimated(market=market).steps
    prices = next(step.text for step in steps if step.name == "prices")

    assert prices == (
        "Parts are 54% of this job, and repairs cost 20% more than in the book's base year; "
        f"that moves the price by +11%.{said}"
    )


@settings(max_examples=30)
@given(BOOKS, HISTORIES, MARKETS, LINEAGES)
def test_every_step_has_a_sentence_and_a_finite_figure(
    book: BookPrice, history: list[Evidence], market: Market, lineage: Lineage
) -> None:
    steps = estimated(Past().with_evidence(*history), lineage, book=book, market=market).steps

    assert all(step.text.endswith(".") and math.isfinite(step.value) for step in steps)
    assert len({step.name for step in steps}) == len(steps)


def test_learned_range_contains_about_eight_of_ten_invoices() -> None:
    dice = random.Random(11)  # noqa: S311 - a simulation
    makes = {make: dice.gauss(0, 0.10) for make in ("Honda", "Toyota", "Ford", "BMW")}
    models = {(make, f"m{i}"): dice.gauss(0, 0.08) for make in makes for i in range(4)}
    past, inside, off, off_by_book = Past(), [], [], []
    for n in range(2_000):
        make, model = dice.choice(list(models))
        lineage = Lineage(make=make, model=model, year=dice.choice([2008, 2012, 2016]))
        paid = BOOK.total * math.exp(0.15 + makes[make] + models[make, model] + dice.gauss(0, 0.2))
        result = appraised(invoice(round(paid)), past, lineage)
        past = past.learned(result)
        if n >= 500:
            inside.append(not result.missed)
            off.append(abs(result.error))
            off_by_book.append(abs(math.log(paid / BOOK.total)))

    assert 0.76 <= sum(inside) / len(inside) <= 0.84
    assert median(off) < 0.16 < median(off_by_book)
