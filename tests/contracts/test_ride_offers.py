"""Who is asked for a ride, how long their offers count, and what is looked at before money is held."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.partners import a_partner
from tests.contracts.rides import PICKUP, asked, charges_of, require_sound, told_of

from repaircore.adapters.payments.sandbox import SandboxGateway
from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.bootstrap import Core
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.references import Kind, reference
from repaircore.payments.model import PaymentState
from repaircore.providers.drivers import Driver, Service
from repaircore.rides.errors import OfferGone, ProviderBusy
from repaircore.rides.model import OfferStatus, Ride, Scenario, Status
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock
from repaircore.testing.ids import CountingIds

_ids = CountingIds()
MINUTE = timedelta(minutes=1)
LAPSE = 10 * MINUTE


@pytest.fixture(params=["rides", "tows"])
def rides(request: pytest.FixtureRequest, core: Core) -> Rides:
    one: Rides = getattr(core, request.param)
    return one


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return a_partner(core.storage.database)


@pytest.fixture
def live(core: Core) -> PartnerCaller:
    return a_partner(core.storage.database, environment=Environment.LIVE)


@pytest.fixture
def roadside(core: Core, clock: FrozenClock) -> Rides:
    """Give mobile rides whose live payments are the sandbox's too."""
    gateway = SandboxGateway(transaction=core.storage.transaction, clock=clock)
    gateways = {Environment.TEST: gateway, Environment.LIVE: gateway}
    return evolve(core.rides, payments=evolve(core.payments, gateways=gateways))


def a_driver(core: Core, number: int) -> str:
    with core.storage.transaction() as work:
        added = work.drivers.add(
            Driver(
                id=0,
                ref=reference(Kind.DRIVER, _ids()),
                environment=Environment.LIVE,
                name=f"Number {number}",
                phone=f"+1202555010{number}",
                abilities=frozenset({Service.BATTERY_JUMP_START}),
                point=evolve(PICKUP, latitude=PICKUP.latitude + number / 1000),
                time_zone="UTC",
                created_at=core.rides.clock(),
                updated_at=core.rides.clock(),
            )
        )
    assert added is not None
    return added.ref


def asked_live(core: Core, rides: Rides, live: PartnerCaller) -> Ride:
    return asked(core, rides, live, payment_method="pm_card_visa")


def offered(rides: Rides, ref: str, caller: PartnerCaller) -> list[str]:
    return [one.provider_ref for one in rides.offers(ref, caller)]


def statuses(rides: Rides, ref: str) -> list[str]:
    return [str(one.status) for one in rides.all_offers(ref)]


def held(core: Core) -> int:
    with core.storage.database.transaction(write=False) as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(sandbox_charges)).scalar_one())


# Who is asked, and how long it counts.


