"""Messages to providers: everything in them, nothing too early, and short enough."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.unit.dispatch.test_waves import NOW, asked, request

from repaircore.dispatch import texts
from repaircore.dispatch.model import RequestStatus
from repaircore.dispatch.texts import RequestFacts, local_time
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.messages.texts import is_sms
from repaircore.rides.model import Fare, Ride, RideKind, Status, Vehicle

LINK = "https://repairs.example.com/p/" + "A" * 24


def facts(**fields: Any) -> RequestFacts:
    fare = Fare(distance_miles=5, base_fare=0, distance_fare=0, surcharge=0, minimum=0, total=9500)
    ride = Ride(
        ref="tow_1",
        kind=RideKind.TOW,
        partner_id=1,
        environment=Environment.LIVE,
        customer_id=1,
        customer_ref="cus_1",
        status=Status.PENDING,
        service="Flatbed",
        pickup=Point(34, -118),
        dropoff=Point(34, -118),
        pickup_address="412 W 5th St",
        fare=fare,
        vehicle=Vehicle(year="2015", make="Honda", model="Civic"),
        expires_at=NOW + timedelta(minutes=30),
        created_at=NOW,
        updated_at=NOW,
    )
    provider = evolve(asked("a", 3.2).provider, time_zone="America/Los_Angeles")
    return RequestFacts(
        request=evolve(request("a", RequestStatus.SENT), distance_miles=3.2),
        ride=evolve(ride, **fields),
        provider=provider,
        area="Los Angeles, CA 90013",
        link=LINK,
        at=NOW,
    )


def test_request_says_what_where_when_what_it_pays_and_how_to_answer_and_stop() -> None:
    notice = texts.ask(facts())

    for part in (
        "Flatbed tow",
        "2015 Honda Civic",
        "Los Angeles, CA 90013",
        "3.2 mi",
        "$95.00",
        "4:02 AM PST",
    ):
        assert part in notice.text
        assert part in notice.body
    assert LINK in notice.text
    assert "stop" in notice.text.casefold()
    assert "stop" in notice.body.casefold()
    assert "repairs.example.com" in notice.text


def test_request_expires_with_its_own_deadline() -> None:
    job = facts()

    assert texts.ask(job).expires_at == job.request.expires_at < job.ride.expires_at


def test_request_does_not_tell_the_address() -> None:
    notice = texts.ask(facts())

    assert "412 W 5th St" not in f"{notice.text} {notice.body} {notice.payload}"


@pytest.mark.parametrize(
    "write", [texts.ask, texts.chosen, texts.not_chosen, texts.cancelled, texts.taken_off]
)
def test_every_text_message_can_be_sent_whatever_is_in_it(write: object) -> None:
    long = Vehicle(make="Škoda" * 50, model="\N{AUTOMOBILE}" * 50, color="‘blue’")
    notice = write(facts(vehicle=long))  # type: ignore[operator]

    assert is_sms(notice.text)


def test_time_is_on_the_providers_clock() -> None:
    assert local_time(NOW, "America/New_York") == "7:00 AM EST on Fri, Jan 2"


def test_new_destination_names_no_time_to_whoever_has_arrived() -> None:
    eta = NOW + timedelta(minutes=20)
    on_the_way = texts.changed(facts(status=Status.ACCEPTED, eta_at=eta, dropoff_address="1 Main St"))
    arrived = texts.changed(facts(status=Status.PROVIDER_ARRIVED, eta_at=eta, dropoff_address="1 Main St"))

    assert "Be there by" in on_the_way.text
    assert "Be there by" in on_the_way.body
    assert "Be there" not in arrived.text + arrived.body
    assert "  " not in arrived.text + arrived.body
