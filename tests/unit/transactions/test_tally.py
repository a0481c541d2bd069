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
def test_error_lies_between_the_borders_of_its_bin(z: float) -> None:
    assert EDGES[bin_of(z)] <= z <= EDGES[bin_of(z) + 1]


def test_outermost_bins_take_what_lies_beyond() -> None:
    assert (bin_of(-1e9), bin_of(1e9), bin_of(float("inf"))) == (0, BINS - 1, BINS - 1)


@given(st.lists(NUMBERS), NUMBERS)
def test_minus_undoes_plus_exactly(numbers: list[int], number: int) -> None:
    assert _tally(numbers).plus(number).minus(number) == _tally(numbers)
    assert _tally(numbers).w == len(numbers)


@given(st.lists(NUMBERS))
def test_what_was_packed_is_read_again(numbers: list[int]) -> None:
    assert Tally.unpacked(_tally(numbers).packed()) == _tally(numbers)


def test_full_generation_makes_room_for_the_next() -> None:
    for number in (0, 4, 40):
        full = Tally((capacity(number), *[0] * (BINS - 1)))

        assert generation_for(number, full) == number + 1
        assert generation_for(number, full.minus(0)) == number


def test_short_history_forgets_the_errors_of_its_beginning() -> None:
    newest, kept, made = 0, [0], 0
    while made < 20_000:
        if kept[newest] >= capacity(newest):
            newest += 1
            kept.append(0)
        kept[newest] += 1
        made += 1
        read = sum(kept[-GENERATIONS_READ:])

        assert read >= min(made, 2_000) * 0.55
        assert read <= 3 * GENERATION


def test_three_generations_are_read_and_an_empty_one_does_not_count() -> None:
    young, middle, old, older = (_tally([n]) for n in range(4))
    three = Tally.merged([young, middle, old])

    assert latest([young, middle, old, older]) == three
    assert latest([NO_ERRORS, young, middle, old, older]) == three
    assert latest([]) == NO_ERRORS
