from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.pricing.jobs import BOOK, RATE

from repaircore.pricing.book_price import BookPart, BookPrice
from repaircore.pricing.estimator import itemized, labor_share
from repaircore.pricing.model import PartLine, balanced
from repaircore.transactions.evidence import Cell

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


SET = ((1, 65_00), (2, 72_50), (4, 3_33))
"""The quantity and the expected unit price of each part."""


@pytest.mark.parametrize(
    ("target", "hours", "rate", "parts", "billed", "prices", "total"),
    [
        (390_00, 1.25, 144_00, SET, 1.25, [61_12, 68_18, 3_13], 390_00),
        (200_00, 1.25, 144_00, SET, 0.61, [32_66, 36_41, 1_67], 200_00),
        (1_000_00, 1.25, 144_00, SET, 3.84, [130_10, 145_13, 6_67], 1_000_00),
        (90_00, 1.25, 144_00, SET, 0.28, [14_46, 16_13, 74], 90_00),
        (40_00, 1.25, 144_00, SET, 0.12, [6_60, 7_38, 34], 40_00),
        (6, 1.25, 144_00, SET, 0.0, [1, 1, 1], 7),
        (300_00, 0, 144_00, SET, 0.0, [87_34, 97_39, 4_47], 300_00),
        (100_00, 1.0, 144_00, (), 0.69, [], 99_36),
        (71, 1.0, 144_00, (), 71 / 144_00, [], 71),
        (72, 1.0, 144_00, (), 0.01, [], 1_44),
        (300_00, 1.0, 144_00, ((1, 0), (0, 5_00)), 2.08, [], 299_52),
        (151_01, 1.0, 100_00, ((2, 25_00),), 1.0, [25_51], 151_02),
        (300_00, 1.0, 100_00, ((1, 100_00),), 1.0, [200_00], 300_00),
        (301_00, 1.0, 100_00, ((1, 100_00),), 1.01, [200_00], 301_00),
        (75_00, 1.0, 100_00, ((1, 100_00),), 0.25, [50_00], 75_00),
        (74_99, 1.0, 100_00, ((1, 100_00),), 0.37, [37_99], 74_99),
        (300_00, 0.01, 100_00, ((1, 1),), 0.0, [300_00], 300_00),
    ],
)
def test_price_is_split_into_hours_and_parts_as_recorded(
    *,
    target: int,
    hours: float,
    rate: int,
    parts: tuple[tuple[int, int], ...],
    billed: float,
    prices: list[int],
    total: int,
) -> None:
    expected = [BookPart(name="Part", quantity=quantity, price=price) for quantity, price in parts]
    found = itemized(target, hours=hours, rate=rate, parts=expected)

    assert found.labor_hours == pytest.approx(billed)
    assert [line.unit_price for line in found.parts] == prices
    assert (found.total, found.labor_rate) == (total, rate)


@pytest.mark.parametrize(
    ("lines", "target", "prices"),
    [
        ([], 5, []),
        ([(1, 1_00), (1, 2_00)], 3_10, [1_00, 2_10]),
        ([(1, 1_00), (1, 1_00)], 1_90, [90, 1_00]),
        ([(2, 1_00), (1, 50)], 2_40, [1_00, 40]),
        ([(2, 1_00), (3, 50)], 3_40, [95, 50]),
        ([(2, 1_00)], 2_01, [1_00]),
        ([(2, 1_00)], 2_03, [1_02]),
        ([(2, 1_00)], 2_04, [1_02]),
        ([(1, 5)], 0, [1]),
        ([(2, 5), (3, 9)], 1, [1, 1]),
    ],
)
def test_lines_are_balanced_from_the_fewest_pieces_and_then_the_highest_price(
    lines: list[tuple[int, int]], target: int, prices: list[int]
) -> None:
    found = balanced(
        [PartLine(name="Part", unit_price=price, quantity=quantity) for quantity, price in lines], target
    )

    assert [line.unit_price for line in found] == prices


@pytest.mark.parametrize(
    ("sums", "share"),
    [((0, 0), 0.6), ((10, 1_000_000), 0.8), ((10, -2_000_000), 0.0), ((10, 9_000_000), 1.0)],
)
def test_labor_share_counts_the_book_as_ten_invoices(sums: tuple[int, int], share: float) -> None:
    w, s = sums
    book = BookPrice(
        hours=0.6, parts=(BookPart(name="Part", quantity=1, price=40_00),), rate=100_00, spread=0.2
    )

    assert labor_share(book, Cell(w, s, 0)) == pytest.approx(share)
