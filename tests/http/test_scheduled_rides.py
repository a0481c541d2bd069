"""Rides and tows for later: asked before their time, at the fare of their time, and free to cancel until then."""

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


def ask_all(core: Core) -> None:
    for rides in (core.rides, core.tows):
        rides.expire_due()
        rides.ask_others()
    core.dispatch.run()


def shown(app: PartnerApp, maker: Maker, ref: str) -> dict[str, Any]:
    ride: dict[str, Any] = app.get(f"{maker.path}/{ref}").get_json()["data"]
    return ride


@BOTH
def test_nobody_is_asked_before_it_is_time(
    core: Core, clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    time = clock() + 6 * HOURS
    ride = maker.pending(partner, scheduled_for=iso_utc(time))
    ref = ride["ref"]
    ask_all(core)
    waiting = shown(partner, maker, ref)
    assert (waiting["scheduled_for"], waiting["dispatch"]["status"]) == (iso_utc(time), "scheduled")
    assert waiting["timeline"] == [
        {**waiting["timeline"][0], "action": "create", "detail": {"scheduled_for": iso_utc(time)}}
    ]

    partner = after(partner, 6 * HOURS - ASKED_BEFORE - timedelta(seconds=1))
    ask_all(core)
    assert shown(partner, maker, ref)["dispatch"]["status"] == "scheduled"
    partner = after(partner, timedelta(seconds=1))
    ask_all(core)
    asked = shown(partner, maker, ref)
    assert (asked["status"], asked["dispatch"]["status"]) == ("pending", "offers")
    path, body = maker.acceptance(partner, ref)
    accepted = partner.post(path, body).get_json()["data"]
    provider = accepted["driver" if maker is mobile else "business"]

    assert provider["eta"] == iso_utc(time)  # who is early waits


@BOTH
def test_ride_for_later_waits_until_its_time_and_expires_then(
    core: Core, clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    time = clock() + 6 * HOURS
    ref = maker.pending(partner, scheduled_for=iso_utc(time), sandbox="no_driver")["ref"]
    partner = after(partner, 6 * HOURS - timedelta(seconds=1))
    ask_all(core)
    assert shown(partner, maker, ref)["status"] == "pending"
    partner = after(partner, timedelta(seconds=1))
    ask_all(core)

    assert shown(partner, maker, ref)["status"] == "expired"


@BOTH
def test_canceling_a_ride_for_later_is_free_until_a_provider_is_accepted(
    clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    ref = maker.pending(partner, scheduled_for=iso_utc(clock() + 6 * HOURS))["ref"]
    preview = partner.get(f"{maker.path}/{ref}/cancel-preview").get_json()["data"]
    assert (preview["action"], preview["fee"], preview["refund"]) == ("cancel", 0, 0)
    cancelled = partner.post(f"{maker.path}/{ref}/cancel")

    assert (cancelled.status_code, cancelled.get_json()["data"]["status"]) == (200, "cancelled")


@BOTH
def test_price_is_that_of_the_time_and_an_estimate_holds_for_no_other(
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
        "estimate_id": ["The estimate is for another trip: the time differs."]
    }


@BOTH
@pytest.mark.parametrize("hours", [timedelta(0), -HOURS, LATEST + HOURS], ids=["now", "past", "far"])
def test_odd_time_is_refused(clock: FrozenClock, partner: PartnerApp, maker: Maker, hours: timedelta) -> None:
    body = {**maker.price, "scheduled_for": iso_utc(clock() + hours)}

    for path in (f"{maker.path}/estimate-price", maker.path):
        passenger = {"passenger_ref": "cus_none"} if maker is mobile else {"passenger_id": 1}
        refused = partner.post(path, body if path.endswith("price") else {**body, **passenger})
        assert refused.status_code == 400
        assert "scheduled_for" in refused.get_json()["error"]["details"]


@BOTH
def test_list_has_those_for_later_or_the_others(
    clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    now = maker.pending(partner)["ref"]
    later = maker.pending(partner, scheduled_for=iso_utc(clock() + HOURS))["ref"]

    for query, refs in (("?scheduled=true", [later]), ("?scheduled=false", [now]), ("", [later, now])):
        listed = partner.get(f"{maker.path}{query}").get_json()["data"]
        assert [ride["ref"] for ride in listed] == refs


@BOTH
def test_trip_of_a_ride_for_later_changes_without_asking_anybody(
    core: Core, clock: FrozenClock, partner: PartnerApp, maker: Maker
) -> None:
    ref = maker.pending(partner, scheduled_for=iso_utc(clock() + 6 * HOURS))["ref"]
    changed = partner.patch(f"{maker.path}/{ref}", {"dropoff_latitude": 34.2}).get_json()["data"]
    ask_all(core)

    assert changed["dispatch"]["status"] == "scheduled"
    assert shown(partner, maker, ref)["dispatch"]["status"] == "scheduled"


@BOTH
def test_time_changes_until_the_ride_is_asked_for(
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
    ask_all(core)
    assert shown(partner, maker, ride["ref"])["dispatch"]["status"] == "offers"
    refused = partner.patch(path, {"scheduled_for": iso_utc(night + HOURS)})
    assert (refused.status_code, refused.get_json()["error"]["details"]["status"]) == (409, "pending")
    assert shown(partner, maker, ride["ref"])["scheduled_for"] == iso_utc(night)


@BOTH
@pytest.mark.parametrize("ahead", [None, timedelta(minutes=20)], ids=["at_once", "soon"])
def test_ride_moved_to_now_is_asked_for_at_once(
    clock: FrozenClock, partner: PartnerApp, maker: Maker, ahead: timedelta | None
) -> None:
    path = f"{maker.path}/{maker.pending(partner, scheduled_for=iso_utc(clock() + 6 * HOURS))['ref']}"
    time = None if ahead is None else iso_utc(clock() + ahead)
    moved = partner.patch(path, {"scheduled_for": time}).get_json()["data"]

    assert (moved["scheduled_for"], moved["dispatch"]["status"]) == (time, "offers")
    assert moved["expires_at"] == iso_utc(clock() + PENDING_FOR)


@BOTH
def test_ride_for_now_gets_no_time(clock: FrozenClock, partner: PartnerApp, maker: Maker) -> None:
    path = f"{maker.path}/{maker.pending(partner)['ref']}"

    assert partner.patch(path, {"scheduled_for": iso_utc(clock() + HOURS)}).status_code == 409
    assert partner.patch(path, {"scheduled_for": None}).status_code == 200


@BOTH
@pytest.mark.parametrize("hours", [timedelta(0), -HOURS, LATEST + HOURS], ids=["now", "past", "far"])
def test_ride_is_moved_to_no_odd_time(
    clock: FrozenClock, partner: PartnerApp, maker: Maker, hours: timedelta
) -> None:
    time = iso_utc(clock() + 6 * HOURS)
    path = f"{maker.path}/{maker.pending(partner, scheduled_for=time)['ref']}"
    refused = partner.patch(path, {"scheduled_for": iso_utc(clock() + hours)})

    assert (refused.status_code, [*refused.get_json()["error"]["details"]]) == (400, ["scheduled_for"])
    assert partner.get(path).get_json()["data"]["scheduled_for"] == time
