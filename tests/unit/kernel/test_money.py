from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.money import cents, dollars, percent_of, round_half_up


@given(st.integers(-(10**12), 10**12))
def test_cents_round_trip_through_dollars(amount: int) -> None:
    assert cents(dollars(amount)) == amount


@pytest.mark.parametrize(
    ("amount", "expected"), [(0.5, 1), (1.5, 2), (2.5, 3), (-0.5, -1), (-2.5, -3), (2.4999, 2), (0, 0)]
)
def test_halves_are_rounded_away_from_zero(amount: float, expected: int) -> None:
    assert round_half_up(amount) == expected


@pytest.mark.parametrize(
    ("amount", "expected_cents"), [(1.005, 101), (0.145, 15), (19.99, 1999), (-1.005, -101)]
)
def test_half_a_cent_is_rounded_by_its_decimal_text(amount: float, expected_cents: int) -> None:
    assert cents(amount) == expected_cents


@given(st.integers(0, 10**12), st.integers(0, 500_000))
def test_percentage_is_exact(amount: int, thousandths: int) -> None:
    part = percent_of(amount, Decimal(thousandths).scaleb(-3))
    # In thousandths of a percent of a cent: at most half a cent off, and halves round up.
    assert -50_000 < part * 100_000 - amount * thousandths <= 50_000


@pytest.mark.parametrize("amount", [2.0**53, -(2.0**53), 1e300, 1e308])
def test_amounts_too_large_for_cents_are_whole(amount: float) -> None:
    assert cents(amount) == int(amount) * 100
