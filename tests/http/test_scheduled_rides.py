"""Scheduled rides and tows: dispatched before their time, at the fare of their time, and free to cancel until then."""

from datetime import timedelta
from typing import Any

import pytest
from tests.contracts.rides import read_record
from tests.http.partners import PartnerApp, after
from tests.http.rides import Maker, mobile, tow

from repaircore.core import Core
from repaircore.kernel.views import iso_utc
from repaircore.rides.offering import ASKED_BEFORE, LATEST, PENDING_FOR
from repaircore.testing.clock import FrozenClock

BOTH = pytest.mark.parametrize("maker", [mobile, tow], ids=["mobile", "tow"])
HOURS = timedelta(hours=1)


def run_jobs(core: Core) -> None:
    for rides in (core.rides, core.tows):
        rides.expire_due()
        rides.ask_others()
    core.dispatch.run()


def get_ride(app: PartnerApp, maker: Maker, ref: str) -> dict[str, Any]:
    ride: dict[str, Any] = app.get(f"{maker.path}/{ref}").get_json()["data"]
    return ride


@BOTH
def test_providers_are_asked_shortly_before_the_time(
    core: Core, clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    time = clock() + 6 * HOURS
    ride = maker.pending(partner, scheduled_for=iso_utc(time))
    ref = ride["ref"]
    run_jobs(core)
    waiting = get_ride(partner, maker, ref)
    assert (waiting["scheduled_for"], waiting["dispatch"]["status"]) == (iso_utc(time), "scheduled")
    assert waiting["timeline"] == [
        {**waiting["timeline"][0], "action": "create", "detail": {"scheduled_for": iso_utc(time)}}
    ]

    partner = after(partner, 6 * HOURS - ASKED_BEFORE - timedelta(seconds=1))
    run_jobs(core)
    assert get_ride(partner, maker, ref)["dispatch"]["status"] == "scheduled"
    partner = after(partner, timedelta(seconds=1))
    run_jobs(core)
    dispatched = get_ride(partner, maker, ref)
    assert (dispatched["status"], dispatched["dispatch"]["status"]) == ("pending", "offers")
    path, body = maker.acceptance(partner, ref)
    accepted = partner.post(path, body).get_json()["data"]
    provider = accepted["driver" if maker is mobile else "business"]

    assert provider["eta"] == iso_utc(time)  # a provider who is early waits


@BOTH
def test_scheduled_ride_expires_at_its_time(
    core: Core, clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    time = clock() + 6 * HOURS
    ref = maker.pending(partner, scheduled_for=iso_utc(time), sandbox="no_driver")["ref"]
    partner = after(partner, 6 * HOURS - timedelta(seconds=1))
    run_jobs(core)
    assert get_ride(partner, maker, ref)["status"] == "pending"
    partner = after(partner, timedelta(seconds=1))
    run_jobs(core)

    assert get_ride(partner, maker, ref)["status"] == "expired"


@BOTH
def test_canceling_a_scheduled_ride_is_free_before_acceptance(
    clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    ref = maker.pending(partner, scheduled_for=iso_utc(clock() + 6 * HOURS))["ref"]
    preview = partner.get(f"{maker.path}/{ref}/cancel-preview").get_json()["data"]
    assert (preview["action"], preview["fee"], preview["refund"]) == ("cancel", 0, 0)
    cancelled = partner.post(f"{maker.path}/{ref}/cancel")

    assert (cancelled.status_code, cancelled.get_json()["data"]["status"]) == (200, "cancelled")


@BOTH
def test_price_and_estimate_depend_on_the_scheduled_time(
    clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    noon, night = (iso_utc(clock() + hours * HOURS) for hours in (17, 30))
    totals = {
        time: partner.post(f"{maker.path}/estimate-price", {**maker.price, "scheduled_for": time}).get_json()
        for time in (noon, night)
    }
    ride = maker.pending(partner, scheduled_for=night)
    assert ride["fare"]["total"] == totals[night]["data"]["total"]
    estimate = totals[noon]["data"]["estimate_id"]
    assert maker.pending(partner, scheduled_for=noon, estimate_id=estimate)["status"] == "pending"
    passenger = {"passenger_ref": ride["passenger_ref"], "passenger_id": ride["passenger_id"]}
    passenger.pop("passenger_id" if maker is mobile else "passenger_ref")
    other = partner.post(
        maker.path, {**maker.price, **passenger, "scheduled_for": night, "estimate_id": estimate}
    )

    assert other.get_json()["error"]["details"] == {
        "estimate_id": [
            "The estimate is for a different trip: the time differs. Request a new one from estimate-price."
        ]
    }


@BOTH
@pytest.mark.parametrize("hours", [timedelta(0), -HOURS, LATEST + HOURS], ids=["now", "past", "far"])
def test_invalid_time_is_rejected(
    clock: FrozenClock, partner: PartnerApp, maker: Maker, hours: timedelta
) -> None:
    body = {**maker.price, "scheduled_for": iso_utc(clock() + hours)}

    for path in (f"{maker.path}/estimate-price", maker.path):
        passenger = {"passenger_ref": "cus_none"} if maker is mobile else {"passenger_id": 1}
        refused = partner.post(path, body if path.endswith("price") else {**body, **passenger})
        assert refused.status_code == 400
        assert "scheduled_for" in refused.get_json()["error"]["details"]


@BOTH
def test_list_filters_scheduled_rides(clock: FrozenClock, partner: PartnerApp, maker: Maker) -> None:
    now = maker.pending(partner)["ref"]
    later = maker.pending(partner, scheduled_for=iso_utc(clock() + HOURS))["ref"]

    for query, refs in (("?scheduled=true", [later]), ("?scheduled=false", [now]), ("", [later, now])):
        listed = partner.get(f"{maker.path}{query}").get_json()["data"]
        assert [ride["ref"] for ride in listed] == refs


@BOTH
def test_trip_change_of_a_scheduled_ride_asks_no_provider(
    core: Core, clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    ref = maker.pending(partner, scheduled_for=iso_utc(clock() + 6 * HOURS))["ref"]
    changed = partner.patch(f"{maker.path}/{ref}", {"dropoff_latitude": 34.2}).get_json()["data"]
    run_jobs(core)

    assert changed["dispatch"]["status"] == "scheduled"
    assert get_ride(partner, maker, ref)["dispatch"]["status"] == "scheduled"


@BOTH
def test_time_can_change_until_providers_are_asked(
    core: Core, clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    noon, night = clock() + 17 * HOURS, clock() + 30 * HOURS
    ride = maker.pending(partner, scheduled_for=iso_utc(noon))
    path = f"{maker.path}/{ride['ref']}"
    quoted = {**maker.price, "scheduled_for": iso_utc(night)}
    price = partner.post(f"{maker.path}/estimate-price", quoted).get_json()["data"]["total"]
    moved = partner.patch(path, {"scheduled_for": iso_utc(night)}, key="once").get_json()["data"]
    again = partner.patch(path, {"scheduled_for": iso_utc(night)}, key="once")
    same = partner.patch(path, {"scheduled_for": iso_utc(night)}).get_json()["data"]

    assert (moved["scheduled_for"], moved["price"]) == (iso_utc(night), price)
    assert price != ride["price"]
    assert (moved["expires_at"], moved["dispatch"]["status"]) == (iso_utc(night), "scheduled")
    assert moved["timeline"][1:] == same["timeline"][1:] == again.get_json()["data"]["timeline"][1:]
    (step,) = moved["timeline"][1:]
    assert (step["action"], step["detail"]) == (
        "update",
        {"changed": ["fare", "scheduled_for"], "scheduled_for": iso_utc(night)},
    )
    record = read_record(core, core.rides if maker is mobile else core.tows, ride["ref"])
    assert [event.rpartition(".")[2] for event in record.events] == ["created", "updated"]

    partner = after(partner, 30 * HOURS - ASKED_BEFORE)
    run_jobs(core)
    assert get_ride(partner, maker, ride["ref"])["dispatch"]["status"] == "offers"
    refused = partner.patch(path, {"scheduled_for": iso_utc(night + HOURS)})
    assert (refused.status_code, refused.get_json()["error"]["details"]["status"]) == (409, "pending")
    assert get_ride(partner, maker, ride["ref"])["scheduled_for"] == iso_utc(night)


@BOTH
@pytest.mark.parametrize("ahead", [None, timedelta(minutes=20)], ids=["at_once", "soon"])
def test_ride_moved_to_now_is_dispatched_at_once(
    clock: FrozenClock, partner: PartnerApp, maker: Maker, ahead: timedelta | None
) -> None:
    path = f"{maker.path}/{maker.pending(partner, scheduled_for=iso_utc(clock() + 6 * HOURS))['ref']}"
    time = None if ahead is None else iso_utc(clock() + ahead)
    moved = partner.patch(path, {"scheduled_for": time}).get_json()["data"]

    assert (moved["scheduled_for"], moved["dispatch"]["status"]) == (time, "offers")
    assert moved["expires_at"] == iso_utc(clock() + PENDING_FOR)


@BOTH
def test_immediate_ride_cannot_be_scheduled(clock: FrozenClock, partner: PartnerApp, maker: Maker) -> None:
    path = f"{maker.path}/{maker.pending(partner)['ref']}"

    assert partner.patch(path, {"scheduled_for": iso_utc(clock() + HOURS)}).status_code == 409
    assert partner.patch(path, {"scheduled_for": None}).status_code == 200


@BOTH
@pytest.mark.parametrize("hours", [timedelta(0), -HOURS, LATEST + HOURS], ids=["now", "past", "far"])
def test_ride_cannot_be_moved_to_an_invalid_time(
    clock: FrozenClock, partner: PartnerApp, maker: Maker, hours: timedelta
) -> None:
    time = iso_utc(clock() + 6 * HOURS)
    path = f"{maker.path}/{maker.pending(partner, scheduled_for=time)['ref']}"
    refused = partner.patch(path, {"scheduled_for": iso_utc(clock() + hours)})

    assert (refused.status_code, [*refused.get_json()["error"]["details"]]) == (400, ["scheduled_for"])
    assert partner.get(path).get_json()["data"]["scheduled_for"] == time
