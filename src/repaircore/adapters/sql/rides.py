"""Rides and the offers for them, in the database."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import ColumnCodec, RowCodec, changed, micros
from repaircore.adapters.sql.engine.dialects import translating_errors, violates
from repaircore.adapters.sql.engine.listing import Orders, listed, within_days
from repaircore.adapters.sql.engine.pages import page_of
from repaircore.adapters.sql.schema.partners import customers
from repaircore.adapters.sql.schema.rides import ON_A_RIDE, businesses, drivers, ride_offers, rides
from repaircore.kernel.callers import Environment, PartnerCaller, ProviderCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point
from repaircore.kernel.paging import Page, PageRequest
from repaircore.rides.errors import ProviderBusy
from repaircore.rides.lifecycles import allowed
from repaircore.rides.model import UNDER_WAY, Offer, OfferStatus, Ride, RideFilter, RideKind, Scenario, Status
from repaircore.rides.ports import OfferRecords, RideCaller, RideRecords

_NORMAL: Final = str(Scenario.NORMAL)
_SEPARATOR: Final = "+"


def _read_scenarios(stored: str) -> frozenset[Scenario]:
    return frozenset(map(Scenario, stored.split(_SEPARATOR))) - {Scenario.NORMAL}


def _write_scenarios(scenarios: frozenset[Scenario]) -> str:
    return _SEPARATOR.join(sorted(scenarios)) or _NORMAL


ride_codec: Final = RowCodec(
    Ride,
    {"scenarios": "scenario"},
    scenarios=ColumnCodec(_read_scenarios, _write_scenarios),
    pickup=RowCodec(Point, {"latitude": "pickup_latitude", "longitude": "pickup_longitude"}),
    dropoff=RowCodec(Point, {"latitude": "dropoff_latitude", "longitude": "dropoff_longitude"}),
)
_offer: Final = RowCodec(Offer)


_ORDERS: Final = {
    kind: Orders(of=f"{kind}-rides", columns={"created_at": rides.c.id}, id=rides.c.id, usual="-created_at")
    for kind in RideKind
}
"""Rides of each kind are sorted by id, which increases with time and is in the indexes on a partner's rides."""


