"""The whole life of a mobile ride, and what it refuses."""

import pytest
from tests.http.partners import PartnerApp
from tests.http.rides import PRICE, Maker, customer_of, mobile, tow

_ride, _accepted = mobile.pending, mobile.accepted


def test_a_ride_from_price_to_rating(partner: PartnerApp) -> None:
    price = partner.post("/mobile-rides/estimate-price", PRICE).get_json()["data"]
    ride = _ride(partner, estimate_id=price["estimate_id"], partner_reference="case 7")
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
        told = partner.post(f"/mobile-rides/{ride['ref']}/{step}").get_json()["data"]
        assert told["status"] == status
    done = partner.post(f"/mobile-rides/{ride['ref']}/complete").get_json()["data"]
    assert (done["status"], done["outcome"], done["fee"]) == ("completed", "completed", price["total"])
    rated = partner.post(f"/mobile-rides/{ride['ref']}/rate-driver", {"rating": 5, "comment": "Quick."})
    assert rated.get_json()["data"]["rating"] == 5
    whole = partner.get(f"/mobile-rides/{ride['ref']}").get_json()["data"]
    assert (whole["payment"]["status"], whole["payment"]["captured"]) == ("captured", price["total"])
    assert [step["action"] for step in whole["timeline"]] == [
        "create",
        "accept_offer",
        "driver_arrived",
        "start",
        "complete",
        "rate_driver",
    ]
    assert whole["allowed_actions"] == []
    again = partner.post(f"/mobile-rides/{ride['ref']}/rate-driver", {"rating": 1})
    assert again.status_code == 409


@pytest.mark.parametrize("key", [None, "once"])
def test_what_is_answered_about_money_is_what_was_decided_with_a_key_and_without(
    partner: PartnerApp, key: str | None
) -> None:
    pending = _ride(partner, sandbox="driver_cancels")
    path, body = mobile.accepting(partner, pending["ref"])
    accepted = partner.post(path, body, key=key).get_json()["data"]
    assert (accepted["status"], accepted["payment"]["status"]) == ("accepted", "authorized")
    now = partner.get(f"/mobile-rides/{pending['ref']}").get_json()["data"]
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


def test_a_declined_payment_leaves_the_ride_open(partner: PartnerApp) -> None:
    ride = _ride(partner, sandbox="payment_declined")
    driver = partner.get(f"/mobile-rides/{ride['ref']}/interested-drivers").get_json()["data"][0]
    refused = partner.post(f"/mobile-rides/{ride['ref']}/accept-offer", {"driver_ref": driver["driver_ref"]})
    assert refused.status_code == 409
    error = refused.get_json()["error"]
    assert error["details"]["reason"] == "payment_declined"
    assert "cancel" in error["details"]["allowed"]
    assert partner.get(f"/mobile-rides/{ride['ref']}/status").get_json()["data"]["status"] == "pending"


@pytest.mark.parametrize("maker", [mobile, tow], ids=["ride", "tow"])
def test_after_a_declined_payment_the_customer_may_pay_otherwise(partner: PartnerApp, maker: Maker) -> None:
    ride = maker.pending(partner, sandbox="payment_declined", payment_method="pm_empty")
    accepting = maker.accepting(partner, ride["ref"])
    for _ in range(2):
        assert partner.post(*accepting).get_json()["error"]["details"]["reason"] == "payment_declined"
    path = f"{maker.path}/{ride['ref']}"
    changed = partner.patch(path, {"payment_method": "pm_full"}).get_json()["data"]
    assert changed["status"] == "pending"
    step = partner.get(path).get_json()["data"]["timeline"][-1]
    assert (step["action"], step["detail"]) == ("update", {"changed": ["payment_method"]})
    accepted = partner.post(*accepting).get_json()["data"]
    assert (accepted["status"], accepted["payment"]["status"]) == ("accepted", "authorized")
    too_late = partner.patch(path, {"payment_method": "pm_other"})
    assert too_late.status_code == 409
    assert (
        too_late.get_json()["error"]["message"] == "The payment method of what is accepted cannot be changed."
    )
    assert partner.patch(path, {"payment_method": "pm_full", "notes": "gate 7"}).status_code == 200


