"""What each column may tell of a person, and whose a row is.

Every text and every byte that is kept stands here: a test compares this page with the tables, so that a new column
cannot be forgotten when a person is exported or erased (docs/decisions/erasure.md).
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

import sqlalchemy as sa
from attrs import frozen

from repaircore.adapters.sql.schema.tables import (
    api_keys,
    appointments,
    audit,
    businesses,
    car_connections,
    car_flows,
    chat_messages,
    chat_sessions,
    connected_cars,
    customers,
    diagnosis_cases,
    drivers,
    feedback,
    fleet_recall_marks,
    fleet_signals,
    fleet_vehicles,
    lifecycle_predictions,
    mails,
    plates,
    predictions,
    service_schedules,
    sessions,
    submissions,
    users,
)
from repaircore.persons.model import Person
from repaircore.transactions.car_numbers import car_of

_NORTH_AMERICAN: Final = 10


class About(StrEnum):
    """What a column tells."""

    PERSON = "person"
    """Who somebody is, or what they said: in the export of their rows, and gone after the erasure."""
    SECRET = "secret"  # noqa: S105 - the name of a kind
    """A hash of what proves somebody: never exported, gone with its row."""
    PROSE = "prose"
    """Free text, in which somebody may be mentioned: searched, and what is found is struck out."""
    THINGS = "things"
    """Vehicles, repairs, places, words of a list. It is searched all the same."""


@frozen
class Holding:
    """A table with rows of persons: which are theirs, and whether these are removed with them."""

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


def _agreements(person: Person) -> sa.ColumnElement[bool]:
    return sa.or_(car_connections.c.email == person.email, _user(car_connections.c.owner_id)(person))


def _customers(person: Person) -> sa.ColumnElement[bool]:
    return customers.c.email_key == person.email


def drivers_of(person: Person) -> sa.ColumnElement[bool]:
    """Say which drivers a person is: those with a phone of theirs. Ten digits are a North American number."""
    dialed = {f"+1{one}" if len(one) == _NORTH_AMERICAN else f"+{one}" for one in person.phones}
    return drivers.c.identity.in_(dialed)


HOLDINGS: Final = (
    Holding(users, _user(users.c.id), removed=True),
    Holding(sessions, _user(sessions.c.user_id), removed=True),
    Holding(api_keys, _user(api_keys.c.user_id), removed=True),
    Holding(
        predictions,
        lambda person: sa.or_(predictions.c.email == person.email, _user(predictions.c.owner_id)(person)),
        removed=False,
    ),
    Holding(feedback, _user(feedback.c.user_id), removed=False),
    Holding(plates, lambda person: plates.c.vin.in_(person.vins), removed=True),
    Holding(chat_sessions, _chats, removed=True),
    Holding(
        chat_messages,
        lambda person: chat_messages.c.chat_id.in_(sa.select(chat_sessions.c.id).where(_chats(person))),
        removed=True,
    ),
    # Removed or emptied: see ``forgetting``.
    Holding(customers, _customers, removed=False),
    Holding(
        appointments,
        lambda person: appointments.c.customer_id.in_(sa.select(customers.c.id).where(_customers(person))),
        removed=False,
    ),
    Holding(drivers, drivers_of, removed=False),
    Holding(mails, lambda person: mails.c.recipient_key == person.email, removed=True),
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
    Holding(audit, _user(audit.c.user_id), removed=False),
)
"""As an export tells them. A ``vin`` of 17 characters in one of their rows is a vehicle of theirs, wherever it is."""

RECOMPUTED: Final = frozenset({"remembered", "descriptions", "computations", "kept_replies"})
"""Tables whose rows may be missing: one that mentions a person is removed as a whole. What was remembered is computed
anew; a reply that is given a second time is given byte for byte or not at all."""

BLANKED: Final = frozenset({
    customers.c.email,
    customers.c.email_key,
    customers.c.phone,
    drivers.c.identity,
    drivers.c.phone,
    businesses.c.identity,
    businesses.c.phone,
})  # fmt: skip
"""Columns that nothing is left in where a mark is struck: a stand-in for it could stand in one row alone."""

CENTS: Final = frozenset({
    "local_low",
    "local_average",
    "local_high",
    "model_a_average",
    "model_b_average",
    "ai_average",
})  # fmt: skip
"""Columns of holdings that are money."""

_PERSON, _SECRET, _PROSE, _THINGS = About.PERSON, About.SECRET, About.PROSE, About.THINGS

COLUMNS: Final[Mapping[str, Mapping[str, About]]] = {
    "users": {"name": _PERSON, "email": _PERSON, "password_hash": _SECRET, "role": _THINGS},
    "sessions": {"token_hash": _SECRET},
    "api_keys": {
        "name": _PERSON,
        "environment": _THINGS,
        "public_key": _PERSON,
        "public_hash": _SECRET,
        "secret_hash": _SECRET,
        "secret_last4": _PERSON,
    },
    "problems": {"slug": _THINGS, "name": _PROSE, "description": _PROSE, "book": _THINGS},
    "descriptions": {
        "environment": _THINGS,
        "edition": _THINGS,
        "text": _PROSE,
        "generated_by": _THINGS,
    },
    "vehicles": {
        "id": _THINGS,
        "vin": _PROSE,  # the mask of many vehicles, or whole when an operator wrote it so
        "vin11": _THINGS,
        "make": _PROSE,
        "model": _PROSE,
        "trim": _PROSE,
        "engine": _PROSE,
        "powertrain": _THINGS,
        "drive": _THINGS,
        "body": _THINGS,
        "source": _THINGS,
        "make_key": _PROSE,
        "model_key": _PROSE,
        "motor_vehicle_type": _PROSE,
        "motor_vehicle_type_group": _PROSE,
        "plate_no": _PROSE,
        "plate_state": _THINGS,
        "facts": _THINGS,
    },
    "plates": {
        "environment": _THINGS,
        "state": _THINGS,
        "number": _PERSON,
        "vin": _PERSON,
        "vehicle_id": _THINGS,
        "source": _THINGS,
    },
    "catalog_entries": dict.fromkeys(
        (
            "make_key",
            "published_key",
            "fuel",
            "drive",
            "make",
            "model",
            "model_key",
            "published",
            "trim",
            "body",
        ),
        _THINGS,
    ),
    "facilities": {
        "name": _PROSE,
        "city": _PROSE,
        "state": _PROSE,
        "zip_code": _THINGS,
        "country": _PROSE,
        "name_key": _PROSE,
        "city_key": _PROSE,
    },
    "recall_campaigns": {
        "campaign": _THINGS,
        "summary": _THINGS,
        "consequence": _THINGS,
        "remedy": _THINGS,
        "reported_on": _THINGS,
        "source": _THINGS,
    },
    "recalled_vehicles": {
        "make_key": _THINGS,
        "model_key": _THINGS,
        "campaign": _THINGS,
        "make": _THINGS,
        "model": _THINGS,
        "component": _THINGS,
    },
    "chat_sessions": {
        "session_id": _PERSON,
        "environment": _THINGS,
        "email": _PERSON,
        "status": _THINGS,
        "vin": _PERSON,
        "vehicle_id": _THINGS,
        "evidence": _PERSON,
        "question": _PERSON,
        "diagnosis": _PERSON,
    },
    "chat_messages": {"role": _THINGS, "kind": _THINGS, "text": _PERSON, "detail": _PERSON},
    "questionnaire_categories": {
        "slug": _THINGS,
        "name": _PROSE,
        "description": _PROSE,
        "icon": _THINGS,
    },
    "questions": {"text": _PROSE, "answer_type": _THINGS, "options": _PROSE},
    "diagnosis_cases": {
        "reference": _PERSON,
        "environment": _THINGS,
        "source": _THINGS,
        "text": _PERSON,
        "suggested": _THINGS,
        "repair": _THINGS,
        "confirmed_by": _THINGS,
    },
    "submissions": {
        "reference": _PERSON,
        "environment": _THINGS,
        "category_slug": _THINGS,
        "category_name": _THINGS,
        "vehicle_id": _PERSON,
        "vehicle_info": _PERSON,
        "answers": _PERSON,
        "additional_notes": _PERSON,
        "outcome": _PERSON,
    },
    "fleet_vehicles": {"id": _PERSON, "environment": _THINGS, "vin": _PERSON, "vehicle_id": _THINGS},
    "fleet_signals": {
        "fleet_vehicle_id": _PERSON,
        "kind": _THINGS,
        "value": _PERSON,
        "source": _THINGS,
    },
    "service_schedules": {
        "id": _PERSON,
        "fleet_vehicle_id": _PERSON,
        "title": _PERSON,  # in the owner's words
        "notes": _PERSON,
        "due_on": _PERSON,
        "stage": _THINGS,
        "completed_on": _PERSON,
    },
    "fleet_recall_marks": {"fleet_vehicle_id": _PERSON, "campaign": _PERSON},
    "lifecycle_predictions": {
        "environment": _THINGS,
        "vin": _PERSON,
        "performed_on": _PERSON,
        "answer": _PERSON,
    },
    "car_flows": {"id": _PERSON, "environment": _THINGS, "email": _PERSON},
    "car_connections": {
        "id": _PERSON,
        "environment": _THINGS,
        "email": _PERSON,
        "standing": _THINGS,
        "sealed": _SECRET,
    },
    "connected_cars": {"environment": _THINGS, "vin": _PERSON, "connection_id": _PERSON},
    "transactions": {
        "environment": _THINGS,
        "vehicle_id": _THINGS,
        "performed_on": _THINGS,
        "parts": _PROSE,
        "notes": _PROSE,
        "evidence": _PROSE,  # names of parts
        "make_key": _PROSE,
    },
    "transaction_sums": {
        "environment": _THINGS,
        "dimension": _THINGS,
        "value": _THINGS,
        "month": _THINGS,
    },
    "imports": {"kind": _THINGS, "environment": _THINGS, "digest": _THINGS, "file": _PROSE},
    "cells": {
        "environment": _THINGS,
        "kind": _THINGS,
        "level": _THINGS,
        "key": _PROSE,  # names of parts
    },
    "tallies": {"environment": _THINGS, "counts": _THINGS},
    "variances": {"environment": _THINGS},
    "calibrations": {"environment": _THINGS},
    "priors": {"environment": _THINGS},
    "prior_cells": {
        "environment": _THINGS,
        "kind": _THINGS,
        "level": _THINGS,
        "key": _THINGS,
    },  # of other people's cars
    "book_changes": {"slug": _THINGS, "change": _PROSE},
    "remembered": {
        "id": _THINGS,
        "environment": _THINGS,
        "vehicle_key": _THINGS,
        "zip_code": _THINGS,
        "parts_tier": _THINGS,
        "figures": _PROSE,
    },
    "predictions": {
        "session_id": _PERSON,
        "environment": _THINGS,
        "remembered_id": _THINGS,
        "vin": _PERSON,
        "vehicle_id": _THINGS,
        "zip_code": _PERSON,
        "red_flag_reason": _THINGS,
        "model_a_source": _THINGS,
        "model_b_source": _THINGS,
        "email": _PERSON,
    },
    "feedback": {"rating": _PERSON, "comment": _PERSON},
    "opinions": {"environment": _THINGS},
    "track_records": {
        "environment": _THINGS,
        "model_a_source": _THINGS,
        "model_b_source": _THINGS,
    },
    # A payment names a ride, not a person; what a gateway calls a card says nothing to anybody but that gateway.
    "payments": {
        "id": _THINGS,
        "environment": _THINGS,
        "subject": _THINGS,
        "offer_ref": _THINGS,
        "currency": _THINGS,
        "state": _THINGS,
        "gateway": _THINGS,
        "gateway_ref": _THINGS,
        "claim": _PROSE,  # in the partner's words
        "payment_method": _PROSE,
        "sandbox": _THINGS,
        "reason": _PROSE,  # of a refund in the operator's words
    },
    "payment_entries": {"payment_id": _THINGS, "kind": _THINGS, "account": _THINGS},
    "sandbox_charges": {
        "ref": _THINGS,
        "key": _THINGS,
        "state": _THINGS,
        "sandbox": _THINGS,
        "done": _THINGS,
    },
    "audit": {
        "environment": _THINGS,
        "action": _THINGS,
        "subject": _PROSE,
        "before": _PROSE,
        "after": _PROSE,
    },
    "computations": {"question": _THINGS, "owner": _THINGS},
    "partners": {"name": _THINGS},
    "partner_keys": {
        "environment": _THINGS,
        "public_key": _THINGS,
        "public_hash": _THINGS,
        "secret_hash": _THINGS,
        "secret_last4": _THINGS,
    },
    "kept_replies": {
        "environment": _THINGS,
        "key": _PROSE,
        "fingerprint": _THINGS,
        "body": _PROSE,
    },
    "customers": {
        "ref": _THINGS,
        "environment": _THINGS,
        "first_name": _PERSON,
        "last_name": _PERSON,
        "email": _PERSON,
        "email_key": _PERSON,
        "phone": _PERSON,
        "address": _PERSON,
    },
    "drivers": {
        "ref": _THINGS,
        "environment": _THINGS,
        "identity": _PERSON,
        "name": _PERSON,
        "phone": _PERSON,
        "services": _THINGS,
        "vehicle": _PERSON,
        "time_zone": _THINGS,
        "weekly": _PERSON,
    },
    "businesses": {
        "ref": _THINGS,
        "environment": _THINGS,
        "identity": _THINGS,
        "name": _PROSE,
        "phone": _PROSE,
        "ride_types": _THINGS,
        "address": _PROSE,
        "time_zone": _THINGS,
        "weekly": _THINGS,
    },
    "mechanics": {
        "ref": _THINGS,
        "environment": _THINGS,
        "name": _THINGS,
        "name_key": _THINGS,
        "email": _THINGS,
        "phone": _THINGS,
        "address": _THINGS,
        "city": _THINGS,
        "state": _THINGS,
        "zip_code": _THINGS,
        "time_zone": _THINGS,
        "weekly": _THINGS,
    },
    "mechanic_services": {"service": _THINGS},
    "mechanic_exceptions": {"day": _THINGS, "intervals": _THINGS},
    "appointments": {
        "ref": _THINGS,
        "environment": _THINGS,
        "local_date": _THINGS,
        "local_time": _THINGS,
        "status": _THINGS,
        "pickup_step": _THINGS,
        "description": _PROSE,
        "partner_reference": _PROSE,
        "session_id": _THINGS,
        "cancel_reason": _PROSE,
        "bill": _THINGS,
        "notified_step": _THINGS,
    },
    "mails": {
        "recipient": _PERSON,
        "recipient_key": _PERSON,
        "subject": _PERSON,
        "body": _PERSON,
        "about": _THINGS,
        "state": _THINGS,
        "last_error": _PROSE,
    },
    "timeline": {
        "subject": _THINGS,
        "action": _THINGS,
        "before": _THINGS,
        "after": _THINGS,
        "actor": _THINGS,
        "detail": _PROSE,
    },
    "events": {
        "id": _THINGS,
        "environment": _THINGS,
        "type": _THINGS,
        "subject": _THINGS,
        "payload": _PROSE,
    },
    "webhook_subscriptions": {
        "ref": _THINGS,
        "environment": _THINGS,
        "url": _THINGS,
        "events": _THINGS,
        "description": _PROSE,
        "sealed": _THINGS,
        "previous_sealed": _THINGS,
        "disabled_reason": _THINGS,
    },
    "webhook_deliveries": {
        "event_id": _THINGS,
        "state": _THINGS,
        "holder": _THINGS,
        "last_error": _PROSE,
    },
    "webhook_attempts": {"error": _PROSE},
    "job_turns": {"name": _THINGS, "holder": _THINGS, "failure": _THINGS},
    "rate_windows": {"name": _THINGS, "log": _THINGS},
    "rides": {
        "ref": _THINGS,
        "kind": _THINGS,
        "environment": _THINGS,
        "status": _THINGS,
        "service": _THINGS,
        "pickup_address": _PROSE,
        "dropoff_address": _PROSE,
        "fare": _THINGS,
        "vehicle": _PROSE,
        "notes": _PROSE,
        "reason": _PROSE,
        "partner_reference": _PROSE,
        "session_id": _THINGS,
        "payment_method": _THINGS,
        "scenario": _THINGS,
        "provider_ref": _THINGS,
        "provider_name": _PROSE,
        "outcome": _THINGS,
        "cancel_reason": _THINGS,
        "cancel_note": _PROSE,
        "linked_ref": _THINGS,
        "bill": _THINGS,
        "comment": _PROSE,
    },
    "ride_offers": {
        "ride_ref": _THINGS,
        "provider_ref": _THINGS,
        "provider_name": _PROSE,
        "status": _THINGS,
    },
    "settings": {"name": _THINGS, "value": _PROSE},
}
