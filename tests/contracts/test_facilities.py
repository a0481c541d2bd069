"""The contract of the port ``Facilities``, on both databases."""

from typing import Any

import pytest
from attrs import evolve
from tests.contracts.conftest import NOW

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.facilities.model import Facility, FacilityFields, StateSummary
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.paging import PageRequest

HERE = Point(latitude=34.1, longitude=-118.4)


def add(database: Database, **changes: Any) -> Facility:
    result: dict[str, Any] = {
        "name": "Ada's Garage",
        "city": "Beverly Hills",
        "state": "CA",
        "zip_code": "90210",
        "country": "US",
        "avg_labor_rate": 150_00,
    }
    point = changes.pop("point", HERE)
    with work.open_work(database, write=True) as unit:
        return unit.facilities.add(FacilityFields(**{**result, **changes}), point=point, at=NOW)


def test_shop_is_loaded_as_stored(database: Database) -> None:
    bare = dict.fromkeys(["city", "state", "zip_code", "country", "avg_labor_rate", "point"])
    stored = [add(database), add(database, name="Škoda 'n' Söhne", **bare)]
    with work.open_work(database, write=False) as unit:
        assert [unit.facilities.by_id(one.id) for one in stored] == stored
        assert unit.facilities.by_id(999) is None

    assert (stored[0].point, stored[0].created_at) == (HERE, NOW)
    assert stored[1].point is None


def test_values_out_of_range_are_rejected(database: Database) -> None:
    with pytest.raises(Conflict):
        add(database, avg_labor_rate=-1)
    with pytest.raises(Invalid):
        add(database, avg_labor_rate=2**63)


def test_replace_updates_only_the_version_that_was_read(database: Database) -> None:
    old = add(database)
    result = evolve(old, name="Bo's", city=None, avg_labor_rate=99_00, sample_size=7, point=None)
    with work.open_work(database, write=True) as unit:
        new = unit.facilities.replace(old, result)

        assert unit.facilities.by_id(old.id) == new == evolve(result, version=old.version + 1)
        with pytest.raises(Conflict):
            unit.facilities.replace(old, result)

        assert unit.facilities.by_id(old.id) == new


def test_unreferenced_shop_is_removed_once(database: Database) -> None:
    stored = add(database)
    with work.open_work(database, write=True) as unit:
        assert not any(unit.facilities.referents(stored.id).values())
        assert unit.facilities.remove(stored.id)
        assert not unit.facilities.remove(stored.id)
        assert unit.facilities.by_id(stored.id) is None


def test_shops_are_listed_by_name_in_pages(database: Database) -> None:
    shops = [add(database, name=name) for name in ("Zed", "ada's", "Ada's", "Bo")]
    with work.open_work(database, write=False) as unit:
        first = unit.facilities.page(search="", state=None, request=PageRequest(number=1, per_page=3))

        assert (first.items, first.total, first.last) == ((shops[1], shops[2], shops[3]), 4, 2)
        assert unit.facilities.page(
            search="", state=None, request=PageRequest(number=2, per_page=3)
        ).items == (shops[0],)
        beyond = unit.facilities.page(search="", state=None, request=PageRequest(number=2**63, per_page=100))

        assert (beyond.items, beyond.total) == ((), 4)


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", 3),
        (" ", 3),
        ("ADAS", 1),
        ("ada's gar", 1),
        ("škoda", 1),
        ("münchen", 1),
        ("MÜN", 1),
        ("902", 2),
        ("02", 0),
        ("%", 0),
        ("_", 0),
        ("-", 0),
    ],
)
def test_search_covers_names_cities_and_zip_codes(database: Database, search: str, found: int) -> None:
    add(database)
    add(database, name="Škoda 'n' Söhne", city="München", zip_code="81549")
    add(database, name="Bo", city=None, zip_code="90211-1234")
    with work.open_work(database, write=False) as unit:
        page = unit.facilities.page(search=search, state=None, request=PageRequest(number=1, per_page=10))

        assert (len(page.items), page.total) == (found, found)


def test_shops_are_found_by_normalized_names(database: Database) -> None:
    shops = [add(database, name=name) for name in ("Ada's Garage", "ADAS GARAGE", "Bo", "Cy")]
    with work.open_work(database, write=False) as unit:
        assert unit.facilities.named(["adas-garage", "Cy"]) == [shops[0], shops[1], shops[3]]
        assert unit.facilities.named([]) == []


def test_shops_are_read_after_an_id(database: Database) -> None:
    shops = [add(database) for _ in range(3)]
    with work.open_work(database, write=False) as unit:
        assert unit.facilities.after(0, limit=2) == shops[:2]
        assert unit.facilities.after(shops[1].id, limit=2) == shops[2:]


def test_states_are_summarized_in_order(database: Database) -> None:
    for state, rate in (("OH", 100_00), ("CA", 150_00), ("CA", 0), ("CA", 151_00), ("NV", None), (None, 1)):
        add(database, state=state, avg_labor_rate=rate)
    with work.open_work(database, write=False) as unit:
        assert unit.facilities.states() == [
            StateSummary(state="CA", shops=3, with_rate=2, mean_rate=150_50.0),
            StateSummary(state="NV", shops=1, with_rate=0, mean_rate=None),
            StateSummary(state="OH", shops=1, with_rate=1, mean_rate=100_00.0),
        ]


def test_stats_cover_all_shops(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        nothing = unit.facilities.stats(Environment.LIVE)

    assert (nothing.shops, nothing.mean_rate, nothing.lowest_rate, nothing.by_month) == (0, None, None, ())
    for state, rate in (("OH", 100_00), ("CA", 150_00), ("CA", 0), (None, None)):
        add(database, state=state, avg_labor_rate=rate)
    with work.open_work(database, write=False) as unit:
        result = unit.facilities.stats(Environment.LIVE)

    assert (result.shops, result.with_rate, result.states, result.sample_size) == (4, 2, 2, 0)
    assert (result.mean_rate, result.lowest_rate, result.highest_rate) == (125_00.0, 100_00, 150_00)


def test_around_selects_shops_by_latitude_and_sorts_by_id(database: Database) -> None:
    latitudes = (34.1, 34.9, 33.2, 35.2, -34.1)
    shops = [add(database, point=Point(latitude, -118.4)) for latitude in latitudes]
    add(database, point=None)
    with work.open_work(database, write=False) as unit:
        assert unit.facilities.around(HERE, degrees=1.0) == shops[:3]
        assert unit.facilities.around(Point(0.0, 0.0), degrees=1.0) == []