def test_offers_after_a_drop_out_stand_as_long_as_the_ride_then_waits(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = asked(core, rides, caller)
    rides.accept_offer(ride.ref, offered(rides, ride.ref, caller)[0], caller)
    clock.advance(40 * MINUTE)
    kept = rides.drop_out(ride.ref)
    (first, second) = rides.offers(ride.ref, caller)
    assert first.expires_at == second.expires_at == kept.expires_at == clock() + 10 * MINUTE
    assert rides.accept_offer(ride.ref, second.provider_ref, caller).status is Status.ACCEPTED


def test_who_let_an_offer_lapse_is_asked_again_while_the_ride_waits(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = asked(core, rides, caller)
    everybody = offered(rides, ride.ref, caller)
    for lapsed in (1, 2):
        assert rides.ask_others() == 0
        clock.advance(LAPSE)
        assert offered(rides, ride.ref, caller) == []
        assert rides.ask_others() == len(everybody)
        assert offered(rides, ride.ref, caller) == everybody
        assert statuses(rides, ride.ref) == lapsed * 3 * ["expired"] + 3 * ["offered"]
    told = told_of(core, rides, ride.ref)
    assert told.events.count(f"{rides.kind}.offer_received") == 9
    clock.advance(LAPSE)
    assert (rides.ask_others(), rides.expire_due()) == (0, 1)


def test_where_offers_expire_others_come_in_within_a_minute_and_stand(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = asked(core, rides, caller, sandbox=Scenario.OFFERS_EXPIRE)
    first = offered(rides, ride.ref, caller)
    came = []
    for _ in range(20):  # looks of the job
        clock.advance(timedelta(seconds=3))
        came.append(rides.ask_others())
    assert came == [3, *19 * [0]]
    assert offered(rides, ride.ref, caller) == first


def test_nothing_is_written_about_a_ride_for_which_there_is_nobody_to_ask(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = asked(core, core.rides, caller)
    for provider in offered(core.rides, ride.ref, caller):
        core.rides.decline_offer(ride.ref, provider, caller)
    silent = asked(core, core.rides, caller, sandbox=Scenario.NO_DRIVER)
    written = []

    @contextmanager
    def begin() -> Iterator[Any]:
        written.append("unit of work")
        with core.storage.transaction() as work:
            yield work

    roster: Any = core.rides.roster
    rides = evolve(core.rides, transaction=begin, roster=evolve(roster, transaction=begin))
    clock.advance(LAPSE)
    before = [told_of(core, rides, ref) for ref in (ride.ref, silent.ref)]
    assert rides.ask_others() == 0
    assert written == []
    assert [told_of(core, rides, ref) for ref in (ride.ref, silent.ref)] == before


def test_another_trip_is_offered_to_all_but_those_who_were_declined(
    core: Core, caller: PartnerCaller
) -> None:
    ride = asked(core, core.rides, caller)
    (first, *rest) = offered(core.rides, ride.ref, caller)
    core.rides.decline_offer(ride.ref, first, caller)
    core.rides.update(ride.ref, lambda _: {"service": "towing"}, caller)
    assert offered(core.rides, ride.ref, caller) == rest


@pytest.mark.parametrize("closing", ["cancel", "accept", "update"])
def test_what_was_told_as_expired_stays_so(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock, closing: str
) -> None:
    ride = asked(core, rides, caller)
    clock.advance(LAPSE)
    acts: dict[str, Callable[[], object]] = {
        "cancel": lambda: rides.cancel(ride.ref, caller),
        "accept": lambda: (
            rides.ask_others() and rides.accept_offer(ride.ref, offered(rides, ride.ref, caller)[0], caller)
        ),
        "update": lambda: rides.update(ride.ref, lambda _: {"dropoff": PICKUP}, caller),
    }
    assert statuses(rides, ride.ref) == 3 * ["expired"]
    acts[closing]()
    assert statuses(rides, ride.ref)[:3] == 3 * ["expired"]


def test_what_has_waited_too_long_is_changed_no_more_than_what_is_written_as_expired(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = asked(core, rides, caller)
    clock.advance(ride.expires_at - clock())
    before = told_of(core, rides, ride.ref)
    refused = []
    for expired in (1, 0):
        with pytest.raises(Conflict) as told:
            rides.update(ride.ref, lambda _: {"dropoff": PICKUP, "notes": "blue door"}, caller)
        refused.append((str(told.value), told.value.details))
        assert rides.expire_due() == expired
    assert refused[0] == refused[1]
    assert refused[0][1] == {"status": "expired", "allowed": []}
    assert len(told_of(core, rides, ride.ref).offers) == len(before.offers)


# Who is free, and gets requests.


def test_a_driver_on_a_ride_is_shown_for_no_other_and_no_money_is_held_for_them(
    core: Core, roadside: Rides, live: PartnerCaller
) -> None:
    one = a_driver(core, 1)
    mine, other = (asked_live(core, roadside, live) for _ in range(2))
    roadside.accept_offer(mine.ref, one, live)
    assert offered(roadside, other.ref, live) == []
    with pytest.raises(OfferGone) as gone:
        roadside.accept_offer(other.ref, one, live)
    assert gone.value.details is not None
    assert gone.value.details["open_offers"] == []
    assert held(core) == 1
    # Somebody else is asked as soon as there is somebody else.
    assert roadside.ask_others() == 0
    another = a_driver(core, 2)
    assert roadside.ask_others() == 1
    assert offered(roadside, other.ref, live) == [another]
    assert statuses(roadside, other.ref) == ["withdrawn", "offered"]
    roadside.cancel_accepted(mine.ref, live)
    assert offered(roadside, other.ref, live) == [another]


def test_a_driver_taken_while_the_money_was_held_is_offered_no_more(
    core: Core, roadside: Rides, live: PartnerCaller
) -> None:
    one = a_driver(core, 1)
    mine, other = (asked_live(core, roadside, live) for _ in range(2))
    authorized = roadside.authorize(other.ref, one, live)
    roadside.accept_offer(mine.ref, one, live)
    with pytest.raises(ProviderBusy) as busy:
        roadside.assign(other.ref, authorized, live)
    assert busy.value.details == {
        "status": "pending",
        "allowed": ["update", "accept_offer", "decline_offer", "cancel"],
    }
    view = roadside.show(other.ref, live)
    assert [payment.state for payment in view.payments] == [PaymentState.VOIDED]
    assert statuses(roadside, other.ref) == ["withdrawn"]
    roadside.cancel_accepted(mine.ref, live)  # free again, but this offer was taken back
    with pytest.raises(OfferGone):
        roadside.accept_offer(other.ref, one, live)
    assert roadside.ask_others() == 1
    assert roadside.accept_offer(other.ref, one, live).status is Status.ACCEPTED


@pytest.mark.parametrize("kind", ["rides", "tows"])
def test_who_gets_no_more_requests_is_not_accepted_either(
    core: Core, caller: PartnerCaller, kind: str
) -> None:
    rides: Rides = getattr(core, kind)
    ride = asked(core, rides, caller)
    (first, *rest) = offered(rides, ride.ref, caller)
    with core.storage.transaction() as work:
        directory: Any = work.drivers if kind == "rides" else work.businesses
        known = directory.by_ref(first, Environment.TEST)
        directory.replace(known, evolve(known, active=False))
    assert offered(rides, ride.ref, caller) == rest
    with pytest.raises(OfferGone) as gone:
        rides.accept_offer(ride.ref, first, caller)
    assert gone.value.details is not None
    assert gone.value.details["open_offers"] == rest
    told = told_of(core, rides, ride.ref)
    require_sound(told)
    assert (told.payments, charges_of(core, told.payments)) == ([], {})
    assert rides.accept_offer(ride.ref, rest[0], caller).status is Status.ACCEPTED


def test_a_removed_driver_who_offered_is_asked_no_more_and_others_are(
    core: Core, roadside: Rides, live: PartnerCaller
) -> None:
    one = a_driver(core, 1)
    ride = asked_live(core, roadside, live)
    assert core.drivers.remove(one) is False  # kept, for the offer refers to them
    assert offered(roadside, ride.ref, live) == []
    another = a_driver(core, 2)
    assert roadside.ask_others() == 1
    assert offered(roadside, ride.ref, live) == [another]


# What the database says about it.


def test_only_a_driver_on_two_rides_is_told_as_busy(core: Core, roadside: Rides, live: PartnerCaller) -> None:
    one = a_driver(core, 1)
    mine, other = (asked_live(core, roadside, live) for _ in range(2))
    roadside.accept_offer(mine.ref, one, live)
    with pytest.raises(Conflict) as refused, core.storage.transaction() as work:
        work.rides.replace(other, evolve(other, customer_id=10**6))
    assert not isinstance(refused.value, ProviderBusy)
    with pytest.raises(ProviderBusy), core.storage.transaction() as work:
        work.rides.replace(other, evolve(other, status=Status.ACCEPTED, provider_ref=one))


def test_only_a_second_accepted_offer_is_told_as_that(core: Core, caller: PartnerCaller) -> None:
    ride = asked(core, core.rides, caller)
    (first, second, *_) = core.rides.offers(ride.ref, caller)
    core.rides.accept_offer(ride.ref, first.provider_ref, caller)
    withdrawn = evolve(second, status=OfferStatus.WITHDRAWN)
    for new, text in (
        (evolve(withdrawn, status=OfferStatus.ACCEPTED), "Another offer was accepted."),
        (evolve(withdrawn, ride_ref="ride_none"), "The stored state does not allow it."),
    ):
        with pytest.raises(Conflict) as refused, core.storage.transaction() as work:
            work.offers.replace(withdrawn, new)
        assert str(refused.value) == text


def test_the_payments_of_a_ride_are_read_once_for_all_of_its_events(
    core: Core, caller: PartnerCaller
) -> None:
    asked(core, core.rides, caller)  # whatever is read only once
    read = []

    def note(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if "FROM payments" in statement:
            read.append(statement)

    engine = core.storage.database.engine
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        ride = asked(core, core.rides, caller)
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)
    assert len(told_of(core, core.rides, ride.ref).events) == 4
    assert len(read) == 1
