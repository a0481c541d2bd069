"""Prices of many vehicles, on both databases: equal to those of single estimates."""

import pytest

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.predictions.model import PredictByVin

ACCORD = "1HGCM82633A004352"
FERRARI = "ZFF67NFA8E0198765"


@pytest.mark.parametrize(
    ("slug", "zip_code"),
    [("brake-pads-front", "90210"), ("brake-pads-front", "59001"), ("state-safety-inspection", "96813")],
)
def test_price_is_that_of_an_estimate(core: Core, slug: str, zip_code: str) -> None:
    problem = core.problems.find(slug)
    assert problem is not None
    request = PredictByVin(vin=ACCORD, zip_code=zip_code, problem_identifier=slug)
    single = core.predictions.predict(request).figures.local

    with core.garage_outlooks.prices.open(LOCAL.environment) as prices:
        found = prices.of("accord", core.vehicles.resolve(ACCORD).specs, zip_code, [problem])

    price = found.prices[problem.id]
    assert (price.low, price.average, price.high) == (single.low, single.average, single.high)
    assert not found.is_outside_book


def test_labor_level_is_the_local_rate_relative_to_the_countrys(core: Core) -> None:
    specs = core.vehicles.resolve(ACCORD).specs

    with core.garage_outlooks.prices.open(Environment.LIVE) as prices:
        expensive, cheap = (prices.of("accord", specs, code, []).labor_level for code in ("94105", "38614"))
        with pytest.raises(LookupError):
            prices.of("accord", specs, "00000", [])

    assert cheap < 1 < expensive


def test_vehicles_of_the_same_build_are_priced_once_in_a_place(core: Core) -> None:
    problem = core.problems.find("brake-pads-front")
    assert problem is not None
    specs, other = (core.vehicles.resolve(vin).specs for vin in (ACCORD, "1FT7W2B60GEB96643"))

    with core.garage_outlooks.prices.open(Environment.LIVE) as prices:
        first = prices.of("build", specs, "60601", [problem]).prices
        assert prices.of("build", other, "60601", [problem]).prices == first
        assert prices.of("other build", other, "60601", [problem]).prices != first
        assert prices.of("build", specs, "38614", [problem]).prices != first


def test_vehicle_that_the_book_does_not_cover_is_marked(core: Core) -> None:
    problem = core.problems.find("brake-pads-front")
    assert problem is not None
    specs = core.vehicles.resolve(FERRARI).specs

    with core.garage_outlooks.prices.open(Environment.LIVE) as prices:
        assert prices.of("ferrari", specs, "60601", [problem]).is_outside_book
