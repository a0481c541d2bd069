"""The webhooks of the OpenAPI document: every event, and the payloads that are sent."""

from typing import Any

import jsonschema_rs
import sqlalchemy as sa
from tests.http.partners import PartnerApp
from tests.http.rides import create_customer, mobile, tow

from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core
from repaircore.json_text import decode
from repaircore.webhooks.event_types import ACCOUNT_EVENT_TYPES, EVENT_TYPES
from repaircore_http.openapi import document

DOCUMENT = document()


def schema_of(name: str) -> dict[str, Any]:
    """Return the schema of an event's payload, with the components."""
    item: Any = DOCUMENT["webhooks"][name]
    schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]
    return {**schema, "components": DOCUMENT["components"]}


def test_document_has_every_event_of_partners_and_accounts() -> None:
    assert {*DOCUMENT["webhooks"]} == {*EVENT_TYPES, *ACCOUNT_EVENT_TYPES}
    for name in DOCUMENT["webhooks"]:
        assert schema_of(name)["properties"]["type"] == {"const": name}


def test_events_match_the_document(partner: PartnerApp, core: Core) -> None:
    for maker in (mobile, tow):
        completed, cancelled = maker.completed(partner), maker.accepted(partner)
        partner.post(f"{maker.path}/{completed['ref']}/refund", {"amount": 10})
        partner.patch(f"{maker.path}/{cancelled['ref']}/cancel-accepted", {})
    customer = create_customer(partner)
    partner.patch(f"/customers/{customer['ref']}", {"first_name": "Bo"})
    webhook = partner.post("/webhooks", {"url": "https://example.com/", "events": ["*"]}).get_json()["data"]
    partner.post(f"/webhooks/{webhook['ref']}/test")
    with core.storage.database.transaction(write=False) as connection:
        sent = [decode(text) for text in connection.execute(sa.select(events.c.payload)).scalars()]

    words = ("offer_received", "payment_captured", "payment_voided", "refunded", "cancelled", "completed")
    assert {f"{kind}.{word}" for kind in ("ride", "tow") for word in words} <= {
        event["type"] for event in sent
    }
    for event in sent:
        found = jsonschema_rs.validator_for(schema_of(event["type"])).iter_errors(event)
        assert [error.message for error in found] == [], event["type"]
