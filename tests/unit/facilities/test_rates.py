import pytest

from repaircore.facilities.labor_table import TableBasis, TableRate
from repaircore.facilities.rates import RateBasis, region_rate
from repaircore.facilities.region import EnteredRate

TABLE = TableRate(rate=13_600, dealer_rate=17_000, basis=TableBasis.STATE, place="OH", year=2025)


def test_region_rate_is_the_tables_without_invoices() -> None:
    found = region_rate(13_600, TABLE, "OH", entered=None, here=0, in_state=0)

    assert (found.rate, found.basis, found.invoices) == (13_600, RateBasis.STATE_TABLE, 0)
    assert found.text == (
        "$136.00 an hour: typical of independent shops in OH, from the 2025 table of labor rates; "
        "dealers charge about $170. None of your shops near here has a rate yet."
    )


def test_text_names_the_nearest_source() -> None:
    entered = region_rate(18_000, TABLE, "OH", entered=EnteredRate(18_000), here=40, in_state=90)
    here = region_rate(15_000, TABLE, "OH", entered=None, here=40, in_state=90)
    state = region_rate(15_000, TABLE, "OH", entered=None, here=0, in_state=1)

    assert entered.text == "$180.00 an hour: the rate entered for the nearest shop with a rate."
    assert (here.basis, here.invoices) == (RateBasis.REGION, 40)
    assert "from 40 invoices in your area" in here.text
    assert (state.basis, state.invoices) == (RateBasis.STATE_SHOPS, 1)
    assert "from 1 invoice in OH" in state.text


def test_text_names_the_mean_of_several_entered_rates() -> None:
    found = region_rate(18_000, TABLE, "OH", entered=EnteredRate(18_000, 2), here=0, in_state=0)

    assert (found.basis, found.invoices) == (RateBasis.REGION, 0)
    assert found.text == (
        "$180.00 an hour: the mean of the rates entered for 2 shops at the nearest ZIP code with a rate."
    )


@pytest.mark.parametrize(
    ("rate", "moved"), [(13_606, ""), (13_607, "raised by 0.1%"), (13_594, ""), (13_593, "lowered by 0.1%")]
)
def test_text_names_a_change_of_a_tenth_of_a_percent_and_more(rate: int, moved: str) -> None:
    text = region_rate(rate, TABLE, "OH", entered=None, here=0, in_state=0).text

    assert moved in text
    assert ("by another installation" in text) is bool(moved)


def test_text_says_when_other_invoices_moved_the_rate() -> None:
    raised = region_rate(14_640, TABLE, "OH", entered=None, here=0, in_state=0, elsewhere=1)
    lowered = region_rate(13_000, TABLE, "OH", entered=None, here=0, in_state=0, elsewhere=1_200)
    imported = region_rate(14_000, TABLE, "OH", entered=None, here=0, in_state=0)
    unchanged = region_rate(13_601, TABLE, "OH", entered=None, here=0, in_state=0, elsewhere=9)

    assert "labor rates, raised by 7.6% by 1 invoice from elsewhere; dealers" in raised.text
    assert "labor rates, lowered by 4.4% by 1,200 invoices from elsewhere; dealers" in lowered.text
    assert "raised by 2.9% by another installation's invoices" in imported.text
    assert "elsewhere" not in unchanged.text
