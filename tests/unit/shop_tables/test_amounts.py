from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.shop_tables.amounts import NumberStyle, decide_style, number_styles, parse_money, parse_number

POINT, COMMA = NumberStyle.POINT, NumberStyle.COMMA
CENTS = st.integers(-10_000_000_00, 10_000_000_00)


def american(cents: int) -> str:
    return f"{cents / 100:,.2f}"


def swapped(text: str) -> str:
    return text.translate(str.maketrans(",.", ".,"))


@given(CENTS)
def test_money_is_parsed_in_each_style_and_with_each_sign(cents: int) -> None:
    text = american(abs(cents))
    sign = -1 if cents < 0 else 1
    for form in (f"{text}", f"${text}", f"$ {text}", f"{text} USD"):
        assert parse_money(form, POINT) == abs(cents)
    for form in (f"({text})", f"-{text}", f"-${text}", f"{text}-", f"(${text})", f"{text} CR"):
        assert parse_money(form, POINT) == -abs(cents)
    assert parse_money(swapped(american(cents)), COMMA) == cents == sign * abs(cents)


@given(CENTS)
def test_amount_with_cents_has_one_style(cents: int) -> None:
    assert number_styles(american(cents)) == {POINT}
    assert number_styles(swapped(american(cents))) == {COMMA}


@given(st.text(max_size=20))
def test_any_text_is_a_number_or_none(text: str) -> None:
    for style in NumberStyle:
        assert parse_number(text, style) is None or isinstance(parse_number(text, style), Decimal)


@given(st.lists(st.integers(0, 10_000_00), min_size=1, max_size=30))
def test_comma_style_is_decided_for_the_whole_column(amounts: list[int]) -> None:
    counts: dict[frozenset[NumberStyle], int] = {}
    for amount in amounts:
        styles = number_styles(swapped(american(amount)))
        counts[styles] = counts.get(styles, 0) + 1

    assert decide_style(counts) is COMMA
    assert decide_style({number_styles("1,240"): 5}) is POINT


@pytest.mark.parametrize("text", ["", "-", "$", "1,24,000", "12 hours", "1.2.3", "1" * 13, "n/a"])
def test_other_text_is_no_amount(text: str) -> None:
    assert parse_money(text, POINT) is None
