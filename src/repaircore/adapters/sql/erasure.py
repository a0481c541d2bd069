"""Customers of partners, and drivers, of whom nothing may be left.

A partner's records refer to its customers, so a row that is referred to stays, with nothing in it. What was told of them
elsewhere is found by their reference: events and timelines lose what says who they are, kept replies go.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from attrs import frozen
from sqlalchemy.engine import Connection, Row

from repaircore.adapters.sql.engine.references import referring
from repaircore.adapters.sql.providers import count_rides
from repaircore.adapters.sql.schema.mechanics import appointments
from repaircore.adapters.sql.schema.operations import audit, timeline
from repaircore.adapters.sql.schema.partners import customers, kept_replies
from repaircore.adapters.sql.schema.personal import drivers_of
from repaircore.adapters.sql.schema.rides import drivers, ride_offers, rides
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.json_text import decode, encode, encode_text
from repaircore.persons.exported_marks import ERASED
from repaircore.persons.model import Person

_SAID: Final = {
    appointments: ("description", "cancel_reason"),
    rides: ("pickup_address", "dropoff_address", "notes", "reason", "cancel_note", "comment"),
}
"""Records about a customer (by ``customer_id``), and what was said of it in free words."""

_WORDS: Final = frozenset({"description", "notes", "reason_for_tow", "cancel_note", "comment"})
"""Where the API tells such words; they may have been others when an event was told."""
_WHO: Final = frozenset({"name", "phone", "vehicle"})
"""What the audit says of who a driver is."""
_PLACES: Final = frozenset({"pickup", "dropoff"})


@frozen(kw_only=True)
class _Subject:
    """What is told of somebody: by which references it is found, and which names and texts say who it is.

    ``partner_id`` is whose customer they are; None where all partners may have been told.
    """

    partner_id: int | None
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
        ):
            changed[table] += count
        removed["kept_replies"] += _drop_replies(connection, told)
        (changed if _blanked(connection, row.id) else removed)["customers"] += 1
    for row in connection.execute(sa.select(drivers).where(drivers_of(person))).all():
        told = _Subject(
            partner_id=None,
            environment=row.environment,
            subjects=(row.ref,),
            names=frozenset({row.name.casefold()}),
            texts=frozenset(text.casefold() for text in (row.phone, row.vehicle) if text),
        )
        changed.update(_unnamed(connection, row.ref))
        changed["events"] += _strike_events(connection, told)
        changed["audit"] += _strike_audit(connection, row.ref)
        removed["kept_replies"] += _drop_replies(connection, told)
        (changed if _retired(connection, row.id, row.ref) else removed)["drivers"] += 1
    return removed, changed


def _told(connection: Connection, row: "Row[Any]") -> _Subject:
    subjects: list[str] = [row.ref]
    said: list[str | None] = []
    for table, columns in _SAID.items():
        about = sa.select(table.c.ref, *(table.c[name] for name in columns))
        for ref, *words in connection.execute(about.where(table.c.customer_id == row.id)):
            subjects.append(ref)
            said += words
    names = (row.first_name, row.last_name, f"{row.first_name} {row.last_name}")
    texts = (row.email, row.email_key, row.phone, row.address, *said)
    return _Subject(
        partner_id=row.partner_id,
        environment=row.environment,
        subjects=tuple(subjects),
        names=frozenset(map(str.casefold, names)),
        texts=frozenset(text.casefold() for text in texts if text),
    )


def _unnamed(connection: Connection, ref: str) -> dict[str, int]:
    """Take a driver's name from rides and offers."""
    return {
        table.name: connection.execute(
            sa.update(table).where(table.c.provider_ref == ref).values(provider_name=ERASED)
        ).rowcount
        for table in (rides, ride_offers)
    }


def _strike_audit(connection: Connection, ref: str) -> int:
    """Take who a driver is, and was called before, from the changes of their entry; that it was changed stays."""
    columns = audit.c
    query = sa.select(columns.id, columns.before, columns.after).where(columns.subject == f"drivers/{ref}")
    rows = connection.execute(query).all()
    for number, *states in rows:
        before, after = (state and _nameless(state) for state in states)
        connection.execute(sa.update(audit).where(columns.id == number).values(before=before, after=after))
    return len(rows)


def _nameless(state: str) -> str:
    told = decode(state)
    return encode_text({**told, **dict.fromkeys(_WHO & set(told), ERASED)})


