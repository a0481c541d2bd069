"""A partner's customer is exported and erased completely, on both databases."""

import json
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.partners import add_partner

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.mechanics import appointments, mechanics
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.schema.partners import customers, idempotent_replies
from repaircore.adapters.sql.schema.rides import drivers, rides
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core
from repaircore.customers.model import Customer, ResolveCustomer
from repaircore.customers.views import CustomerView
from repaircore.json_text import plain
from repaircore.kernel.callers import LOCAL, Environment, PartnerCaller
from repaircore.kernel.events import Event
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.timeline import Step
from repaircore.testing.clock import FrozenClock
from repaircore.testing.ids import CountingIds

# The first name is also a word of the product.
ADA = ResolveCustomer(
    first_name="Test",
    last_name="Byrön",
    email="Ada@Example.com",
    phone="+13105550123",
    address='12 "Zzyzx" Road',
)
DRIVER = {
    "name": "Grace Hop",
    "phone": "614 555 0170",
    "services": "towing",
    "latitude": "34",
    "longitude": "-118",
    "time_zone": "America/Los_Angeles",
    "vehicle": "Grace Hop's van",
}
SECRETS = (
    "Byrön",
    "ada@example",
    "5550123",
    "Zzyzx",
    "clatters so",
    "to timbuktu",
    "gingerbread",
    "2hgfc2f59",
    "never pays",
)


@pytest.fixture
def towify(database: Database) -> PartnerCaller:
    return add_partner(database)


@pytest.fixture
def ada(core: Core, towify: PartnerCaller) -> Customer:
    return core.customers.resolve(ADA, towify).customer


def rows(core: Core, table: sa.Table) -> list[Any]:
    with core.storage.database.transaction(write=False) as connection:
        return list(connection.execute(sa.select(table).order_by(*table.primary_key)).mappings())


def all_text(core: Core) -> str:
    """Return all stored text, case-folded."""
    with core.storage.database.transaction(write=False) as connection:
        stored = [
            value.decode()
            if table is idempotent_replies and isinstance(value, bytes) and value[:1] == b"{"
            else str(value)
            for table in METADATA.sorted_tables
            for row in connection.execute(sa.select(table))
            for value in row
        ]
    return "\n".join(stored).casefold()


def store_appointment(core: Core, ada: Customer, towify: PartnerCaller, clock: FrozenClock) -> str:
    """Store an appointment: a row, an event, a step and a stored reply that mention the customer."""
    ref = reference(Kind.APPOINTMENT, CountingIds()())
    own = {"environment": "test", "created_at": 1, "updated_at": 1, "version": 1}
    mechanic: dict[str, Any] = {
        "ref": "mec_1",
        "name": "Main Street Garage",
        "name_key": "main street garage",
        "state": "CA",
        "time_zone": "UTC",
        "weekly": "[]",
    }
    mechanic |= {"slot_minutes": 30, "capacity": 1, "active": 1, **own}
    data = {
        "ref": ref,
        "environment": "test",
        "customer": {**plain(CustomerView.of(ada)), "name": "TEST BYRÖN"},
        "mechanic": {"name": "Main Street Garage"},
        "description": "The old car clatters so.",
    }
    with core.storage.database.transaction() as connection:
        number = connection.execute(
            sa.insert(mechanics).values(mechanic).returning(mechanics.c.id)
        ).scalar_one()
        connection.execute(
            sa.insert(appointments).values(
                ref=ref,
                partner_id=towify.partner_id,
                mechanic_id=number,
                customer_id=ada.id,
                starts_at=1,
                ends_at=2,
                local_date="2026-01-02",
                local_time="09:00",
                status="cancelled",
                pickup_step="not_started",
                description="It still clatters so.",
                cancel_reason="She moved to Timbuktu.",
                address="17 Gingerbread Lane",
                vehicle='{"vin":"2HGFC2F59JH000000","year":null,"make":null,"model":null}',
                response_reason="The lady never pays.",
                partner_reference="order 7",
                **own,
            )
        )
        connection.execute(
            sa.insert(idempotent_replies).values(
                partner_id=towify.partner_id,
                environment="test",
                key="k",
                fingerprint=b"f",
                status=201,
                body=json.dumps({"data": data}, ensure_ascii=False).encode(),
                stored_at=1,
            )
        )
    with core.storage.transaction() as unit:
        unit.outbox.add(
            Event(
                id="evt_1",
                type="appointment.booked",
                partner_id=towify.partner_id,
                environment=towify.environment,
                subject=ref,
                data=data,
                created_at=clock(),
            )
        )
        unit.timelines.add(
            ref,
            Step(
                at=clock(),
                action="cancel",
                before=None,
                after="cancelled",
                detail={"cancel_reason": "She moved to Timbuktu."},
            ),
        )
    return ref


