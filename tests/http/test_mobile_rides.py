"""Mobile rides over HTTP: from the estimate to the rating, and errors."""

import pytest
from tests.http.partners import PartnerApp
from tests.http.rides import PRICE, Maker, create_customer, mobile, tow

_pending, _accepted = mobile.pending, mobile.accepted


def test_mobile_ride_from_estimate_to_rating(partner: PartnerApp) -> None:
    price = partner.post("/mobile-rides/estimate-price", PRICE).get_json()["data"]
    ride = _pending(partner, estimate_id=price["estimate_id"], partner_reference="case 7")

    assert (ride["status"], ride["fare"]["total"]) == ("pending", price["total"])

    offers = partner.get(f"/mobile-rides/{ride['ref']}/interested-drivers").get_json()["data"]

    assert len(offers) == 3
    assert {offer["price"] for offer in offers} == {price["total"]}

    accepted = partner.post(
        f"/mobile-rides/{ride['ref']}/accept-offer", {"driver_ref": offers[1]["driver_ref"]}
    ).get_json()["data"]

    assert (accepted["status"], accepted["driver"]["ref"]) == ("accepted", offers[1]["driver_ref"])
    assert accepted["payment"]["status"] == "authorized"

    for step, status in (("driver-arrived", "driver_arrived"), ("start", "in_progress")):
        stepped = partner.post(f"/mobile-rides/{ride['ref']}/{step}").get_json()["data"]
        assert stepped["status"] == status
    done = partner.post(f"/mobile-rides/{ride['ref']}/complete").get_json()["data"]

    assert (done["status"], done["outcome"], done["fee"]) == ("completed", "completed", price["total"])

    rated = partner.post(f"/mobile-rides/{ride['ref']}/rate-driver", {"rating": 5, "comment": "Quick."})

    assert rated.get_json()["data"]["rating"] == 5

    detail = partner.get(f"/mobile-rides/{ride['ref']}").get_json()["data"]

    assert (detail["payment"]["status"], detail["payment"]["captured"]) == ("captured", price["total"])
    assert [step["action"] for step in detail["timeline"]] == [
        "create",
        "accept_offer",
        "driver_arrived",
        "start",
        "complete",
        "rate_driver",
    ]
    assert detail["allowed_actions"] == []

    again = partner.post(f"/mobile-rides/{ride['ref']}/rate-driver", {"rating": 1})

    assert again.status_code == 409


@pytest.mark.parametrize("key", [None, "once"])
def test_mobile_ride_answers_show_the_decision_with_or_without_a_key(
    partner: PartnerApp, key: str | None
) -> None:
    ride = _pending(partner, sandbox="driver_cancels")
    path, body = mobile.acceptance(partner, ride["ref"])
    accepted = partner.post(path, body, key=key).get_json()["data"]

    assert (accepted["status"], accepted["payment"]["status"]) == ("accepted", "authorized")

    now = partner.get(f"/mobile-rides/{ride['ref']}").get_json()["data"]

    assert (now["status"], now["payment"]["status"]) == ("pending", "voided")

    ref = mobile.in_progress(partner)["ref"]
    again = None if key is None else f"{key} more"
    done = partner.post(f"/mobile-rides/{ref}/complete", key=again).get_json()["data"]

    assert (done["status"], done["payment"]["status"], done["payment"]["captured"]) == (
        "completed",
        "capturing",
        0,
    )
    assert partner.get(f"/mobile-rides/{ref}").get_json()["data"]["payment"]["status"] == "captured"


def test_accept_offer_with_a_declined_payment_leaves_the_ride_pending(partner: PartnerApp) -> None:
    ride = _pending(partner, sandbox="payment_declined")
    driver = partner.get(f"/mobile-rides/{ride['ref']}/interested-drivers").get_json()["data"][0]
    response = partner.post(f"/mobile-rides/{ride['ref']}/accept-offer", {"driver_ref": driver["driver_ref"]})

    assert response.status_code == 409

    error = response.get_json()["error"]

    assert error["details"]["reason"] == "payment_declined"
    assert "cancel" in error["details"]["allowed"]
    assert partner.get(f"/mobile-rides/{ride['ref']}/status").get_json()["data"]["status"] == "pending"


