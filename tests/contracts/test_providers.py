"""What the ports ``Providers`` and ``Drivers`` promise, on both databases."""

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
ASKED = ProviderRequest(environment=TEST, ability=Service.TIRE_CHANGE, point=COLUMBUS, at=NOW)

_ids = CountingIds()


def a_driver(number: int = 1, **changes: Any) -> Driver:
    told: dict[str, Any] = {
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
    return Driver(**{**told, **changes})


def a_business(**changes: Any) -> Business:
    told: dict[str, Any] = {
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
    return Business(**{**told, **changes})


def kept(database: Database, *new: Driver) -> list[Driver]:
    with work.open_work(database, write=True) as unit:
        added = [unit.drivers.add(one) for one in new]
    assert None not in added
    return [one for one in added if one is not None]


def test_a_driver_comes_back_as_they_were(database: Database) -> None:
    full = a_driver(
        weekly=parse_weekly("mon-fri 08:00-17:00"),
        vehicle="A van",
        radius_miles=12.5,
        rating_sum=9,
        rating_count=2,
    )
    (driver, bare) = kept(database, full, a_driver(2, active=False))
    assert driver == evolve(full, id=driver.id)
    assert (driver.services, driver.rating) == (frozenset({Service.TIRE_CHANGE, Service.TOWING}), 4.5)
    assert (bare.weekly, bare.rating) == (None, None)
    with work.open_work(database, write=False) as unit:
        for one in (driver, bare):
            assert unit.drivers.by_ref(one.ref, TEST) == one
            assert unit.drivers.by_phone(str(one.phone), TEST) == one
            assert unit.drivers.by_ref(one.ref, LIVE) is None
            assert unit.drivers.by_phone(str(one.phone), LIVE) is None


def test_a_business_comes_back_as_it_was(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        business = unit.businesses.add(a_business())
        assert business is not None
        assert business.ride_types == {RideType.FLATBED, RideType.WHEEL_LIFT}
        assert unit.businesses.by_ref(business.ref, LIVE) == business
        for ref, environment in (
            (business.ref, TEST),
            ("", LIVE),
            (reference(Kind.BUSINESS, UUID(int=9)), LIVE),
        ):
            assert unit.businesses.by_ref(ref, environment) is None


def test_a_phone_is_kept_once_in_an_environment(database: Database) -> None:
    (driver,) = kept(database, a_driver())
    with work.open_work(database, write=True) as unit:
        assert unit.drivers.add(a_driver()) is None
        assert unit.drivers.add(a_driver(environment=LIVE)) is not None
    with work.open_work(database, write=True) as unit:
        other = unit.drivers.add(a_driver(2))
        assert other is not None
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.drivers.replace(other, evolve(other, phone=driver.phone))


def test_of_many_who_add_the_same_driver_at_once_one_does(database: Database) -> None:
    at_once = Barrier(5)

    def add(_: int) -> bool:
        new = a_driver()
        at_once.wait(30)
        with work.open_work(database, write=True) as unit:
            return unit.drivers.add(new) is not None

    with ThreadPoolExecutor(5) as pool:
        assert sorted(pool.map(add, range(5))) == [False] * 4 + [True]


def test_the_next_state_replaces_the_one_that_was_read(database: Database) -> None:
    (old,) = kept(database, a_driver())
    told = evolve(
        old,
        name="Bo",
        phone="+16145550199",
        abilities=frozenset({"towing"}),
        active=False,
        point=Point(1.5, -2.5),
    )
    with work.open_work(database, write=True) as unit:
        new = unit.drivers.replace(old, told)
        assert unit.drivers.by_phone("+16145550199", TEST) == new == evolve(told, version=2)
        assert unit.drivers.by_phone(str(old.phone), TEST) is None
        with pytest.raises(Conflict):
            unit.drivers.replace(old, told)


def test_who_is_removed_is_gone(database: Database) -> None:
    (driver,) = kept(database, a_driver())
    with work.open_work(database, write=True) as unit:
        assert not any(unit.drivers.referents(driver.id).values())
        assert unit.drivers.remove(driver.id)
        assert not unit.drivers.remove(driver.id)
        assert unit.drivers.by_ref(driver.ref, TEST) is None


def test_no_rating_is_lost(database: Database) -> None:
    (driver,) = kept(database, a_driver())
    at_once = Barrier(4)

    def rate(stars: int) -> None:
        at_once.wait(30)
        with work.open_work(database, write=True) as unit:
            unit.drivers.rate(driver.id, stars)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(rate, (5, 4, 4, 1)))
    with work.open_work(database, write=False) as unit:
        rated = unit.drivers.by_ref(driver.ref, TEST)
    assert rated is not None
    assert (rated.rating, rated.rating_count) == (3.5, 4)


def test_a_directory_is_read_on_from_an_id(database: Database) -> None:
    some = kept(database, *(a_driver(number) for number in range(3)))
    kept(database, a_driver(environment=LIVE))
    with work.open_work(database, write=False) as unit:
        assert unit.drivers.after(0, TEST, limit=2) == some[:2]
        assert unit.drivers.after(some[1].id, TEST, limit=2) == some[2:]


def test_who_can_come_is_told_nearest_first(database: Database) -> None:
    far, near, here = kept(
        database,
        a_driver(1, point=Point(40.2, -83.0)),
        a_driver(2, point=Point(39.97, -83.05)),
        a_driver(3),
    )
    with work.open_work(database, write=False) as unit:
        told = [*unit.drivers.near(ASKED)]
        assert [one.provider for one in told] == [here, near, far]
        assert [round(one.miles, 1) for one in told] == [0.0, 2.7, 16.6]


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
def test_who_cannot_come_is_not_told(database: Database, changes: dict[str, Any]) -> None:
    kept(database, a_driver(**changes))
    with work.open_work(database, write=False) as unit:
        assert [*unit.drivers.near(ASKED)] == []


@pytest.mark.parametrize(
    ("place", "driver"),
    [
        (Point(-17.0, 179.95), Point(-17.0, -179.95)),
        (Point(-17.0, -179.95), Point(-17.0, 179.95)),
        (Point(89.9, 10.0), Point(89.9, -170.0)),
        (Point(71.3, -156.8), Point(71.3, -155.8)),
    ],
)
def test_neither_the_date_line_nor_a_pole_is_in_the_way(
    database: Database, place: Point, driver: Point
) -> None:
    (one,) = kept(database, a_driver(point=driver))
    with work.open_work(database, write=False) as unit:
        (found,) = unit.drivers.near(evolve(ASKED, point=place))
    assert found.provider == one
    assert found.miles < 25


def test_an_ability_is_looked_for_as_a_whole(database: Database) -> None:
    kept(database, a_driver())
    with work.open_work(database, write=False) as unit:
        for ability in ("tire", "change", "%", "t_wing", '"'):
            assert [*unit.drivers.near(evolve(ASKED, ability=ability))] == []


def test_the_sandbox_fleet_is_kept_once_for_a_neighborhood(database: Database) -> None:
    fleet = SandboxFleet(trade=DRIVER, new_id=_ids, clock=lambda: NOW)
    (ordinary,) = kept(database, a_driver())
    told = []
    for place in (COLUMBUS, Point(39.961, -83.0), COLUMBUS):
        with work.open_work(database, write=True) as unit:
            told.append(fleet.around(unit.drivers, place))
    first, other, again = told
    assert first == again
    assert [one.provider for one in first] == [one.provider for one in other]
    with work.open_work(database, write=False) as unit:
        for one in first:
            assert unit.drivers.by_ref(one.provider.ref, TEST) == one.provider
            assert (one.provider.sandbox, one.provider.services) == (True, frozenset(Service))
            assert one.miles <= one.provider.radius_miles
            assert unit.drivers.by_phone(str(one.provider.phone), TEST) in {None, ordinary}
        assert [one.provider for one in unit.drivers.near(ASKED)] == [ordinary]
        assert unit.drivers.after(0, TEST, limit=9) == [ordinary]


def test_a_sandbox_fleet_that_is_made_at_once_is_made_once(database: Database) -> None:
    fleet = SandboxFleet(trade=BUSINESS, new_id=_ids, clock=lambda: NOW + timedelta(days=1))
    at_once = Barrier(4)

    def ask(_: int) -> list[str]:
        at_once.wait(30)
        with work.open_work(database, write=True) as unit:
            return [one.provider.ref for one in fleet.around(unit.businesses, COLUMBUS)]

    with ThreadPoolExecutor(4) as pool:
        refs = list(pool.map(ask, range(4)))
    assert refs == [refs[0]] * 4


def test_no_stand_in_is_in_the_live_environment(database: Database) -> None:
    with pytest.raises(sa.exc.IntegrityError), database.transaction() as connection:
        connection.exec_driver_sql(
            "INSERT INTO drivers (ref, environment, name, services, latitude, longitude, radius_miles, time_zone,"
            " active, sandbox, rating_sum, rating_count, created_at, updated_at, version)"
            " VALUES ('drv_1', 'live', 'x', '[]', 1.0, 1.0, 1.0, 'UTC', 1, 1, 0, 0, 1, 1, 1)"
        )
    with work.open_work(database, write=False) as unit:
        assert unit.drivers.after(0, LIVE, limit=1) == []


def test_a_fleet_that_is_kept_is_met_by_reading_alone(database: Database) -> None:
    fleet = SandboxFleet(trade=DRIVER, new_id=_ids, clock=lambda: NOW)
    with work.open_work(database, write=True) as unit:
        assert fleet.met(unit.drivers, COLUMBUS) is None
        made = fleet.around(unit.drivers, COLUMBUS)
    with work.open_work(database, write=False) as unit:
        assert fleet.met(unit.drivers, COLUMBUS) == made
        assert fleet.met(unit.drivers, evolve(COLUMBUS, latitude=10.0)) is None


def test_who_gets_requests_is_told_of_many_at_once(database: Database) -> None:
    busy, idle = kept(database, a_driver(1), a_driver(2, active=False))
    with work.open_work(database, write=False) as unit:
        assert unit.drivers.active([busy.ref, idle.ref, "drv_unknown"]) == {busy.ref}
        assert unit.drivers.active([]) == frozenset()
