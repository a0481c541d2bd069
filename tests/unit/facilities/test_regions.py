"""What an hour of labor costs around a ZIP code, over both databases."""

import pytest

from repaircore.bootstrap import Core
from repaircore.estimates.prediction import Ask
from repaircore.facilities.rates import RateBasis, RegionRate
from repaircore.kernel.errors import Invalid

BEVERLY_HILLS, SAN_FRANCISCO, RENO = "90210", "94103", "89501"


def rate(core: Core, zip_code: str, growth: float = 1.0) -> RegionRate:
    place = core.regions.zip_codes.find(zip_code)
    assert place is not None
    return core.regions.rate_at(place, growth=growth)


def test_a_place_without_shops_goes_by_the_table(core: Core) -> None:
    told = rate(core, BEVERLY_HILLS)
    assert (told.basis, told.shops) == (RateBasis.STATE_TABLE, 0)
    assert told.rate == core.regions.rates.states["CA"].rate


def test_what_the_table_says_grows_with_prices_and_what_shops_say_does_not(core: Core) -> None:
    before = rate(core, BEVERLY_HILLS)
    assert rate(core, BEVERLY_HILLS, growth=1.1).rate == pytest.approx(before.rate * 1.1, abs=1)
    core.regions.add(name="Near", zip_code=BEVERLY_HILLS, avg_labor_rate=before.rate)
    grown = rate(core, BEVERLY_HILLS, growth=1.1)
    assert before.rate < grown.rate < before.rate * 1.1


def test_a_shop_leans_on_its_state_and_the_state_on_its_shops(core: Core) -> None:
    of_table = core.regions.rates.states["CA"].rate
    core.regions.add(name="Near", zip_code=BEVERLY_HILLS, avg_labor_rate=2 * of_table)
    # One shop of 2 R among eight of R is 10/9 R for the state; once more so, with it, for the region.
    state = of_table * 10 / 9
    here, far, elsewhere = (rate(core, code) for code in (BEVERLY_HILLS, SAN_FRANCISCO, RENO))
    assert (here.basis, here.shops) == (RateBasis.REGION, 1)
    assert here.rate == pytest.approx((2 * of_table + 8 * state) / 9, abs=1)
    assert far.basis is RateBasis.STATE_SHOPS
    assert far.rate == pytest.approx(state, abs=1)
    assert elsewhere.basis in {RateBasis.STATE_TABLE, RateBasis.NATIONAL}


def test_a_region_is_the_mean_of_all_its_shops_that_tell_a_rate(core: Core) -> None:
    of_table = core.regions.rates.states["CA"].rate
    core.regions.add(name="Silent", zip_code=BEVERLY_HILLS)
    for _ in range(20):
        core.regions.add(name="Next door", zip_code="90211", avg_labor_rate=2 * of_table)
    told = rate(core, BEVERLY_HILLS)
    state = of_table * (20 * 2 + 8) / 28
    assert (told.basis, told.shops) == (RateBasis.REGION, 20)
    assert told.rate == pytest.approx((20 * 2 * of_table + 8 * state) / 28, abs=1)
    assert "20 shops within 50 miles" in told.text


def test_a_shop_that_tells_no_rate_or_has_no_known_place_changes_nothing(core: Core) -> None:
    before = rate(core, BEVERLY_HILLS)
    core.regions.add(name="Silent", zip_code=BEVERLY_HILLS)
    core.regions.add(name="Nowhere", zip_code="00000", avg_labor_rate=999_00)
    assert rate(core, BEVERLY_HILLS) == before


def test_every_bad_field_of_a_shop_is_named(core: Core) -> None:
    with pytest.raises(Invalid) as told:
        core.regions.add(name=" ", city="a\0b", state="ca", zip_code="9021", country="usa", avg_labor_rate=-1)
    assert set(told.value.fields) == {"name", "city", "state", "country", "avg_labor_rate"}
    with pytest.raises(Invalid) as told:
        core.regions.add(name="x" * 201, zip_code="9021", avg_labor_rate=2**70)
    assert set(told.value.fields) == {"name", "zip_code", "avg_labor_rate"}
    core.regions.add(name="Über", zip_code="K1A 0B1", country="CA", avg_labor_rate=1)


def test_a_dear_region_has_dear_labor_in_its_predictions(core: Core) -> None:
    ask = Ask(vin="1HGCM82633A", zip_code=BEVERLY_HILLS, problem_identifier="brake-pads-front")
    before = core.estimates.predict(ask).figures
    for _ in range(20):
        core.regions.add(name="Dear", zip_code="90211", avg_labor_rate=300_00)
    after = core.estimates.predict(
        Ask(vin=ask.vin, zip_code="90211", problem_identifier="brake-pads-front")
    ).figures
    assert after.region.labor_rate > before.region.labor_rate
    assert after.region.labor_rate_source == RateBasis.REGION
    assert after.local.average > before.local.average
    assert after.breakdown.labor_hours == before.breakdown.labor_hours
