import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.pricing.aggregation import (
    UNTRIED,
    Aggregate,
    TrackRecord,
    aggregate,
    correlation,
    match,
    track_record,
)
from repaircore.pricing.model import Opinion

AMOUNTS = st.integers(1, 10**8)


def _opinions(*averages: int | None) -> list[Opinion]:
    return [Opinion(average=average, source="offline") for average in averages]


def _aggregate(
    *averages: int | None, local: int = 50_000, records: list[TrackRecord] | None = None
) -> Aggregate:
    tried = records or [UNTRIED] * len(averages)
    return aggregate(_opinions(*averages), tried, local=local, local_variance=0.02)


@given(AMOUNTS, AMOUNTS)
def test_match_is_symmetric_within_0_and_100_and_100_only_when_equal(one: int, other: int) -> None:
    assert match(one, other) == match(other, one)
    assert 0 <= match(one, other) <= 100
    assert (match(one, other) == 100) == (one == other)
    assert match(one, other) == round(match(one, other), 2)


def test_match_is_the_smaller_in_percent_of_the_larger() -> None:
    assert match(75_00, 100_00) == 75.0
    assert match(10**8, 10**8 - 1) == 99.99


@given(AMOUNTS, AMOUNTS, AMOUNTS)
def test_figure_lies_between_the_opinions_and_weights_sum_to_one(a: int, b: int, local: int) -> None:
    result = _aggregate(a, b, local=local)

    assert result.average is not None
    assert min(a, b) - 1 <= result.average <= max(a, b) + 1
    assert math.isclose(sum(w or 0 for w in result.weights), 1)
    assert result.variance > 0
    assert result.match == match(result.average, local)


@given(AMOUNTS, st.integers(1, 10**8))
def test_model_without_an_answer_is_left_out(a: int, local: int) -> None:
    result = _aggregate(a, None, local=local)

    assert result.average is not None
    assert abs(result.average - a) <= 1
    assert result.matches == (match(a, local), None)
    assert result.weights == (1.0, None)


def test_no_opinions_give_no_figure() -> None:
    result = _aggregate(None, None)

    assert (result.average, result.match, result.matches) == (None, None, (None, None))
    assert (result.variance, result.weights) == (0, (None, None))


def test_correlated_models_count_less_than_independent_ones() -> None:
    alike, apart = (
        aggregate(
            _opinions(40_000, 60_000), [UNTRIED] * 2, local=50_000, local_variance=0.02, correlation=rho
        )
        for rho in (0.9, 0.0)
    )

    assert alike.variance > apart.variance
    assert alike.average == apart.average


def test_more_accurate_model_weighs_more() -> None:
    result = _aggregate(40_000, 60_000, records=[TrackRecord(spread=0.1, pairs=99), UNTRIED])

    assert result.average is not None
    assert result.average < 45_000


def test_bias_of_a_model_is_subtracted() -> None:
    result = _aggregate(60_000, records=[TrackRecord(bias=math.log(1.2), spread=0.2, pairs=50)])

    assert result.average == 50_000


def test_opinion_far_from_all_others_is_damped() -> None:
    result = _aggregate(50_000, 500_000)

    assert result.weights[0] is not None
    assert result.weights[0] > 0.85


def test_track_record_is_the_median_and_the_spread_of_the_errors() -> None:
    pairs = [(round(40_000 * 1.2 * f), 40_000) for f in (0.9, 1.0, 1.1) * 100]
    record = track_record(pairs)

    assert math.isclose(record.bias, math.log(1.2) * 300 / 310, rel_tol=1e-3)
    assert 0.1 < record.spread < 0.2
    assert record.pairs == 300


def test_short_track_record_is_shrunk_towards_that_of_a_new_model() -> None:
    assert track_record([]) == UNTRIED
    assert abs(track_record([(80_000, 40_000)]).bias) < 0.07


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS), max_size=20))
def test_correlation_lies_within_0_and_1(triples: list[tuple[int, int, int]]) -> None:
    assert 0 <= correlation(triples) <= 1


def test_models_that_always_agree_are_fully_correlated() -> None:
    assert correlation([(40_000 + n, 40_000 + n, 41_000) for n in range(0, 90_000, 300)]) > 0.9
    assert correlation([]) == 0.4


@pytest.mark.parametrize(
    ("triples", "expected"),
    [
        ([(200, 200, 100), (400, 400, 100)], 0.4),  # two are too few
        ([(200, 200, 100), (400, 400, 100), (1, 1, 1)], (3 + 12) / 33),
        ([(200, 200, 100), (400, 400, 100), (800, 800, 0)], 0.4),
        ([(200, 200, 100), (400, 400, 100), (100, 100, 100)] * 10, 0.7),
        ([(200, 50, 100), (50, 200, 100), (100, 100, 100)], (12 - 3) / 33),
        ([(200, 50, 100), (50, 200, 100), (100, 100, 100)] * 10, 0.0),
        ([(200, 200, 100)] * 4, 0.4),  # the same error each time
        ([(200, 100, 100), (50, 100, 100), (100, 100, 100)], 0.4),
    ],
)
def test_correlation_leans_on_thirty_triples_of_the_usual_one(
    triples: list[tuple[int, int, int]], expected: float
) -> None:
    assert correlation(triples) == pytest.approx(expected)


def test_figures_of_three_models_and_a_silent_one_are_combined_as_recorded() -> None:
    found = aggregate(
        _opinions(400_00, None, 900_00, 480_00),
        [
            TrackRecord(bias=0.1, spread=0.2, pairs=9),
            UNTRIED,
            TrackRecord(bias=-0.05, spread=0.05, pairs=40),
            UNTRIED,
        ],
        local=450_00,
        local_variance=0.01,
        correlation=0.3,
    )

    assert (found.average, found.match) == (612_77, 73.44)
    assert found.matches == (88.89, None, 50.0, 93.75)
    assert found.variance == pytest.approx(0.0117551)
    assert [None if w is None else pytest.approx(w) for w in found.weights] == [
        0.3440751642976716,
        None,
        0.5030025404589188,
        0.1529222952434096,
    ]


def test_combined_figure_is_at_least_a_cent() -> None:
    assert _aggregate(1, local=1, records=[TrackRecord(bias=3.0, spread=0.2)]).average == 1


def test_track_record_of_a_few_pairs_is_the_recorded_one() -> None:
    found = track_record([(120, 100), (90, 100), (150, 100), (0, 100), (100, 0), (101, 100)])

    assert found.pairs == 4
    assert (found.bias, found.spread) == pytest.approx((0.02746741, 0.2779924))


def test_figures_and_invoices_of_one_cent_count() -> None:
    assert track_record([(1, 1), (0, 1), (1, 0)]).pairs == 1


def test_newest_three_hundred_pairs_count() -> None:
    assert track_record([(2, 1), *[(1, 1)] * 300]) == track_record([(1, 1)] * 300)
    assert track_record([(2, 1), *[(1, 1)] * 299]).pairs == 300
    same = [(200, 200, 100), (100, 100, 100)] * 150

    assert correlation([(200, 50, 100), *same]) == correlation(same)


def test_correlation_of_different_errors_is_the_recorded_one() -> None:
    triples = [(120, 110, 100), (90, 95, 100), (150, 100, 100), (100, 130, 100)]

    assert correlation(triples) == pytest.approx(0.3349587)
