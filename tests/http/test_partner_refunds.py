"""Money after a ride: refunds by the partner, and the events of its payment."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.http.partners import PartnerApp
from tests.http.rides import Maker, mobile, tow

from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core
from repaircore.json_text import decode
from repaircore.testing.clock import FrozenClock

both_kinds = pytest.mark.parametrize("maker", [mobile, tow], ids=["mobile", "tow"])


def payloads(core: Core, ref: str, word: str) -> list[dict[str, Any]]:
    """Return the data of a ride's events of one type, in order."""
    query = sa.select(events).where(events.c.subject == ref).order_by(events.c.sequence)
    with core.storage.database.transaction(write=False) as connection:
        rows = connection.execute(query).all()
    return [decode(row.payload)["data"] for row in rows if row.type.endswith(f".{word}")]


def refund(partner: PartnerApp, maker: Maker, ride: dict[str, Any], **body: Any) -> Any:
    return partner.post(f"{maker.path}/{ride['ref']}/refund", body)


def payment(partner: PartnerApp, maker: Maker, ride: dict[str, Any]) -> dict[str, Any]:
    ride_view = partner.get(f"{maker.path}/{ride['ref']}").get_json()["data"]
    found: dict[str, Any] = ride_view["payment"]
    return found


@both_kinds
def test_completed_ride_sends_payment_captured(partner: PartnerApp, core: Core, maker: Maker) -> None:
    ride = maker.completed(partner)
    (event,) = payloads(core, ride["ref"], "payment_captured")

    assert (event["captured"], event["released"], event["partial"]) == (ride["fee"], 0.0, False)
    assert event["payment"]["status"] == "captured"
    assert payloads(core, ride["ref"], "payment_voided") == []


@both_kinds
def test_partial_capture_is_marked_in_the_event(partner: PartnerApp, core: Core, maker: Maker) -> None:
    ride = maker.in_progress(partner)
    partner.post(f"{maker.path}/{ride['ref']}/complete", {"outcome": "unsuccessful"})
    (event,) = payloads(core, ride["ref"], "payment_captured")

    assert event["partial"] is True
    assert event["captured"] + event["released"] == pytest.approx(event["fare"]["total"])


@both_kinds
def test_free_cancellation_sends_payment_voided(partner: PartnerApp, core: Core, maker: Maker) -> None:
    ride = maker.accepted(partner)
    partner.patch(f"{maker.path}/{ride['ref']}/cancel-accepted", {})
    (event,) = payloads(core, ride["ref"], "payment_voided")

    assert (event["released"], event["reason"]) == (ride["fare"]["total"], "cancel_accepted")
    assert payloads(core, ride["ref"], "payment_captured") == []


@both_kinds
def test_refund_can_be_made_in_parts(partner: PartnerApp, core: Core, maker: Maker) -> None:
    ride = maker.completed(partner)
    total = ride["fee"]
    first = refund(partner, maker, ride, amount=10, reason="It took too long.")

    assert first.status_code == 200
    assert payment(partner, maker, ride)["refunded"] == 10
    # The same total again changes nothing.
    assert refund(partner, maker, ride, amount=10).status_code == 200
    assert refund(partner, maker, ride).status_code == 200
    assert payment(partner, maker, ride)["refunded"] == total
    refunds = payloads(core, ride["ref"], "refunded")

    assert [(each["amount"], each["refunded"], each["partial"]) for each in refunds] == [
        (10, 10, True),
        (pytest.approx(total - 10), total, False),
    ]
    assert [(each["actor"], each["reason"]) for each in refunds] == [
        ("partner", "It took too long."),
        ("partner", None),
    ]
    timeline = partner.get(f"{maker.path}/{ride['ref']}").get_json()["data"]["timeline"]
    steps = [step for step in timeline if step["action"] == "refunded"]
    assert [(step["actor"], step["detail"].get("reason")) for step in steps] == [
        ("partner", "It took too long."),
        ("partner", None),
    ]
    assert refund(partner, maker, ride, amount=5).status_code == 409


@both_kinds
def test_refund_while_another_is_pending_may_be_retried(partner: PartnerApp, maker: Maker) -> None:
    ride = maker.completed(partner, sandbox="refund_timeout")
    refund(partner, maker, ride, amount=10)
    refused = refund(partner, maker, ride, amount=20)

    assert (refused.status_code, refused.headers.get("Retry-After")) == (409, "1")
    assert "Retry once it is complete." in refused.get_json()["error"]["message"]


