from hypothesis import given
from hypothesis import strategies as st

from repaircore.transactions.tally import (
    BINS,
    EDGES,
    GENERATION,
    GENERATIONS_READ,
    NO_ERRORS,
    Tally,
    bin_of,
    capacity,
    generation_for,
    latest,
)

NUMBERS = st.integers(0, BINS - 1)


def _tally(numbers: list[int]) -> Tally:
    tally = NO_ERRORS
    for number in numbers:
        tally = tally.plus(number)
    return tally


@given(st.floats(-27, 27))
def test_error_is_between_the_edges_of_its_bin(z: float) -> None:
    assert EDGES[bin_of(z)] <= z <= EDGES[bin_of(z) + 1]


def test_outermost_bins_include_everything_beyond() -> None:
    assert (bin_of(-1e9), bin_of(1e9), bin_of(float("inf"))) == (0, BINS - 1, BINS - 1)


@given(st.lists(NUMBERS), NUMBERS)
def test_minus_undoes_plus_exactly(numbers: list[int], number: int) -> None:
    assert _tally(numbers).plus(number).minus(number) == _tally(numbers)
    assert _tally(numbers).w == len(numbers)


@given(st.lists(NUMBERS))
def test_tally_survives_packing(numbers: list[int]) -> None:
    assert Tally.unpacked(_tally(numbers).packed()) == _tally(numbers)


def test_full_generation_starts_the_next() -> None:
    for number in (0, 4, 40):
        full = Tally((capacity(number), *[0] * (BINS - 1)))

        assert generation_for(number, full) == number + 1
        assert generation_for(number, full.minus(0)) == number


def test_generations_grow_to_a_thousand() -> None:
    assert [capacity(number) for number in (0, 1, 2, 9, 10, 20, 21, 10_000)] == [
        *(20, 30, 45, 769),
        *(1_000, 1_000, 1_000, 1_000),
    ]


def test_short_history_forgets_its_first_errors() -> None:
    newest, stored, created = 0, [0], 0
    while created < 20_000:
        if stored[newest] >= capacity(newest):
            newest += 1
            stored.append(0)
        stored[newest] += 1
        created += 1
        read = sum(stored[-GENERATIONS_READ:])

        assert read >= min(created, 2_000) * 0.55
        assert read <= 3 * GENERATION


def test_latest_merges_three_generations_that_are_not_empty() -> None:
    young, middle, old, older = (_tally([n]) for n in range(4))
    three = Tally.merged([young, middle, old])

    assert latest([young, middle, old, older]) == three
    assert latest([NO_ERRORS, young, middle, old, older]) == three
    assert latest([]) == NO_ERRORS
