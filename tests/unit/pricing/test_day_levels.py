"""Rates follow wages, parts follow prices."""

from datetime import date

import pytest

from repaircore.adapters.shipped.prices import read_labor_rates, read_price_index
from repaircore.pricing.price_index import BOOK_DAY, day_levels

PRICES, RATES = read_price_index(), read_labor_rates()


def test_levels_are_one_in_the_year_of_the_book() -> None:
    levels = day_levels(PRICES, RATES, BOOK_DAY)

    assert (levels.prices, levels.wages) == (1.0, 1.0)


@pytest.mark.parametrize("day", [date(2019, 3, 1), date(2022, 8, 15), date(2026, 11, 22)])
def test_rates_move_with_wages_and_not_with_the_price_index(day: date) -> None:
    levels = day_levels(PRICES, RATES, day)

    assert levels.wages == RATES.wages.growth(RATES.year, day)
    assert levels.prices == PRICES.level(day, base=BOOK_DAY)
    assert abs(levels.wages - levels.prices) > 0.005


def test_wages_before_the_first_survey_follow_prices() -> None:
    first = RATES.wages.first
    then, later = (day_levels(PRICES, RATES, day) for day in (date(2010, 1, 1), first))

    assert then.wages / later.wages == pytest.approx(then.prices / later.prices)
    assert then.wages < later.wages
