"""Mechanics, and the seats that appointments and holds take, in the database."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from operator import attrgetter
from typing import Any, Final

import sqlalchemy as sa
from attrs import asdict, evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, micros_or_none, moment
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.schema.mechanics import (
    appointment_slots,
    appointments,
    mechanic_exceptions,
    mechanic_languages,
    mechanic_services,
    mechanics,
)
from repaircore.adapters.sql.schema.metadata import Real
from repaircore.json_text import decode, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point
from repaircore.kernel.hours import Day, weekly
from repaircore.kernel.paging import Page
from repaircore.kernel.spelling import key
from repaircore.mechanics.model import Mechanic, Offer, Profile, Schedule
from repaircore.mechanics.ports import MechanicFilter, MechanicRecords, SeatHolder, Seats


class SqlMechanics(MechanicRecords):
    """The stored mechanics."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, ref: str, profile: Profile, *, environment: Environment, at: datetime) -> Mechanic:
        values = _new(ref, profile, environment, at)
        with translating_errors():
            row = self._connection.execute(
                sa.insert(mechanics).values(values).returning(mechanics.c.id)
            ).one()
        self._insert_details(row.id, profile)
        return Mechanic(
            id=row.id,
            ref=ref,
            environment=environment,
            profile=profile,
            is_active=True,
            created_at=at,
            updated_at=at,
        )

    @override
    def add_if_new(self, ref: str, profile: Profile, *, environment: Environment, at: datetime) -> None:
        insert = upsert(self._connection, mechanics).values(_new(ref, profile, environment, at))
        inserted = self._connection.execute(
            insert.on_conflict_do_nothing(index_elements=["ref"]).returning(mechanics.c.id)
        ).one_or_none()
        if inserted is not None:
            self._insert_details(inserted.id, profile)

    @override
    def find(self, ref: str, environment: Environment) -> Mechanic | None:
        query = sa.select(mechanics).where(_is_ref(ref, environment))
        return next(iter(self._load(query)), None)

    @override
    def lock(self, ref: str, environment: Environment) -> Mechanic | None:
        # SQLite has one writer anyway. FOR NO KEY UPDATE does not block inserts that refer to the row.
        query = sa.select(mechanics).where(_is_ref(ref, environment)).with_for_update(key_share=True)
        return next(iter(self._load(query)), None)

    @override
    def list_page(
        self,
        environment: Environment,
        wanted: MechanicFilter,
        *,
        best_first: bool = False,
        number: int,
        per_page: int,
    ) -> Page[Mechanic]:
        conditions = _conditions(environment, wanted)
        count = sa.select(sa.func.count()).select_from(mechanics).where(*conditions)
        total: int = self._connection.execute(count).scalar_one()
        query = (
            sa.select(mechanics)
            .where(*conditions)
            .order_by(*([_BEST.desc()] if best_first else []), mechanics.c.id)
            .limit(per_page)
            .offset(min((number - 1) * per_page, total))
        )
        return Page(items=tuple(self._load(query)), number=number, per_page=per_page, total=total)

    @override
    def list_located(
        self, environment: Environment, wanted: MechanicFilter
    ) -> Sequence[tuple[int, Point | None, float]]:
        query = sa.select(mechanics.c.id, mechanics.c.latitude, mechanics.c.longitude, _BEST)
        rows = self._connection.execute(
            query.where(*_conditions(environment, wanted)).order_by(mechanics.c.id)
        )
        return [
            (row_id, None if latitude is None else Point(latitude, longitude), best)
            for row_id, latitude, longitude, best in rows
        ]

    @override
    def list_by_id(self, ids: Collection[int]) -> Sequence[Mechanic]:
        return self._load(sa.select(mechanics).where(mechanics.c.id.in_(ids)).order_by(mechanics.c.id))

    @override
    def list_by_ref(self, refs: Collection[str], environment: Environment) -> Sequence[Mechanic]:
        query = sa.select(mechanics).where(
            mechanics.c.environment == environment, mechanics.c.active == 1, mechanics.c.ref.in_(refs)
        )
        return self._load(query.order_by(mechanics.c.id))

    @override
    def rate(self, mechanic_id: int, stars: int) -> None:
        columns = mechanics.c
        self._connection.execute(
            sa.update(mechanics)
            .where(columns.id == mechanic_id)
            .values(ratings=columns.ratings + 1, stars=columns.stars + stars)
        )

    @override
    def list_by_name(self, names: Collection[str], environment: Environment) -> Sequence[Mechanic]:
        query = sa.select(mechanics).where(
            mechanics.c.environment == environment,
            mechanics.c.active == 1,
            mechanics.c.name_key.in_({key(name) for name in names}),
        )
        return self._load(query.order_by(mechanics.c.id))

    @override
    def list_after(self, mechanic_id: int, environment: Environment, *, limit: int) -> Sequence[Mechanic]:
        query = sa.select(mechanics).where(
            mechanics.c.environment == environment, mechanics.c.active == 1, mechanics.c.id > mechanic_id
        )
        return self._load(query.order_by(mechanics.c.id).limit(limit))

    @override
    def replace(self, old: Mechanic, new: Mechanic) -> Mechanic:
        saved = evolve(new, version=old.version + 1)
        update = sa.update(mechanics).where(mechanics.c.id == old.id, mechanics.c.version == old.version)
        result = self._connection.execute(
            update.values(
                **_values(saved.profile),
                active=int(saved.is_active),
                updated_at=micros(saved.updated_at),
                version=saved.version,
            )
        )
        if result.rowcount != 1:
            raise Conflict("The mechanic was changed by another request. Reload it and try again.")
        for table in (mechanic_services, mechanic_languages, mechanic_exceptions):
            self._connection.execute(sa.delete(table).where(table.c.mechanic_id == old.id))
        self._insert_details(old.id, saved.profile)
        return saved

    @override
    def count_upcoming(self, mechanic_id: int, at: datetime) -> int:
        query = sa.select(sa.func.count()).where(
            appointments.c.mechanic_id == mechanic_id,
            appointments.c.status == "scheduled",
            appointments.c.starts_at > micros(at),
        )
        return int(self._connection.execute(query).scalar_one())

    def _insert_details(self, mechanic_id: int, profile: Profile) -> None:
        """Insert a mechanic's services, languages and schedule exceptions."""
        services = [{"mechanic_id": mechanic_id, **asdict(offer)} for offer in profile.offers]
        languages = [{"mechanic_id": mechanic_id, "language": code} for code in profile.languages]
        exceptions = [
            {"mechanic_id": mechanic_id, "day": day.isoformat(), "intervals": encode_text(hours)}
            for day, hours in profile.schedule.exceptions.items()
        ]
        for table, rows in (
            (mechanic_services, services),
            (mechanic_languages, languages),
            (mechanic_exceptions, exceptions),
        ):
            if rows:
                self._connection.execute(sa.insert(table), rows)

    def _load(self, query: "sa.Select[Any]") -> Sequence[Mechanic]:
        rows = self._connection.execute(query).all()
        ids = [row.id for row in rows]
        offers: dict[int, list[Offer]] = {mechanic_id: [] for mechanic_id in ids}
        languages: dict[int, list[str]] = {mechanic_id: [] for mechanic_id in ids}
        exceptions: dict[int, dict[date, Day]] = {mechanic_id: {} for mechanic_id in ids}
        if ids:
            offered = sa.select(mechanic_services).where(mechanic_services.c.mechanic_id.in_(ids))
            for row in self._connection.execute(offered):
                offers[row.mechanic_id].append(
                    Offer(service=row.service, minutes=row.minutes, price=row.price)
                )
            spoken_languages = sa.select(mechanic_languages).where(mechanic_languages.c.mechanic_id.in_(ids))
            for row in self._connection.execute(spoken_languages):
                languages[row.mechanic_id].append(row.language)
            others = sa.select(mechanic_exceptions).where(mechanic_exceptions.c.mechanic_id.in_(ids))
            for row in self._connection.execute(others):
                exceptions[row.mechanic_id][date.fromisoformat(row.day)] = _day(row.intervals)
        return [_mechanic(row, offers[row.id], languages[row.id], exceptions[row.id]) for row in rows]


