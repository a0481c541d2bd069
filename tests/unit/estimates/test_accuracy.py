import math

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.estimates.accuracy import (
    NO_TRACKS,
    PAIRS_KEPT,
    Answered,
    accuracy_of,
    by_problem,
    tracks_of,
)
from repaircore.estimates.aggregation import CORRELATION, UNTRIED

ONE = Answered(
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
        Answered,
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


def test_errors_are_in_percent_of_what_was_paid() -> None:
    told = accuracy_of([ONE, evolve(ONE, paid=400_00), evolve(ONE, paid=210_00, together=None)])
    assert (told.local.pairs, told.local.median_error, told.local.median_bias) == (3, 5.0, 0.0)
    assert told.inside == 66.7
    assert (told.together.pairs, told.together.median_error, told.together.median_bias) == (2, 25.0, -25.0)


def test_without_an_invoice_nothing_is_told() -> None:
    told = accuracy_of([])
    assert (told.inside, told.local.median_error, told.local.pairs) == (None, None, 0)
    assert tracks_of([]) == NO_TRACKS


@given(answered=ANSWERED)
def test_repairs_together_have_every_invoice_once(answered: list[Answered]) -> None:
    groups = by_problem(answered)
    assert sum(map(len, groups.values())) == len(answered)
    sizes = [len(group) for group in groups.values()]
    assert sizes == sorted(sizes, reverse=True)


@given(answered=ANSWERED)
def test_tracks_are_sane_whatever_happened(answered: list[Answered]) -> None:
    tracks = tracks_of(answered)
    assert 0 <= tracks.correlation <= 1
    for track in (tracks.model_a, tracks.model_b):
        assert math.isfinite(track.record.bias)
        assert track.record.spread > 0
        assert track.record.pairs <= len(answered)


def test_a_model_that_says_a_fifth_too_much_is_known_for_it() -> None:
    tracks = tracks_of([evolve(ONE, model_a=240_00, model_b=200_00)] * 200)
    assert tracks.model_a.record.bias == pytest.approx(math.log(1.2), rel=0.1)
    assert tracks.model_b.record.bias == 0
    assert tracks.model_a.record.spread < UNTRIED.spread


def test_only_the_newest_invoices_count() -> None:
    old, new = [evolve(ONE, model_a=400_00)] * 1000, [evolve(ONE, model_a=200_00)] * PAIRS_KEPT
    assert tracks_of([*old, *new]) == tracks_of(new)


def test_another_source_starts_untried() -> None:
    tracks = tracks_of([evolve(ONE, model_a=400_00)] * 50)
    assert tracks.model_a.of("offline").pairs == 50
    assert tracks.model_a.of("openai") == UNTRIED
    changed = tracks_of([*[evolve(ONE, model_a=400_00)] * 50, evolve(ONE, model_a_source="openai")])
    assert changed.model_a.of("openai").pairs == 1
    assert changed.model_b.of("offline").pairs == 51
    assert changed.correlation == CORRELATION


def test_a_model_that_was_silent_has_no_pair() -> None:
    assert tracks_of([evolve(ONE, model_a=None)] * 5).model_a.record == UNTRIED