@both_kinds
@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ({"amount": 0}, "amount"),
        ({"amount": -1}, "amount"),
        ({"amount": 1.005}, "amount"),
        ({"amount": 5000}, "amount"),
        ({"amount": "5"}, "amount"),
        ({"reason": "x" * 256}, "reason"),
    ],
)
def test_invalid_refund_is_rejected(
    partner: PartnerApp, maker: Maker, body: dict[str, Any], bad: str
) -> None:
    ride = maker.completed(partner)
    refused = refund(partner, maker, ride, **body)

    assert (refused.status_code, [*refused.get_json()["error"]["details"]]) == (400, [bad])
    assert payment(partner, maker, ride)["refunded"] == 0


@both_kinds
def test_refund_requires_a_captured_fee(partner: PartnerApp, maker: Maker) -> None:
    for ride in (maker.pending(partner), maker.accepted(partner), maker.in_progress(partner)):
        assert refund(partner, maker, ride).status_code == 409


def test_refund_is_possible_for_sixty_days(partner: PartnerApp, clock: FrozenClock) -> None:
    ride = mobile.completed(partner)
    clock.advance(timedelta(days=60, seconds=1))
    late = evolve(partner, token=partner.secret_key)  # its session has ended
    refused = late.post(f"/mobile-rides/{ride['ref']}/refund", {})

    assert refused.status_code == 409
    assert "60 days" in refused.get_json()["error"]["message"]


# Receipts and statements


@both_kinds
def test_receipt_shows_the_payment(partner: PartnerApp, maker: Maker) -> None:
    ride = maker.completed(partner)
    refund(partner, maker, ride, amount=10)
    receipt = partner.get(f"{maker.path}/{ride['ref']}/receipt").get_json()["data"]

    assert (receipt["ref"], receipt["fee"], receipt["captured"]) == (ride["ref"], ride["fee"], ride["fee"])
    assert (receipt["refunded"], receipt["paid"]) == (10, pytest.approx(ride["fee"] - 10))
    assert [price["price"] for price in receipt["prices"]] == [receipt["price"]]
    (paid,) = receipt["payments"]
    assert (paid["captured"], paid["refunded"]) == (ride["fee"], 10)
    assert partner.get(f"{maker.path}/{maker.accepted(partner)['ref']}/receipt").status_code == 409


def test_statement_has_the_captures_and_refunds_of_the_month(
    partner: PartnerApp, other_partner: PartnerApp, clock: FrozenClock
) -> None:
    ride, towed = mobile.completed(partner), tow.completed(partner)
    mobile.completed(other_partner)
    refund(partner, mobile, ride, amount=10)
    month = f"{clock():%Y-%m}"
    statement = partner.get(f"/statements/{month}").get_json()["data"]

    assert [(line["ref"], line["kind"], line["amount"]) for line in statement["lines"]] == [
        (ride["ref"], "capture", ride["fee"]),
        (towed["ref"], "capture", towed["fee"]),
        (ride["ref"], "refund", -10),
    ]
    assert statement["captured"] == pytest.approx(ride["fee"] + towed["fee"])
    assert (statement["refunded"], statement["net"]) == (10, pytest.approx(statement["captured"] - 10))
    assert partner.get("/statements/2025-12").get_json()["data"]["lines"] == []


def test_statement_as_csv(partner: PartnerApp, clock: FrozenClock) -> None:
    ride = mobile.completed(partner)
    refund(partner, mobile, ride, amount=10.5)
    answer = partner.get(f"/statements/{clock():%Y-%m}?format=csv")
    head, line, refunded = answer.get_data(as_text=True).splitlines()

    assert answer.headers["Content-Type"].startswith("text/csv")
    assert head == "at,kind,ref,partner_reference,payment_id,currency,amount"
    assert line.split(",")[1:3] == ["capture", ride["ref"]]
    assert [each.split(",")[-1] for each in (line, refunded)] == [f"{ride['fee']:.2f}", "-10.50"]


@pytest.mark.parametrize("month", ["2026", "2026-13", "2026-1", "november", "2026-01-01", "9999-12"])
def test_invalid_month_is_rejected(partner: PartnerApp, month: str) -> None:
    refused = partner.get(f"/statements/{month}")

    assert (refused.status_code, [*refused.get_json()["error"]["details"]]) == (400, ["month"])
