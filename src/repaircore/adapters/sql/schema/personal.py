"""The rows that belong to a person, and how their personal data is erased (docs/decisions/erasure.md)."""

from collections.abc import Callable
from typing import Final

import sqlalchemy as sa
from attrs import frozen

from repaircore.adapters.sql.schema.accounts import (
    api_keys,
    old_secrets,
    password_resets,
    reset_requests,
    sessions,
    users,
)
from repaircore.adapters.sql.schema.diagnosis import (
    chat_messages,
    chat_sessions,
    diagnosis_cases,
    submissions,
)
from repaircore.adapters.sql.schema.fleet import (
    car_connections,
    car_flows,
    connected_cars,
    fleet_recall_marks,
    fleet_signals,
    fleet_vehicles,
    lifecycle_predictions,
    service_schedules,
)
from repaircore.adapters.sql.schema.garage import (
    garage_outlooks,
    garage_reminders,
    garage_services,
    garage_settings,
    garage_vehicles,
    vehicle_bills,
)
from repaircore.adapters.sql.schema.invoice_drafts import invoice_drafts
from repaircore.adapters.sql.schema.mechanics import appointments
from repaircore.adapters.sql.schema.operations import audit, messages
from repaircore.adapters.sql.schema.partners import customers, partner_members
from repaircore.adapters.sql.schema.predictions import feedback, predictions
from repaircore.adapters.sql.schema.proofs import job_proofs, tracking_links
from repaircore.adapters.sql.schema.quotes import estimate_links, shared_quotes
from repaircore.adapters.sql.schema.rides import businesses, drivers, rides
from repaircore.adapters.sql.schema.shops import shops, visit_links
from repaircore.adapters.sql.schema.tasks import task_files, tasks
from repaircore.adapters.sql.schema.vehicles import plates
from repaircore.adapters.sql.schema.visits import visits
from repaircore.adapters.sql.schema.webhooks import events, webhook_subscriptions
from repaircore.persons.model import Person
from repaircore.transactions.car_numbers import car_of

_NORTH_AMERICAN: Final = 10


@frozen
class Holding:
    """A table with rows about people: which rows belong to a person, and whether an erasure deletes them."""

    table: sa.Table
    whose: Callable[[Person], sa.ColumnElement[bool]]
    removed: bool


def _user(column: sa.Column[int]) -> Callable[[Person], sa.ColumnElement[bool]]:
    return lambda person: column == person.user_id if person.user_id is not None else sa.false()


def _chats(person: Person) -> sa.ColumnElement[bool]:
    return sa.or_(chat_sessions.c.email == person.email, _user(chat_sessions.c.owner_id)(person))


def _cases(person: Person) -> sa.ColumnElement[bool]:
    sessions_of = sa.select(chat_sessions.c.session_id).where(_chats(person))
    cars = [number for vin in person.vins if (number := car_of(vin)) is not None]
    return sa.or_(
        _user(diagnosis_cases.c.owner_id)(person),
        diagnosis_cases.c.reference.in_(sessions_of),
        diagnosis_cases.c.car.in_(cars),
    )


def _cars(person: Person) -> "sa.Select[tuple[str]]":
    return sa.select(fleet_vehicles.c.id).where(_user(fleet_vehicles.c.owner_id)(person))


def _garaged(table: sa.Table) -> Callable[[Person], sa.ColumnElement[bool]]:
    return lambda person: table.c.fleet_vehicle_id.in_(_cars(person))


def _agreements(person: Person) -> sa.ColumnElement[bool]:
    return sa.or_(car_connections.c.email == person.email, _user(car_connections.c.owner_id)(person))


def _customers(person: Person) -> sa.ColumnElement[bool]:
    return customers.c.email_key == person.email


def _of_rides(table: sa.Table) -> Callable[[Person], sa.ColumnElement[bool]]:
    """Return a function that returns the condition for a table's rows about a person's rides as a customer."""

    def whose(person: Person) -> sa.ColumnElement[bool]:
        own = sa.select(customers.c.id).where(_customers(person))
        return table.c.ride_ref.in_(sa.select(rides.c.ref).where(rides.c.customer_id.in_(own)))

    return whose


def visits_of(person: Person) -> sa.ColumnElement[bool]:
    """Return the condition for visits that a person created or is the customer of."""
    return sa.or_(visits.c.customer_key == person.email, _user(visits.c.owner_id)(person))


def events_of(person: Person) -> sa.ColumnElement[bool]:
    """Return the condition for events of a person's account or of their visits (``visits_of``)."""
    numbers = sa.select(visits.c.number).where(visits_of(person))
    return sa.or_(_user(events.c.user_id)(person), events.c.subject.in_(numbers))


def drivers_of(person: Person) -> sa.ColumnElement[bool]:
    """Return the condition for drivers with one of a person's phone numbers; ten digits are taken as North American."""
    return drivers.c.identity.in_(_numbers(person))


def _numbers(person: Person) -> set[str]:
    return {f"+1{phone}" if len(phone) == _NORTH_AMERICAN else f"+{phone}" for phone in person.phones}


def _messages(person: Person) -> sa.ColumnElement[bool]:
    return messages.c.recipient_key.in_({person.email, *_numbers(person)})


def _drafts(person: Person) -> sa.ColumnElement[bool]:
    return sa.or_(_user(invoice_drafts.c.owner_id)(person), invoice_drafts.c.vin.in_(person.vins))


