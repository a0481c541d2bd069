"""The sandbox of the test environment: scenarios, combined, that partners control without an operator."""

from datetime import timedelta
from typing import Any

import pytest
from tests.http.partners import PartnerApp
from tests.http.rides import Maker, mobile, tow
from tests.http.test_partner_refunds import payloads

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock

BOTH = pytest.mark.parametrize("maker", [mobile, tow], ids=["mobile", "tow"])


def accept(app: PartnerApp, maker: Maker, ref: str) -> Any:
    path, body = maker.acceptance(app, ref)
    return app.post(path, body)


def act(app: PartnerApp, maker: Maker, ref: str, action: str, **fields: Any) -> Any:
    return app.post(f"{maker.path}/{ref}/sandbox", {"action": action, **fields})


def steps(app: PartnerApp, maker: Maker, ref: str) -> list[tuple[str, str]]:
    timeline = app.get(f"{maker.path}/{ref}").get_json()["data"]["timeline"]
    return [(step["action"], step["actor"]) for step in timeline]


@BOTH
def test_all_scenarios_of_a_request_happen(core: Core, partner: PartnerApp, maker: Maker) -> None:
    chosen = ["driver_declines", "payment_declined", "driver_cancels", "provider_late", "capture_timeout"]
    ride = maker.pending(partner, scenarios=chosen, payment_method="pm_empty")
    ref = ride["ref"]
    closed = accept(partner, maker, ref)
    assert (closed.status_code, closed.get_json()["error"]["message"]) == (
        409,
        "The offer is no longer open.",
    )
    declined = accept(partner, maker, ref)
    assert declined.get_json()["error"]["details"]["reason"] == "payment_declined"
    partner.patch(f"{maker.path}/{ref}", {"payment_method": "pm_full"})
    assert accept(partner, maker, ref).status_code == 200
    dropped = partner.get(f"{maker.path}/{ref}").get_json()["data"]
    assert dropped["status"] == "pending"
    again = accept(partner, maker, ref).get_json()["data"]
    assert again["status"] == "accepted"
    preview = partner.get(f"{maker.path}/{ref}/cancel-preview").get_json()["data"]
    assert (preview["fee"], "minutes late" in preview["reason"]) == (0, True)
    for step in ("driver-arrived", "start", "complete"):
        partner.post(f"{maker.path}/{ref}/{step}")

    assert partner.get(f"{maker.path}/{ref}").get_json()["data"]["payment"]["status"] == "capturing"
    assert core.payment_reconciliation.reconcile().stuck == ()
    done = [action for action, _ in steps(partner, maker, ref)]
    assert [done.count(action) for action in ("decline", "drop_out", "accept_offer", "complete")] == [
        1,
        1,
        2,
        1,
    ]


@BOTH
def test_scenario_can_be_in_either_field(partner: PartnerApp, maker: Maker) -> None:
    for fields in ({"sandbox": "no_driver"}, {"scenarios": ["no_driver"]}):
        ref = maker.pending(partner, **fields)["ref"]
        assert partner.get(f"{maker.path}/{ref}").get_json()["data"]["dispatch"]["status"] == "asking"


@BOTH
def test_hanging_gateway_leaves_the_ride_pending(partner: PartnerApp, maker: Maker) -> None:
    ref = maker.pending(partner, scenarios=["payment_unavailable"])["ref"]

    outage = accept(partner, maker, ref)

    assert outage.status_code == 503
    assert outage.get_json()["error"]["message"] == (
        "The payment provider is not responding. Try again shortly. Nothing is charged or refunded twice."
    )
    assert partner.get(f"{maker.path}/{ref}").get_json()["data"]["status"] == "pending"


