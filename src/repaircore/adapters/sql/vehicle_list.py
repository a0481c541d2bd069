"""List, search and count the stored vehicles."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.engine.listing import Orders, ids_at, with_cursors
from repaircore.adapters.sql.engine.references import count_references
from repaircore.adapters.sql.schema.transactions import facilities
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.adapters.sql.vehicles import vehicle_of
from repaircore.kernel.paging import Page, PageRequest
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.traits import Body
from repaircore.vehicles.model import Vehicle, VehicleCounts, VehicleFilter
from repaircore.vehicles.motor_types import motor_type_name
from repaircore.vehicles.ports import VehicleList

_YEARS = range(1000, 10_000)
_MOST_WORDS = 8
_FEW = 10_000
_VIN11 = 11
_FEWEST = 3
_LONGEST_PLATE = 20
_WHOLE = re.compile(r"[A-HJ-NPR-Z0-9]{11,17}")
_BEGUN = re.compile(r"[A-HJ-NPR-Z0-9]{3,10}")
_ORDERS = Orders(
    of="vehicles", columns={"created_at": vehicles.c.created_at}, id=vehicles.c.id, usual="-created_at"
)
_NEWEST_FIRST = (vehicles.c.created_at.desc(), vehicles.c.id.desc())
_OLDEST_FIRST = (vehicles.c.created_at, vehicles.c.id)


class SqlVehicleList(VehicleList):
    """Lists and counts the stored vehicles."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def page(self, wanted: VehicleFilter, request: PageRequest) -> Page[Vehicle]:
        conditions = [*_conditions(wanted)]
        order = _ORDERS.parse(request.sort)
        few = self._few_ids(conditions)
        total = len(few) if few is not None else self._count(conditions)
        if request.cursor is not None:
            query = sa.select(vehicles.c.id).where(*conditions)
            cursor = order.parse_cursor(request.cursor)
            there, more = ids_at(self._connection, query, cursor, order, request.per_page)
            page = self._page(there, evolve(request, number=0), total)
            before, after = (more, True) if cursor.is_before else (True, more)
            return with_cursors(page, order, _ends(page), more_before=before, more_after=after)
        # The rows from an offset in ascending order are those before its counterpart in descending order.
        first, most = (request.number - 1) * request.per_page, request.per_page
        length = max(0, min(most, total - first))
        start = first if order.is_descending else total - first - length
        ids = (
            few[start : start + length]
            if few is not None
            else self._page_ids(conditions, start, length, total)
        )
        page = self._page(ids if order.is_descending else ids[::-1], request, total)
        return with_cursors(
            page, order, _ends(page), more_before=first > 0, more_after=first + length < total
        )

    def _page(self, ids: Sequence[str], request: PageRequest, total: int) -> Page[Vehicle]:
        found = {str(vehicle.id): vehicle for vehicle in self._load(ids)}
        items = tuple(found[row_id] for row_id in ids if row_id in found)
        return Page(items=items, number=request.number, per_page=request.per_page, total=total)

    def _count(self, conditions: Sequence["sa.ColumnElement[bool]"]) -> int:
        count = sa.select(sa.func.count()).select_from(vehicles).where(*conditions)
        found: int = self._connection.execute(count).scalar_one()
        return found

    def _few_ids(self, conditions: Sequence["sa.ColumnElement[bool]"]) -> Sequence[str] | None:
        """Return the ids of all matches, newest first, or None if there are many or no conditions."""
        if not conditions:
            return None
        found = sa.select(vehicles.c.created_at, vehicles.c.id).where(*conditions).limit(_FEW + 1)
        rows = self._connection.execute(found).all()
        if len(rows) > _FEW:
            return None
        return [row.id for row in sorted(rows, key=tuple, reverse=True)]

    def _page_ids(
        self, conditions: Sequence["sa.ColumnElement[bool]"], first: int, most: int, total: int
    ) -> Sequence[str]:
        """Return the ids on a page of many matches, newest first; an index skips the others, from the nearer end."""
        if most <= 0:
            return []
        behind = max(0, total - first - most)
        order, skipped = (_NEWEST_FIRST, first) if first <= behind else (_OLDEST_FIRST, behind)
        some = sa.select(vehicles.c.id).where(*conditions).order_by(*order)
        found = self._connection.execute(some.limit(min(most, total - first)).offset(skipped)).scalars().all()
        return found if order is _NEWEST_FIRST else found[::-1]

    def _load(self, ids: Sequence[str]) -> Sequence[Vehicle]:
        found = sa.select(vehicles).where(vehicles.c.id.in_(ids)).order_by(*_NEWEST_FIRST)
        return [vehicle_of(row) for row in self._connection.execute(found)] if ids else []

    @override
    def counts(self, months: Sequence[date]) -> VehicleCounts:
        n = sa.func.count().label("n")
        # Counted using only an index; the name of each make is looked up afterward.
        keys = sa.select(vehicles.c.make_key, n).group_by(vehicles.c.make_key).subquery()
        name = sa.select(vehicles.c.make).where(vehicles.c.make_key == keys.c.make_key).limit(1)
        by_make = sa.select(name.scalar_subquery(), keys.c.n)
        by_year = sa.select(vehicles.c.year, n).group_by(vehicles.c.year)
        kind = (vehicles.c.source, vehicles.c.motor_vehicle_type, vehicles.c.body)
        sources: Counter[str] = Counter()
        types: Counter[str | None] = Counter()
        for source, motor_type, body, count in self._connection.execute(sa.select(*kind, n).group_by(*kind)):
            sources[source] += count
            types[motor_type_name(motor_type, None if body is None else Body(body))] += count
        return VehicleCounts(
            total=sources.total(),
            makes=_most_first(self._pairs(by_make)),
            years=sorted(self._pairs(by_year), reverse=True),
            sources=_most_first(sources.items()),
            types=_most_first(types.items()),
            months=[(f"{first:%Y-%m}", self._stored_in(first)) for first in months],
        )

    @override
    def list_motor_types(self) -> tuple[Sequence[str], Sequence[str]]:
        kind = (vehicles.c.motor_vehicle_type, vehicles.c.motor_vehicle_type_group)
        rows = self._connection.execute(sa.select(*kind).distinct()).all()
        return sorted({name for name, _ in rows if name}), sorted({group for _, group in rows if group})

    @override
    def list_facilities(self, *, limit: int) -> Sequence[tuple[int, str]]:
        found = sa.select(facilities.c.id, facilities.c.name).order_by(facilities.c.name, facilities.c.id)
        return [(row.id, row.name) for row in self._connection.execute(found.limit(limit))]

    @override
    def count_references(self, vehicle_id: UUID) -> Mapping[str, int]:
        return count_references(self._connection, vehicles.c.id, str(vehicle_id))

    def _stored_in(self, first: date) -> int:
        start = datetime(first.year, first.month, 1, tzinfo=UTC)
        end = datetime(first.year + first.month // 12, first.month % 12 + 1, 1, tzinfo=UTC)
        in_month = vehicles.c.created_at.between(micros(start), micros(end) - 1)
        return self._connection.execute(sa.select(sa.func.count()).where(in_month)).scalar_one()

    def _pairs(self, query: "sa.Select[Any, int]") -> "list[tuple[Any, int]]":
        return [(value, count) for value, count in self._connection.execute(query)]


def _ends(page: Page[Vehicle]) -> Sequence[tuple[int, str]]:
    return [(micros(vehicle.created_at), str(vehicle.id)) for vehicle in (*page.items[:1], *page.items[-1:])]


def _most_first(pairs: Any) -> "list[tuple[Any, int]]":
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0] or ""))


