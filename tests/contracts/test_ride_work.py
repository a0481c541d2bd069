"""The rides and offers that background work finds at exact times, on both databases."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.partners import add_partner
from tests.unit.rides.examples import AT, make_ride

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.customers.model import Customer, ResolveCustomer
from repaircore.kernel.callers import Environment
from repaircore.kernel.references import Kind, reference
from repaircore.providers.businesses import Business, RideType
from repaircore.providers.drivers import Driver, Service
from repaircore.rides.model import Offer, OfferStatus, Ride, RideKind, Status
from repaircore.rides.offering import Candidate, create_offer
from repaircore.testing.ids import CountingIds

LIVE = Environment.LIVE
TICK, HOUR = timedelta(microseconds=1), timedelta(hours=1)
_ids = CountingIds()


@pytest.fixture
def ada(database: Database) -> Customer:
    towify = add_partner(database, environment=LIVE)
    data = ResolveCustomer(first_name="Ada", last_name="Byron", email="ada@example.org", phone="+16145550123")
    with work.open_work(database, write=True) as unit:
        added = unit.customers.add(data, towify, ref=reference(Kind.CUSTOMER, _ids()), at=AT)
    assert added is not None
    return added


def add_ride(database: Database, ada: Customer, **fields: Any) -> Ride:
    ride = make_ride(
        ref=reference(Kind.RIDE, _ids()),
        partner_id=ada.partner_id,
        environment=LIVE,
        customer_id=ada.id,
        customer_ref=ada.ref,
        **{"expires_at": AT + HOUR, **fields},
    )
    with work.open_work(database, write=True) as unit:
        return unit.rides.add(ride)


def add_provider(database: Database, kind: RideKind, *, is_active: bool = True) -> Driver | Business:
    fields: dict[str, Any] = {
        "id": 0,
        "environment": LIVE,
        "name": "One",
        "phone": f"+1614555{next(_phones):04}",
        "point": make_ride().pickup,
        "time_zone": "America/Los_Angeles",
        "active": is_active,
        "created_at": AT,
        "updated_at": AT,
    }
    added: Driver | Business | None
    with work.open_work(database, write=True) as unit:
        if kind is RideKind.TOW:
            business = Business(
                ref=reference(Kind.BUSINESS, _ids()), abilities=frozenset({RideType.FLATBED}), **fields
            )
            added = unit.businesses.add(business)
        else:
            driver = Driver(
                ref=reference(Kind.DRIVER, _ids()), abilities=frozenset({Service.TOWING}), **fields
            )
            added = unit.drivers.add(driver)
    assert added is not None
    return added


_phones = iter(range(10_000))


def add_offer(database: Database, ride: Ride, provider: Driver | Business, **fields: Any) -> Offer:
    candidate = Candidate(
        ref=provider.ref, id=provider.id, name=provider.name, rating=None, distance_miles=1.0
    )
    offer = evolve(create_offer(ride, candidate, eta_minutes=5, at=AT), **fields)
    with work.open_work(database, write=True) as unit:
        (added,) = unit.offers.add([offer])
    return added


def listed(
    database: Database, name: str, kind: RideKind, *, after: int = 0, limit: int = 9, at: Any = AT
) -> list[int]:
    with work.open_work(database, write=False) as unit:
        find: Callable[..., Sequence[Ride]] = getattr(unit.rides, name)
        return [ride.id for ride in find(kind, at=at, after=after, limit=limit)]


def test_ride_is_overdue_from_the_moment_it_expires(database: Database, ada: Customer) -> None:
    rides = [add_ride(database, ada, expires_at=AT + late) for late in (-TICK, timedelta(0), TICK)]
    add_ride(database, ada, expires_at=AT, kind=RideKind.TOW)
    add_ride(database, ada, expires_at=AT, status=Status.CANCELLED)
    mobile = RideKind.MOBILE

    assert listed(database, "list_overdue", mobile) == [rides[0].id, rides[1].id]
    assert listed(database, "list_overdue", mobile, limit=1) == [rides[0].id]
    assert listed(database, "list_overdue", mobile, after=rides[0].id) == [rides[1].id]
    for waiting in ("list_without_offers", "list_undispatched"):
        assert listed(database, waiting, mobile) == [rides[2].id]


@pytest.mark.parametrize("name", ["list_without_offers", "list_undispatched"])
def test_providers_are_asked_for_a_ride_from_its_time_on(
    database: Database, ada: Customer, name: str
) -> None:
    rides = [add_ride(database, ada, ask_at=at) for at in (None, AT, AT + TICK)]

    assert listed(database, name, RideKind.MOBILE) == [rides[0].id, rides[1].id]
    assert listed(database, name, RideKind.MOBILE, at=AT + TICK) == [ride.id for ride in rides]


@pytest.mark.parametrize("kind", RideKind)
def test_ride_waits_while_it_has_an_open_offer_of_an_available_provider(
    database: Database, ada: Customer, kind: RideKind
) -> None:
    """A ride that was dispatched before is found again only once it has no such offer."""
    active, gone = add_provider(database, kind), add_provider(database, kind, is_active=False)
    cases: list[tuple[Driver | Business | None, dict[str, Any]]] = [
        (active, {}),
        (active, {"expires_at": AT + TICK}),
        (active, {"expires_at": AT}),
        (active, {"status": OfferStatus.WITHDRAWN}),
        (gone, {}),
        (None, {}),
    ]
    rides = [add_ride(database, ada, kind=kind, wave=1) for _ in cases]
    for ride, (provider, fields) in zip(rides, cases, strict=True):
        if provider is not None:
            add_offer(database, ride, provider, **fields)
    new = add_ride(database, ada, kind=kind, wave=0)
    add_offer(database, new, active)
    waiting = [ride.id for ride in rides[2:]]

    assert listed(database, "list_without_offers", kind) == waiting
    assert listed(database, "list_undispatched", kind) == [*waiting, new.id]


def test_offer_of_a_driver_on_another_ride_does_not_count(database: Database, ada: Customer) -> None:
    driver = add_provider(database, RideKind.MOBILE)
    ride = add_ride(database, ada, wave=1)
    add_offer(database, ride, driver)

    assert listed(database, "list_without_offers", RideKind.MOBILE) == []
    add_ride(database, ada, status=Status.ACCEPTED, provider_ref=driver.ref)
    assert listed(database, "list_without_offers", RideKind.MOBILE) == [ride.id]
    with work.open_work(database, write=False) as unit:
        assert unit.rides.busy([driver.ref, "drv_other"]) == {driver.ref}
        assert unit.rides.busy([]) == frozenset()


def test_operators_list_rides_unchanged_since_a_time_newest_first(database: Database, ada: Customer) -> None:
    def ids(**more: Any) -> list[int]:
        usual: dict[str, Any] = {"partner_id": None, "status": None, "unchanged_since": None}
        with work.open_work(database, write=False) as unit:
            page = unit.rides.list_page_for_operator(
                RideKind.MOBILE, LIVE, number=1, per_page=9, **{**usual, **more}
            )
        return [ride.id for ride in page]

    old, exact, young = (
        add_ride(
            database,
            ada,
            status=Status.ACCEPTED,
            provider_ref=add_provider(database, RideKind.MOBILE).ref,
            updated_at=AT + late,
        )
        for late in (-TICK, timedelta(0), TICK)
    )
    pending = add_ride(database, ada, updated_at=AT - HOUR)

    assert ids() == [pending.id, young.id, exact.id, old.id]
    assert ids(unchanged_since=AT) == [exact.id, old.id]
    assert ids(status=Status.PENDING) == [pending.id]
    assert ids(partner_id=ada.partner_id) == ids()
    assert ids(partner_id=ada.partner_id + 1) == []