def _quiet(connection: Connection, customer_id: int) -> Iterator[tuple[str, int]]:
    """Take away what was said in records about a customer."""
    for table, names in _SAID.items():
        said = sa.or_(*(table.c[name].is_not(None) for name in names))
        update = sa.update(table).where(table.c.customer_id == customer_id, said)
        yield table.name, connection.execute(update.values(dict.fromkeys(names))).rowcount


def _strike_events(connection: Connection, told: _Subject) -> int:
    columns = events.c
    # Whatever else tells of them holds their reference: the first subject.
    about = sa.or_(columns.subject.in_(told.subjects), columns.payload.contains(told.subjects[0]))
    found = connection.execute(
        sa.select(columns.id, columns.payload).where(*_theirs(columns, told), about)
    ).all()
    return _rewritten(connection, columns.payload, columns.id, found, told)


def _strike_timeline(connection: Connection, told: _Subject) -> int:
    columns = timeline.c
    theirs = (columns.subject.in_(told.subjects), columns.detail.is_not(None))
    found = connection.execute(sa.select(columns.id, columns.detail).where(*theirs)).all()
    return _rewritten(connection, columns.detail, columns.id, found, told)


def _drop_replies(connection: Connection, told: _Subject) -> int:
    """Remove the replies that tell of somebody: one is repeated byte for byte or not at all."""
    columns = kept_replies.c
    keys = list(kept_replies.primary_key)
    query = sa.select(*keys, columns.body).where(*_theirs(columns, told), columns.body.is_not(None))
    sought = [subject.encode() for subject in told.subjects]
    found = [
        row
        for row in connection.execute(query)
        if any(one in row.body for one in sought) and _struck(row.body, told) != row.body
    ]
    for *key, _ in found:
        at = (column == value for column, value in zip(keys, key, strict=True))
        connection.execute(sa.delete(kept_replies).where(*at))
    return len(found)


def _theirs(columns: Any, told: _Subject) -> list["sa.ColumnElement[bool]"]:
    own = [] if told.partner_id is None else [columns.partner_id == told.partner_id]
    return [*own, columns.environment == told.environment]


def _rewritten(
    connection: Connection,
    column: "sa.Column[Any]",
    key: "sa.Column[Any]",
    rows: Iterable[Sequence[Any]],
    told: _Subject,
) -> int:
    struck = 0
    for at, text in rows:
        new = _struck(text.encode(), told).decode()
        if new != text:
            update = sa.update(column.table).where(key == at)
            struck += connection.execute(update.values({column.name: new})).rowcount
    return struck


def _struck(body: bytes, told: _Subject) -> bytes:
    """Strike what says who they are from JSON; what says nothing stays byte for byte."""
    try:
        value = decode(body)
    except ValueError:
        return body
    struck = _without(value, told)
    if struck == value:
        return body
    return encode(struck)


def _without(value: Any, told: _Subject) -> Any:
    if isinstance(value, str):
        return ERASED if value.casefold() in told.texts else value
    if isinstance(value, list):
        return [_without(one, told) for one in value]
    if isinstance(value, dict):
        return {name: _member(name, one, told) for name, one in value.items()}
    return value


def _member(name: str, value: Any, told: _Subject) -> Any:
    if name in _PLACES:
        return _placeless(value, told)
    return ERASED if _tells(name, value, told) else _without(value, told)


def _tells(name: str, value: object, told: _Subject) -> bool:
    """Return whether a member is what was said, or a name: names stand elsewhere too (somebody is called Test)."""
    if not isinstance(value, str):
        return False
    return name in _WORDS or (name.endswith("name") and value.casefold() in told.names)


def _placeless(place: Any, told: _Subject) -> Any:
    """Take the address from a place: where it lies on the map says not who waited there."""
    rest = _without(place, told)
    if isinstance(rest, dict) and isinstance(rest.get("address"), str):
        return {**rest, "address": ERASED}
    return rest


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


def _retired(connection: Connection, driver_id: int, ref: str) -> bool:
    """Leave nothing in a driver's row where something refers to it, else remove it; tell which."""
    this = drivers.c.id == driver_id
    referents = {**referring(connection, drivers.c.id, driver_id), **count_rides(connection, ref)}
    if not any(referents.values()):
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