@pytest.mark.parametrize("maker", [mobile, tow], ids=["ride", "tow"])
def test_payment_method_can_be_changed_after_a_declined_payment(partner: PartnerApp, maker: Maker) -> None:
    ride = maker.pending(partner, sandbox="payment_declined", payment_method="pm_empty")
    acceptance = maker.acceptance(partner, ride["ref"])
    for _ in range(2):
        assert partner.post(*acceptance).get_json()["error"]["details"]["reason"] == "payment_declined"
    path = f"{maker.path}/{ride['ref']}"
    changed = partner.patch(path, {"payment_method": "pm_full"}).get_json()["data"]

    assert changed["status"] == "pending"

    step = partner.get(path).get_json()["data"]["timeline"][-1]

    assert (step["action"], step["detail"]) == ("update", {"changed": ["payment_method"]})

    accepted = partner.post(*acceptance).get_json()["data"]

    assert (accepted["status"], accepted["payment"]["status"]) == ("accepted", "authorized")

    too_late = partner.patch(path, {"payment_method": "pm_other"})

    assert too_late.status_code == 409
    assert (
        too_late.get_json()["error"]["message"]
        == "The payment method cannot be changed once a provider has been accepted."
    )
    assert partner.patch(path, {"payment_method": "pm_full", "notes": "gate 7"}).status_code == 200


@pytest.mark.parametrize("method", ["", "  "])
def test_live_ride_requires_a_payment_method(live_partner: PartnerApp, method: str) -> None:
    ride = _pending(live_partner)
    path = f"/mobile-rides/{ride['ref']}"
    response = live_partner.patch(path, {"payment_method": method})

    assert (response.status_code, [*response.get_json()["error"]["details"]]) == (400, ["payment_method"])
    assert live_partner.get(path).get_json()["data"]["updated_at"] == ride["updated_at"]


def test_ride_reopens_when_its_driver_drops_out(partner: PartnerApp) -> None:
    accepted = _accepted(partner, sandbox="driver_cancels")
    ride = partner.get(f"/mobile-rides/{accepted['ref']}").get_json()["data"]

    assert ride["status"] == "pending"
    assert ride["payment"]["status"] == "voided"
    assert [step["actor"] for step in ride["timeline"]][-1] == "sandbox"


def test_cancel_accepted_costs_what_the_preview_says(partner: PartnerApp) -> None:
    accepted = _accepted(partner)
    path = f"/mobile-rides/{accepted['ref']}"
    partner.post(f"{path}/driver-arrived")
    preview = partner.get(f"{path}/cancel-preview").get_json()["data"]

    assert preview["action"] == "cancel_accepted"
    assert preview["fee"] > 0

    cancelled = partner.patch(f"{path}/cancel-accepted", {"note": "no longer needed"}).get_json()["data"]

    assert (cancelled["status"], cancelled["settlement"]["fee"]) == ("cancelled", preview["fee"])

    payment = partner.get(path).get_json()["data"]["payment"]

    assert (payment["status"], payment["captured"]) == ("captured", preview["fee"])


def test_cancel_of_a_pending_ride_is_free(partner: PartnerApp) -> None:
    ride = _pending(partner)

    assert partner.get(f"/mobile-rides/{ride['ref']}/cancel-preview").get_json()["data"]["fee"] == 0

    cancelled = partner.post(f"/mobile-rides/{ride['ref']}/cancel", {"reason": "problem_solved"})

    assert cancelled.get_json()["data"]["status"] == "cancelled"

    again = partner.post(f"/mobile-rides/{ride['ref']}/cancel")

    assert again.status_code == 409
    assert again.get_json()["error"]["details"] == {"status": "cancelled", "allowed": []}


def test_decline_offer_removes_the_offer(partner: PartnerApp) -> None:
    ride = _pending(partner)
    path = f"/mobile-rides/{ride['ref']}"
    first = partner.get(f"{path}/interested-drivers").get_json()["data"][0]["driver_ref"]

    assert partner.post(f"{path}/decline-offer").status_code == 200

    remaining = [
        offer["driver_ref"] for offer in partner.get(f"{path}/interested-drivers").get_json()["data"]
    ]

    assert first not in remaining
    assert len(remaining) == 2
    assert partner.post(f"{path}/accept-offer", {"driver_ref": first}).status_code == 409


def test_update_of_the_trip_changes_the_price(partner: PartnerApp) -> None:
    ride = _pending(partner)
    path = f"/mobile-rides/{ride['ref']}"
    farther = partner.patch(path, {"dropoff_latitude": 34.9, "notes": "gate code 12"}).get_json()["data"]

    assert farther["fare"]["total"] > ride["fare"]["total"]
    assert farther["notes"] == "gate code 12"

    prices = {offer["price"] for offer in partner.get(f"{path}/interested-drivers").get_json()["data"]}

    assert prices == {farther["fare"]["total"]}


