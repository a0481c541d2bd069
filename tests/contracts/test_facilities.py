"""What the port ``Facilities`` promises, on both databases."""

from typing import Any

import pytest
from tests.contracts.conftest import NOW

from repaircore.adapters.sql import work
from repaircore.adapters.sql.database import Database
from repaircore.facilities.model import Facility
from repaircore.facilities.rates import NO_SHOPS, ShopRates
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.geo import Point

HERE = Point(latitude=34.1, longitude=-118.4)


def add(database: Database, **changes: Any) -> Facility:
    told: dict[str, Any] = {
        "name": "Ada's Garage",
        "city": "Beverly Hills",
        "state": "CA",
        "zip_code": "90210",
        "country": "US",
        "avg_labor_rate": 150_00,
        "point": HERE,
    }
    with work.begin(database, write=True) as unit:
        return unit.facilities.add(**{**told, **changes}, at=NOW)


def test_a_kept_shop_comes_back_as_it_was(database: Database) -> None:
    bare = dict.fromkeys(["city", "state", "zip_code", "country", "avg_labor_rate", "point"])
    kept = [add(database), add(database, name="Škoda 'n' Söhne", **bare)]
    with work.begin(database, write=False) as unit:
        assert [unit.facilities.by_id(one.id) for one in kept] == kept
        assert unit.facilities.by_id(999) is None
    assert (kept[0].point, kept[0].created_at) == (HERE, NOW)
    assert kept[1].point is None


def test_what_has_no_place_in_the_store_is_a_failure_of_ours(database: Database) -> None:
    with pytest.raises(Conflict):
        add(database, avg_labor_rate=-1)
    with pytest.raises(Invalid):
        add(database, avg_labor_rate=2**63)


def test_shops_around_a_point_are_those_of_its_latitude_by_id(database: Database) -> None:
    latitudes = (34.1, 34.9, 33.2, 35.2, -34.1)
    shops = [add(database, point=Point(latitude, -118.4)) for latitude in latitudes]
    add(database, point=None)
    with work.begin(database, write=False) as unit:
        assert unit.facilities.around(HERE, degrees=1.0) == shops[:3]
        assert unit.facilities.around(Point(0.0, 0.0), degrees=1.0) == []


def test_rates_in_a_state_are_those_that_shops_tell(database: Database) -> None:
    for rate in (100_00, 101_00, None, 0):
        add(database, avg_labor_rate=rate)
    add(database, state="NV", avg_labor_rate=None)
    with work.begin(database, write=False) as unit:
        assert unit.facilities.rates_in("CA") == ShopRates(3, 6700.0)
        assert unit.facilities.rates_in("NV") == unit.facilities.rates_in("OH") == NO_SHOPS
