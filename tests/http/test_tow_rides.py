"""Tow rides over HTTP: from the estimate to the end, errors, and rides that are converted to tows."""

from typing import Any

import pytest
from tests.http.partners import PartnerApp
from tests.http.rides import TOW_PRICE, create_customer, mobile, tow


def _data(response: Any) -> Any:
    assert response.status_code < 300, response.get_json()
    return response.get_json()["data"]


def test_tow_ride_from_estimate_to_completion(partner: PartnerApp) -> None:
    price = _data(partner.post("/tow-rides/estimate-price", TOW_PRICE))

    assert price["ride_type"] == "Flatbed"

    ride = tow.pending(
        partner, estimate_id=price["estimate_id"], reason_for_tow="flat tire", vehicle_year="2012"
    )

    assert (ride["status"], ride["reason_for_tow"], ride["vehicle"]["year"]) == (
        "pending",
        "flat tire",
        "2012",
    )

    path = f"/tow-rides/{ride['ref']}"
    offers = _data(partner.get(f"{path}/business-offers"))

    assert {offer["price"] for offer in offers} == {price["total"]}

    accepted = _data(partner.post(f"{path}/business-offers/{offers[2]['tow_business_id']}/accept"))

    assert (accepted["status"], accepted["business"]["ref"]) == ("accepted", offers[2]["business_ref"])
    assert _data(partner.post(f"{path}/driver-arrived"))["status"] == "provider_arrived"
    assert _data(partner.post(f"{path}/start"))["status"] == "in_progress"
    assert _data(partner.post(f"{path}/complete"))["settlement"]["fee"] == price["total"]

    detail = _data(partner.get(path))

    assert (detail["status"], detail["payment"]["captured"], detail["allowed_actions"]) == (
        "completed",
        price["total"],
        ["rate_business"],
    )


@pytest.mark.parametrize("passenger", [0, -1, 999_999, 2**63 - 1])
def test_create_rejects_an_unknown_passenger(partner: PartnerApp, passenger: int) -> None:
    response = partner.post("/tow-rides", {**TOW_PRICE, "passenger_id": passenger})

    assert response.status_code == 400
    assert list(response.get_json()["error"]["details"]) == ["passenger_id"]


def test_create_reports_every_bad_field(partner: PartnerApp) -> None:
    body = {"passenger_id": 999_999, "session_id": "x", "linked_ref": "ride_00000000000000000000000000"}
    response = partner.post("/tow-rides", {**TOW_PRICE, **body, "estimate_id": "x"})

    assert response.status_code == 400
    assert set(response.get_json()["error"]["details"]) == {*body, "estimate_id"}

    too_far = partner.post("/tow-rides", {**TOW_PRICE, **body, "dropoff_latitude": 80})

    assert set(too_far.get_json()["error"]["details"]) == {*body, "dropoff_latitude"}


def test_create_rejects_a_passenger_of_another_partner(
    partner: PartnerApp, other_partner: PartnerApp
) -> None:
    theirs = create_customer(other_partner)["id"]

    assert partner.post("/tow-rides", {**TOW_PRICE, "passenger_id": theirs}).status_code == 400


def test_accept_of_an_unknown_business_lists_the_open_offers(partner: PartnerApp) -> None:
    ref = tow.pending(partner)["ref"]
    for business in ("999999", "biz_00000000000000000000000000", "nobody"):
        response = partner.post(f"/tow-rides/{ref}/business-offers/{business}/accept")
        assert response.status_code == 409
        assert len(response.get_json()["error"]["details"]["open_offers"]) == 3


@pytest.mark.parametrize(
    ("outcome", "share"), [("gone_on_arrival", 0.5), ("unsuccessful", 0.4), ("converted_to_tow", 0)]
)
def test_complete_without_service_costs_a_share_of_the_fare(
    partner: PartnerApp, outcome: str, share: float
) -> None:
    ride = mobile.arrived(partner)
    path = f"/mobile-rides/{ride['ref']}"
    done = _data(partner.post(f"{path}/complete", {"outcome": outcome}))

    assert (done["status"], done["outcome"]) == ("completed", outcome)
    assert done["settlement"]["fee"] == pytest.approx(ride["fare"]["total"] * share, abs=0.01)

    payment = _data(partner.get(path))["payment"]

    assert payment["status"] == ("captured" if share else "voided")
    assert payment["captured"] == done["settlement"]["fee"]


def test_ride_converted_to_a_tow_after_its_start_has_a_fee(partner: PartnerApp) -> None:
    ride = mobile.arrived(partner)
    path = f"/mobile-rides/{ride['ref']}"
    _data(partner.post(f"{path}/start"))
    done = _data(partner.post(f"{path}/complete", {"outcome": "converted_to_tow"}))

    assert done["settlement"]["fee"] == pytest.approx(ride["fare"]["total"] * 0.4, abs=0.01)
    assert _data(partner.get(path))["payment"]["captured"] == done["settlement"]["fee"]
    assert tow.pending(partner, linked_ref=ride["ref"])["linked_ref"] == ride["ref"]


def test_converted_ride_is_linked_to_one_tow(partner: PartnerApp) -> None:
    ride = mobile.arrived(partner)
    early = partner.post(
        "/tow-rides", {**TOW_PRICE, "passenger_id": create_customer(partner)["id"], "linked_ref": ride["ref"]}
    )

    assert early.status_code == 400

    _data(partner.post(f"/mobile-rides/{ride['ref']}/complete", {"outcome": "converted_to_tow"}))
    tow_ride = tow.pending(partner, linked_ref=ride["ref"])

    assert tow_ride["linked_ref"] == ride["ref"]
    assert _data(partner.get(f"/mobile-rides/{ride['ref']}"))["linked_ref"] == tow_ride["ref"]

    again = partner.post(
        "/tow-rides", {**TOW_PRICE, "passenger_id": create_customer(partner)["id"], "linked_ref": ride["ref"]}
    )

    assert list(again.get_json()["error"]["details"]) == ["linked_ref"]


def test_complete_as_gone_on_arrival_before_arrival_is_a_conflict(partner: PartnerApp) -> None:
    ref = tow.accepted(partner)["ref"]
    response = partner.post(f"/tow-rides/{ref}/complete", {"outcome": "gone_on_arrival"})

    assert response.status_code == 409
    assert response.get_json()["error"]["details"]["status"] == "accepted"
