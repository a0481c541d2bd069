"""What the port ``Roster`` promises of the directory, on both databases."""

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.partners import a_partner
from tests.unit.rides.examples import AT, a_ride

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.bootstrap import Core
from repaircore.customers.model import Customer, NewCustomer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.geo import Point
from repaircore.kernel.references import Kind, reference
from repaircore.providers.drivers import Driver, Service
from repaircore.rides.model import Ride, Status
from repaircore.testing.ids import CountingIds

LIVE = Environment.LIVE
PICKUP = Point(34.05, -118.25)

_ids = CountingIds()


@pytest.fixture
def towify(database: Database) -> PartnerCaller:
    return a_partner(database, environment=LIVE)


@pytest.fixture
def ada(database: Database, towify: PartnerCaller) -> Customer:
    told = NewCustomer(first_name="Ada", last_name="Byron", email="ada@example.org", phone="+16145550123")
    with work.open_work(database, write=True) as unit:
        added = unit.customers.add(told, towify, ref=reference(Kind.CUSTOMER, _ids()), at=AT)
    assert added is not None
    return added


def a_driver(database: Database, number: int) -> Driver:
    """Keep a driver, the farther away the greater the number."""
    new = Driver(
        id=0,
        ref=reference(Kind.DRIVER, _ids()),
        environment=LIVE,
        name=f"Driver {number}",
        phone=f"+161455501{number:02}",
        abilities=frozenset({Service.TOWING}),
        point=evolve(PICKUP, latitude=PICKUP.latitude + number / 100),
        time_zone="America/Los_Angeles",
        created_at=AT,
        updated_at=AT,
    )
    with work.open_work(database, write=True) as unit:
        added = unit.drivers.add(new)
    assert added is not None
    return added


def a_ride_of(database: Database, ada: Customer, driver: Driver | None = None) -> Ride:
    """Keep a ride, which the driver is on if there is one."""
    ride = a_ride(
        ref=reference(Kind.RIDE, _ids()),
        partner_id=ada.partner_id,
        environment=LIVE,
        customer_id=ada.id,
        customer_ref=ada.ref,
        pickup=PICKUP,
        status=Status.PENDING if driver is None else Status.ACCEPTED,
        provider_ref=None if driver is None else driver.ref,
    )
    with work.open_work(database, write=True) as unit:
        return unit.rides.add(ride)


@pytest.mark.parametrize("busy", [0, 1, 3, 9])
def test_whoever_is_on_a_ride_takes_nobodys_place(
    core: Core, database: Database, ada: Customer, busy: int
) -> None:
    drivers = [a_driver(database, number) for number in range(10)]
    for driver in drivers[:busy]:
        a_ride_of(database, ada, driver)
    found = core.rides.roster.candidates(a_ride_of(database, ada), at=AT, limit=2)
    assert [one.ref for one in found] == [driver.ref for driver in drivers[busy : busy + 2]]


def test_the_directory_is_read_once_however_many_are_on_a_ride(
    core: Core, database: Database, ada: Customer
) -> None:
    for number in range(9):
        a_ride_of(database, ada, a_driver(database, number))
    ride, asked = a_ride_of(database, ada), list[str]()

    def note(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        asked.extend([sql] * ("FROM drivers" in sql))

    engine = core.storage.database.engine
    sa.event.listen(engine, "after_cursor_execute", note)
    assert core.rides.roster.candidates(ride, at=AT, limit=2) == []
    sa.event.remove(engine, "after_cursor_execute", note)
    assert len(asked) == 1


def test_where_everybody_is_on_a_ride_nobody_is_found(core: Core, database: Database, ada: Customer) -> None:
    for number in range(3):
        a_ride_of(database, ada, a_driver(database, number))
    assert core.rides.roster.candidates(a_ride_of(database, ada), at=AT, limit=2) == []