@pytest.mark.parametrize("method", [None, "", "  "])
def test_a_live_ride_stays_with_a_payment_method(live_partner: PartnerApp, method: str | None) -> None:
    ride = _ride(live_partner)
    path = f"/mobile-rides/{ride['ref']}"
    refused = live_partner.patch(path, {"payment_method": method})
    assert (refused.status_code, [*refused.get_json()["error"]["details"]]) == (400, ["payment_method"])
    assert live_partner.get(path).get_json()["data"]["updated_at"] == ride["updated_at"]


def test_a_driver_who_drops_out_is_replaced(partner: PartnerApp) -> None:
    accepted = _accepted(partner, sandbox="driver_cancels")
    ride = partner.get(f"/mobile-rides/{accepted['ref']}").get_json()["data"]
    assert ride["status"] == "pending"
    assert ride["payment"]["status"] == "voided"
    assert [step["actor"] for step in ride["timeline"]][-1] == "sandbox"


def test_canceling_an_accepted_ride_costs_what_the_preview_says(partner: PartnerApp) -> None:
    accepted = _accepted(partner)
    path = f"/mobile-rides/{accepted['ref']}"
    partner.post(f"{path}/driver-arrived")
    preview = partner.get(f"{path}/cancel-preview").get_json()["data"]
    assert preview["action"] == "cancel_accepted"
    assert preview["fee"] > 0
    gone = partner.patch(f"{path}/cancel-accepted", {"note": "no longer needed"}).get_json()["data"]
    assert (gone["status"], gone["settlement"]["fee"]) == ("cancelled", preview["fee"])
    payment = partner.get(path).get_json()["data"]["payment"]
    assert (payment["status"], payment["captured"]) == ("captured", preview["fee"])


def test_a_pending_ride_is_cancelled_for_nothing(partner: PartnerApp) -> None:
    ride = _ride(partner)
    assert partner.get(f"/mobile-rides/{ride['ref']}/cancel-preview").get_json()["data"]["fee"] == 0
    gone = partner.post(f"/mobile-rides/{ride['ref']}/cancel", {"reason": "problem_solved"})
    assert gone.get_json()["data"]["status"] == "cancelled"
    again = partner.post(f"/mobile-rides/{ride['ref']}/cancel")
    assert again.status_code == 409
    assert again.get_json()["error"]["details"] == {"status": "cancelled", "allowed": []}


def test_a_declined_offer_is_gone(partner: PartnerApp) -> None:
    ride = _ride(partner)
    path = f"/mobile-rides/{ride['ref']}"
    first = partner.get(f"{path}/interested-drivers").get_json()["data"][0]["driver_ref"]
    assert partner.post(f"{path}/decline-offer").status_code == 200
    left = [offer["driver_ref"] for offer in partner.get(f"{path}/interested-drivers").get_json()["data"]]
    assert first not in left
    assert len(left) == 2
    assert partner.post(f"{path}/accept-offer", {"driver_ref": first}).status_code == 409


def test_another_trip_is_another_price(partner: PartnerApp) -> None:
    ride = _ride(partner)
    path = f"/mobile-rides/{ride['ref']}"
    farther = partner.patch(path, {"dropoff_latitude": 34.9, "notes": "gate code 12"}).get_json()["data"]
    assert farther["fare"]["total"] > ride["fare"]["total"]
    assert farther["notes"] == "gate code 12"
    prices = {one["price"] for one in partner.get(f"{path}/interested-drivers").get_json()["data"]}
    assert prices == {farther["fare"]["total"]}


def test_the_trip_of_an_accepted_ride_stays(partner: PartnerApp) -> None:
    ride = _accepted(partner)
    path = f"/mobile-rides/{ride['ref']}"
    refused = partner.patch(path, {"dropoff_latitude": 34.9})
    assert refused.status_code == 409
    assert refused.get_json()["error"]["details"] == {
        "status": "accepted",
        "allowed": ride["allowed_actions"],
    }
    assert partner.patch(path, {"notes": "blue door"}).get_json()["data"]["notes"] == "blue door"


