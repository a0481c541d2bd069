from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.pricing.jobs import BOOK, RATE

from repaircore.pricing.book_price import BookPart
from repaircore.pricing.estimator import itemized

PARTS = st.lists(
    st.builds(
        BookPart,
        name=st.sampled_from(["Pad set", "Rotor", "Fluid"]),
        quantity=st.integers(1, 16),
        price=st.just(0.0) | st.floats(1, 500_000),
    ),
    max_size=5,
)
TARGETS = st.integers(1, 5_000_000)
HOURS = st.just(0.0) | st.floats(0.01, 60)
RATES = st.integers(1_000, 50_000)


@given(TARGETS, HOURS, RATES, PARTS)
@example(target=1, hours=0.0, rate=RATE, parts=[])
@example(target=3, hours=2.0, rate=RATE, parts=list(BOOK.parts))
def test_lines_add_up_to_the_total(target: int, hours: float, rate: int, parts: Sequence[BookPart]) -> None:
    result = itemized(target, hours=hours, rate=rate, parts=parts)

    assert result.parts_total == sum(line.unit_price * line.quantity for line in result.parts)
    assert result.total == result.parts_total + result.labor_total > 0
    assert result.labor_hours >= 0
    assert all(line.unit_price >= 1 for line in result.parts)


@given(TARGETS, HOURS, RATES, PARTS)
def test_total_is_the_target_up_to_rounding(
    target: int, hours: float, rate: int, parts: Sequence[BookPart]
) -> None:
    result = itemized(target, hours=hours, rate=rate, parts=parts)
    pieces = sum(line.quantity for line in result.parts)
    if not result.parts:
        assert abs(result.total - target) <= rate / 200 + 1
    elif target >= 2 * pieces * 100:
        assert abs(result.total - target) <= max(line.quantity for line in result.parts) / 2


@given(st.integers(20_000, 200_000))
def test_total_with_a_single_piece_is_the_target_to_the_cent(target: int) -> None:
    assert itemized(target, hours=1.25, rate=RATE, parts=BOOK.parts).total == target


def test_lines_that_fit_the_target_stay() -> None:
    result = itemized(39_000, hours=1.25, rate=RATE, parts=BOOK.parts)

    assert [line.unit_price for line in result.parts] == [6_500, 7_250]
    assert result.labor_hours == 1.25


def test_parts_at_most_double_and_hours_take_the_rest() -> None:
    result = itemized(100_000, hours=1.25, rate=RATE, parts=BOOK.parts)

    assert abs(result.parts_total - 42_000) < 100
    assert result.labor_hours == 4.03


def test_parts_at_least_halve_and_hours_shrink() -> None:
    result = itemized(26_000, hours=1.25, rate=RATE, parts=BOOK.parts)

    assert abs(result.parts_total - 10_500) < 100
    assert result.labor_hours == 1.08


def test_price_far_below_the_expected_shrinks_all_lines_alike() -> None:
    result = itemized(3_900, hours=1.25, rate=RATE, parts=BOOK.parts)

    assert result.total == 3_900
    assert abs(result.parts_total - 2_100) < 100


def test_repair_without_hours_is_all_parts() -> None:
    result = itemized(50_000, hours=0, rate=RATE, parts=BOOK.parts)

    assert (result.labor_hours, result.labor_total, result.parts_total) == (0, 0, 50_000)


def test_repair_without_parts_is_all_hours() -> None:
    result = itemized(21_600, hours=9, rate=RATE, parts=())

    assert (result.parts, result.labor_hours, result.total) == ((), 1.5, 21_600)
