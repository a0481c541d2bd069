"""Customers are found or created once, on both databases."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.partners import add_partner

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.partners import customers
from repaircore.adapters.sql.schema.webhooks import events, webhook_deliveries, webhook_subscriptions
from repaircore.core import Core
from repaircore.customers.model import ResolveCustomer, UpdateCustomer
from repaircore.customers.views import CustomerView
from repaircore.json_text import plain
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.references import Kind, is_reference, reference
from repaircore.testing.clock import FrozenClock

ADA = ResolveCustomer(
    first_name="Ada", last_name="Byron", email="Ada@Example.com", phone="(310) 555-0123", address="1 Main St"
)
OTHER: dict[str, Any] = {"email": "bo@example.com", "phone": "+49 30 901820"}


@pytest.fixture
def towify(database: Database) -> PartnerCaller:
    return add_partner(database)


def count(core: Core, table: sa.Table) -> int:
    with core.storage.database.transaction(write=False) as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def test_resolve_creates_an_unknown_customer(core: Core, towify: PartnerCaller, clock: FrozenClock) -> None:
    resolved = core.customers.resolve(evolve(ADA, first_name=" Ada "), towify)
    ada = resolved.customer

    assert resolved.created
    assert is_reference(Kind.CUSTOMER, ada.ref)
    assert plain(CustomerView.of(ada)) == {
        "id": ada.id,
        "ref": ada.ref,
        "external_ref": ada.ref,
        "environment": "test",
        "first_name": "Ada",
        "last_name": "Byron",
        "email": "Ada@Example.com",
        "phone": "+13105550123",
        "address": "1 Main St",
        "metadata": {},
        "created_at": f"{clock():%Y-%m-%dT%H:%M:%SZ}",
        "updated_at": f"{clock():%Y-%m-%dT%H:%M:%SZ}",
    }
    with core.storage.read() as unit:
        assert unit.customers.find(ada.ref, towify) == ada
        assert unit.customers.find_by_id(ada.id, towify) == ada


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"email": " aDA@example.COM "},
        {"phone": "+1 310 555 0123"},
        {"phone": "+49 30 901820"},
        {"email": "bo@example.com"},
        {"first_name": "Bo", "last_name": "Diddley", "address": None},
    ],
)
def test_resolve_finds_a_customer_by_email_or_phone_unchanged(
    core: Core, towify: PartnerCaller, changes: dict[str, Any]
) -> None:
    ada = core.customers.resolve(ADA, towify).customer
    again = core.customers.resolve(evolve(ADA, **changes), towify)

    assert (again.created, again.customer) == (False, ada)
    assert count(core, customers) == 1
    assert count(core, events) == 1


def test_resolve_refuses_an_email_and_a_phone_of_two_customers(core: Core, towify: PartnerCaller) -> None:
    ada = core.customers.resolve(ADA, towify).customer
    bo = core.customers.resolve(evolve(ADA, **OTHER), towify).customer

    assert bo.id != ada.id
    with pytest.raises(Conflict) as refused:
        core.customers.resolve(evolve(ADA, phone=OTHER["phone"]), towify)

    assert refused.value.details == {"email": ada.ref, "phone": bo.ref}
    assert count(core, customers) == 2


@pytest.mark.parametrize(
    ("changes", "taken"),
    [
        ({"email": "BO@example.com"}, ["email"]),
        ({"phone": "+49 30 901820"}, ["phone"]),
        ({"email": "bo@example.com", "phone": "+49 30 901820"}, ["email", "phone"]),
        ({"email": "bo@example.com", "phone": "(310) 555-0199"}, ["email"]),
    ],
)
def test_update_refuses_the_email_or_phone_of_another_customer(
    core: Core, towify: PartnerCaller, changes: dict[str, Any], taken: list[str]
) -> None:
    ada = core.customers.resolve(ADA, towify).customer
    bo = core.customers.resolve(evolve(ADA, **OTHER), towify).customer
    with pytest.raises(Conflict) as refused:
        core.customers.update(ada.ref, UpdateCustomer(**changes), towify)

    assert refused.value.details == dict.fromkeys(taken, bo.ref)
    assert core.customers.get(ada.ref, towify) == ada
    assert count(core, events) == 2


def test_update_changes_the_given_fields_and_creates_one_event(
    core: Core, towify: PartnerCaller, clock: FrozenClock
) -> None:
    ada = core.customers.resolve(ADA, towify).customer
    clock.advance(timedelta(minutes=1))
    same = core.customers.update(
        ada.ref, UpdateCustomer(first_name=" Ada ", phone="310 555 0123", address=" 1 Main St"), towify
    )
    changed = core.customers.update(
        ada.ref, UpdateCustomer(last_name=" King ", email=" ada@king.example ", address=""), towify
    )

    assert same == ada
    assert (changed.first_name, changed.last_name, changed.email) == ("Ada", "King", "ada@king.example")
    assert (changed.phone, changed.address, changed.metadata) == (ada.phone, None, ada.metadata)
    assert (changed.created_at, changed.updated_at) == (ada.created_at, clock.now)
    assert count(core, events) == 2


@pytest.mark.parametrize(
    ("changes", "not_taken"),
    [
        ({}, ()),
        ({"email": " aDA@example.COM "}, ()),
        ({"first_name": "Bo", "address": None}, ("first_name",)),
        ({"phone": "+49 30 901820"}, ("phone",)),
        ({"email": "bo@example.com", "last_name": "King"}, ("last_name", "email")),
    ],
)
def test_resolve_names_what_a_known_customer_does_not_get(
    core: Core, towify: PartnerCaller, changes: dict[str, Any], not_taken: tuple[str, ...]
) -> None:
    core.customers.resolve(ADA, towify)

    assert core.customers.resolve(evolve(ADA, **changes), towify).not_taken == not_taken


def test_customers_are_separate_for_each_partner_and_environment(
    core: Core, database: Database, towify: PartnerCaller
) -> None:
    ada = core.customers.resolve(ADA, towify).customer
    others = [evolve(towify, environment=Environment.LIVE), add_partner(database, "Rescue Inc.")]
    for other in others:
        with core.storage.read() as unit:
            assert unit.customers.find(ada.ref, other) is None
            assert unit.customers.find_by_id(ada.id, other) is None
        assert core.customers.resolve(ADA, other).created

    assert count(core, customers) == 3


@pytest.mark.parametrize("ref", ["", "cus_", "apt_1", "cus_0", "cus_" + "u" * 26])
def test_find_returns_none_for_a_malformed_reference(
    database: Database, towify: PartnerCaller, ref: str
) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.customers.find(ref, towify) is None
        assert unit.customers.find(reference(Kind.CUSTOMER, UUID(int=7)), towify) is None


def test_resolve_reports_every_bad_field(core: Core, towify: PartnerCaller) -> None:
    with pytest.raises(Invalid) as refused:
        core.customers.resolve(
            ResolveCustomer(
                first_name=" ", last_name="x" * 256, email="nobody", phone="12345", address="x" * 501
            ),
            towify,
        )

    assert set(refused.value.fields) == {"first_name", "last_name", "email", "phone", "address"}
    assert count(core, customers) == 0


def test_resolve_sends_the_new_customer_to_subscribers(core: Core, towify: PartnerCaller) -> None:
    columns = {
        "url": "https://example.com",
        "active": 1,
        "sealed": "x",
        "created_at": 1,
        "updated_at": 1,
        "version": 1,
    }
    subscriptions = [
        {
            "ref": f"whs_{number}",
            "partner_id": towify.partner_id,
            "environment": environment,
            "events": listed,
        }
        for number, (environment, listed) in enumerate(
            [("test", '["customer.created"]'), ("live", '["*"]'), ("test", '["webhook.test"]')]
        )
    ]
    with core.storage.database.transaction() as connection:
        connection.execute(sa.insert(webhook_subscriptions), [{**columns, **one} for one in subscriptions])
    ada = core.customers.resolve(ADA, towify).customer
    with core.storage.database.transaction(write=False) as connection:
        event = connection.execute(sa.select(events)).one()
        payload = json.loads(event.payload)

    assert (event.subject, event.type, event.sequence) == (ada.ref, "customer.created", 1)
    assert payload["data"] == plain(CustomerView.of(ada))
    assert count(core, webhook_deliveries) == 1


def test_resolve_creates_a_customer_once_among_concurrent_calls(core: Core, towify: PartnerCaller) -> None:
    at_once = Barrier(6)

    def resolve(number: int) -> tuple[bool, int]:
        at_once.wait(30)
        # All have the e-mail, and some of them another phone.
        person = evolve(ADA, phone=f"+1310555{number // 2:04}")
        resolved = core.customers.resolve(person, towify)
        return resolved.created, resolved.customer.id

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(resolve, range(6)))

    assert [created for created, _ in results].count(True) == 1
    assert len({customer for _, customer in results}) == 1
    assert (count(core, customers), count(core, events)) == (1, 1)


def test_add_stores_times_to_the_microsecond(database: Database, towify: PartnerCaller) -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    person = evolve(ADA, phone="+13105550123")
    with work.open_work(database, write=True) as unit:
        added = unit.customers.add(person, towify, ref=reference(Kind.CUSTOMER, UUID(int=1)), at=at)
        assert added is not None
        assert (added.created_at, added.updated_at) == (at, at)
        again = unit.customers.add(person, towify, ref=reference(Kind.CUSTOMER, UUID(int=2)), at=at)
        assert again is None
        assert unit.customers.list_matches(person, towify) == [added]