def test_the_trip_of_an_ended_ride_is_not_said_to_be_changeable(partner: PartnerApp) -> None:
    path = f"/mobile-rides/{_ride(partner)['ref']}"
    assert partner.post(f"{path}/cancel").status_code == 200
    refused = partner.patch(path, {"dropoff_latitude": 34.9})
    assert refused.get_json()["error"]["details"] == {"status": "cancelled", "allowed": []}


def test_an_estimate_of_another_trip_is_refused(partner: PartnerApp) -> None:
    price = partner.post("/mobile-rides/estimate-price", PRICE).get_json()["data"]
    told = {
        **PRICE,
        "passenger_ref": customer_of(partner)["external_ref"],
        "service_type": "towing",
        "estimate_id": price["estimate_id"],
    }
    refused = partner.post("/mobile-rides", told)
    assert refused.status_code == 400
    assert "the service differs" in refused.get_json()["error"]["details"]["estimate_id"][0]


@pytest.mark.parametrize("token", ["est_", "est_AAAA", "x", "est_" + "é" * 3, "est_" + "A" * 400])
def test_a_made_up_estimate_is_refused(partner: PartnerApp, token: str) -> None:
    told = {**PRICE, "passenger_ref": customer_of(partner)["external_ref"], "estimate_id": token}
    refused = partner.post("/mobile-rides", told)
    assert refused.status_code == 400
    assert list(refused.get_json()["error"]["details"]) == ["estimate_id"]


def test_every_bad_field_is_named(partner: PartnerApp) -> None:
    told = {"pickup_latitude": 91, "pickup_longitude": "x", "service_type": "magic", "sandbox": "chaos"}
    refused = partner.post("/mobile-rides", told)
    assert refused.status_code == 400
    assert set(refused.get_json()["error"]["details"]) == {
        "pickup_latitude",
        "pickup_longitude",
        "dropoff_latitude",
        "dropoff_longitude",
        "service_type",
        "passenger_ref",
        "sandbox",
    }


def test_the_list_has_the_newest_first(partner: PartnerApp) -> None:
    refs = [_ride(partner)["ref"] for _ in range(3)]
    listed = partner.get("/mobile-rides?per_page=2").get_json()
    assert [ride["ref"] for ride in listed["data"]] == refs[:0:-1]
    assert listed["meta"] == {"current_page": 1, "per_page": 2, "total": 3, "last_page": 2}


@pytest.mark.parametrize("page", [3, 2**53, 2**63 - 1])
def test_behind_the_last_page_there_is_nothing(partner: PartnerApp, page: int) -> None:
    _ride(partner)
    answer = partner.get(f"/mobile-rides?page={page}")
    assert (answer.status_code, answer.get_json()["data"]) == (200, [])
    assert answer.get_json()["meta"]["total"] == 1


@pytest.mark.parametrize("path", ["/mobile-rides/estimate-price", "/tow-rides/estimate-price"])
@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_where_prices_are_asked_for_there_is_no_ride(partner: PartnerApp, method: str, path: str) -> None:
    answer = partner.ask(method, path)
    assert answer.status_code == 405
    assert set(answer.headers["Allow"].split(", ")) <= {"POST", "OPTIONS"}


def test_others_see_nothing_of_it(partner: PartnerApp, other_partner: PartnerApp) -> None:
    ref = _ride(partner)["ref"]
    absent = other_partner.get("/mobile-rides/ride_00000000000000000000000000")
    foreign = other_partner.get(f"/mobile-rides/{ref}")
    assert (foreign.status_code, foreign.data) == (404, absent.data)
    assert other_partner.post(f"/mobile-rides/{ref}/cancel").status_code == 404


def test_nobody_offers_where_nobody_is(partner: PartnerApp) -> None:
    ref = _ride(partner, sandbox="no_driver")["ref"]
    assert partner.get(f"/mobile-rides/{ref}/interested-drivers").get_json()["data"] == []