@BOTH
def test_partner_makes_a_provider_decline_be_late_and_drop_out(partner: PartnerApp, maker: Maker) -> None:
    ref = maker.pending(partner)["ref"]
    declined_ref = maker.first_offer(partner, ref)
    assert act(partner, maker, ref, "decline", provider_ref=declined_ref).status_code == 200
    assert maker.first_offer(partner, ref) != declined_ref
    assert act(partner, maker, ref, "decline", provider_ref=declined_ref).status_code == 409
    assert act(partner, maker, ref, "drop_out").status_code == 409
    accept(partner, maker, ref)
    assert act(partner, maker, ref, "en_route", eta_minutes=7).status_code == 200
    late = act(partner, maker, ref, "late").get_json()["data"]
    assert [step.get("detail") for step in late["timeline"][-2:]] == [
        {"eta_minutes": 7},
        {"late_minutes": 21},
    ]
    preview = partner.get(f"{maker.path}/{ref}/cancel-preview").get_json()["data"]
    assert preview["fee"] == 0
    partner.post(f"{maker.path}/{ref}/driver-arrived")
    reopened = act(partner, maker, ref, "drop_out", reason="Flat tire.")

    assert reopened.get_json()["data"]["status"] == "pending"
    assert steps(partner, maker, ref)[1:] == [
        ("decline", "sandbox"),
        ("accept_offer", "partner"),
        ("en_route", "sandbox"),
        ("en_route", "sandbox"),
        ("driver_arrived", "partner"),
        ("drop_out", "sandbox"),
    ]


@BOTH
@pytest.mark.parametrize(("eta_minutes", "is_free"), [(12, False), (90, True)])
def test_late_provider_reports_a_new_arrival(
    core: Core, partner: PartnerApp, clock: FrozenClock, maker: Maker, *, eta_minutes: int, is_free: bool
) -> None:
    ref = maker.accepted(partner)["ref"]
    clock.advance(timedelta(minutes=5))
    late = act(partner, maker, ref, "late", eta_minutes=eta_minutes).get_json()["data"]
    eta = (clock() + timedelta(minutes=eta_minutes)).strftime("%Y-%m-%dT%H:%M:%S")
    provider = "driver" if maker is mobile else "business"
    (event,) = payloads(core, ref, "en_route")
    preview = partner.get(f"{maker.path}/{ref}/cancel-preview").get_json()["data"]
    cancelled = partner.patch(f"{maker.path}/{ref}/cancel-accepted", {}).get_json()["data"]

    assert late[provider]["eta"].startswith(eta)
    assert event[provider]["eta"].startswith(eta)
    assert late["timeline"][-1]["detail"] == {"eta_minutes": eta_minutes}
    assert (preview["fee"] == 0) is is_free
    assert cancelled["fee"] == preview["fee"]


@BOTH
def test_live_has_no_sandbox(live_partner: PartnerApp, partner: PartnerApp, maker: Maker) -> None:
    theirs, ours = maker.pending(partner)["ref"], maker.pending(live_partner)["ref"]

    assert act(live_partner, maker, theirs, "drop_out").status_code == 404
    assert act(live_partner, maker, ours, "decline").status_code == 409
    refused = live_partner.post(maker.path, {"scenarios": ["no_driver"], "sandbox": "no_driver"})
    assert refused.status_code == 400


@BOTH
@pytest.mark.parametrize(
    ("body", "bad"),
    [
        ({}, "action"),
        ({"action": "explode"}, "action"),
        ({"action": "en_route", "eta_minutes": -1}, "eta_minutes"),
        ({"action": "drop_out", "reason": "x" * 501}, "reason"),
    ],
)
def test_invalid_action_reports_its_field(
    partner: PartnerApp, maker: Maker, body: dict[str, Any], bad: str
) -> None:
    ref = maker.pending(partner)["ref"]
    refused = partner.post(f"{maker.path}/{ref}/sandbox", body)

    assert (refused.status_code, [*refused.get_json()["error"]["details"]]) == (400, [bad])


@BOTH
def test_unknown_scenario_and_rides_of_others_are_rejected(
    partner: PartnerApp, other_partner: PartnerApp, maker: Maker
) -> None:
    ref = maker.pending(partner)["ref"]
    odd = partner.post(maker.path, {"scenarios": ["rain"]})

    assert "scenarios.0" in odd.get_json()["error"]["details"]
    assert act(other_partner, maker, ref, "drop_out").status_code == 404
