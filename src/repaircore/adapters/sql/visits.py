"""Visits in the database."""

from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, changed
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.outbox import delete_events
from repaircore.adapters.sql.outdated_outlooks import outdate_outlooks_of
from repaircore.adapters.sql.schema.operations import timeline
from repaircore.adapters.sql.schema.visits import visits
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.kernel.callers import Environment
from repaircore.kernel.emails import fold_email
from repaircore.kernel.paging import Page, PageRequest
from repaircore.visits.errors import VisitChanged, VisitNotFound
from repaircore.visits.lifecycle import Status
from repaircore.visits.model import Visit, VisitCustomer, VisitSummary
from repaircore.visits.ports import VisitFilter, VisitRecords

VISITS: Final = RowCodec(
    Visit,
    customer=RowCodec(VisitCustomer, {name: f"customer_{name}" for name in ("name", "email", "phone")}),
)
_summaries: Final = RowCodec(VisitSummary)
_LISTED: Final = (
    *("number", "status", "vin", "vehicle", "customer_name", "valid_until", "line_count", "total"),
    *("created_at", "updated_at", "version"),
)


_ORDERS: Final = Orders(
    of="visits",
    columns={
        "created_at": visits.c.id,  # ids increase with time
        "updated_at": visits.c.updated_at,
        "customer_name": sa.func.coalesce(visits.c.customer_name, ""),
        "vehicle": visits.c.vehicle,
        "total": visits.c.total,
        "valid_until": visits.c.valid_until,
    },
    id=visits.c.id,
    usual="-created_at",
)


class SqlVisits(VisitRecords):
    """The stored visits."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, visit: Visit) -> bool:
        values = {name: value for name, value in _values(visit).items() if name != "id"}
        insert = (
            upsert(self._connection, visits).values(values).on_conflict_do_nothing().returning(visits.c.id)
        )
        with translating_errors():
            return self._connection.execute(insert).one_or_none() is not None

    @override
    def find(self, number: str, *, environment: Environment, owner_id: int | None) -> Visit | None:
        query = sa.select(visits).where(visits.c.number == number, *_owned(environment, owner_id))
        row = self._connection.execute(query).one_or_none()
        return None if row is None else VISITS.read(row)

    @override
    def page(self, wanted: VisitFilter, request: PageRequest) -> Page[VisitSummary]:
        query = sa.select(*(visits.c[name] for name in _LISTED)).where(
            *_owned(wanted.environment, wanted.owner_id), *_matching(wanted)
        )
        return listed(self._connection, query, request, _ORDERS, _summaries.read)

    @override
    def update(self, old: Visit, new: Visit) -> Visit:
        saved = evolve(new, version=old.version + 1)
        update = sa.update(visits).where(*_unchanged(old)).values(changed(_values(old), _values(saved)))
        with translating_errors():
            done = self._connection.execute(update)
        self._require(done.rowcount, old)
        if saved.status is Status.INVOICED and saved.estimate.vehicle.vin is not None:
            outdate_outlooks_of(
                self._connection,
                saved.estimate.vehicle.vin,
                environment=saved.environment,
                owner_id=saved.owner_id,
            )
        return saved

    @override
    def delete(self, visit: Visit) -> None:
        done = self._connection.execute(sa.delete(visits).where(*_unchanged(visit)))
        self._require(done.rowcount, visit)
        self._connection.execute(sa.delete(timeline).where(timeline.c.subject == visit.number))
        delete_events(self._connection, events.c.subject == visit.number)

    def _require(self, rows: int, visit: Visit) -> None:
        if rows == 1:
            return
        version = self._connection.execute(
            sa.select(visits.c.version).where(visits.c.id == visit.id)
        ).scalar_one_or_none()
        raise VisitNotFound if version is None else VisitChanged(version)


def _owned(environment: Environment, owner_id: int | None) -> list["sa.ColumnElement[bool]"]:
    owner = [] if owner_id is None else [visits.c.owner_id == owner_id]
    return [visits.c.environment == environment, *owner]


def _matching(wanted: VisitFilter) -> list["sa.ColumnElement[bool]"]:
    found: list[sa.ColumnElement[bool]] = []
    if wanted.status is not None:
        found.append(visits.c.status == wanted.status)
    if wanted.search is not None:
        found.append(visits.c.search.contains(wanted.search.casefold(), autoescape=True))
    return found


def _unchanged(visit: Visit) -> tuple["sa.ColumnElement[bool]", ...]:
    return visits.c.id == visit.id, visits.c.version == visit.version


def _values(visit: Visit) -> dict[str, Any]:
    vehicle, customer = visit.estimate.vehicle, visit.customer
    searched = (
        *(visit.number, customer.name, customer.email, customer.phone),
        *(vehicle.vin, vehicle.display_name),
    )
    return {
        **VISITS.write(visit),
        "vin": vehicle.vin,
        "vehicle": vehicle.display_name,
        "customer_key": None if customer.email is None else fold_email(customer.email),
        "search": "\n".join(text for text in searched if text).casefold(),
        "total": visit.estimate.totals.total,
        "line_count": len(visit.lines),
    }