class SqlRides(RideRecords):
    """The stored rides."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, ride: Ride) -> Ride:
        insert = sa.insert(rides).values(_ride_values(ride)).returning(rides.c.id)
        return evolve(ride, id=self._connection.execute(insert).scalar_one())

    @override
    def find(self, ref: str, kind: RideKind, caller: RideCaller) -> Ride | None:
        return self._first(_SELECT.where(rides.c.ref == ref, rides.c.kind == kind, *_owned_by(caller)))

    @override
    def find_all(self, refs: Collection[str]) -> Mapping[str, Ride]:
        found = self._connection.execute(_SELECT.where(rides.c.ref.in_(refs))) if refs else ()
        return {ride.ref: ride for ride in map(ride_codec.read, found)}

    @override
    def lock(self, ref: str, kind: RideKind, caller: RideCaller) -> Ride | None:
        query = _SELECT.where(rides.c.ref == ref, rides.c.kind == kind, *_owned_by(caller))
        # On SQLite, the transaction is the lock. The row lock does not cover keys, so that offers may refer to the ride.
        return self._first(query.with_for_update(of=rides, key_share=True))

    @override
    def replace(self, old: Ride, new: Ride) -> Ride:
        saved = evolve(new, version=old.version + 1)
        unchanged = (rides.c.id == old.id, rides.c.version == old.version, rides.c.status == old.status)
        values = changed(_ride_values(old), _ride_values(saved))
        with translating_errors():
            try:
                result = self._connection.execute(sa.update(rides).where(*unchanged).values(values))
            except IntegrityError as error:
                if violates(error, _ONE_RIDE_PER_DRIVER):
                    raise ProviderBusy(old.status, allowed(old)) from error
                raise
        if result.rowcount != 1:
            raise Conflict(
                "The ride was changed by another request. Reload it and try again.",
                details={"status": str(old.status), "allowed": []},
            )
        return saved

    @override
    def list_page(
        self, kind: RideKind, caller: PartnerCaller, wanted: RideFilter, request: PageRequest
    ) -> Page[Ride]:
        where = [rides.c.kind == kind, *_owned_by(caller), *_selected_by(wanted)]
        if wanted.customer_ref is not None:
            where.append(
                rides.c.customer_id
                == sa.select(customers.c.id).where(customers.c.ref == wanted.customer_ref).scalar_subquery()
            )
        counted = sa.select(rides.c.id).where(*where)
        return listed(
            self._connection, _SELECT.where(*where), request, _ORDERS[kind], ride_codec.read, counted=counted
        )

    @override
    def list_page_for_operator(
        self,
        kind: RideKind,
        environment: Environment,
        *,
        partner_id: int | None,
        status: Status | None,
        unchanged_since: datetime | None,
        number: int,
        per_page: int,
    ) -> Page[Ride]:
        where = [rides.c.kind == kind, rides.c.environment == environment]
        if unchanged_since is not None:
            where += [rides.c.status.in_(UNDER_WAY), rides.c.updated_at <= micros(unchanged_since)]
        if partner_id is not None:
            where.append(rides.c.partner_id == partner_id)
        return self._page(where, status, number, per_page)

    def _page(
        self, where: list[sa.ColumnElement[bool]], status: Status | None, number: int, per_page: int
    ) -> Page[Ride]:
        if status is not None:
            where = [*where, rides.c.status == status]
        return page_of(
            self._connection,
            _SELECT.where(*where).order_by(rides.c.id.desc()),
            ride_codec.read,
            number=number,
            per_page=per_page,
            counted=sa.select(rides.c.id).where(*where),
        )

    @override
    def busy(self, provider_refs: Sequence[str]) -> frozenset[str]:
        if not provider_refs:
            return frozenset()
        on_a_ride = sa.select(rides.c.provider_ref).where(
            rides.c.provider_ref.in_(provider_refs), sa.text(ON_A_RIDE)
        )
        return frozenset(self._connection.execute(on_a_ride).scalars())

    @override
    def list_overdue(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        overdue = _PENDING.where(rides.c.kind == kind, rides.c.expires_at <= micros(at))
        return self._following(overdue, after, limit)

    @override
    def list_without_offers(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        waiting = _PENDING.where(
            rides.c.kind == kind, rides.c.expires_at > micros(at), _is_due(at), ~_has_offers(kind, at)
        )
        return self._following(waiting, after, limit)

    @override
    def list_undispatched(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        is_new = rides.c.wave == 0
        waiting = _PENDING.where(
            rides.c.kind == kind,
            rides.c.expires_at > micros(at),
            _is_due(at),
            sa.or_(is_new, ~_has_offers(kind, at)),
        )
        return self._following(waiting, after, limit)

    def _first(self, query: "sa.Select[Any]") -> Ride | None:
        row = self._connection.execute(query).one_or_none()
        return None if row is None else ride_codec.read(row)

    def _following(self, query: "sa.Select[Any]", after: int, limit: int) -> list[Ride]:
        following = query.where(rides.c.id > after).order_by(rides.c.id).limit(limit)
        return [ride_codec.read(row) for row in self._connection.execute(following)]


class SqlOffers(OfferRecords):
    """The stored offers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, offers: Sequence[Offer]) -> list[Offer]:
        return [self._add(offer) for offer in offers]

    def _add(self, offer: Offer) -> Offer:
        insert = sa.insert(ride_offers).values(_offer_values(offer)).returning(ride_offers.c.id)
        return evolve(offer, id=self._connection.execute(insert).scalar_one())

    @override
    def find_all(self, ids: Collection[int]) -> Mapping[int, Offer]:
        query = sa.select(ride_offers).where(ride_offers.c.id.in_(ids))
        return {offer.id: offer for offer in map(_offer.read, self._connection.execute(query) if ids else ())}

    @override
    def list_for(self, ride_ref: str) -> list[Offer]:
        query = sa.select(ride_offers).where(ride_offers.c.ride_ref == ride_ref).order_by(ride_offers.c.id)
        return [_offer.read(row) for row in self._connection.execute(query)]

    @override
    def replace(self, old: Offer, new: Offer) -> None:
        unchanged = (ride_offers.c.id == old.id, ride_offers.c.status == old.status)
        values = {"status": new.status, **changed(_offer_values(old), _offer_values(new))}
        with translating_errors():
            try:
                result = self._connection.execute(sa.update(ride_offers).where(*unchanged).values(values))
            except IntegrityError as error:
                if violates(error, _ONE_ACCEPTED_OFFER):
                    raise Conflict("Another offer was accepted.") from error
                raise
        if result.rowcount != 1:
            raise Conflict("The offer was changed by another request.")


