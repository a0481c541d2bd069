"""The whole life of a tow, what it refuses, and how a ride becomes one."""

from typing import Any

import pytest
from tests.http.partners import PartnerApp
from tests.http.rides import TOW_PRICE, customer_of, mobile, tow


def _data(answer: Any) -> Any:
    assert answer.status_code < 300, answer.get_json()
    return answer.get_json()["data"]


def test_a_tow_from_price_to_its_end(partner: PartnerApp) -> None:
    price = _data(partner.post("/tow-rides/estimate-price", TOW_PRICE))
    assert price["ride_type"] == "Flatbed"
    made = tow.pending(
        partner, estimate_id=price["estimate_id"], reason_for_tow="flat tire", vehicle_year="2012"
    )
    assert (made["status"], made["reason_for_tow"], made["vehicle"]["year"]) == (
        "pending",
        "flat tire",
        "2012",
    )
    path = f"/tow-rides/{made['ref']}"
    offers = _data(partner.get(f"{path}/business-offers"))
    assert {offer["price"] for offer in offers} == {price["total"]}
    accepted = _data(partner.post(f"{path}/business-offers/{offers[2]['tow_business_id']}/accept"))
    assert (accepted["status"], accepted["business"]["ref"]) == ("accepted", offers[2]["business_ref"])
    assert _data(partner.post(f"{path}/driver-arrived"))["status"] == "provider_arrived"
    assert _data(partner.post(f"{path}/start"))["status"] == "in_progress"
    assert _data(partner.post(f"{path}/complete"))["settlement"]["fee"] == price["total"]
    whole = _data(partner.get(path))
    assert (whole["status"], whole["payment"]["captured"], whole["allowed_actions"]) == (
        "completed",
        price["total"],
        [],
    )


@pytest.mark.parametrize("passenger", [0, -1, 999_999, 2**63 - 1])
def test_an_unknown_passenger_is_told(partner: PartnerApp, passenger: int) -> None:
    refused = partner.post("/tow-rides", {**TOW_PRICE, "passenger_id": passenger})
    assert refused.status_code == 400
    assert list(refused.get_json()["error"]["details"]) == ["passenger_id"]


def test_whatever_is_wrong_with_a_tow_is_named_at_once(partner: PartnerApp) -> None:
    told = {"passenger_id": 999_999, "session_id": "x", "linked_ref": "ride_00000000000000000000000000"}
    refused = partner.post("/tow-rides", {**TOW_PRICE, **told, "estimate_id": "x"})
    assert refused.status_code == 400
    assert set(refused.get_json()["error"]["details"]) == {*told, "estimate_id"}
    too_far = partner.post("/tow-rides", {**TOW_PRICE, **told, "dropoff_latitude": 80})
    assert set(too_far.get_json()["error"]["details"]) == {*told, "dropoff_latitude"}


def test_anothers_passenger_is_unknown(partner: PartnerApp, other_partner: PartnerApp) -> None:
    theirs = customer_of(other_partner)["id"]
    assert partner.post("/tow-rides", {**TOW_PRICE, "passenger_id": theirs}).status_code == 400


def test_an_unknown_business_has_no_offer(partner: PartnerApp) -> None:
    ref = tow.pending(partner)["ref"]
    for business in ("999999", "biz_00000000000000000000000000", "nobody"):
        refused = partner.post(f"/tow-rides/{ref}/business-offers/{business}/accept")
        assert refused.status_code == 409
        assert len(refused.get_json()["error"]["details"]["open_offers"]) == 3


@pytest.mark.parametrize(
    ("outcome", "share"), [("gone_on_arrival", 0.5), ("unsuccessful", 0.4), ("converted_to_tow", 0)]
)
def test_who_came_for_nothing_is_paid_a_part(partner: PartnerApp, outcome: str, share: float) -> None:
    ride = mobile.arrived(partner)
    path = f"/mobile-rides/{ride['ref']}"
    done = _data(partner.post(f"{path}/complete", {"outcome": outcome}))
    assert (done["status"], done["outcome"]) == ("completed", outcome)
    assert done["settlement"]["fee"] == pytest.approx(ride["fare"]["total"] * share, abs=0.01)
    payment = _data(partner.get(path))["payment"]
    assert payment["status"] == ("captured" if share else "voided")
    assert payment["captured"] == done["settlement"]["fee"]


def test_a_ride_that_becomes_a_tow_is_linked_with_it_once(partner: PartnerApp) -> None:
    ride = mobile.arrived(partner)
    early = partner.post(
        "/tow-rides", {**TOW_PRICE, "passenger_id": customer_of(partner)["id"], "linked_ref": ride["ref"]}
    )
    assert early.status_code == 400
    _data(partner.post(f"/mobile-rides/{ride['ref']}/complete", {"outcome": "converted_to_tow"}))
    made = tow.pending(partner, linked_ref=ride["ref"])
    assert made["linked_ref"] == ride["ref"]
    assert _data(partner.get(f"/mobile-rides/{ride['ref']}"))["linked_ref"] == made["ref"]
    again = partner.post(
        "/tow-rides", {**TOW_PRICE, "passenger_id": customer_of(partner)["id"], "linked_ref": ride["ref"]}
    )
    assert list(again.get_json()["error"]["details"]) == ["linked_ref"]


def test_a_tow_does_not_end_gone_before_anybody_came(partner: PartnerApp) -> None:
    ref = tow.accepted(partner)["ref"]
    refused = partner.post(f"/tow-rides/{ref}/complete", {"outcome": "gone_on_arrival"})
    assert refused.status_code == 409
    assert refused.get_json()["error"]["details"]["status"] == "accepted"
