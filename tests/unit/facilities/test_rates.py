from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.rates import NO_SHOPS, LaborRates, RateBasis, ShopRates, StateRate, region_rate

TABLE = LaborRates(
    national=14_400,
    states={"OH": StateRate(rate=13_600, own=True), "IA": StateRate(rate=14_417, own=False)},
    source="a list",
    year=2025,
)
SHOPS = st.builds(ShopRates, count=st.integers(0, 500), mean=st.floats(3_000, 40_000))


def test_without_shops_the_table_answers() -> None:
    told = region_rate("OH", TABLE, here=NO_SHOPS, in_state=NO_SHOPS)
    assert (told.rate, told.basis, told.shops) == (13_600, RateBasis.STATE_TABLE, 0)
    assert told.text == "$136.00 an hour: the rate of OH in the table of 2025; no shop here tells its own."
    assert "around IA" in region_rate("IA", TABLE, here=NO_SHOPS, in_state=NO_SHOPS).text


def test_an_unknown_state_has_the_national_rate() -> None:
    told = region_rate("GU", TABLE, here=NO_SHOPS, in_state=NO_SHOPS)
    assert (told.rate, told.basis) == (14_400, RateBasis.NATIONAL)


def test_eight_shops_count_as_much_as_the_state() -> None:
    told = region_rate("OH", TABLE, here=ShopRates(8, 15_600), in_state=NO_SHOPS)
    assert (told.rate, told.basis, told.shops) == (14_600, RateBasis.REGION, 8)


def test_the_shops_of_the_state_stand_in_for_a_region_without_any() -> None:
    told = region_rate("OH", TABLE, here=NO_SHOPS, in_state=ShopRates(24, 15_600))
    assert (told.rate, told.basis) == (15_100, RateBasis.STATE_SHOPS)


@given(SHOPS, SHOPS)
def test_the_rate_lies_within_its_sources(here: ShopRates, in_state: ShopRates) -> None:
    sources = [13_600.0] + [shops.mean for shops in (here, in_state) if shops.count]
    rate = region_rate("OH", TABLE, here=here, in_state=in_state).rate
    assert min(sources) - 1 <= rate <= max(sources) + 1


def test_shops_are_averaged() -> None:
    assert ShopRates.of([10_000, 12_000]) == ShopRates(2, 11_000.0)
    assert ShopRates.of([]) == NO_SHOPS


def test_a_table_grows_with_prices() -> None:
    aged = TABLE.aged(1.1)
    assert (aged.national, aged.states["OH"].rate, aged.states["OH"].own) == (15_840, 14_960, True)