def test_export_includes_a_customer(
    core: Core, ada: Customer, towify: PartnerCaller, clock: FrozenClock
) -> None:
    store_appointment(core, ada, towify, clock)
    export = core.persons.export("ada@example.COM")

    assert {name: len(stored) for name, stored in export.own.items()} == {"customers": 1, "appointments": 1}
    assert export.own["customers"][0]["phone"] == "+13105550123"
    assert {one["table"] for one in export.mentions} == {"events", "idempotent_replies"}


def test_erase_removes_a_customer_without_records(core: Core, ada: Customer) -> None:
    erasure = core.persons.erase("ada@example.com")

    assert erasure.traces == ()
    assert (erasure.removed, erasure.changed) == ({"customers": 1}, {"events": 1})
    assert rows(core, customers) == []
    (event,) = rows(core, events)
    payload = json.loads(event["payload"])["data"]

    assert payload["external_ref"] == ada.ref
    assert payload["environment"] == "test"
    personal = [payload[name] for name in ("first_name", "last_name", "email", "phone", "address")]

    assert personal == ["[erased]"] * 5


def test_erase_empties_a_customer_with_appointments(
    core: Core, ada: Customer, towify: PartnerCaller, clock: FrozenClock
) -> None:
    store_appointment(core, ada, towify, clock)

    assert all(secret.casefold() in all_text(core) for secret in SECRETS)
    erasure = core.persons.erase("ada@example.com")

    assert erasure.traces == ()
    assert erasure.removed == {"idempotent_replies": 1}
    assert erasure.changed == {"customers": 1, "appointments": 1, "events": 2, "timeline": 1}
    left = all_text(core)

    assert [secret for secret in SECRETS if secret.casefold() in left] == []
    assert "main street garage" in left
    assert "order 7" in left
    with core.storage.read() as unit:
        assert unit.customers.find(ada.ref, towify) is None
        stored = unit.customers.find_by_id(ada.id, towify)

    assert stored is not None
    assert (stored.ref, stored.first_name, stored.email, stored.phone) == (ada.ref, "[erased]", None, None)
    assert core.customers.resolve(ADA, towify).created


def test_erase_works_for_two_customers_of_a_partner(
    core: Core, ada: Customer, towify: PartnerCaller, clock: FrozenClock
) -> None:
    store_appointment(core, ada, towify, clock)
    for number in range(2):
        email, phone = f"bo{number}@example.com", f"+1310555013{number}"
        bo = ResolveCustomer(first_name="Bo", last_name="D", email=email, phone=phone)
        core.customers.resolve(bo, towify)
        assert core.persons.erase(email).traces == ()

    assert core.persons.erase("ada@example.com").traces == ()


@pytest.mark.usefixtures("ada")
def test_erase_keeps_customers_who_share_only_the_phone(core: Core, database: Database) -> None:
    other = add_partner(database, "Rescue Inc.")
    bo = ResolveCustomer(first_name="Bo", last_name="D", email="bo@example.com", phone=ADA.phone)
    shared = core.customers.resolve(bo, other).customer

    assert core.persons.erase("ada@example.com").traces == ()
    with core.storage.read() as unit:
        stored = unit.customers.find_by_id(shared.id, other)
        assert unit.customers.find(shared.ref, other) == stored

    assert stored is not None
    assert (stored.first_name, stored.email, stored.phone) == ("Bo", "bo@example.com", None)


