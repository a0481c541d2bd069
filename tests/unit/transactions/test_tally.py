from hypothesis import given
from hypothesis import strategies as st

from repaircore.transactions.tally import (
    BINS,
    EDGES,
    GENERATION,
    NO_ERRORS,
    Tally,
    bin_of,
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
    full = Tally((GENERATION, *[0] * (BINS - 1)))

    assert generation_for(4, full) == 5
    assert generation_for(4, full.minus(0)) == 4


def test_three_generations_are_read_and_an_empty_one_does_not_count() -> None:
    young, middle, old, older = (_tally([n]) for n in range(4))
    three = Tally.merged([young, middle, old])

    assert latest([young, middle, old, older]) == three
    assert latest([NO_ERRORS, young, middle, old, older]) == three
    assert latest([]) == NO_ERRORS
