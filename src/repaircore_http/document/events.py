"""The events that subscriptions receive, as webhooks in the document: the envelope, and the record of each event."""

from collections.abc import Mapping
from typing import Any, Final

from repaircore.appointments.views import AppointmentView
from repaircore.customers.views import CustomerView
from repaircore.garage.views import ListedServiceView
from repaircore.proofs.views import ProofView
from repaircore.rides.views import DriverOfferView, MobileRideListedView, TowOfferView, TowRideListedView
from repaircore.visits.views import VisitView
from repaircore.webhooks.event_types import ACCOUNT_EVENT_TYPES, EVENT_TYPES, TEST
from repaircore.webhooks.views import SubscriptionView
from repaircore_http.document.schemas import Schema, Schemas

_RECORDS: Final[Mapping[str, Any]] = {
    "ride": MobileRideListedView,
    "tow": TowRideListedView,
    "appointment": AppointmentView,
    "customer": CustomerView,
    "visit": VisitView,
    "vehicle": ListedServiceView,
    "webhook": SubscriptionView,
}
"""The record in ``data``, by the first word of the event type."""

_OFFERS: Final[Mapping[str, Any]] = {"ride": DriverOfferView, "tow": TowOfferView}
_AMOUNT: Final[Schema] = {"type": "number", "description": "US dollars."}
_PARTIAL: Final[Schema] = {"type": "boolean", "description": "Whether it is less than the full amount."}
_ID: Final[Schema] = {"type": "string", "description": "The payment, as in statements and receipts."}
_REASON: Final[Schema] = {"type": ["string", "null"]}
_ACTOR: Final[Schema] = {
    "type": "string",
    "description": "Who did it: partner, provider, operator or sandbox.",
}
_EXTRAS: Final[Mapping[str, Mapping[str, Schema]]] = {
    "reopened": {"actor": _ACTOR},
    "completed": {"actor": _ACTOR},
    "cancelled": {"actor": _ACTOR},
    "payment_captured": {
        "payment_id": _ID,
        "captured": _AMOUNT,
        "released": _AMOUNT,
        "partial": _PARTIAL,
    },
    "payment_voided": {"payment_id": _ID, "released": _AMOUNT, "reason": _REASON},
    "payment_failed": {"payment_id": _ID, "owed": _AMOUNT, "reason": _REASON},
    "refunded": {
        "amount": {"type": "number", "description": "US dollars of this refund."},
        "refunded": {"type": "number", "description": "US dollars of all refunds so far."},
        "partial": _PARTIAL,
        "reason": _REASON,
        "actor": _ACTOR,
        "parts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"payment_id": _ID, "captured": _AMOUNT, "refunded": _AMOUNT},
                "required": ["payment_id", "captured", "refunded"],
            },
            "description": "The payments of the ride, each with its total refunds.",
        },
    },
    "destination_changed": {"previous_total": _AMOUNT, "difference": _AMOUNT},
}
"""The fields of ride and tow events besides the record, keyed by the part of the type after the period."""

_SIGNATURE: Final = ("webhook-id", "webhook-timestamp", "webhook-signature")


def event_webhooks(schemas: Schemas) -> dict[str, Schema]:
    """Return an item for each type of event, in the order of the types; the test event comes last."""
    names = (*(name for name in EVENT_TYPES if name != TEST), *ACCOUNT_EVENT_TYPES)
    return {name: {"post": _operation(name, schemas)} for name in names}


def _operation(name: str, schemas: Schemas) -> Schema:
    group = name.partition(".")[0]
    return {
        "operationId": f"events.{name}",
        "summary": f"The event `{name}`.",
        "description": "Signed as in Standard Webhooks; see docs/reference/webhooks.md.",
        "tags": ["webhooks" if name in ACCOUNT_EVENT_TYPES and name != TEST else "partner webhooks"],
        "parameters": [
            {"name": header, "in": "header", "required": True, "schema": {"type": "string"}}
            for header in _SIGNATURE
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _envelope(name, group, schemas)}},
        },
        "responses": {
            "2XX": {"description": "The event is accepted; after any other response it is sent again."}
        },
        "security": [],
    }


def _envelope(name: str, group: str, schemas: Schemas) -> Schema:
    properties: Schema = {
        "id": {"type": "string", "description": "The same in every attempt and replay."},
        "type": {"const": name},
        "created_at": {"type": "string", "format": "date-time"},
        "environment": {"type": "string", "enum": ["test", "live"]},
        "sequence": {
            "type": "integer",
            "minimum": 1,
            "description": "The event's number in the sequence of the record's events.",
        },
        "data": _data(name, group, schemas),
    }
    return {"type": "object", "properties": properties, "required": [*properties]}


def _data(name: str, group: str, schemas: Schemas) -> Schema:
    record = schemas.of(_RECORDS[group])
    change = name.partition(".")[2]
    extras: dict[str, Schema] = {}
    if group in _OFFERS:
        extras |= _EXTRAS.get(change, {})
        if change == "offer_received":
            extras["offer"] = schemas.of(_OFFERS[group])
        if change == "proof_added":
            extras["proof"] = schemas.of(ProofView)
    if not extras:
        return record
    return {"allOf": [record, {"type": "object", "properties": extras, "required": [*extras]}]}