def _conditions(wanted: VehicleFilter) -> "Iterator[sa.ColumnElement[bool]]":
    if wanted.make is not None:
        yield vehicles.c.make_key == make_key(wanted.make)
    if wanted.model is not None:
        yield vehicles.c.model_key == key(wanted.model)
    if wanted.year is not None:
        yield vehicles.c.year == wanted.year if wanted.year in _YEARS else sa.false()
    if wanted.facility_id is not None:
        yield vehicles.c.facility_id == wanted.facility_id
    for word in (wanted.search or "").split()[:_MOST_WORDS]:
        yield _matches(word)


def _matches(word: str) -> "sa.ColumnElement[bool]":
    plain = key(word)
    upper = plain.upper()
    if not plain:
        return sa.true()
    if _WHOLE.fullmatch(upper) and not upper.isalpha():
        # Records of whole VINs are found by all 17 characters, or by the 11 that they share with others.
        whole = sa.and_(vehicles.c.vin11.is_(None), _starts(vehicles.c.vin, upper))
        return sa.or_(vehicles.c.vin11 == upper[:_VIN11], whole)
    conditions = [
        vehicles.c.make_key.contains(plain),
        vehicles.c.model_key.contains(plain),
    ]
    if make_key(word) != plain:
        conditions.append(vehicles.c.make_key == make_key(word))
    # Each of these costs as much as the others together, so they are skipped for text that cannot be a VIN or a plate.
    if _BEGUN.fullmatch(upper):
        conditions.append(_starts(vehicles.c.vin, upper))
    if _FEWEST <= len(word) <= _LONGEST_PLATE:
        plates = sorted({upper, word.upper()})
        conditions += [_starts(sa.func.upper(vehicles.c.plate_no), plate) for plate in plates]
    if plain.isascii() and plain.isdecimal() and len(plain) == len(str(_YEARS.start)):
        conditions.append(vehicles.c.year == int(plain))
    return sa.or_(*conditions)


def _starts(column: "sa.ColumnElement[str | None]", text: str) -> "sa.ColumnElement[bool]":
    return sa.func.substr(column, 1, len(text)) == text
