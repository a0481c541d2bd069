"""Which years of campaigns a vehicle needs, and whether they are covered."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.recalls.campaign_years import (
    CampaignCoverage,
    campaign_years,
    spans,
    year_of_campaign,
    years_between,
)

TODAY = date(2026, 11, 22)


def test_campaign_years_begin_the_year_before_the_model_year() -> None:
    years = campaign_years(2021, range(2020, 2027), today=TODAY)

    assert years.needed == (2020, 2021, 2022, 2023, 2024, 2025, 2026)
    assert (years.coverage, years.gap) == (CampaignCoverage.FULL, None)


def test_campaign_years_with_a_gap_are_partial_and_name_it() -> None:
    years = campaign_years(2018, (2020, 2021, 2023, 2024, 2025), today=TODAY)

    assert years.coverage is CampaignCoverage.PARTIAL
    assert list(years.missing) == [2017, 2018, 2019, 2022, 2026]
    assert years.gap is not None
    assert years.gap.startswith("Campaigns of 2017–2019, 2022 and 2026 were not imported")


@pytest.mark.parametrize(("day", "last"), [(date(2027, 1, 20), 2026), (date(2027, 2, 10), 2027)])
def test_campaign_years_do_not_require_a_year_that_has_just_begun(day: date, last: int) -> None:
    assert campaign_years(2021, (), today=day).needed[-1] == last


@pytest.mark.parametrize(
    ("number", "year"),
    [("24V901000", 2024), ("75V904000", 1975), ("66V001000", 1966), ("", None), ("XY1", None)],
)
def test_campaign_number_contains_its_year(number: str, year: int | None) -> None:
    assert year_of_campaign(number) == year


@pytest.mark.parametrize(
    ("years", "words"),
    [
        ([], ""),
        ([2020], "2020"),
        ([2018, 2019, 2020], "2018–2020"),
        ([2018, 2020, 2021], "2018 and 2020–2021"),
    ],
)
def test_spans_join_consecutive_years(years: list[int], words: str) -> None:
    assert spans(years) == words


@given(st.integers(1950, 2027), st.sets(st.integers(1966, 2030)))
def test_campaign_years_are_either_covered_or_missing(model_year: int, covered: set[int]) -> None:
    years = campaign_years(model_year, covered, today=TODAY)

    assert sorted([*years.covered, *years.missing]) == list(years.needed)
    assert not set(years.missing) & covered
    assert set(years_between(covered)) >= covered
