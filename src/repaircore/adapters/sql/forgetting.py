"""Customers of partners, and drivers, of whom nothing may be left.

A partner's records refer to its customers, so a row that is referred to stays, with nothing in it. What was told of them
elsewhere, in events, kept replies and timelines, is found by their reference, and struck by what it says.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from attrs import frozen
from sqlalchemy.engine import Connection, Row

from repaircore.adapters.sql.personal import drivers_of
from repaircore.adapters.sql.references import referring
from repaircore.adapters.sql.tables import appointments, customers, drivers, events, kept_replies, timeline
from repaircore.persons.marks import ERASED
from repaircore.persons.model import Person

__all__ = ["forget"]

_SAID: Final = {appointments: ("description", "cancel_reason")}
"""Records about a customer (by ``customer_id``), and what was said of it in free words."""

_WORDS: Final = frozenset(name for names in _SAID.values() for name in names)
_AT_ONCE: Final = 500


@frozen(kw_only=True)
class _Told:
    """What is told of a customer: by which references it is found, and which names and texts say who it is."""

    partner_id: int
    environment: str
    subjects: tuple[str, ...]
    names: frozenset[str]
    texts: frozenset[str]


def forget(connection: Connection, person: Person) -> tuple[Counter[str], Counter[str]]:
    """Forget the customers and drivers that a person is; give how many rows are gone and how many changed, by table."""
    removed, changed = Counter[str](), Counter[str]()
    for row in connection.execute(sa.select(customers).where(customers.c.email_key == person.email)).all():
        told = _told(connection, row)
        for table, count in (
            *_quiet(connection, row.id),
            ("events", _strike_events(connection, told)),
            ("timeline", _strike_timeline(connection, told)),
            ("kept_replies", _strike_replies(connection, told)),
        ):
            changed[table] += count
        (changed if _blanked(connection, row.id) else removed)["customers"] += 1
    for row in connection.execute(sa.select(drivers.c.id).where(drivers_of(person))).all():
        (changed if _retired(connection, row.id) else removed)["drivers"] += 1
    return removed, changed


def _told(connection: Connection, row: "Row[Any]") -> _Told:
    subjects = [row.ref]
    for table in _SAID:
        about = sa.select(table.c.ref).where(table.c.customer_id == row.id)
        subjects += connection.execute(about).scalars()
    names = (row.first_name, row.last_name, f"{row.first_name} {row.last_name}")
    texts = (row.email, row.email_key, row.phone, row.address)
    return _Told(
        partner_id=row.partner_id,
        environment=row.environment,
        subjects=tuple(subjects),
        names=frozenset(map(str.casefold, names)),
        texts=frozenset(text.casefold() for text in texts if text),
    )


def _quiet(connection: Connection, customer_id: int) -> Iterator[tuple[str, int]]:
    """Take away what was said in records about a customer."""
    for table, names in _SAID.items():
        said = sa.or_(*(table.c[name].is_not(None) for name in names))
        update = sa.update(table).where(table.c.customer_id == customer_id, said)
        yield table.name, connection.execute(update.values(dict.fromkeys(names))).rowcount


def _strike_events(connection: Connection, told: _Told) -> int:
    columns = events.c
    # Whatever else tells of them holds their reference: the first subject.
    about = sa.or_(columns.subject.in_(told.subjects), columns.payload.contains(told.subjects[0]))
    theirs = (columns.partner_id == told.partner_id, columns.environment == told.environment, about)
    found = connection.execute(sa.select(columns.id, columns.payload).where(*theirs)).all()
    return _rewritten(connection, columns.payload, columns.id, found, told)


def _strike_timeline(connection: Connection, told: _Told) -> int:
    columns = timeline.c
    theirs = (columns.subject.in_(told.subjects), columns.detail.is_not(None))
    found = connection.execute(sa.select(columns.id, columns.detail).where(*theirs)).all()
    return _rewritten(connection, columns.detail, columns.id, found, told)


def _strike_replies(connection: Connection, told: _Told) -> int:
    columns = kept_replies.c
    theirs = (columns.partner_id == told.partner_id, columns.environment == told.environment)
    query = sa.select(columns.key, columns.body).where(*theirs, columns.body.is_not(None))
    sought = [subject.encode() for subject in told.subjects]
    struck = 0
    for key, body in connection.execute(query.execution_options(yield_per=_AT_ONCE)).all():
        new = _struck(body, told) if any(one in body for one in sought) else body
        if new != body:
            update = sa.update(kept_replies).where(*theirs, columns.key == key)
            struck += connection.execute(update.values(body=new)).rowcount
    return struck


def _rewritten(
    connection: Connection,
    column: "sa.Column[Any]",
    key: "sa.Column[Any]",
    rows: Iterable[Sequence[Any]],
    told: _Told,
) -> int:
    struck = 0
    for at, text in rows:
        new = _struck(text.encode(), told).decode()
        if new != text:
            update = sa.update(column.table).where(key == at)
            struck += connection.execute(update.values({column.name: new})).rowcount
    return struck


def _struck(body: bytes, told: _Told) -> bytes:
    """Strike what says who they are from JSON; what says nothing stays byte for byte."""
    try:
        value = json.loads(body)
    except ValueError:
        return body
    struck = _without(value, told)
    if struck == value:
        return body
    return json.dumps(struck, ensure_ascii=False, separators=(",", ":")).encode()


def _without(value: Any, told: _Told) -> Any:
    if isinstance(value, str):
        return ERASED if value.casefold() in told.texts else value
    if isinstance(value, list):
        return [_without(one, told) for one in value]
    if isinstance(value, dict):
        return {
            name: ERASED if _tells(name, one, told) else _without(one, told) for name, one in value.items()
        }
    return value


def _tells(name: str, value: object, told: _Told) -> bool:
    """Tell whether a member is what was said, or a name: names stand elsewhere too (somebody is called Test)."""
    if not isinstance(value, str):
        return False
    return name in _WORDS or (name.endswith("name") and value.casefold() in told.names)


def _blanked(connection: Connection, customer_id: int) -> bool:
    """Leave nothing in a customer's row where something refers to it, else remove it; tell which."""
    this = customers.c.id == customer_id
    if not any(referring(connection, customers.c.id, customer_id).values()):
        connection.execute(sa.delete(customers).where(this))
        return False
    connection.execute(
        sa.update(customers)
        .where(this)
        .values(first_name=ERASED, last_name=ERASED, email=None, email_key=None, phone=None, address=None)
    )
    return True


def _retired(connection: Connection, driver_id: int) -> bool:
    """Leave nothing in a driver's row where something refers to it, else remove it; tell which."""
    this = drivers.c.id == driver_id
    if not any(referring(connection, drivers.c.id, driver_id).values()):
        connection.execute(sa.delete(drivers).where(this))
        return False
    connection.execute(
        sa.update(drivers)
        .where(this)
        .values(
            name=ERASED,
            **dict.fromkeys(("identity", "phone", "vehicle", "weekly")),
            **dict.fromkeys(("latitude", "longitude", "active"), 0),
            version=drivers.c.version + 1,
        )
    )
    return True
