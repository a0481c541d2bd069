"""The contract of the ports of connected cars, on both databases."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.conftest import NOW
from tests.threads import at_once

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.connected_cars.model import FLOW_LIFETIME, Connection, ConnectionStatus, Flow
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict

TEST, LIVE = Environment.TEST, Environment.LIVE
ACCORD, TESLA, TRUCK = "1HGCM82633A004352", "5YJ3E1EA8KF000001", "1FTFW1E53JK000001"
EMAIL = "driver@example.com"
LATER = NOW + timedelta(seconds=30)

FLOW = Flow(
    id=UUID(int=1), environment=LIVE, owner_id=7, email=EMAIL, begun_at=NOW, ends_at=NOW + FLOW_LIFETIME
)
CONNECTION = Connection(
    id=UUID(int=11),
    environment=LIVE,
    owner_id=7,
    email=EMAIL,
    standing=ConnectionStatus.ACTIVE,
    sealed="sealed-1",
    connected_at=NOW,
)


def add_flow(database: Database, flow: Flow = FLOW) -> None:
    with work.open_work(database, write=True) as unit:
        unit.car_flows.add(flow)


def take_flow(
    database: Database, flow_id: UUID = FLOW.id, *, environment: Environment = LIVE, owner_id: int = 7
) -> Flow | None:
    with work.open_work(database, write=True) as unit:
        return unit.car_flows.take(flow_id, environment=environment, owner_id=owner_id)


# Flows


def test_take_flow_returns_it_once(database: Database) -> None:
    add_flow(database)

    assert take_flow(database) == FLOW
    assert take_flow(database) is None


def test_take_flow_of_another_owner_leaves_it(database: Database) -> None:
    add_flow(database, evolve(FLOW, email=None))

    assert take_flow(database, owner_id=8) is None
    assert take_flow(database, environment=TEST) is None
    assert take_flow(database, UUID(int=2)) is None
    assert take_flow(database) == evolve(FLOW, email=None)


def test_take_flow_succeeds_for_one_of_concurrent_callers(database: Database) -> None:
    add_flow(database)

    assert sorted(taken is not None for taken in at_once(6, lambda: take_flow(database))) == [False] * 5 + [
        True
    ]


def test_add_flow_after_take_makes_it_pending_again(database: Database) -> None:
    add_flow(database)
    assert take_flow(database) == FLOW
    add_flow(database)

    assert take_flow(database) == FLOW


def test_add_flow_deletes_expired_flows(database: Database) -> None:
    add_flow(database)
    add_flow(
        database, evolve(FLOW, id=UUID(int=2), begun_at=FLOW.ends_at, ends_at=FLOW.ends_at + FLOW_LIFETIME)
    )

    assert take_flow(database) is None
    assert take_flow(database, UUID(int=2)) is not None


# Connections and their cars


def connect(database: Database, *vins: str, **changes: Any) -> Connection:
    created = evolve(CONNECTION, **changes)
    with work.open_work(database, write=True) as unit:
        unit.car_connections.add(created, vins)
    return created


def find_stored(database: Database, connection: Connection) -> Connection | None:
    with work.open_work(database, write=False) as unit:
        return unit.car_connections.by_id(connection.id)


def list_vins(database: Database, connection: Connection) -> Sequence[str]:
    with work.open_work(database, write=False) as unit:
        return unit.connected_cars.list_vins(connection.id)


def connection_of(
    database: Database, vin: str = ACCORD, *, environment: Environment = LIVE, owner_id: int = 7
) -> Connection | None:
    with work.open_work(database, write=False) as unit:
        return unit.connected_cars.connection_of(vin, environment=environment, owner_id=owner_id)


def list_active_vins(
    database: Database, email: str = EMAIL, *, environment: Environment = LIVE, owner_id: int = 7
) -> Sequence[str]:
    with work.open_work(database, write=False) as unit:
        return unit.connected_cars.list_active(email, environment=environment, owner_id=owner_id)


def test_add_connection_stores_it_with_its_cars(database: Database) -> None:
    created = connect(database, TESLA, ACCORD)

    assert find_stored(database, created) == created
    assert list(list_vins(database, created)) == [ACCORD, TESLA]
    assert connection_of(database) == connection_of(database, TESLA) == created
    assert list(list_active_vins(database)) == [ACCORD, TESLA]


def test_connections_of_other_owners_and_environments_are_hidden(database: Database) -> None:
    connect(database, ACCORD)
    elsewhere: tuple[dict[str, Any], ...] = ({"owner_id": 8}, {"environment": TEST})
    for whose in elsewhere:
        assert connection_of(database, **whose) is None
        assert list(list_active_vins(database, **whose)) == []

    assert connection_of(database, TRUCK) is None
    assert list(list_active_vins(database, "other@example.com")) == []


def test_two_owners_may_connect_the_same_car(database: Database) -> None:
    ours = connect(database, ACCORD)
    theirs = connect(database, ACCORD, id=UUID(int=12), owner_id=8)

    assert (connection_of(database), connection_of(database, owner_id=8)) == (ours, theirs)


def test_add_connection_moves_a_car_and_deletes_an_empty_connection(
    database: Database,
) -> None:
    old = connect(database, ACCORD, TESLA)
    middle = connect(database, ACCORD, id=UUID(int=12))
    assert (list(list_vins(database, old)), list(list_vins(database, middle))) == ([TESLA], [ACCORD])
    new = connect(database, TESLA, id=UUID(int=13))

    assert find_stored(database, old) is None
    assert (connection_of(database), connection_of(database, TESLA)) == (middle, new)


def test_add_connection_leaves_other_owners_alone(database: Database) -> None:
    theirs = connect(database, ACCORD, owner_id=8)
    test = connect(database, ACCORD, id=UUID(int=12), environment=TEST)
    connect(database, ACCORD, id=UUID(int=13))

    assert find_stored(database, theirs) == theirs
    assert find_stored(database, test) == test


def test_revoked_connection_keeps_its_cars_but_no_tokens(database: Database) -> None:
    created = connect(database, ACCORD)
    with work.open_work(database, write=True) as unit:
        revoked = unit.car_connections.update(created, created.revoked(LATER))

    assert find_stored(database, created) == revoked
    assert (revoked.sealed, revoked.revoked_at, revoked.version) == (None, LATER, 2)
    assert connection_of(database) == revoked
    assert list(list_active_vins(database)) == []


@pytest.mark.parametrize(
    ("standing", "sealed"), [(ConnectionStatus.ACTIVE, None), (ConnectionStatus.REVOKED, "sealed-1")]
)
def test_connection_requires_tokens_exactly_while_active(
    database: Database, standing: ConnectionStatus, sealed: str | None
) -> None:
    with pytest.raises(sa.exc.IntegrityError):
        connect(database, ACCORD, standing=standing, sealed=sealed)


def test_update_connection_conflicts_with_a_newer_version(database: Database) -> None:
    created = connect(database, ACCORD)
    with work.open_work(database, write=True) as unit:
        first = unit.car_connections.update(created, created.renewed("sealed-2"))
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.car_connections.update(created, created.renewed("sealed-3"))

    assert find_stored(database, created) == first


def test_delete_connection_deletes_its_cars(database: Database) -> None:
    created, other = connect(database, ACCORD), connect(database, TESLA, id=UUID(int=12))
    with work.open_work(database, write=True) as unit:
        for _ in range(2):
            unit.car_connections.delete(created.id)

    assert find_stored(database, created) is None
    assert connection_of(database) is None
    assert list(list_vins(database, other)) == [TESLA]


def test_delete_car_and_record_sync_of_a_car(database: Database) -> None:
    created = connect(database, ACCORD, TESLA)
    with work.open_work(database, write=True) as unit:
        for vin in (ACCORD, TRUCK):
            unit.connected_cars.record_sync(vin, connection_id=created.id, at=LATER)
            unit.connected_cars.delete(vin, connection_id=created.id)

    assert list(list_vins(database, created)) == [TESLA]


def test_list_connections_of_a_driver_or_a_car_oldest_first(database: Database) -> None:
    second = connect(database, ACCORD, connected_at=LATER)
    first = connect(database, TESLA, id=UUID(int=12))
    theirs = connect(database, ACCORD, id=UUID(int=13), owner_id=8, connected_at=LATER)
    connect(database, ACCORD, id=UUID(int=14), environment=TEST)
    with work.open_work(database, write=False) as unit:
        listed = unit.connected_cars.list_connections
        assert list(listed(environment=LIVE, owner_id=7, email=EMAIL)) == [first, second]
        assert list(listed(environment=LIVE, owner_id=None, vin=ACCORD)) == [second, theirs]
        assert list(listed(environment=LIVE, owner_id=8, vin=TESLA)) == []
        assert list(listed(environment=LIVE, owner_id=None, email="other@example.com")) == []


def test_list_sealed_returns_chunks_by_id(database: Database) -> None:
    created = [
        connect(database, f"{ACCORD[:-1]}{number}", id=UUID(int=number), owner_id=number, environment=place)
        for number, place in enumerate((LIVE, TEST, LIVE), start=1)
    ]
    with work.open_work(database, write=True) as unit:
        unit.car_connections.update(created[1], created[1].revoked(LATER))
        sealed = unit.car_connections.list_sealed
        assert list(sealed(after=None, limit=1)) == [created[0]]
        assert list(sealed(after=created[0].id, limit=5)) == [created[2]]
        assert list(sealed(after=created[2].id, limit=5)) == []


# Leases


def acquire_lease(database: Database, connection: Connection = CONNECTION, *, seconds: float = 0) -> bool:
    now = NOW + timedelta(seconds=seconds)
    with work.open_work(database, write=True) as unit:
        return unit.refresh_leases.acquire(connection, now=now, until=now + timedelta(seconds=30))


def is_leased(database: Database, *, seconds: float = 0) -> bool:
    with work.open_work(database, write=False) as unit:
        return unit.refresh_leases.is_held(CONNECTION.id, now=NOW + timedelta(seconds=seconds))


def release_lease(database: Database, *, seconds: float = 0) -> None:
    with work.open_work(database, write=True) as unit:
        unit.refresh_leases.release(CONNECTION.id, until=NOW + timedelta(seconds=seconds + 30))


def test_acquire_lease_succeeds_for_one_of_concurrent_callers(database: Database) -> None:
    connect(database, ACCORD)

    assert sorted(at_once(6, lambda: acquire_lease(database))) == [False] * 5 + [True]
    assert is_leased(database)


def test_lease_is_released_or_expires(database: Database) -> None:
    connect(database, ACCORD)
    assert acquire_lease(database)
    release_lease(database)

    assert not is_leased(database)
    assert acquire_lease(database)
    assert not acquire_lease(database, seconds=29)
    assert not is_leased(database, seconds=30)
    assert acquire_lease(database, seconds=30)


def test_release_lease_leaves_a_newer_lease(database: Database) -> None:
    connect(database, ACCORD)
    assert acquire_lease(database)
    assert acquire_lease(database, seconds=31)
    release_lease(database)

    assert is_leased(database, seconds=31)


def test_lease_from_before_the_clock_was_set_back_does_not_last(database: Database) -> None:
    connect(database, ACCORD)

    assert acquire_lease(database, seconds=3600)
    assert acquire_lease(database)


def test_lease_made_after_the_clock_was_read_holds(database: Database) -> None:
    connect(database, ACCORD)

    assert acquire_lease(database, seconds=1)
    assert not acquire_lease(database)


def test_acquire_lease_fails_for_a_changed_or_deleted_connection(database: Database) -> None:
    created = connect(database, ACCORD)
    with work.open_work(database, write=True) as unit:
        changed = unit.car_connections.update(created, created.renewed("sealed-2"))

    assert not acquire_lease(database, created)
    assert acquire_lease(database, changed)
    assert not acquire_lease(database, evolve(created, id=UUID(int=99)))


def test_update_connection_leaves_the_lease(database: Database) -> None:
    created = connect(database, ACCORD)
    assert acquire_lease(database)
    with work.open_work(database, write=True) as unit:
        unit.car_connections.update(created, created.renewed("sealed-2"))

    assert is_leased(database)