HOLDINGS: Final = (
    Holding(users, _user(users.c.id), removed=True),
    Holding(sessions, _user(sessions.c.user_id), removed=True),
    Holding(api_keys, _user(api_keys.c.user_id), removed=True),
    Holding(partner_members, _user(partner_members.c.user_id), removed=True),
    Holding(shops, _user(shops.c.owner_id), removed=True),
    Holding(
        old_secrets,
        lambda person: old_secrets.c.key_id.in_(
            sa.select(api_keys.c.id).where(_user(api_keys.c.user_id)(person))
        ),
        removed=True,
    ),
    Holding(password_resets, _user(password_resets.c.user_id), removed=True),
    Holding(reset_requests, lambda person: reset_requests.c.email == person.email, removed=True),
    Holding(
        predictions,
        lambda person: sa.or_(predictions.c.email == person.email, _user(predictions.c.owner_id)(person)),
        removed=False,
    ),
    Holding(feedback, _user(feedback.c.user_id), removed=False),
    Holding(shared_quotes, _user(shared_quotes.c.owner_id), removed=True),
    Holding(estimate_links, _user(estimate_links.c.owner_id), removed=True),
    Holding(invoice_drafts, _drafts, removed=True),
    Holding(plates, lambda person: plates.c.vin.in_(person.vins), removed=True),
    Holding(chat_sessions, _chats, removed=True),
    Holding(
        chat_messages,
        lambda person: chat_messages.c.chat_id.in_(sa.select(chat_sessions.c.id).where(_chats(person))),
        removed=True,
    ),
    Holding(job_proofs, _of_rides(job_proofs), removed=True),
    Holding(tracking_links, _of_rides(tracking_links), removed=True),
    # Deleted or emptied: see ``erasure``.
    Holding(customers, _customers, removed=False),
    Holding(
        appointments,
        lambda person: appointments.c.customer_id.in_(sa.select(customers.c.id).where(_customers(person))),
        removed=False,
    ),
    Holding(drivers, drivers_of, removed=False),
    Holding(messages, _messages, removed=True),
    Holding(submissions, _user(submissions.c.user_id), removed=True),
    Holding(diagnosis_cases, _cases, removed=True),
    Holding(
        fleet_signals,
        lambda person: fleet_signals.c.fleet_vehicle_id.in_(_cars(person)),
        removed=True,
    ),
    Holding(
        fleet_recall_marks,
        lambda person: fleet_recall_marks.c.fleet_vehicle_id.in_(_cars(person)),
        removed=True,
    ),
    Holding(
        service_schedules,
        lambda person: service_schedules.c.fleet_vehicle_id.in_(_cars(person)),
        removed=True,
    ),
    *(
        Holding(table, _garaged(table), removed=True)
        for table in (vehicle_bills, garage_reminders, garage_services, garage_outlooks, garage_vehicles)
    ),
    Holding(garage_settings, _user(garage_settings.c.owner_id), removed=True),
    Holding(fleet_vehicles, _user(fleet_vehicles.c.owner_id), removed=True),
    Holding(lifecycle_predictions, _user(lifecycle_predictions.c.owner_id), removed=True),
    Holding(
        connected_cars,
        lambda person: connected_cars.c.connection_id.in_(
            sa.select(car_connections.c.id).where(_agreements(person))
        ),
        removed=True,
    ),
    Holding(car_connections, _agreements, removed=True),
    Holding(
        car_flows,
        lambda person: sa.or_(car_flows.c.email == person.email, _user(car_flows.c.owner_id)(person)),
        removed=True,
    ),
    Holding(
        visit_links,
        lambda person: visit_links.c.visit_id.in_(sa.select(visits.c.id).where(visits_of(person))),
        removed=True,
    ),
    # Deleted before the visits, with their deliveries: see ``SqlPersonalData``.
    Holding(events, events_of, removed=False),
    Holding(webhook_subscriptions, _user(webhook_subscriptions.c.user_id), removed=True),
    Holding(visits, visits_of, removed=True),
    Holding(tasks, _user(tasks.c.user_id), removed=True),
    Holding(task_files, _user(task_files.c.user_id), removed=True),
    Holding(audit, _user(audit.c.user_id), removed=False),
)
"""In the order of an export. A 17-character ``vin`` in any of these rows identifies one of the person's vehicles."""

RECOMPUTED: Final = frozenset({
    "remembered",
    "descriptions",
    "computations",
    "idempotent_replies",
    "task_chunks",
})  # fmt: skip
"""Tables whose rows are deleted if they mention a person: cached answers are recomputed, a stored reply is repeated
byte for byte or not at all, and a file is useless without one of its pieces."""

BLANKED: Final = frozenset({
    customers.c.email,
    customers.c.email_key,
    customers.c.phone,
    drivers.c.identity,
    drivers.c.phone,
    businesses.c.identity,
    businesses.c.phone,
})  # fmt: skip
"""Unique columns, which are cleared instead of redacted: only one row could hold the placeholder."""

CENTS: Final = frozenset({
    "local_low",
    "local_average",
    "local_high",
    "model_a_average",
    "model_b_average",
    "ai_average",
})  # fmt: skip
"""The columns with amounts in cents, which an export converts to dollars."""