def test_update_of_the_trip_of_an_accepted_ride_is_a_conflict(partner: PartnerApp) -> None:
    ride = _accepted(partner)
    path = f"/mobile-rides/{ride['ref']}"
    response = partner.patch(path, {"dropoff_latitude": 34.9})

    assert response.status_code == 409
    assert response.get_json()["error"]["details"] == {
        "status": "accepted",
        "allowed": ride["allowed_actions"],
    }
    assert partner.patch(path, {"notes": "blue door"}).get_json()["data"]["notes"] == "blue door"


def test_update_of_an_ended_ride_lists_no_allowed_actions(partner: PartnerApp) -> None:
    path = f"/mobile-rides/{_pending(partner)['ref']}"

    assert partner.post(f"{path}/cancel").status_code == 200

    response = partner.patch(path, {"dropoff_latitude": 34.9})

    assert response.get_json()["error"]["details"] == {"status": "cancelled", "allowed": []}


def test_create_rejects_the_estimate_of_another_trip(partner: PartnerApp) -> None:
    price = partner.post("/mobile-rides/estimate-price", PRICE).get_json()["data"]
    body = {
        **PRICE,
        "passenger_ref": create_customer(partner)["external_ref"],
        "service_type": "towing",
        "estimate_id": price["estimate_id"],
    }
    response = partner.post("/mobile-rides", body)

    assert response.status_code == 400
    assert "the service differs" in response.get_json()["error"]["details"]["estimate_id"][0]


@pytest.mark.parametrize("token", ["est_", "est_AAAA", "x", "est_" + "é" * 3, "est_" + "A" * 400])
def test_create_rejects_an_invalid_estimate(partner: PartnerApp, token: str) -> None:
    body = {**PRICE, "passenger_ref": create_customer(partner)["external_ref"], "estimate_id": token}
    response = partner.post("/mobile-rides", body)

    assert response.status_code == 400
    assert list(response.get_json()["error"]["details"]) == ["estimate_id"]


def test_create_reports_every_bad_field(partner: PartnerApp) -> None:
    body = {"pickup_latitude": 91, "pickup_longitude": "x", "service_type": "magic", "sandbox": "chaos"}
    response = partner.post("/mobile-rides", body)

    assert response.status_code == 400
    assert set(response.get_json()["error"]["details"]) == {
        "pickup_latitude",
        "pickup_longitude",
        "dropoff_latitude",
        "dropoff_longitude",
        "service_type",
        "passenger_ref",
        "sandbox",
    }


def test_list_has_the_newest_rides_first(partner: PartnerApp) -> None:
    refs = [_pending(partner)["ref"] for _ in range(3)]
    listed = partner.get("/mobile-rides?per_page=2").get_json()

    assert [ride["ref"] for ride in listed["data"]] == refs[:0:-1]
    assert listed["meta"]["next_cursor"]
    assert {**listed["meta"], "next_cursor": None} == {
        "current_page": 1,
        "per_page": 2,
        "total": 3,
        "last_page": 2,
        "next_cursor": None,
        "previous_cursor": None,
    }


@pytest.mark.parametrize("page", [3, 2**53, 2**63 - 1])
def test_list_is_empty_beyond_the_last_page(partner: PartnerApp, page: int) -> None:
    _pending(partner)
    response = partner.get(f"/mobile-rides?page={page}")

    assert (response.status_code, response.get_json()["data"]) == (200, [])
    assert response.get_json()["meta"]["total"] == 1


@pytest.mark.parametrize("path", ["/mobile-rides/estimate-price", "/tow-rides/estimate-price"])
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_estimate_price_is_not_a_ride_reference(partner: PartnerApp, method: str, path: str) -> None:
    response = partner.request(method, path)

    assert response.status_code == 405
    assert set(response.headers["Allow"].split(", ")) <= {"POST", "OPTIONS"}


def test_mobile_ride_of_another_partner_is_not_found(partner: PartnerApp, other_partner: PartnerApp) -> None:
    ref = _pending(partner)["ref"]
    absent = other_partner.get("/mobile-rides/ride_00000000000000000000000000")
    foreign = other_partner.get(f"/mobile-rides/{ref}")

    assert (foreign.status_code, foreign.data) == (404, absent.data)
    assert other_partner.post(f"/mobile-rides/{ref}/cancel").status_code == 404


def test_interested_drivers_is_empty_in_the_scenario_no_driver(partner: PartnerApp) -> None:
    ref = _pending(partner, sandbox="no_driver")["ref"]

    assert partner.get(f"/mobile-rides/{ref}/interested-drivers").get_json()["data"] == []
