"""``repaircore rides``."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.cli.conftest import Cli

from repaircore.bootstrap import Core, build, now
from repaircore.customers.model import NewCustomer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.geo import Point
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.requests import CreateRide, Trip
from repaircore.rides.service import Rides
from repaircore.settings import Settings

TOWIFY = PartnerCaller(partner_id=1, environment=Environment.TEST)
CITY, NEARBY = Point(34.05, -118.25), Point(34.15, -118.15)


@pytest.fixture
def core(sqlite_url: str) -> Iterator[Core]:
    opened = build(Settings(database_url=sqlite_url))
    opened.partners.create("Towify", "test")
    yield opened
    opened.close()


def asked(core: Core, served: Rides) -> Ride:
    told = NewCustomer(first_name="Ada", last_name="B", email="ada@example.com", phone="+12025550123")
    service = "Flatbed" if served.kind is RideKind.TOW else "tire_change"
    wanted = CreateRide(
        trip=Trip(service=service, pickup=CITY, dropoff=NEARBY),
        customer_ref=core.customers.resolve(told, TOWIFY).customer.ref,
    )
    return served.create(wanted, TOWIFY)


def accepted(core: Core, served: Rides) -> Ride:
    ride = asked(core, served)
    return served.accept_offer(ride.ref, served.offers(ride.ref, TOWIFY)[0].provider_ref, TOWIFY)


def test_a_fee_that_could_not_be_taken_is_listed_as_owed(cli: Cli, core: Core) -> None:
    ride = accepted(core, core.tows)
    core.tows.arrive(ride.ref, TOWIFY)
    core.tows.start(ride.ref, TOWIFY)
    (payment,) = core.tows.show(ride.ref, None).payments
    core.payments.gateway(Environment.TEST).void(payment.gateway_ref or "", "by hand")
    core.tows.complete(ride.ref, TOWIFY)
    (told,) = cli("payments", "owed", "--environment", "test", "--json").json
    owed = ride.fare.total / 100
    assert (told["ref"], told["owed"], told["payment_id"]) == (ride.ref, owed, payment.id)
    assert columns(cli("payments", "owed", "--test").out)[0][:3] == [ride.ref, "1", f"{owed:,.2f}"]
    assert cli("payments", "owed", "--json").json == []


def columns(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()]


def test_rides_are_listed_by_kind_and_environment_newest_first(cli: Cli, core: Core) -> None:
    first, second, tow = asked(core, core.rides), accepted(core, core.rides), asked(core, core.tows)
    told = cli("rides", "list", "--environment", "test", "--json").json
    assert [one["ref"] for one in told] == [second.ref, first.ref]
    assert (told[0]["partner_id"], told[0]["payment"]["status"]) == (1, "authorized")
    assert told[1]["payment"] is None
    tows = cli("rides", "list", "--kind", "tow", "--environment", "test").out
    assert columns(tows)[0][:4] == [tow.ref, "1", "pending", "Flatbed"]
    assert cli("rides", "list", "--json").json == []  # of the live environment
    row = columns(cli("rides", "list", "--environment", "test", "--status", "accepted").out)
    assert [(one[0], one[6]) for one in row] == [(second.ref, "authorized")]
    assert cli("rides", "list", "--environment", "test", "--partner", "2", "--json").json == []
    shortened = cli("rides", "list", "--environment", "test", "--limit", "1")
    assert (len(shortened.out.splitlines()), "1 more" in shortened.err) == (1, True)


@pytest.mark.parametrize(
    ("args", "status", "told"),
    [
        (["list", "--kind", "bus"], 2, "ride or tow"),
        (["list", "--environment", "prod"], 2, "test or live"),
        (["list", "--status", "lost"], 1, "provider_arrived"),
        (["list", "--partner", "0"], 2, "no such id"),
        (["show", "ride_none"], 1, "Not Found."),
        (["drop-out", "tow_none", "--yes"], 1, "Not Found."),
        (["call-off", "tow_none", "--yes"], 1, "Not Found."),
        (["complete", "ride_none", "--yes"], 1, "Not Found."),
        (["complete", "ride_none", "--outcome", "well", "--yes"], 1, "gone_on_arrival"),
        (["list", "--standing", "-1"], 2, "--standing"),
        (["expire", "--kind", "bus"], 2, "ride or tow"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(cli: Cli, args: list[str], status: int, told: str) -> None:
    outcome = cli("rides", *args)
    assert (outcome.status, outcome.out, told in outcome.err) == (status, "", True)


@pytest.mark.parametrize("kind", RideKind)
def test_a_ride_is_shown_with_its_offers_money_and_timeline(cli: Cli, core: Core, kind: RideKind) -> None:
    ride = accepted(core, core.rides if kind is RideKind.MOBILE else core.tows)
    told: dict[str, Any] = cli("rides", "show", ride.ref, "--json").json
    assert (told["ref"], told["status"], told["partner_id"]) == (ride.ref, "accepted", 1)
    assert [one["status"] for one in told["offers"]].count("accepted") == 1
    assert [one["state"] for one in told["payments"]] == ["authorized"]
    assert [step["action"] for step in told["timeline"]] == ["create", "accept_offer"]
    shown = cli("rides", "show", ride.ref).out
    assert ride.provider_name is not None
    assert all(text in shown for text in (ride.ref, ride.provider_name, "authorized", "accept_offer"))


def test_a_driver_is_taken_off_and_the_money_let_go(cli: Cli, core: Core) -> None:
    ride = accepted(core, core.rides)
    assert cli("rides", "drop-out", ride.ref).status == 2  # nobody is there to be asked
    told = cli("rides", "drop-out", ride.ref, "--yes", "--json").json
    assert (told["status"], told["driver"]) == ("pending", None)
    view = core.rides.show(ride.ref, TOWIFY)
    assert [str(payment.state) for payment in view.payments] == ["voided"]
    assert (view.steps[-1].action, view.steps[-1].actor) == ("drop_out", "operator")
    again = cli("rides", "drop-out", ride.ref, "--yes")
    assert (again.status, "drop" in again.err or "pending" in again.err) == (1, True)


@pytest.mark.parametrize("kind", RideKind)
def test_what_its_partner_does_not_end_is_ended_by_the_operator(cli: Cli, core: Core, kind: RideKind) -> None:
    served = core.rides if kind is RideKind.MOBILE else core.tows
    done, gone, off = (accepted(core, served).ref for _ in range(3))
    for ref in (done, gone):
        served.arrive(ref, TOWIFY)
    served.start(done, TOWIFY)
    assert cli("rides", "complete", done).status == 2  # nobody is there to be asked
    told = cli("rides", "complete", done, "--yes", "--json").json
    assert (told["status"], told["outcome"], told["fee"]) == ("completed", "completed", told["fare"]["total"])
    assert told["payment"]["status"] == "captured"
    half = cli("rides", "complete", gone, "--outcome", "gone_on_arrival", "--yes").out
    assert half.startswith(f"{gone} is completed; ")
    off_told = cli("rides", "call-off", off, "--note", "The partner is gone.", "--yes", "--json").json
    assert (off_told["status"], off_told["fee"], off_told["cancel_note"]) == (
        "cancelled",
        0.0,
        "The partner is gone.",
    )
    assert off_told["payment"]["status"] == "voided"
    for ref, action in ((done, "complete"), (gone, "gone_on_arrival"), (off, "call_off")):
        step = served.show(ref, TOWIFY).steps[-1]
        assert (step.action, step.actor) == (action, "operator")
    again = cli("rides", "call-off", off, "--yes")
    assert (again.status, "nothing any more" in again.err) == (1, True)


def test_rides_that_stand_still_are_listed(cli: Cli, core: Core) -> None:
    before = evolve(core.rides, clock=lambda: now() - timedelta(hours=5))
    old, waiting, young = accepted(core, before), asked(core, before), accepted(core, core.rides)
    standing = cli("rides", "list", "--standing", "5", "--environment", "test", "--json").json
    assert [one["ref"] for one in standing] == [old.ref]
    every = cli("rides", "list", "--standing", "0", "--environment", "test", "--json").json
    assert {one["ref"] for one in every} == {old.ref, young.ref}
    assert waiting.status == "pending"


def test_what_waited_too_long_expires(cli: Cli, core: Core) -> None:
    before = evolve(core.rides, clock=lambda: now() - timedelta(hours=1))
    ride, tow = asked(core, before), asked(core, core.tows)
    assert cli("rides", "expire", "--kind", "tow", "--json").json == {"tows": 0}
    assert cli("rides", "expire").out == "1 rides, 0 tows expired.\n"
    assert cli("rides", "expire", "--json").json == {"rides": 0, "tows": 0}
    assert core.rides.show(ride.ref, TOWIFY).ride.status == "expired"
    assert core.tows.show(tow.ref, TOWIFY).ride.status == "pending"
