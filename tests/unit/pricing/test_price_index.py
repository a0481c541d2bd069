import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.pricing.price_index import PriceIndex

STEADY = PriceIndex(
    first=date(2010, 1, 1), values=tuple(100 * 1.002**n for n in range(120)), source="a series"
)
DAYS = st.dates(date(2005, 1, 1), date(2040, 1, 1))


def test_every_day_of_a_month_has_its_figure() -> None:
    assert STEADY.at(date(2010, 1, 31)) == 100
    assert STEADY.at(date(2010, 2, 1)) == STEADY.values[1]
    assert STEADY.level(date(2015, 6, 5), base=date(2015, 6, 20)) == 1


def test_index_after_its_end_grows_as_in_its_last_five_years() -> None:
    assert math.isclose(STEADY.at(date(2025, 1, 1)), 100 * 1.002**180)


def test_index_before_its_beginning_stays_at_the_first_figure() -> None:
    assert STEADY.at(date(1999, 5, 5)) == 100


@given(DAYS, DAYS, DAYS)
def test_levels_chain(one: date, two: date, three: date) -> None:
    there = STEADY.level(three, base=two) * STEADY.level(two, base=one)

    assert math.isclose(there, STEADY.level(three, base=one))


def test_index_of_a_single_month_does_not_grow() -> None:
    assert PriceIndex(first=date(2020, 1, 1), values=(5.0,), source="").at(date(2030, 1, 1)) == 5


@pytest.mark.parametrize(("months", "growth"), [(1, 0.0), (2, 0.01), (61, 0.01), (62, 0.01), (100, 0.01)])
def test_growth_is_that_of_the_last_sixty_months(months: int, growth: float) -> None:
    # Before the last sixty months, prices were five times as high.
    recent = [math.exp(0.01 * n) for n in range(min(61, months))]
    index = PriceIndex(first=date(2015, 1, 1), values=(*[5.0] * (months - len(recent)), *recent), source="")

    assert index.growth == pytest.approx(growth)


def test_last_month_has_its_own_figure_and_the_next_one_grows() -> None:
    index = PriceIndex(first=date(2020, 11, 1), values=(100.0, 110.0, 121.0), source="")

    assert [index.at(day) for day in (date(2020, 10, 31), date(2020, 11, 1), date(2021, 1, 31))] == [
        100,
        100,
        121,
    ]
    assert index.at(date(2021, 2, 1)) == pytest.approx(133.1)
