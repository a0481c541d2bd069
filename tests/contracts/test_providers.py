"""The ports ``Providers`` and ``Drivers`` on both databases."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point
from repaircore.kernel.hours import parse_weekly
from repaircore.kernel.references import Kind, reference
from repaircore.providers.businesses import BUSINESS, Business, RideType
from repaircore.providers.drivers import DRIVER, Driver, Service
from repaircore.providers.model import ProviderRequest
from repaircore.providers.records import SandboxFleet
from repaircore.testing.ids import CountingIds

TEST, LIVE = Environment.TEST, Environment.LIVE
# A Friday, at 11:30 in Columbus.
NOW = datetime(2026, 1, 2, 16, 30, 0, 123456, tzinfo=UTC)
COLUMBUS = Point(39.96, -83.0)
REQUEST = ProviderRequest(environment=TEST, ability=Service.TIRE_CHANGE, point=COLUMBUS, at=NOW)

_ids = CountingIds()


def make_driver(number: int = 1, **changes: Any) -> Driver:
    fields: dict[str, Any] = {
        "id": 0,
        "ref": reference(Kind.DRIVER, _ids()),
        "environment": TEST,
        "name": f"Driver {number}",
        "phone": f"+161455501{number:02}",
        "abilities": frozenset({"tire_change", "towing"}),
        "point": COLUMBUS,
        "time_zone": "America/New_York",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Driver(**{**fields, **changes})


def make_business(**changes: Any) -> Business:
    fields: dict[str, Any] = {
        "id": 0,
        "ref": reference(Kind.BUSINESS, _ids()),
        "environment": LIVE,
        "name": "Capital Towing",
        "phone": "+16145550150",
        "abilities": frozenset({"Flatbed", "Wheel-Lift"}),
        "point": COLUMBUS,
        "address": "1 Main Street",
        "time_zone": "America/New_York",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Business(**{**fields, **changes})


def add_drivers(database: Database, *new: Driver) -> list[Driver]:
    with work.open_work(database, write=True) as unit:
        added = [unit.drivers.add(driver) for driver in new]
    assert None not in added
    return [driver for driver in added if driver is not None]


def test_driver_is_stored_and_found(database: Database) -> None:
    full = make_driver(
        weekly=parse_weekly("mon-fri 08:00-17:00"),
        vehicle="A van",
        radius_miles=12.5,
        rating_sum=9,
        rating_count=2,
    )
    (driver, bare) = add_drivers(database, full, make_driver(2, active=False))

    assert driver == evolve(full, id=driver.id)
    assert (driver.services, driver.rating) == (frozenset({Service.TIRE_CHANGE, Service.TOWING}), 4.5)
    assert (bare.weekly, bare.rating) == (None, None)

    with work.open_work(database, write=False) as unit:
        for added in (driver, bare):
            assert unit.drivers.find(added.ref, TEST) == added
            assert unit.drivers.find_by_phone(str(added.phone), TEST) == added
            assert unit.drivers.find(added.ref, LIVE) is None
            assert unit.drivers.find_by_phone(str(added.phone), LIVE) is None


def test_business_is_stored_and_found(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        business = unit.businesses.add(make_business())
        assert business is not None
        assert business.abilities == {RideType.FLATBED, RideType.WHEEL_LIFT}
        assert unit.businesses.find(business.ref, LIVE) == business
        for ref, environment in (
            (business.ref, TEST),
            ("", LIVE),
            (reference(Kind.BUSINESS, UUID(int=9)), LIVE),
        ):
            assert unit.businesses.find(ref, environment) is None


def test_phone_is_unique_in_an_environment(database: Database) -> None:
    (driver,) = add_drivers(database, make_driver())
    with work.open_work(database, write=True) as unit:
        assert unit.drivers.add(make_driver()) is None
        assert unit.drivers.add(make_driver(environment=LIVE)) is not None
    with work.open_work(database, write=True) as unit:
        other = unit.drivers.add(make_driver(2))
        assert other is not None
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.drivers.replace(other, evolve(other, phone=driver.phone))


def test_concurrent_additions_of_a_driver_store_one(database: Database) -> None:
    at_once = Barrier(5)

    def add(_: int) -> bool:
        new = make_driver()
        at_once.wait(30)
        with work.open_work(database, write=True) as unit:
            return unit.drivers.add(new) is not None

    with ThreadPoolExecutor(5) as pool:
        assert sorted(pool.map(add, range(5))) == [False] * 4 + [True]


def test_replace_updates_only_the_version_that_was_read(database: Database) -> None:
    (old,) = add_drivers(database, make_driver())
    changed = evolve(
        old,
        name="Bo",
        phone="+16145550199",
        abilities=frozenset({"towing"}),
        active=False,
        point=Point(1.5, -2.5),
    )
    with work.open_work(database, write=True) as unit:
        new = unit.drivers.replace(old, changed)
        assert unit.drivers.find_by_phone("+16145550199", TEST) == new == evolve(changed, version=2)
        assert unit.drivers.find_by_phone(str(old.phone), TEST) is None
        with pytest.raises(Conflict):
            unit.drivers.replace(old, changed)


def test_delete_removes_a_provider(database: Database) -> None:
    (driver,) = add_drivers(database, make_driver())
    with work.open_work(database, write=True) as unit:
        assert not any(unit.drivers.count_references(driver.id).values())
        assert unit.drivers.delete(driver.id)
        assert not unit.drivers.delete(driver.id)
        assert unit.drivers.find(driver.ref, TEST) is None


def test_concurrent_ratings_all_count(database: Database) -> None:
    (driver,) = add_drivers(database, make_driver())
    at_once = Barrier(4)

    def rate(stars: int) -> None:
        at_once.wait(30)
        with work.open_work(database, write=True) as unit:
            unit.drivers.rate(driver.id, stars)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(rate, (5, 4, 4, 1)))
    with work.open_work(database, write=False) as unit:
        driver_now = unit.drivers.find(driver.ref, TEST)

    assert driver_now is not None
    assert (driver_now.rating, driver_now.rating_count) == (3.5, 4)


def test_list_after_pages_by_id(database: Database) -> None:
    drivers = add_drivers(database, *(make_driver(number) for number in range(3)))
    add_drivers(database, make_driver(environment=LIVE))
    with work.open_work(database, write=False) as unit:
        assert unit.drivers.list_after(0, TEST, limit=2) == drivers[:2]
        assert unit.drivers.list_after(drivers[1].id, TEST, limit=2) == drivers[2:]


def test_find_nearby_yields_the_nearest_first(database: Database) -> None:
    far, near, here = add_drivers(
        database,
        make_driver(1, point=Point(40.2, -83.0)),
        make_driver(2, point=Point(39.97, -83.05)),
        make_driver(3),
    )
    with work.open_work(database, write=False) as unit:
        nearby = [*unit.drivers.find_nearby(REQUEST)]

    assert [found.provider for found in nearby] == [here, near, far]
    assert [round(found.miles, 1) for found in nearby] == [0.0, 2.7, 16.6]


@pytest.mark.parametrize(
    "changes",
    [
        {"environment": LIVE},
        {"active": False},
        {"abilities": frozenset({"towing", "fuel_delivery"})},
        {"abilities": frozenset()},
        {"point": Point(40.2, -83.0), "radius_miles": 16.5},
        {"point": Point(39.96, -83.4), "radius_miles": 20.0},
        {"point": Point(39.96, 97.0), "radius_miles": 200.0},
        {"weekly": parse_weekly("mon-thu 00:00-24:00")},
        {"weekly": parse_weekly("fri 11:31-24:00")},
        {"weekly": parse_weekly("fri 08:00-11:30")},
        {"weekly": parse_weekly("fri 10:00-12:00"), "time_zone": "America/Los_Angeles"},
    ],
)
def test_find_nearby_omits_unavailable_providers(database: Database, changes: dict[str, Any]) -> None:
    add_drivers(database, make_driver(**changes))
    with work.open_work(database, write=False) as unit:
        assert [*unit.drivers.find_nearby(REQUEST)] == []


@pytest.mark.parametrize(
    ("place", "driver"),
    [
        (Point(-17.0, 179.95), Point(-17.0, -179.95)),
        (Point(-17.0, -179.95), Point(-17.0, 179.95)),
        (Point(89.9, 10.0), Point(89.9, -170.0)),
        (Point(71.3, -156.8), Point(71.3, -155.8)),
    ],
)
def test_find_nearby_works_across_the_date_line_and_a_pole(
    database: Database, place: Point, driver: Point
) -> None:
    (added,) = add_drivers(database, make_driver(point=driver))
    with work.open_work(database, write=False) as unit:
        (nearby,) = unit.drivers.find_nearby(evolve(REQUEST, point=place))

    assert nearby.provider == added
    assert nearby.miles < 25


def test_find_nearby_matches_abilities_as_whole_words(database: Database) -> None:
    add_drivers(database, make_driver())
    with work.open_work(database, write=False) as unit:
        for ability in ("tire", "change", "%", "t_wing", '"'):
            assert [*unit.drivers.find_nearby(evolve(REQUEST, ability=ability))] == []


def test_sandbox_fleet_is_stored_once_for_a_neighborhood(database: Database) -> None:
    fleet = SandboxFleet(trade=DRIVER, new_id=_ids, clock=lambda: NOW)
    (ordinary,) = add_drivers(database, make_driver())
    fleets = []
    for place in (COLUMBUS, Point(39.961, -83.0), COLUMBUS):
        with work.open_work(database, write=True) as unit:
            fleets.append(fleet.find_or_add(unit.drivers, place))
    first, other, again = fleets

    assert first == again
    assert [nearby.provider for nearby in first] == [nearby.provider for nearby in other]

    with work.open_work(database, write=False) as unit:
        for nearby in first:
            provider = nearby.provider
            assert unit.drivers.find(provider.ref, TEST) == provider
            assert (provider.sandbox, provider.services) == (True, frozenset(Service))
            assert nearby.miles <= provider.radius_miles
            assert unit.drivers.find_by_phone(str(provider.phone), TEST) in {None, ordinary}
        assert [nearby.provider for nearby in unit.drivers.find_nearby(REQUEST)] == [ordinary]
        assert unit.drivers.list_after(0, TEST, limit=9) == [ordinary]


def test_sandbox_fleet_is_created_once_by_concurrent_requests(database: Database) -> None:
    fleet = SandboxFleet(trade=BUSINESS, new_id=_ids, clock=lambda: NOW + timedelta(days=1))
    at_once = Barrier(4)

    def create(_: int) -> list[str]:
        at_once.wait(30)
        with work.open_work(database, write=True) as unit:
            return [nearby.provider.ref for nearby in fleet.find_or_add(unit.businesses, COLUMBUS)]

    with ThreadPoolExecutor(4) as pool:
        refs = list(pool.map(create, range(4)))

    assert refs == [refs[0]] * 4


def test_sandbox_providers_cannot_be_live(database: Database) -> None:
    with pytest.raises(sa.exc.IntegrityError), database.transaction() as connection:
        connection.exec_driver_sql(
            "INSERT INTO drivers (ref, environment, name, services, latitude, longitude, radius_miles, time_zone,"
            " active, sandbox, rating_sum, rating_count, created_at, updated_at, version)"
            " VALUES ('drv_1', 'live', 'x', '[]', 1.0, 1.0, 1.0, 'UTC', 1, 1, 0, 0, 1, 1, 1)"
        )
    with work.open_work(database, write=False) as unit:
        assert unit.drivers.list_after(0, LIVE, limit=1) == []


def test_sandbox_fleet_is_found_without_writing(database: Database) -> None:
    fleet = SandboxFleet(trade=DRIVER, new_id=_ids, clock=lambda: NOW)
    with work.open_work(database, write=True) as unit:
        assert fleet.find(unit.drivers, COLUMBUS) is None
        created = fleet.find_or_add(unit.drivers, COLUMBUS)
    with work.open_work(database, write=False) as unit:
        assert fleet.find(unit.drivers, COLUMBUS) == created
        assert fleet.find(unit.drivers, evolve(COLUMBUS, latitude=10.0)) is None


def test_active_returns_the_active_providers(database: Database) -> None:
    busy, idle = add_drivers(database, make_driver(1), make_driver(2, active=False))
    with work.open_work(database, write=False) as unit:
        assert unit.drivers.active([busy.ref, idle.ref, "drv_unknown"]) == {busy.ref}
        assert unit.drivers.active([]) == frozenset()
