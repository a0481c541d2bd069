from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.shop_tables.dates import DateOrder, date_orders, decide_order, parse_date, parse_serial

DAYS = st.dates(date(1970, 1, 1), date(2067, 12, 31))
MONTH_FIRST, DAY_FIRST = DateOrder.MONTH_FIRST, DateOrder.DAY_FIRST


@given(DAYS)
def test_every_spelling_of_a_day_is_parsed(day: date) -> None:
    for order in DateOrder:
        for form in (
            "%Y-%m-%d",
            "%Y/%m/%d",
            "%d-%b-%Y",
            "%b %d, %Y",
            "%d %B %Y",
            "%Y%m%d",
            "%Y-%m-%dT16:20:00Z",
        ):
            assert parse_date(f"{day:{form}}", order) == day
    assert parse_date(f"{day:%m/%d/%Y}", MONTH_FIRST) == day
    assert parse_date(f"{day:%d.%m.%Y}", DAY_FIRST) == day
    assert parse_date(f"{day:%m/%d/%y}", MONTH_FIRST) == day or day.year < 2000


@given(st.text(max_size=30))
def test_any_text_is_a_date_or_none(text: str) -> None:
    for order in DateOrder:
        assert parse_date(text, order) is None or isinstance(parse_date(text, order), date)


@given(st.lists(DAYS, min_size=1, max_size=40))
def test_column_with_the_day_first_is_recognized_by_one_day_after_the_twelfth(days: list[date]) -> None:
    counts: dict[frozenset[DateOrder], int] = {}
    for day in days:
        orders = date_orders(f"{day:%d/%m/%Y}")
        counts[orders] = counts.get(orders, 0) + 1
    expected = DAY_FIRST if any(day.day > 12 for day in days) else MONTH_FIRST

    assert decide_order(counts) is expected


@pytest.mark.parametrize(
    "text", ["2/30/2025", "13/13/2025", "", "yesterday", "12/2025", "Foo 3, 2025", "2025-00-10"]
)
def test_other_text_is_no_day(text: str) -> None:
    assert parse_date(text, MONTH_FIRST) is None


def test_spreadsheet_number_is_parsed_as_its_day() -> None:
    assert parse_serial("45658") == date(2025, 1, 1)
    assert parse_serial("1500") is None