def test_erase_keeps_the_figures_of_a_ride(
    core: Core, ada: Customer, towify: PartnerCaller, clock: FrozenClock
) -> None:
    driver = core.drivers.add(DRIVER, evolve(LOCAL, environment=Environment.TEST))
    ref = reference(Kind.RIDE, CountingIds()())
    words = {"notes": "clatters so", "cancel_note": "gone to Timbuktu", "comment": "clatters so"}
    row = {
        **words,
        **dict.fromkeys(["created_at", "updated_at", "expires_at", "version"], 1),
        **dict.fromkeys(
            ["pickup_latitude", "pickup_longitude", "dropoff_latitude", "dropoff_longitude"], 1.5
        ),
        "kind": "ride",
        "status": "completed",
        "service": "towing",
        "fare": "{}",
        "vehicle": "{}",
        "scenario": "usual",
        "pickup_address": "9 Zzyzx Road",
        "environment": "test",
        "ref": ref,
        "partner_id": towify.partner_id,
        "customer_id": ada.id,
        "provider_ref": driver.ref,
        "provider_name": driver.name,
    }
    data = {
        "ref": ref,
        "passenger_ref": ada.ref,
        "pickup": {"latitude": 1.5, "address": "an older address on Zzyzx Road"},
        "driver": {"ref": driver.ref, "name": driver.name},
        "cancel_reason": "passenger",
        **words,
    }
    with core.storage.transaction() as unit:
        unit.connection.execute(sa.insert(rides).values(row))
        unit.outbox.add(
            Event(
                id="evt_1",
                type="ride.completed",
                partner_id=towify.partner_id,
                environment=towify.environment,
                subject=ref,
                data=data,
                created_at=clock(),
            )
        )
    erasure = core.persons.erase("ada@example.com", phones=["614-555-0170"])

    assert (erasure.traces, erasure.removed) == ((), {})
    assert erasure.changed == {"customers": 1, "drivers": 1, "rides": 2, "events": 3, "audit": 1}
    left = all_text(core)

    assert [one for one in (*SECRETS, "Grace Hop") if one.casefold() in left] == []
    (ride,), (stored,) = rows(core, rides), rows(core, drivers)

    assert (ride["pickup_latitude"], ride["provider_name"]) == (1.5, "[erased]")
    assert (stored["ref"], stored["name"], stored["phone"], stored["active"]) == (
        driver.ref,
        "[erased]",
        None,
        0,
    )
    payload = json.loads(rows(core, events)[-1]["payload"])["data"]

    assert (payload["cancel_reason"], payload["pickup"]["latitude"]) == ("passenger", 1.5)


def test_erase_keeps_a_driver_with_rides(
    core: Core, ada: Customer, towify: PartnerCaller, clock: FrozenClock
) -> None:
    test_erase_keeps_the_figures_of_a_ride(core, ada, towify, clock)
    (stored,) = rows(core, drivers)

    assert not core.drivers.remove(stored["ref"], evolve(LOCAL, environment=Environment.TEST))
    assert len(rows(core, drivers)) == 1


def test_erase_removes_a_driver_by_phone(core: Core) -> None:
    driver = {
        "name": "Ada Byrön",
        "phone": "310-555-0123",
        "services": "towing",
        "latitude": "34",
        "longitude": "-118",
        "time_zone": "America/Los_Angeles",
        "vehicle": "her old truck",
    }
    core.drivers.add(driver)
    core.drivers.add({**driver, "phone": "310-555-0124", "name": "Bo", "vehicle": ""})
    erasure = core.persons.erase("ada@example.com", phones=["(310) 555-0123"])

    assert (erasure.removed, erasure.changed, erasure.traces) == ({"drivers": 1}, {"audit": 1}, ())
    assert "ada byrön" not in all_text(core)
    assert "her old truck" not in all_text(core)
    (bo,) = rows(core, drivers)

    assert bo["name"] == "Bo"