_SELECT: Final = sa.select(rides, customers.c.ref.label("customer_ref")).join(
    customers, customers.c.id == rides.c.customer_id
)
# The status is written into the statement: a planner uses a partial index only for a condition whose value it knows.
_PENDING: Final = _SELECT.where(rides.c.status == sa.literal_column("'pending'", sa.Text))


_ONE_RIDE_PER_DRIVER: Final = next(index for index in rides.indexes if index.name == "uq_rides_driver")
_ONE_ACCEPTED_OFFER: Final = next(
    index for index in ride_offers.indexes if index.name == "uq_ride_offers_accepted"
)


def _is_due(at: datetime) -> "sa.ColumnElement[bool]":
    """Return the condition that it is time to ask providers to take a ride."""
    return sa.or_(rides.c.ask_at.is_(None), rides.c.ask_at <= micros(at))


def _has_offers(kind: RideKind, at: datetime) -> "sa.ColumnElement[bool]":
    """Return the condition that a ride has an offer that can be accepted."""
    return sa.exists().where(
        ride_offers.c.ride_ref == rides.c.ref,
        ride_offers.c.status == OfferStatus.OFFERED,
        ride_offers.c.expires_at > micros(at),
        _is_available(kind, ride_offers.c.provider_ref),
    )


def _is_available(kind: RideKind, ref: "sa.ColumnElement[str]") -> "sa.ColumnElement[bool]":
    """Return the condition that a provider is active and, if a driver, not on another ride."""
    if kind is RideKind.TOW:
        return sa.exists().where(businesses.c.ref == ref, businesses.c.active == 1)
    other = rides.alias("other")
    return sa.and_(
        sa.exists().where(drivers.c.ref == ref, drivers.c.active == 1),
        ~sa.exists().select_from(other).where(other.c.provider_ref == ref, sa.text(ON_A_RIDE)),
    )


def _selected_by(wanted: RideFilter) -> list[sa.ColumnElement[bool]]:
    where = within_days(rides.c.created_at, wanted.date_from, wanted.date_to)
    if wanted.status is not None:
        where.append(rides.c.status == wanted.status)
    if wanted.partner_reference is not None:
        where.append(rides.c.partner_reference == wanted.partner_reference)
    if wanted.is_scheduled is not None:
        has_time = rides.c.scheduled_for.is_not(None)
        where.append(has_time if wanted.is_scheduled else ~has_time)
    return where


def _owned_by(caller: RideCaller) -> list[sa.ColumnElement[bool]]:
    if caller is None:
        return []
    if isinstance(caller, ProviderCaller):
        return [rides.c.provider_ref == caller.provider_ref, rides.c.environment == caller.environment]
    return [rides.c.partner_id == caller.partner_id, rides.c.environment == caller.environment]


def _ride_values(ride: Ride) -> dict[str, Any]:
    """Return a ride's column values without the id, which the database assigns, or the joined customer reference."""
    values = ride_codec.write(ride)
    del values["id"], values["customer_ref"]
    return values


def _offer_values(offer: Offer) -> dict[str, Any]:
    values = _offer.write(offer)
    del values["id"]
    return values
