import pytest
import us
import zipcodes

from repaircore.adapters.shipped.rates import read_labor_rates
from repaircore.facilities.rates import StateRate


def test_every_state_that_has_zip_codes_has_a_rate() -> None:
    states = read_labor_rates().states
    assert {state.abbr for state in us.states.STATES} | {"DC"} <= states.keys()
    everywhere = zipcodes.list_all()  # type: ignore[no-untyped-call]
    assert {row["state"] for row in everywhere} <= states.keys()


def test_a_states_own_figure_stands_before_its_regions() -> None:
    rates = read_labor_rates()
    assert rates.states["OH"] == StateRate(rate=13_607, own=True)
    assert rates.states["IA"] == StateRate(rate=14_417, own=False)
    assert rates.national == 14_406
    assert sum(rate.own for rate in rates.states.values()) == 11


def test_no_rate_is_implausible() -> None:
    assert all(8_000 <= rate.rate <= 25_000 for rate in read_labor_rates().states.values())


@pytest.mark.parametrize("text", ["", "national = 1", 'year = 2025\nnational = "x"\n[own]\n[region]', "???"])
def test_a_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_labor_rates(text)
