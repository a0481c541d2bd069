"""Parsing of labor rates as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.csv_file import parse_rate
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import cents


@pytest.mark.parametrize(
    ("text", "rate"),
    [("0", 0), ("128.5", 128.5), (" $128.50 ", 128.5), ("$ 95", 95), ("1,128.505", 1128.505)],
)
def test_parse_rate_reads_amounts_of_dollars(text: str, rate: float) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize(
    "text",
    ["", "$", "-1", "+1", "1e3", "nan", "inf", "1,28", "1.", ".5", "12 8", "٣", "9" * 13, "1\x00", "€5"],
)
def test_parse_rate_rejects_other_text(text: str) -> None:
    with pytest.raises(Invalid) as error:
        parse_rate(text)

    assert list(error.value.fields) == ["avg_labor_rate"]


@given(st.integers(0, 10**9))
def test_parse_rate_is_exact_to_the_cent(rate: int) -> None:
    assert cents(parse_rate(f"{rate / 100:.2f}")) == cents(parse_rate(f"${rate / 100:,.2f}")) == rate
