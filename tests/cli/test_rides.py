"""``repaircore rides``."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.cli.conftest import Cli

from repaircore.core import Core, build
from repaircore.customers.model import ResolveCustomer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.geo import Point
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.requests import CreateRide, Trip
from repaircore.rides.service import Rides
from repaircore.settings import Settings
from repaircore.shared_services import now

TOWIFY = PartnerCaller(partner_id=1, environment=Environment.TEST)
CITY, NEARBY = Point(34.05, -118.25), Point(34.15, -118.15)


@pytest.fixture
def core(sqlite_url: str) -> Iterator[Core]:
    opened = build(Settings(database_url=sqlite_url))
    opened.partners.create("Towify", "test")
    yield opened
    opened.close()


def create_ride(core: Core, rides: Rides) -> Ride:
    person = ResolveCustomer(first_name="Ada", last_name="B", email="ada@example.com", phone="+12025550123")
    service = "Flatbed" if rides.kind is RideKind.TOW else "tire_change"
    ride = CreateRide(
        trip=Trip(service=service, pickup=CITY, dropoff=NEARBY),
        customer_ref=core.customers.resolve(person, TOWIFY).customer.ref,
    )
    return rides.create(ride, TOWIFY)


def create_accepted_ride(core: Core, rides: Rides) -> Ride:
    ride = create_ride(core, rides)
    return rides.accept_offer(
        ride.ref, rides.list_acceptable_offers(ride.ref, TOWIFY)[0].provider_ref, TOWIFY
    )


def test_payments_owed_lists_a_fee_that_could_not_be_captured(cli: Cli, core: Core) -> None:
    ride = create_accepted_ride(core, core.tows)
    core.tows.arrive(ride.ref, TOWIFY)
    core.tows.start(ride.ref, TOWIFY)
    (payment,) = core.tows.get(ride.ref, None).payments
    core.payments.gateway(Environment.TEST).void(payment.gateway_ref or "", "by hand")
    core.tows.complete(ride.ref, TOWIFY)
    (view,) = cli("payments", "owed", "--environment", "test", "--json").json
    owed = ride.fare.total / 100

    assert (view["ref"], view["owed"], view["payment_id"]) == (ride.ref, owed, payment.id)
    assert columns(cli("payments", "owed", "--test").out)[0][:3] == [ride.ref, "1", f"{owed:,.2f}"]
    assert cli("payments", "owed", "--json").json == []


def columns(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()]


def test_rides_list_selects_by_kind_and_environment_newest_first(cli: Cli, core: Core) -> None:
    first, second, tow = (
        create_ride(core, core.rides),
        create_accepted_ride(core, core.rides),
        create_ride(core, core.tows),
    )
    view = cli("rides", "list", "--environment", "test", "--json").json

    assert [ride["ref"] for ride in view] == [second.ref, first.ref]
    assert (view[0]["partner_id"], view[0]["payment"]["status"]) == (1, "authorized")
    assert view[1]["payment"] is None

    tows = cli("rides", "list", "--kind", "tow", "--environment", "test").out

    assert columns(tows)[0][:4] == [tow.ref, "1", "pending", "Flatbed"]
    assert cli("rides", "list", "--json").json == []  # of the live environment

    rows = columns(cli("rides", "list", "--environment", "test", "--status", "accepted").out)

    assert [(row[0], row[6]) for row in rows] == [(second.ref, "authorized")]
    assert cli("rides", "list", "--environment", "test", "--partner", "2", "--json").json == []

    shortened = cli("rides", "list", "--environment", "test", "--limit", "1")

    assert (len(shortened.out.splitlines()), "1 more" in shortened.err) == (1, True)


@pytest.mark.parametrize(
    ("args", "status", "message"),
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
def test_rides_commands_refuse_bad_arguments(cli: Cli, args: list[str], status: int, message: str) -> None:
    result = cli("rides", *args)

    assert (result.status, result.out, message in result.err) == (status, "", True)


@pytest.mark.parametrize("kind", RideKind)
def test_rides_show_prints_offers_payments_and_timeline(cli: Cli, core: Core, kind: RideKind) -> None:
    ride = create_accepted_ride(core, core.rides if kind is RideKind.MOBILE else core.tows)
    view: dict[str, Any] = cli("rides", "show", ride.ref, "--json").json

    assert (view["ref"], view["status"], view["partner_id"]) == (ride.ref, "accepted", 1)
    assert [offer["status"] for offer in view["offers"]].count("accepted") == 1
    assert [payment["state"] for payment in view["payments"]] == ["authorized"]
    assert [step["action"] for step in view["timeline"]] == ["create", "accept_offer"]

    printed = cli("rides", "show", ride.ref).out

    assert ride.provider_name is not None
    assert all(text in printed for text in (ride.ref, ride.provider_name, "authorized", "accept_offer"))


def test_rides_drop_out_releases_the_payment(cli: Cli, core: Core) -> None:
    ride = create_accepted_ride(core, core.rides)

    assert cli("rides", "drop-out", ride.ref).status == 2  # no terminal to confirm at

    view = cli("rides", "drop-out", ride.ref, "--yes", "--json").json

    assert (view["status"], view["driver"]) == ("pending", None)

    detail = core.rides.get(ride.ref, TOWIFY)

    assert [str(payment.state) for payment in detail.payments] == ["voided"]
    assert (detail.steps[-1].action, detail.steps[-1].actor) == ("drop_out", "operator")

    again = cli("rides", "drop-out", ride.ref, "--yes")

    assert (again.status, "drop" in again.err or "pending" in again.err) == (1, True)


@pytest.mark.parametrize("kind", RideKind)
def test_rides_complete_and_call_off_end_a_ride_for_the_operator(
    cli: Cli, core: Core, kind: RideKind
) -> None:
    rides = core.rides if kind is RideKind.MOBILE else core.tows
    completed, absent, called_off = (create_accepted_ride(core, rides).ref for _ in range(3))
    for ref in (completed, absent):
        rides.arrive(ref, TOWIFY)
    rides.start(completed, TOWIFY)

    assert cli("rides", "complete", completed).status == 2  # no terminal to confirm at

    view = cli("rides", "complete", completed, "--yes", "--json").json

    assert (view["status"], view["outcome"], view["fee"]) == ("completed", "completed", view["fare"]["total"])
    assert view["payment"]["status"] == "captured"

    text = cli("rides", "complete", absent, "--outcome", "gone_on_arrival", "--yes").out

    assert text.startswith(f"{absent} is completed. Captured: ")

    called_off_view = cli(
        "rides", "call-off", called_off, "--note", "The partner does not respond.", "--yes", "--json"
    ).json

    assert (called_off_view["status"], called_off_view["fee"], called_off_view["cancel_note"]) == (
        "cancelled",
        0.0,
        "The partner does not respond.",
    )
    assert called_off_view["payment"]["status"] == "voided"

    for ref, action in ((completed, "complete"), (absent, "gone_on_arrival"), (called_off, "call_off")):
        step = rides.get(ref, TOWIFY).steps[-1]
        assert (step.action, step.actor) == (action, "operator")
    again = cli("rides", "call-off", called_off, "--yes")

    assert (again.status, "Allowed: nothing." in again.err) == (1, True)


def test_rides_list_selects_unchanged_rides(cli: Cli, core: Core) -> None:
    earlier_rides = evolve(core.rides, clock=lambda: now() - timedelta(hours=5))
    old, waiting, young = (
        create_accepted_ride(core, earlier_rides),
        create_ride(core, earlier_rides),
        create_accepted_ride(core, core.rides),
    )
    unchanged = cli("rides", "list", "--standing", "5", "--environment", "test", "--json").json

    assert [one["ref"] for one in unchanged] == [old.ref]

    all_rides = cli("rides", "list", "--standing", "0", "--environment", "test", "--json").json

    assert {ride["ref"] for ride in all_rides} == {old.ref, young.ref}
    assert waiting.status == "pending"


def test_rides_expire_expires_overdue_rides(cli: Cli, core: Core) -> None:
    earlier_rides = evolve(core.rides, clock=lambda: now() - timedelta(hours=1))
    ride, tow = create_ride(core, earlier_rides), create_ride(core, core.tows)

    assert cli("rides", "expire", "--kind", "tow", "--json").json == {"tows": 0}
    assert cli("rides", "expire").out == "1 rides, 0 tows expired.\n"
    assert cli("rides", "expire", "--json").json == {"rides": 0, "tows": 0}
    assert core.rides.get(ride.ref, TOWIFY).ride.status == "expired"
    assert core.tows.get(tow.ref, TOWIFY).ride.status == "pending"


def test_operator_can_arrive_start_and_complete_an_abandoned_ride(cli: Cli, core: Core) -> None:
    ride = create_accepted_ride(core, core.rides)
    ride_json = cli("rides", "arrive", ride.ref, "--start", "--yes", "--json").json

    assert ride_json["status"] == "in_progress"
    assert [step.actor for step in core.rides.get(ride.ref, None).steps][-2:] == ["operator", "operator"]
    assert cli("rides", "complete", ride.ref, "--yes", "--json").json["status"] == "completed"
    assert cli("rides", "arrive", ride.ref, "--yes").status == 1
