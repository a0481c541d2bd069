"""The table of labor rates: the row of a ZIP code, adjusted to a date."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.labor_table import LaborRates, StateRate, TableBasis, TablePlace, WageIndex

WAGES = WageIndex(by_year={2019: 40_000.0, 2022: 44_000.0, 2024: 50_000.0})
TABLE = LaborRates(
    national=140_00,
    states={"NY": StateRate(rate=138_00, rural=130_00)},
    metros={"100": TablePlace(name="New York", rate=185_00)},
    rural=frozenset({"136"}),
    territories={"PR": TablePlace(name="Puerto Rico", rate=85_00)},
    dealer=1.25,
    wages=WAGES,
    source="made up",
    year=2025,
)


@pytest.mark.parametrize(
    ("zip_code", "state", "rate", "basis"),
    [
        ("10001", "NY", 185_00, TableBasis.METRO),
        ("14850", "NY", 138_00, TableBasis.STATE),
        ("13601", "NY", 130_00, TableBasis.RURAL),
        ("00901", "PR", 85_00, TableBasis.TERRITORY),
        ("09012", "AE", 140_00, TableBasis.MILITARY),
        ("99999", "ZZ", 140_00, TableBasis.NATIONAL),
    ],
)
def test_zip_code_gets_its_metro_state_or_national_rate(
    zip_code: str, state: str, rate: int, basis: TableBasis
) -> None:
    found = TABLE.at(zip_code, state)

    assert (found.rate, found.basis) == (rate, basis)
    assert found.dealer_rate == pytest.approx(rate * 1.25, abs=1)


def test_origin_is_in_plain_words() -> None:
    aged = TABLE.on(date(2026, 11, 1))

    assert TABLE.at("10001", "NY").origin == (
        "typical of independent shops in the New York area, from the 2025 table of labor rates"
    )
    assert aged.at("10001", "NY").origin.endswith("adjusted to 2026 by mechanics' wages")
    assert "our estimate" in TABLE.at("00901", "PR").origin
    assert "military post office" in TABLE.at("09012", "AE").origin


def test_rates_follow_the_wages_of_mechanics() -> None:
    later = TABLE.on(date(2026, 7, 1))

    assert later.at("10001", "NY").rate == pytest.approx(185_00 * (50 / 40) ** 0.2, abs=1)
    assert TABLE.on(date(2025, 7, 1)).at("10001", "NY").rate == 185_00
    assert later.national == TABLE.national


def test_rates_of_a_later_month_of_the_same_year_are_not_called_brought_to_it() -> None:
    december = TABLE.on(date(2025, 12, 1)).at("10001", "NY")

    assert december.rate > 185_00
    assert december.day == date(2025, 12, 1)
    assert december.origin == TABLE.at("10001", "NY").origin


def test_origin_of_an_unknown_state_is_the_national_rate() -> None:
    assert TABLE.at("99999", "ZZ").origin == (
        "the national rate, because there is no data for ZZ; from the 2025 table of labor rates"
    )


def test_wages_are_surveyed_in_may() -> None:
    assert WAGES.first == date(2019, 5, 1)
    assert WAGES.growth(2021, date(2022, 5, 1)) == pytest.approx((44 / 40) ** (1 - (2 + 2 / 12) / 3))
    assert WAGES.growth(2021, date(2024, 5, 1)) == pytest.approx(
        (44 / 40) ** (1 - (2 + 2 / 12) / 3) * 50 / 44
    )


def test_wages_grow_after_the_last_survey_as_in_the_five_years_before_it() -> None:
    older = WageIndex(by_year={**WAGES.by_year, 2018: 1.0})
    since_2022 = WageIndex(by_year={2018: 1.0, 2022: 44_000.0, 2024: 50_000.0})
    only = WageIndex(by_year={2024: 50_000.0})

    assert older.growth(2025, date(2026, 7, 1)) == pytest.approx((50 / 40) ** (1 / 5))
    assert since_2022.growth(2025, date(2026, 7, 1)) == pytest.approx((50 / 44) ** (1 / 2))
    assert only.growth(2025, date(2030, 7, 1)) == only.growth(2010, date(2024, 5, 1)) == 1.0


def test_wages_are_interpolated_between_surveys_and_stay_before_the_first() -> None:
    assert WAGES.growth(2019, date(2020, 7, 1)) == pytest.approx((44 / 40) ** (1 / 3))
    assert WAGES.growth(2010, date(2019, 5, 1)) == 1.0


@given(st.dates(date(2000, 1, 1), date(2060, 1, 1)), st.integers(0, 3_000))
def test_rising_wages_never_make_a_later_day_cheaper(day: date, days: int) -> None:
    later = date.fromordinal(day.toordinal() + days)

    assert WAGES.growth(2025, later) >= WAGES.growth(2025, day)
