"""The candidates for rides in the directory, on both databases."""

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.partners import add_partner
from tests.unit.rides.examples import AT, make_ride

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.core import Core
from repaircore.customers.model import Customer, ResolveCustomer
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
    return add_partner(database, environment=LIVE)


@pytest.fixture
def ada(database: Database, towify: PartnerCaller) -> Customer:
    data = ResolveCustomer(first_name="Ada", last_name="Byron", email="ada@example.org", phone="+16145550123")
    with work.open_work(database, write=True) as unit:
        added = unit.customers.add(data, towify, ref=reference(Kind.CUSTOMER, _ids()), at=AT)
    assert added is not None
    return added


def add_driver(database: Database, number: int) -> Driver:
    """Add a driver; the greater the number, the farther away."""
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


def add_ride(database: Database, ada: Customer, driver: Driver | None = None) -> Ride:
    """Add a ride; with a driver, it is accepted."""
    ride = make_ride(
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
def test_find_candidates_replaces_busy_drivers_by_free_ones(
    core: Core, database: Database, ada: Customer, busy: int
) -> None:
    drivers = [add_driver(database, number) for number in range(10)]
    for driver in drivers[:busy]:
        add_ride(database, ada, driver)
    candidates = core.rides.candidates.find_candidates(add_ride(database, ada), at=AT, limit=2)

    assert [candidate.ref for candidate in candidates] == [driver.ref for driver in drivers[busy : busy + 2]]


def test_find_candidates_reads_the_directory_once(core: Core, database: Database, ada: Customer) -> None:
    for number in range(9):
        add_ride(database, ada, add_driver(database, number))
    ride, statements = add_ride(database, ada), list[str]()

    def record_statement(_connection: object, _cursor: object, sql: str, *_: object) -> None:
        statements.extend([sql] * ("FROM drivers" in sql))

    engine = core.storage.database.engine
    sa.event.listen(engine, "after_cursor_execute", record_statement)

    assert core.rides.candidates.find_candidates(ride, at=AT, limit=2) == []

    sa.event.remove(engine, "after_cursor_execute", record_statement)

    assert len(statements) == 1


def test_find_candidates_is_empty_when_all_are_busy(core: Core, database: Database, ada: Customer) -> None:
    for number in range(3):
        add_ride(database, ada, add_driver(database, number))

    assert core.rides.candidates.find_candidates(add_ride(database, ada), at=AT, limit=2) == []
