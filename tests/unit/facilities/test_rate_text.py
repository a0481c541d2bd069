"""Labor rates as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.rate_text import rate_of
from repaircore.kernel.errors import Invalid


@pytest.mark.parametrize(
    ("text", "told"),
    [("0", 0), ("128.5", 128_50), (" $128.50 ", 128_50), ("$ 95", 95_00), ("1,128.505", 1_128_51)],
)
def test_an_amount_is_read(text: str, told: int) -> None:
    assert rate_of(text) == told


@pytest.mark.parametrize(
    "text",
    ["", "$", "-1", "+1", "1e3", "nan", "inf", "1,28", "1.", ".5", "12 8", "٣", "9" * 13, "1\x00", "€5"],
)
def test_what_is_no_amount_is_told(text: str) -> None:
    with pytest.raises(Invalid) as told:
        rate_of(text)
    assert list(told.value.fields) == ["avg_labor_rate"]


@given(st.integers(0, 10**9))
def test_what_is_written_is_read_to_the_cent(rate: int) -> None:
    assert rate_of(f"{rate / 100:.2f}") == rate_of(f"${rate / 100:,.2f}") == rate
