import math
import random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.predictions.track_record import (
    MOST_PAIRS,
    NO_TRACKS,
    AnsweredPrediction,
    accuracy_of,
    by_problem,
    reliability_of,
    tracks_of,
)
from repaircore.pricing.aggregation import CORRELATION, UNTRIED, aggregate, correlation
from repaircore.pricing.model import Opinion
from repaircore.pricing.red_flags import THRESHOLD, distance

ONE = AnsweredPrediction(
    problem_id=101,
    paid=200_00,
    low=150_00,
    average=210_00,
    high=300_00,
    model_a_source="offline",
    model_a=220_00,
    model_b_source="offline",
    model_b=180_00,
    together=200_00,
)
MONEY = st.integers(1, 10_000_00)
ANSWERED = st.lists(
    st.builds(
        AnsweredPrediction,
        problem_id=st.integers(1, 3),
        paid=MONEY,
        low=MONEY,
        average=MONEY,
        high=MONEY,
        model_a_source=st.sampled_from(["offline", "openai"]),
        model_a=st.none() | MONEY,
        model_b_source=st.just("offline"),
        model_b=st.none() | MONEY,
        together=st.none() | MONEY,
    ),
    max_size=30,
)


def test_errors_are_percentages_of_the_invoice() -> None:
    result = accuracy_of([ONE, evolve(ONE, paid=400_00), evolve(ONE, paid=210_00, together=None)])

    assert (result.local.pairs, result.local.median_error, result.local.median_bias) == (3, 5.0, 0.0)
    assert result.inside == 66.7
    assert (result.together.pairs, result.together.median_error, result.together.median_bias) == (
        2,
        25.0,
        -25.0,
    )


def test_no_invoice_gives_no_track_record() -> None:
    result = accuracy_of([])

    assert (result.inside, result.local.median_error, result.local.pairs) == (None, None, 0)
    assert tracks_of([]) == NO_TRACKS


@given(average=MONEY, paid=MONEY)
def test_prediction_is_a_hit_when_its_error_is_at_most_a_quarter(average: int, paid: int) -> None:
    one = evolve(ONE, average=average, paid=paid, confidence=50)
    error = accuracy_of([one]).local.median_error
    (step,) = reliability_of([one])

    assert error is not None
    assert error == 25.0 or step.met == (100.0 if error < 25 else 0.0)


def test_invoice_a_third_above_the_estimate_is_within_a_quarter_of_itself() -> None:
    one = evolve(ONE, average=450_00, paid=599_06, confidence=52)
    (step,) = reliability_of([one])

    assert (accuracy_of([one]).local.median_error, step.met) == (24.9, 100.0)


def test_confidence_is_compared_with_the_results_in_steps_of_ten_percent() -> None:
    confidences = [100, 95, None, 90, 89, 9, 10, 0]
    found = reliability_of([evolve(ONE, confidence=confidence) for confidence in confidences])

    assert [(step.predictions, step.promised) for step in found] == [(2, 4.5), (1, 10), (1, 89), (3, 95)]


@given(answered=ANSWERED)
def test_combined_repairs_count_every_invoice_once(answered: list[AnsweredPrediction]) -> None:
    groups = by_problem(answered)

    assert sum(map(len, groups.values())) == len(answered)
    sizes = [len(group) for group in groups.values()]

    assert sizes == sorted(sizes, reverse=True)


@given(answered=ANSWERED)
def test_track_record_of_any_answers_is_within_bounds(answered: list[AnsweredPrediction]) -> None:
    tracks = tracks_of(answered)

    assert 0 <= tracks.correlation <= 1
    for track in (tracks.model_a, tracks.model_b):
        assert math.isfinite(track.record.bias)
        assert track.record.spread > 0
        assert track.record.pairs <= len(answered)


def test_track_record_finds_a_bias_of_a_fifth() -> None:
    tracks = tracks_of([evolve(ONE, model_a=240_00, model_b=200_00)] * 200)

    assert tracks.model_a.record.bias == pytest.approx(math.log(1.2), rel=0.1)
    assert tracks.model_b.record.bias == 0
    assert tracks.model_a.record.spread < UNTRIED.spread


def test_only_the_newest_invoices_count() -> None:
    old, new = [evolve(ONE, model_a=400_00)] * 1000, [evolve(ONE, model_a=200_00)] * MOST_PAIRS

    assert tracks_of([*old, *new]) == tracks_of(new)


def test_another_source_starts_without_a_track_record() -> None:
    tracks = tracks_of([evolve(ONE, model_a=400_00)] * 50)

    assert tracks.model_a.of("offline").pairs == 50
    assert tracks.model_a.of("openai") == UNTRIED
    changed = tracks_of([*[evolve(ONE, model_a=400_00)] * 50, evolve(ONE, model_a_source="openai")])

    assert changed.model_a.of("openai").pairs == 1
    assert changed.model_b.of("offline").pairs == 51
    assert changed.correlation == CORRELATION


