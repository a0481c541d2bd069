"""Messages to providers: complete, discreet and short enough."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.unit.dispatch.test_waves import NOW, asked_provider, request

from repaircore.dispatch import texts
from repaircore.dispatch.jobs import PreviousTerms
from repaircore.dispatch.model import RequestStatus
from repaircore.dispatch.texts import RequestFacts, local_time
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.messages.texts import is_sms
from repaircore.rides.model import Fare, Ride, RideKind, Status, Vehicle

LINK = "https://repairs.example.com/p/" + "A" * 24


def facts(
    *, before: PreviousTerms | None = None, destination_before: str | None = None, **fields: Any
) -> RequestFacts:
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
        dropoff=Point(34.15, -118.15),
        pickup_address="412 W 5th St",
        fare=fare,
        vehicle=Vehicle(year="2015", make="Honda", model="Civic"),
        expires_at=NOW + timedelta(minutes=30),
        created_at=NOW,
        updated_at=NOW,
    )
    provider = evolve(asked_provider("a", 3.2).provider, time_zone="America/Los_Angeles")
    return RequestFacts(
        request=evolve(request("a", RequestStatus.SENT), distance_miles=3.2),
        ride=evolve(ride, **fields),
        provider=provider,
        area="Los Angeles, CA 90013",
        destination="Pasadena, CA 91103",
        before=before,
        destination_before=destination_before,
        link=LINK,
        at=NOW,
    )


def test_request_has_the_job_the_pay_and_how_to_answer_and_stop() -> None:
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


def test_request_hides_the_address() -> None:
    notice = texts.ask(facts())

    assert "412 W 5th St" not in f"{notice.text} {notice.body} {notice.payload}"


@pytest.mark.parametrize(
    "write",
    [
        texts.ask,
        texts.chosen,
        texts.changed,
        texts.not_chosen,
        texts.offer_void,
        texts.cancelled,
        texts.taken_off,
    ],
)
def test_every_text_message_fits_an_sms(write: object) -> None:
    long_vehicle = Vehicle(make="Škoda" * 50, model="\N{AUTOMOBILE}" * 50, color="‘blue’")
    notice = write(facts(vehicle=long_vehicle))  # type: ignore[operator]

    assert is_sms(notice.text)


BEFORE = PreviousTerms(dropoff=Point(34.2, -118.3), pay=8000, changed_at=NOW)
CHANGED: dict[str, Any] = {"before": BEFORE, "destination_before": "Burbank, CA 91502"}


def test_request_after_a_change_names_the_old_and_new_terms() -> None:
    notice = texts.ask(facts(**CHANGED))

    assert "Can you take" not in notice.text
    assert "Job changed." in notice.text
    assert "to Pasadena, CA 91103 instead of Burbank, CA 91502" in notice.text
    assert "Pays $95.00 instead of $80.00." in notice.text
    for line in (
        "The customer changed a job that repairs.example.com sent you:",
        "Old destination: near Burbank, CA 91502",
        "New destination: near Pasadena, CA 91103",
        "Pays: $95.00 (before: $80.00)",
        "If you already answered, please answer again.",
    ):
        assert line in notice.body.splitlines()
    assert notice.payload["before_change"] == {"destination_area": "Burbank, CA 91502", "pays": 80.0}


def test_new_destination_names_the_old_one_and_both_prices() -> None:
    notice = texts.changed(facts(**CHANGED, status=Status.ACCEPTED, dropoff_address="1 Main St"))

    assert "to Pasadena, CA 91103 instead of Burbank, CA 91502" in notice.text
    for text in (notice.text, notice.body):
        assert "It now pays $95.00 instead of $80.00." in text
    assert "Old destination: near Burbank, CA 91502\nNew destination: 1 Main St\n" in notice.body


def test_chosen_provider_reads_what_changed_before_they_knew_it() -> None:
    notice = texts.chosen(facts(**CHANGED, status=Status.ACCEPTED, dropoff_address="1 Main St"))

    assert (
        "You have the job. Flatbed tow near Los Angeles, CA 90013, to Pasadena, CA 91103 instead of"
        in notice.text
    )
    assert "Pays $95.00 instead of $80.00." in notice.text
    assert "It pays $95.00 instead of $80.00." in notice.body
    assert (
        "The customer has changed the destination.\nOld destination: near Burbank, CA 91502\n" in notice.body
    )
    assert notice.payload["before_change"] == {"destination_area": "Burbank, CA 91502", "pays": 80.0}


@pytest.mark.parametrize("area", ["Pasadena, CA 91103", None], ids=["same", "no name"])
def test_change_within_an_area_names_it_once(area: str | None) -> None:
    before = evolve(BEFORE, pay=9500)
    changed = facts(before=before, destination_before=area)
    for notice in (texts.ask(changed), texts.changed(changed)):
        assert "instead of" not in notice.text
        assert "before:" not in notice.body
        assert "Old destination" not in notice.body


def test_first_request_names_a_tows_destination_by_area() -> None:
    assert "Destination: near Pasadena, CA 91103\n" in texts.ask(facts()).body
    assert "Destination" not in texts.ask(facts(dropoff=Point(34, -118))).body


def test_local_time_is_in_the_providers_zone() -> None:
    assert local_time(NOW, "America/New_York") == "7:00 AM EST on Fri, Jan 2"


def test_new_destination_omits_the_time_after_arrival() -> None:
    eta = NOW + timedelta(minutes=20)
    on_the_way = texts.changed(facts(status=Status.ACCEPTED, eta_at=eta, dropoff_address="1 Main St"))
    arrived = texts.changed(facts(status=Status.PROVIDER_ARRIVED, eta_at=eta, dropoff_address="1 Main St"))

    assert "Be there by" in on_the_way.text
    assert "Be there by" in on_the_way.body
    assert "Be there" not in arrived.text + arrived.body
    assert "  " not in arrived.text + arrived.body
