"""Offers on both databases: which providers are asked, how long offers are open, and when they can be accepted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.partners import add_partner
from tests.contracts.rides import PICKUP, add_offers, charges_of, create_ride, read_record, require_consistent

from repaircore.adapters.payments.sandbox import SandboxGateway
from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.core import Core
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
OFFER_LIFETIME = 10 * MINUTE


@pytest.fixture(params=["rides", "tows"])
def rides(request: pytest.FixtureRequest, core: Core) -> Rides:
    service: Rides = getattr(core, request.param)
    return service


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


@pytest.fixture
def live(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database, environment=Environment.LIVE)


@pytest.fixture
def live_rides(core: Core, clock: FrozenClock) -> Rides:
    """Return mobile rides whose live payments go to the sandbox, too."""
    gateway = SandboxGateway(transaction=core.storage.transaction, clock=clock)
    gateways = {Environment.TEST: gateway, Environment.LIVE: gateway}
    return evolve(core.rides, payments=evolve(core.payments, gateways=gateways))


def add_driver(core: Core, number: int) -> str:
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


def create_live_ride(core: Core, rides: Rides, live: PartnerCaller) -> Ride:
    return create_ride(core, rides, live, payment_method="pm_card_visa")


def open_providers(rides: Rides, ref: str, caller: PartnerCaller) -> list[str]:
    return [offer.provider_ref for offer in rides.list_acceptable_offers(ref, caller)]


def statuses(rides: Rides, ref: str) -> list[str]:
    return [str(offer.status) for offer in rides.list_offers(ref)]


def count_charges(core: Core) -> int:
    with core.storage.database.transaction(write=False) as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(sandbox_charges)).scalar_one())


# Asked providers, and the lifetime of their offers.


def test_offers_after_a_drop_out_are_open_as_long_as_the_ride_is_pending(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, rides, caller)
    rides.accept_offer(ride.ref, open_providers(rides, ride.ref, caller)[0], caller)
    clock.advance(40 * MINUTE)
    ride_now = rides.drop_out(ride.ref)
    (first, second) = rides.list_acceptable_offers(ride.ref, caller)

    assert first.expires_at == second.expires_at == ride_now.expires_at == clock() + 10 * MINUTE
    assert rides.accept_offer(ride.ref, second.provider_ref, caller).status is Status.ACCEPTED


def test_ask_others_renews_expired_offers_of_a_pending_ride(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, rides, caller)
    providers = open_providers(rides, ride.ref, caller)
    for lapsed in (1, 2):
        assert rides.ask_others() == 0
        clock.advance(OFFER_LIFETIME)
        assert open_providers(rides, ride.ref, caller) == []
        assert rides.ask_others() == len(providers)
        assert open_providers(rides, ride.ref, caller) == providers
        assert statuses(rides, ride.ref) == lapsed * 3 * ["expired"] + 3 * ["offered"]
    record = read_record(core, rides, ride.ref)

    assert record.events.count(f"{rides.kind}.offer_received") == 9
    assert [(step.action, step.actor, step.detail) for step in record.steps[1:]] == [
        ("ask_others", "system", {"offers": len(providers)})
    ] * 2

    clock.advance(OFFER_LIFETIME)

    assert (rides.ask_others(), rides.expire_due()) == (0, 1)


def test_ask_others_adds_lasting_offers_in_scenario_offers_expire(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, rides, caller, sandbox=Scenario.OFFERS_EXPIRE)
    first = open_providers(rides, ride.ref, caller)
    counts = []
    for _ in range(20):  # runs of the job
        clock.advance(timedelta(seconds=3))
        counts.append(rides.ask_others())

    assert counts == [3, *19 * [0]]
    assert open_providers(rides, ride.ref, caller) == first


def test_ask_others_writes_nothing_when_there_is_nobody_to_ask(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, core.rides, caller)
    for provider in open_providers(core.rides, ride.ref, caller):
        core.rides.decline_offer(ride.ref, provider, caller)
    scripted = create_ride(core, core.rides, caller, sandbox=Scenario.NO_DRIVER)
    transactions = []

    @contextmanager
    def begin() -> Iterator[Any]:
        transactions.append("begun")
        with core.storage.transaction() as work:
            yield work

    candidates: Any = core.rides.candidates
    rides = evolve(core.rides, transaction=begin, candidates=evolve(candidates, transaction=begin))
    clock.advance(OFFER_LIFETIME)
    before = [read_record(core, rides, ref) for ref in (ride.ref, scripted.ref)]

    assert rides.ask_others() == 0
    assert transactions == []
    assert [read_record(core, rides, ref) for ref in (ride.ref, scripted.ref)] == before


@pytest.mark.parametrize(
    ("job", "after", "count"), [("ask_others", OFFER_LIFETIME, 3), ("expire_due", 30 * MINUTE, 1)]
)
def test_job_counts_nothing_that_another_process_did_first(
    core: Core,
    rides: Rides,
    caller: PartnerCaller,
    clock: FrozenClock,
    *,
    job: str,
    after: timedelta,
    count: int,
) -> None:
    ride = create_ride(core, rides, caller)
    clock.advance(after)
    by_other: list[int] = []

    @contextmanager
    def begin() -> Iterator[Any]:
        if not by_other:
            by_other.append(getattr(rides, job)())
        with core.storage.transaction() as work:
            yield work

    late = evolve(rides, transaction=begin)

    assert (getattr(late, job)(), by_other) == (0, [count])
    record = read_record(core, rides, ride.ref)
    assert [step.action for step in record.steps].count(record.steps[-1].action) == 1


def test_update_of_the_trip_asks_all_but_declined_providers(core: Core, caller: PartnerCaller) -> None:
    ride = create_ride(core, core.rides, caller)
    (first, *rest) = open_providers(core.rides, ride.ref, caller)
    core.rides.decline_offer(ride.ref, first, caller)
    core.rides.update(ride.ref, lambda _: {"service": "towing"}, caller)

    assert open_providers(core.rides, ride.ref, caller) == rest


@pytest.mark.parametrize("closing", ["cancel", "accept", "update"])
def test_expired_offer_stays_expired(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock, closing: str
) -> None:
    ride = create_ride(core, rides, caller)
    clock.advance(OFFER_LIFETIME)
    acts: dict[str, Callable[[], object]] = {
        "cancel": lambda: rides.cancel(ride.ref, caller),
        "accept": lambda: (
            rides.ask_others()
            and rides.accept_offer(ride.ref, open_providers(rides, ride.ref, caller)[0], caller)
        ),
        "update": lambda: rides.update(ride.ref, lambda _: {"dropoff": PICKUP}, caller),
    }

    assert statuses(rides, ride.ref) == 3 * ["expired"]

    acts[closing]()

    assert statuses(rides, ride.ref)[:3] == 3 * ["expired"]


def test_first_accepted_offer_is_withdrawn_in_scenario_driver_declines(
    rides: Rides, core: Core, caller: PartnerCaller
) -> None:
    ride = create_ride(core, rides, caller, sandbox=Scenario.DRIVER_DECLINES)
    first, second = add_offers(2, core, rides, ride.ref)[:2]
    with pytest.raises(OfferGone):
        rides.accept_offer(ride.ref, first, caller)
    accepted = rides.accept_offer(ride.ref, second, caller)
    record = read_record(core, rides, ride.ref)
    withdrawn = [offer.provider_ref for offer in record.offers if offer.status is OfferStatus.WITHDRAWN]

    assert accepted.provider_ref == second
    assert first in withdrawn
    assert [(step.action, step.actor, step.detail) for step in record.steps if step.actor == "sandbox"] == [
        ("decline", "sandbox", {"provider_ref": first})
    ]
    assert len(record.payments) == 1


def test_overdue_ride_expires_once_with_its_offers_and_an_event(
    rides: Rides, core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, rides, caller)
    clock.now = ride.expires_at - timedelta(microseconds=1)
    early = rides.expire_due()
    clock.now = ride.expires_at
    expired = (rides.expire_due(), rides.expire_due())
    record = read_record(core, rides, ride.ref)

    assert (early, expired) == (0, (1, 0))
    assert (record.ride.status, record.ride.ended_at) == (Status.EXPIRED, clock())
    assert {offer.status for offer in record.offers} == {OfferStatus.EXPIRED}
    assert (record.steps[-1].action, record.steps[-1].actor) == ("expire", "system")
    assert record.events[-1] == f"{rides.kind}.expired"
    assert record.events.count(record.events[-1]) == 1


def test_update_of_an_overdue_ride_fails_like_an_expired_one(
    core: Core, rides: Rides, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, rides, caller)
    clock.advance(ride.expires_at - clock())
    before = read_record(core, rides, ride.ref)
    caught = []
    for expired in (1, 0):
        with pytest.raises(Conflict) as record:
            rides.update(ride.ref, lambda _: {"dropoff": PICKUP, "notes": "blue door"}, caller)
        caught.append((str(record.value), record.value.details))
        assert rides.expire_due() == expired

    assert caught[0] == caught[1]
    assert caught[0][1] == {"status": "expired", "allowed": []}
    assert len(read_record(core, rides, ride.ref).offers) == len(before.offers)


# Busy and inactive providers.


def test_accept_offer_of_a_busy_driver_authorizes_no_payment(
    core: Core, live_rides: Rides, live: PartnerCaller
) -> None:
    driver = add_driver(core, 1)
    mine, other = (create_live_ride(core, live_rides, live) for _ in range(2))
    live_rides.accept_offer(mine.ref, driver, live)

    assert open_providers(live_rides, other.ref, live) == []

    with pytest.raises(OfferGone) as caught:
        live_rides.accept_offer(other.ref, driver, live)

    assert caught.value.details is not None
    assert caught.value.details["open_offers"] == []
    assert count_charges(core) == 1
    # Another driver is asked as soon as there is one.
    assert live_rides.ask_others() == 0

    another = add_driver(core, 2)

    assert live_rides.ask_others() == 1
    assert open_providers(live_rides, other.ref, live) == [another]
    assert statuses(live_rides, other.ref) == ["withdrawn", "offered"]

    live_rides.cancel_accepted(mine.ref, live)

    assert open_providers(live_rides, other.ref, live) == [another]


def test_assign_withdraws_the_offer_of_a_driver_taken_since_the_authorization(
    core: Core, live_rides: Rides, live: PartnerCaller
) -> None:
    driver = add_driver(core, 1)
    mine, other = (create_live_ride(core, live_rides, live) for _ in range(2))
    authorized = live_rides.authorize(other.ref, driver, live)
    live_rides.accept_offer(mine.ref, driver, live)
    with pytest.raises(ProviderBusy) as caught:
        live_rides.assign(other.ref, authorized, live)

    assert caught.value.details == {
        "status": "pending",
        "allowed": ["update", "accept_offer", "decline_offer", "cancel"],
    }

    view = live_rides.get(other.ref, live)

    assert [payment.state for payment in view.payments] == [PaymentState.VOIDED]
    assert statuses(live_rides, other.ref) == ["withdrawn"]

    live_rides.cancel_accepted(mine.ref, live)  # free again, but this offer was withdrawn
    with pytest.raises(OfferGone):
        live_rides.accept_offer(other.ref, driver, live)

    assert live_rides.ask_others() == 1
    assert live_rides.accept_offer(other.ref, driver, live).status is Status.ACCEPTED


@pytest.mark.parametrize("kind", ["rides", "tows"])
def test_accept_offer_of_an_inactive_provider_is_refused(
    core: Core, caller: PartnerCaller, kind: str
) -> None:
    rides: Rides = getattr(core, kind)
    ride = create_ride(core, rides, caller)
    (first, *rest) = open_providers(rides, ride.ref, caller)
    with core.storage.transaction() as work:
        directory: Any = work.drivers if kind == "rides" else work.businesses
        driver = directory.find(first, Environment.TEST)
        directory.replace(driver, evolve(driver, active=False))

    assert open_providers(rides, ride.ref, caller) == rest

    with pytest.raises(OfferGone) as caught:
        rides.accept_offer(ride.ref, first, caller)

    assert caught.value.details is not None
    assert caught.value.details["open_offers"] == rest

    record = read_record(core, rides, ride.ref)
    require_consistent(record)

    assert (record.payments, charges_of(core, record.payments)) == ([], {})
    assert rides.accept_offer(ride.ref, rest[0], caller).status is Status.ACCEPTED


def test_ask_others_skips_a_removed_driver(core: Core, live_rides: Rides, live: PartnerCaller) -> None:
    driver = add_driver(core, 1)
    ride = create_live_ride(core, live_rides, live)

    assert core.drivers.remove(driver) is False  # deactivated: the offer refers to them
    assert open_providers(live_rides, ride.ref, live) == []

    another = add_driver(core, 2)

    assert live_rides.ask_others() == 1
    assert open_providers(live_rides, ride.ref, live) == [another]


# Errors of violated constraints.


def test_only_a_driver_on_two_rides_is_reported_as_busy(
    core: Core, live_rides: Rides, live: PartnerCaller
) -> None:
    driver = add_driver(core, 1)
    mine, other = (create_live_ride(core, live_rides, live) for _ in range(2))
    live_rides.accept_offer(mine.ref, driver, live)
    with pytest.raises(Conflict) as caught, core.storage.transaction() as work:
        work.rides.replace(other, evolve(other, customer_id=10**6))

    assert not isinstance(caught.value, ProviderBusy)

    with pytest.raises(ProviderBusy), core.storage.transaction() as work:
        work.rides.replace(other, evolve(other, status=Status.ACCEPTED, provider_ref=driver))


def test_only_a_second_accepted_offer_is_reported_as_one(core: Core, caller: PartnerCaller) -> None:
    ride = create_ride(core, core.rides, caller)
    (first, second, *_) = core.rides.list_acceptable_offers(ride.ref, caller)
    core.rides.accept_offer(ride.ref, first.provider_ref, caller)
    withdrawn = evolve(second, status=OfferStatus.WITHDRAWN)
    for new, text in (
        (evolve(withdrawn, status=OfferStatus.ACCEPTED), "Another offer was accepted."),
        (
            evolve(withdrawn, ride_ref="ride_none"),
            "The change conflicts with stored records. Reload them and try again.",
        ),
    ):
        with pytest.raises(Conflict) as caught, core.storage.transaction() as work:
            work.offers.replace(withdrawn, new)
        assert str(caught.value) == text


def test_events_of_a_ride_read_its_payments_once(core: Core, caller: PartnerCaller) -> None:
    create_ride(core, core.rides, caller)  # warms up what is read only once
    statements = []

    def record_statement(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if "FROM payments" in statement:
            statements.append(statement)

    engine = core.storage.database.engine
    sa.event.listen(engine, "before_cursor_execute", record_statement)
    try:
        ride = create_ride(core, core.rides, caller)
    finally:
        sa.event.remove(engine, "before_cursor_execute", record_statement)

    assert len(read_record(core, core.rides, ride.ref).events) == 4
    assert len(statements) == 1