def _honest(count: int, seed: int) -> list[AnsweredPrediction]:
    """Return predictions of models that are off by an eighth, made before they had a track record."""
    dice = random.Random(seed)  # noqa: S311 - a simulation

    def near(amount: int, off: float) -> int:
        return round(amount * math.exp(dice.gauss(0, off)))

    found = []
    for _ in range(count):
        paid = dice.randrange(100_00, 2_000_00)
        average, a, b = near(paid, 0.1), near(paid, 0.12), near(paid, 0.12)
        found.append(evolve(ONE, paid=paid, average=average, model_a=a, model_b=b, doubt=0.002))
    return found


def test_threshold_flags_one_in_twenty_honest_figures() -> None:
    tracks = tracks_of(_honest(MOST_PAIRS, 1))
    records = (tracks.model_a.record, tracks.model_b.record)
    beyond = 0
    for one in _honest(2_000, 2):
        opinions = [Opinion(average=said, source="offline") for said in (one.model_a, one.model_b)]
        pooled = aggregate(
            opinions, records, local=one.average, local_variance=0.002, correlation=tracks.correlation
        )

        assert pooled.average is not None
        apart = distance(one.average, pooled.average, local_variance=0.002, ai_variance=pooled.variance)
        beyond += apart > tracks.flag_threshold

    assert 0.02 < beyond / 2_000 < 0.08


def test_prediction_without_compared_figures_moves_no_threshold() -> None:
    compared = _honest(40, 3)
    silent = [evolve(one, doubt=None) for one in _honest(40, 4)]

    assert tracks_of(silent).flag_threshold == THRESHOLD
    assert tracks_of(compared).flag_threshold != THRESHOLD


def test_model_without_an_answer_has_no_pair() -> None:
    assert tracks_of([evolve(ONE, model_a=None)] * 5).model_a.record == UNTRIED


def test_confidence_is_compared_with_the_hit_rate() -> None:
    met, missed = (
        evolve(ONE, confidence=72, paid=ONE.average),
        evolve(ONE, confidence=78, paid=2 * ONE.average),
    )
    old = evolve(ONE, confidence=None)
    sure = evolve(ONE, confidence=100, paid=ONE.average)
    found = reliability_of([met, missed, met, missed, old, sure])

    assert [(one.predictions, one.promised, one.met) for one in found] == [(4, 75.0, 50.0), (1, 100.0, 100.0)]
    assert reliability_of([old]) == ()


@pytest.mark.parametrize(("paid", "inside"), [(149_99, 0), (150_00, 100), (300_00, 100), (300_01, 0)])
def test_price_at_the_end_of_a_range_is_inside(paid: int, inside: float) -> None:
    assert accuracy_of([evolve(ONE, paid=paid)]).inside == inside


@pytest.mark.parametrize(("average", "met"), [(250_00, 100), (250_01, 0), (150_00, 100), (149_99, 0)])
def test_error_of_a_quarter_is_met(average: int, met: float) -> None:
    (step,) = reliability_of([evolve(ONE, average=average, confidence=50)])

    assert step.met == met


def test_reliability_has_one_decimal() -> None:
    (step,) = reliability_of(
        [
            evolve(ONE, confidence=confidence, paid=paid)
            for confidence, paid in ((71, 210_00), (72, 210_00), (72, 1))
        ]
    )

    assert (step.promised, step.met) == (71.7, 66.7)


def test_repairs_are_in_the_order_of_their_invoices_then_of_their_ids() -> None:
    ids = (3, 1, 2, 2, 4)

    groups = by_problem(evolve(ONE, problem_id=number) for number in ids)

    assert [(number, len(group)) for number, group in groups.items()] == [(2, 2), (1, 1), (3, 1), (4, 1)]


def test_correlation_is_that_of_the_latest_sources_only() -> None:
    dice = random.Random(5)  # noqa: S311 - a simulation
    pairs = [
        evolve(ONE, model_a=dice.randrange(100_00, 300_00), model_b=dice.randrange(100_00, 300_00))
        for _ in range(40)
    ]
    old = [
        evolve(ONE, model_a=said, model_b=said, model_b_source="openai")
        for said in range(100_00, 300_00, 10_00)
    ]
    silent = [evolve(ONE, model_a=None), evolve(ONE, model_b=None)]

    expected = correlation([(one.model_a or 0, one.model_b or 0, one.paid) for one in pairs])
    assert tracks_of([*old, *silent, *pairs]).correlation == expected != CORRELATION


@pytest.mark.parametrize("change", [{"model_a": None}, {"model_b": None}, {"model_b_source": "openai"}])
def test_threshold_counts_only_what_both_of_todays_models_said(change: dict[str, Any]) -> None:
    compared = _honest(40, 3)
    others = [evolve(one, **change) for one in _honest(40, 4)]
    uncompared = [evolve(one, doubt=None) for one in others]

    assert tracks_of([*others, *compared]) == tracks_of([*uncompared, *compared])
