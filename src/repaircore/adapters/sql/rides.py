"""Rides and the offers to do them, in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from attrs import asdict, evolve
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from repaircore.adapters.sql.bills import bill_kept, bill_of
from repaircore.adapters.sql.engine.codec import changed, micros, moment, moment_or_none
from repaircore.adapters.sql.engine.dialects import breaks, translated
from repaircore.adapters.sql.schema.partners import customers
from repaircore.adapters.sql.schema.rides import ON_A_RIDE, businesses, drivers, ride_offers, rides
from repaircore.json_text import decode, encode_text
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point
from repaircore.kernel.paging import Page
from repaircore.rides.errors import ProviderBusy
from repaircore.rides.lifecycles import allowed
from repaircore.rides.model import (
    UNDER_WAY,
    CancelReason,
    Fare,
    Offer,
    OfferStatus,
    Ride,
    RideKind,
    RideOutcome,
    Scenario,
    Status,
    Vehicle,
)
from repaircore.rides.ports import OfferRecords, RideRecords

_MOMENTS: Final = ("eta_at", "accepted_at", "arrived_at", "started_at", "ended_at", "rated_at")
_AS_THEY_ARE: Final = (
    "ref",
    "kind",
    "partner_id",
    "environment",
    "customer_id",
    "status",
    "service",
    "pickup_address",
    "dropoff_address",
    "notes",
    "reason",
    "partner_reference",
    "session_id",
    "payment_method",
    "scenario",
    "offer_id",
    "provider_ref",
    "provider_name",
    "outcome",
    "cancel_reason",
    "cancel_note",
    "fee",
    "linked_ref",
    "rating",
    "comment",
    "version",
)


class SqlRides(RideRecords):
    """The kept rides."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, ride: Ride) -> Ride:
        made = sa.insert(rides).values(_values(ride)).returning(rides.c.id)
        return evolve(ride, id=self._connection.execute(made).scalar_one())

    @override
    def by_ref(self, ref: str, kind: RideKind, caller: PartnerCaller | None) -> Ride | None:
        return self._one(_SELECT.where(rides.c.ref == ref, rides.c.kind == kind, *_own(caller)))

    @override
    def lock(self, ref: str, kind: RideKind, caller: PartnerCaller | None) -> Ride | None:
        found = _SELECT.where(rides.c.ref == ref, rides.c.kind == kind, *_own(caller))
        # SQLite has one writer at a time as it is. No key changes: offers may refer to the ride meanwhile.
        return self._one(found.with_for_update(of=rides, key_share=True))

    @override
    def replace(self, old: Ride, new: Ride) -> Ride:
        kept = evolve(new, version=old.version + 1)
        unchanged = (rides.c.id == old.id, rides.c.version == old.version, rides.c.status == old.status)
        values = changed(_values(old), _values(kept))
        with translated():
            try:
                done = self._connection.execute(sa.update(rides).where(*unchanged).values(values))
            except IntegrityError as error:
                if breaks(error, _ONE_RIDE):
                    raise ProviderBusy(old.status, allowed(old)) from error
                raise
        if done.rowcount != 1:
            raise Conflict(
                "The ride was changed by another request.", details={"status": str(old.status), "allowed": []}
            )
        return kept

    @override
    def page(
        self, kind: RideKind, caller: PartnerCaller, *, status: Status | None, number: int, per_page: int
    ) -> Page[Ride]:
        return self._page([rides.c.kind == kind, *_own(caller)], status, number, per_page)

    @override
    def page_of_all(
        self,
        kind: RideKind,
        environment: Environment,
        *,
        partner_id: int | None,
        status: Status | None,
        standing_since: datetime | None,
        number: int,
        per_page: int,
    ) -> Page[Ride]:
        where = [rides.c.kind == kind, rides.c.environment == environment]
        if standing_since is not None:
            where += [rides.c.status.in_(UNDER_WAY), rides.c.updated_at <= micros(standing_since)]
        if partner_id is not None:
            where.append(rides.c.partner_id == partner_id)
        return self._page(where, status, number, per_page)

    def _page(
        self, where: list[sa.ColumnElement[bool]], status: Status | None, number: int, per_page: int
    ) -> Page[Ride]:
        if status is not None:
            where = [*where, rides.c.status == status]
        count = sa.select(sa.func.count()).select_from(rides).where(*where)
        total: int = self._connection.execute(count).scalar_one()
        start = (number - 1) * per_page
        if start >= total:  # what lies far behind the end is no number of a database
            return Page(items=(), number=number, per_page=per_page, total=total)
        newest = _SELECT.where(*where).order_by(rides.c.id.desc()).offset(start).limit(per_page)
        rows = self._connection.execute(newest)
        return Page(items=tuple(map(_ride, rows)), number=number, per_page=per_page, total=total)

    @override
    def busy(self, provider_refs: Sequence[str]) -> frozenset[str]:
        if not provider_refs:
            return frozenset()
        on_a_ride = sa.select(rides.c.provider_ref).where(
            rides.c.provider_ref.in_(provider_refs), sa.text(ON_A_RIDE)
        )
        return frozenset(self._connection.execute(on_a_ride).scalars())

    @override
    def overdue(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        due = _PENDING.where(rides.c.kind == kind, rides.c.expires_at <= micros(at))
        return self._following(due, after, limit)

    @override
    def unoffered(self, kind: RideKind, *, at: datetime, after: int, limit: int) -> Sequence[Ride]:
        has_offers = sa.exists().where(
            ride_offers.c.ride_ref == rides.c.ref,
            ride_offers.c.status == OfferStatus.OFFERED,
            ride_offers.c.expires_at > micros(at),
            _may_come(kind, ride_offers.c.provider_ref),
        )
        waiting = _PENDING.where(rides.c.kind == kind, rides.c.expires_at > micros(at), ~has_offers)
        return self._following(waiting, after, limit)

    def _one(self, found: "sa.Select[Any]") -> Ride | None:
        row = self._connection.execute(found).one_or_none()
        return None if row is None else _ride(row)

    def _following(self, found: "sa.Select[Any]", after: int, limit: int) -> list[Ride]:
        rest = found.where(rides.c.id > after).order_by(rides.c.id).limit(limit)
        return [_ride(row) for row in self._connection.execute(rest)]


class SqlOffers(OfferRecords):
    """The kept offers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, offers: Sequence[Offer]) -> list[Offer]:
        kept = []
        for offer in offers:
            made = sa.insert(ride_offers).values(_offer_values(offer)).returning(ride_offers.c.id)
            kept.append(evolve(offer, id=self._connection.execute(made).scalar_one()))
        return kept

    @override
    def of(self, ride_ref: str) -> list[Offer]:
        kept = sa.select(ride_offers).where(ride_offers.c.ride_ref == ride_ref).order_by(ride_offers.c.id)
        return [_offer(row) for row in self._connection.execute(kept)]

    @override
    def replace(self, old: Offer, new: Offer) -> None:
        unchanged = (ride_offers.c.id == old.id, ride_offers.c.status == old.status)
        values = {"status": new.status, **changed(_offer_values(old), _offer_values(new))}
        with translated():
            try:
                done = self._connection.execute(sa.update(ride_offers).where(*unchanged).values(values))
            except IntegrityError as error:
                if breaks(error, _ONE_ACCEPTED):
                    raise Conflict("Another offer was accepted.") from error
                raise
        if done.rowcount != 1:
            raise Conflict("The offer was decided by another request.")


_SELECT: Final = sa.select(rides, customers.c.ref.label("customer_ref")).join(
    customers, customers.c.id == rides.c.customer_id
)
# Written out: an index of some rows serves no condition whose value is told only later.
_PENDING: Final = _SELECT.where(rides.c.status == sa.literal_column("'pending'", sa.Text))


_ONE_RIDE: Final = next(one for one in rides.indexes if one.name == "uq_rides_driver")
_ONE_ACCEPTED: Final = next(one for one in ride_offers.indexes if one.name == "uq_ride_offers_accepted")


def _may_come(kind: RideKind, ref: "sa.ColumnElement[str]") -> "sa.ColumnElement[bool]":
    """Choose who gets requests, and is on no ride that keeps them."""
    if kind is RideKind.TOW:
        return sa.exists().where(businesses.c.ref == ref, businesses.c.active == 1)
    other = rides.alias("other")
    return sa.and_(
        sa.exists().where(drivers.c.ref == ref, drivers.c.active == 1),
        ~sa.exists().select_from(other).where(other.c.provider_ref == ref, sa.text(ON_A_RIDE)),
    )


def _own(caller: PartnerCaller | None) -> list[sa.ColumnElement[bool]]:
    if caller is None:
        return []
    return [rides.c.partner_id == caller.partner_id, rides.c.environment == caller.environment]


def _values(ride: Ride) -> dict[str, Any]:
    told = {name: getattr(ride, name) for name in _AS_THEY_ARE}
    moments = {name: getattr(ride, name) for name in _MOMENTS}
    return {
        **told,
        **{name: None if at is None else micros(at) for name, at in moments.items()},
        "pickup_latitude": ride.pickup.latitude,
        "pickup_longitude": ride.pickup.longitude,
        "dropoff_latitude": ride.dropoff.latitude,
        "dropoff_longitude": ride.dropoff.longitude,
        "fare": encode_text(asdict(ride.fare)),
        "vehicle": encode_text(asdict(ride.vehicle)),
        "bill": bill_kept(ride.bill),
        "expires_at": micros(ride.expires_at),
        "created_at": micros(ride.created_at),
        "updated_at": micros(ride.updated_at),
    }


def _ride(row: Any) -> Ride:
    told = {name: getattr(row, name) for name in _AS_THEY_ARE}
    return Ride(
        **{
            **told,
            **{name: moment_or_none(getattr(row, name)) for name in _MOMENTS},
            "id": row.id,
            "kind": RideKind(row.kind),
            "environment": Environment(row.environment),
            "status": Status(row.status),
            "scenario": Scenario(row.scenario),
            "outcome": None if row.outcome is None else RideOutcome(row.outcome),
            "cancel_reason": None if row.cancel_reason is None else CancelReason(row.cancel_reason),
            "customer_ref": row.customer_ref,
            "pickup": Point(row.pickup_latitude, row.pickup_longitude),
            "dropoff": Point(row.dropoff_latitude, row.dropoff_longitude),
            "fare": Fare(**decode(row.fare)),
            "vehicle": Vehicle(**decode(row.vehicle)),
            "bill": bill_of(row.bill),
            "expires_at": moment(row.expires_at),
            "created_at": moment(row.created_at),
            "updated_at": moment(row.updated_at),
        }
    )


def _offer_values(offer: Offer) -> dict[str, Any]:
    told = asdict(offer, filter=lambda field, _: field.name != "id")
    told["offered_at"], told["expires_at"] = micros(offer.offered_at), micros(offer.expires_at)
    told["closed_at"] = None if offer.closed_at is None else micros(offer.closed_at)
    return told


def _offer(row: Any) -> Offer:
    return Offer(
        id=row.id,
        ride_ref=row.ride_ref,
        provider_ref=row.provider_ref,
        provider_id=row.provider_id,
        provider_name=row.provider_name,
        rating=row.rating,
        price=row.price,
        distance_miles=row.distance_miles,
        eta_minutes=row.eta_minutes,
        status=OfferStatus(row.status),
        offered_at=moment(row.offered_at),
        expires_at=moment(row.expires_at),
        closed_at=moment_or_none(row.closed_at),
    )