class SqlSeats(Seats):
    """The stored seats of appointments and holds."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def count_taken(
        self, mechanic_ids: Collection[int], since: datetime, until: datetime, *, at: datetime
    ) -> Mapping[int, Mapping[datetime, int]]:
        columns = appointment_slots.c
        query = (
            sa.select(columns.mechanic_id, columns.starts_at, sa.func.count())
            .where(
                columns.mechanic_id.in_(mechanic_ids),
                columns.starts_at >= micros(since),
                columns.starts_at < micros(until),
                _is_taken(at),
            )
            .group_by(columns.mechanic_id, columns.starts_at)
        )
        taken: dict[int, dict[datetime, int]] = {mechanic_id: {} for mechanic_id in mechanic_ids}
        for mechanic_id, tick, count in self._connection.execute(query):
            taken[mechanic_id][moment(tick)] = int(count)
        return taken

    @override
    def take(
        self, mechanic_id: int, holder: SeatHolder, ticks: Sequence[datetime], *, capacity: int, at: datetime
    ) -> bool:
        columns, wanted = appointment_slots.c, [micros(tick) for tick in ticks]
        within = (columns.mechanic_id == mechanic_id, columns.starts_at.between(wanted[0], wanted[-1]))
        # Seats of expired holds still occupy their keys.
        self._connection.execute(sa.delete(appointment_slots).where(*within, sa.not_(_is_taken(at))))
        taken: dict[int, set[int]] = {tick: set() for tick in wanted}
        query = sa.select(columns.starts_at, columns.seat).where(*within)
        for tick, seat in self._connection.execute(query):
            taken.setdefault(tick, set()).add(seat)
        if any(len(taken[tick]) >= capacity for tick in wanted):
            return False
        rows = [
            {
                "mechanic_id": mechanic_id,
                "starts_at": tick,
                "seat": next(seat for seat in range(capacity) if seat not in taken[tick]),
                "appointment_id": holder.appointment_id,
                "hold_id": holder.hold_id,
                "held_until": micros_or_none(holder.held_until),
            }
            for tick in wanted
        ]
        with translating_errors():
            self._connection.execute(sa.insert(appointment_slots), rows)
        return True

    @override
    def release(self, appointment_id: int) -> None:
        self._connection.execute(
            sa.delete(appointment_slots).where(appointment_slots.c.appointment_id == appointment_id)
        )


def _is_taken(at: datetime) -> sa.ColumnElement[bool]:
    held_until = appointment_slots.c.held_until
    return sa.or_(held_until.is_(None), held_until > micros(at))


_BEST: Final = sa.case(
    (mechanics.c.ratings > 0, sa.cast(mechanics.c.stars, Real) / mechanics.c.ratings), else_=0.0
)
"""The average rating, or 0 without ratings."""


def _conditions(environment: Environment, wanted: MechanicFilter) -> list[sa.ColumnElement[bool]]:
    columns, conditions = mechanics.c, [mechanics.c.environment == environment, mechanics.c.active == 1]
    if wanted.state is not None:
        conditions.append(columns.state == wanted.state)
    if wanted.box is not None:
        south, north, west, east = wanted.box
        inside = sa.and_(columns.latitude.between(south, north), columns.longitude.between(west, east))
        # The fictitious mechanics of the test environment have no location, and are found by their state.
        nowhere = sa.and_(columns.latitude.is_(None), columns.state == wanted.nowhere_in)
        conditions.append(inside if wanted.nowhere_in is None else sa.or_(inside, nowhere))
    if wanted.service is not None:
        conditions.append(_has(mechanic_services, mechanic_services.c.service == wanted.service))
    if wanted.language is not None:
        conditions.append(_has(mechanic_languages, mechanic_languages.c.language == wanted.language))
    if wanted.min_rating is not None:
        conditions.append(wanted.min_rating <= _BEST)
    return conditions


def _has(table: sa.Table, condition: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    # With IN, each search would read the list of all who offer it, however few mechanics are near.
    return sa.exists().where(table.c.mechanic_id == mechanics.c.id, condition)


def _is_ref(ref: str, environment: Environment) -> sa.ColumnElement[bool]:
    return sa.and_(mechanics.c.ref == ref, mechanics.c.environment == environment)


def _new(ref: str, profile: Profile, environment: Environment, at: datetime) -> dict[str, Any]:
    return {
        "ref": ref,
        "environment": environment.value,
        **_values(profile),
        "active": 1,
        "created_at": micros(at),
        "updated_at": micros(at),
        "version": 1,
    }


def _values(profile: Profile) -> dict[str, Any]:
    point, schedule = profile.point, profile.schedule
    return {
        "name": profile.name,
        "name_key": key(profile.name),
        "email": profile.email,
        "phone": profile.phone,
        "address": profile.address,
        "city": profile.city,
        "state": profile.state,
        "zip_code": profile.zip_code,
        "latitude": None if point is None else point.latitude,
        "longitude": None if point is None else point.longitude,
        "time_zone": schedule.time_zone,
        "slot_minutes": schedule.slot_minutes,
        "capacity": schedule.capacity,
        "weekly": encode_text(schedule.weekly),
    }


def _mechanic(
    row: "Row[Any]", offers: Sequence[Offer], languages: Sequence[str], exceptions: Mapping[date, Day]
) -> Mechanic:
    return Mechanic(
        id=row.id,
        ref=row.ref,
        environment=Environment(row.environment),
        profile=Profile(
            name=row.name,
            state=row.state,
            email=row.email,
            phone=row.phone,
            address=row.address,
            city=row.city,
            zip_code=row.zip_code,
            point=None if row.latitude is None else Point(row.latitude, row.longitude),
            offers=tuple(sorted(offers, key=attrgetter("service"))),
            languages=tuple(sorted(languages)),
            schedule=Schedule(
                time_zone=row.time_zone,
                weekly=weekly(decode(row.weekly)),
                exceptions=exceptions,
                slot_minutes=row.slot_minutes,
                capacity=row.capacity,
            ),
        ),
        is_active=bool(row.active),
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        ratings=row.ratings,
        stars=row.stars,
        version=row.version,
    )


def _day(stored: str) -> Day:
    return tuple((start, end) for start, end in decode(stored))
