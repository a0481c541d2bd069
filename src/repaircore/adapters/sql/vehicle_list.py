"""List, search and count the stored vehicles."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.engine.references import count_references
from repaircore.adapters.sql.schema.transactions import facilities
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.adapters.sql.vehicles import vehicle_of
from repaircore.kernel.paging import Page
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
_NEWEST_FIRST = (vehicles.c.created_at.desc(), vehicles.c.id.desc())
_OLDEST_FIRST = (vehicles.c.created_at, vehicles.c.id)


class SqlVehicleList(VehicleList):
    """Lists and counts of the stored vehicles."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def page(self, wanted: VehicleFilter, *, number: int, per_page: int) -> Page[Vehicle]:
        conditions = [*_conditions(wanted)]
        first = (number - 1) * per_page
        few = self._few_ids(conditions)
        if few is not None:
            total, ids = len(few), few[first : first + per_page]
        else:
            count = sa.select(sa.func.count()).select_from(vehicles).where(*conditions)
            total = self._connection.execute(count).scalar_one()
            ids = self._page_ids(conditions, first, per_page, total=total) if first < total else []
        return Page(items=tuple(self._load(ids)), number=number, per_page=per_page, total=total)

    def _few_ids(self, conditions: Sequence["sa.ColumnElement[bool]"]) -> Sequence[str] | None:
        """Return the ids of all matches, newest first, if they are few; reads each row once."""
        if not conditions:
            return None
        found = sa.select(vehicles.c.created_at, vehicles.c.id).where(*conditions).limit(_FEW + 1)
        rows = self._connection.execute(found).all()
        if len(rows) > _FEW:
            return None
        return [row.id for row in sorted(rows, key=tuple, reverse=True)]

    def _page_ids(
        self, conditions: Sequence["sa.ColumnElement[bool]"], first: int, most: int, *, total: int
    ) -> Sequence[str]:
        """Return the ids of a page of many: the others are skipped in an index, from the nearer end."""
        behind = max(0, total - first - most)
        order, skipped = (_NEWEST_FIRST, first) if first <= behind else (_OLDEST_FIRST, behind)
        some = sa.select(vehicles.c.id).where(*conditions).order_by(*order)
        return self._connection.execute(some.limit(min(most, total - first)).offset(skipped)).scalars().all()

    def _load(self, ids: Sequence[str]) -> Sequence[Vehicle]:
        found = sa.select(vehicles).where(vehicles.c.id.in_(ids)).order_by(*_NEWEST_FIRST)
        return [vehicle_of(row) for row in self._connection.execute(found)] if ids else []

    @override
    def counts(self, months: Sequence[date]) -> VehicleCounts:
        n = sa.func.count().label("n")
        # Counted in an index alone; the name of each make is looked up afterwards.
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
        vehicles.c.make_key.contains(plain, autoescape=True),
        vehicles.c.model_key.contains(plain, autoescape=True),
    ]
    if make_key(word) != plain:
        conditions.append(vehicles.c.make_key == make_key(word))
    # Each of these costs as much as the others together: text that cannot be a VIN or a plate is not compared with them.
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
