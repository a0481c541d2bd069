"""Erase drivers and the customers of partners.

A row that other records refer to is emptied instead of deleted. Mentions elsewhere are found by reference: events and
timelines are redacted, and stored replies are deleted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from attrs import frozen
from sqlalchemy.engine import Connection, Row

from repaircore.adapters.sql.engine.references import count_references
from repaircore.adapters.sql.providers import count_rides
from repaircore.adapters.sql.schema.mechanics import appointments
from repaircore.adapters.sql.schema.operations import audit, timeline
from repaircore.adapters.sql.schema.partners import customers, idempotent_replies
from repaircore.adapters.sql.schema.personal import drivers_of
from repaircore.adapters.sql.schema.rides import drivers, provider_keys, ride_offers, rides
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.json_text import decode, encode, encode_text
from repaircore.persons.exported_marks import ERASED
from repaircore.persons.model import Person

_FREE_TEXT: Final = {
    appointments: ("description", "cancel_reason", "vehicle", "address", "response_reason"),
    rides: ("pickup_address", "dropoff_address", "notes", "reason", "cancel_note", "comment"),
}
"""The free-text columns in tables of records about customers (by ``customer_id``)."""

_HIDDEN: Final = {"hides_phones": True}
"""Replaces a masked number; with nothing in its place, the phone number behind it would be shown."""

_FREE_TEXT_FIELDS: Final = frozenset(
    {
        "description",
        "notes",
        "reason_for_tow",
        "cancel_note",
        "comment",
        "mechanic_response_reason",
        "signed_by",
    }
)
"""The names of free-text fields in the API, redacted by name: an event may contain older text than the record."""
_DRIVER_FIELDS: Final = frozenset({"name", "phone", "vehicle", "email", "webhook_url", "plate"})
"""The fields of audit entries that identify a driver."""
_PLACES: Final = frozenset({"pickup", "dropoff"})


@frozen(kw_only=True)
class _Subject:
    """A person to erase: the references of records about them, and the names and other strings that identify them.

    ``partner_id`` is None for a driver, whose data any partner may have received.
    """

    partner_id: int | None
    environment: str
    references: tuple[str, ...]
    names: frozenset[str]
    texts: frozenset[str]


def erase_identities(connection: Connection, person: Person) -> tuple[Counter[str], Counter[str]]:
    """Erase a person's records as customer or driver; return how many rows were removed and changed, by table."""
    removed, changed = Counter[str](), Counter[str]()
    for row in connection.execute(sa.select(customers).where(customers.c.email_key == person.email)).all():
        subject = _customer_subject(connection, row)
        for _, hide in _masked(connection, row.id):
            connection.execute(hide)
        for table, count in (
            *_clear_free_text(connection, row.id),
            ("events", _redact_events(connection, subject)),
            ("timeline", _redact_timeline(connection, subject)),
        ):
            changed[table] += count
        removed["idempotent_replies"] += _delete_replies(connection, subject)
        (changed if _erase_customer(connection, row.id) else removed)["customers"] += 1
    for row in connection.execute(sa.select(drivers).where(drivers_of(person))).all():
        subject = _Subject(
            partner_id=None,
            environment=row.environment,
            references=(row.ref,),
            names=frozenset({row.name.casefold()}),
            texts=frozenset(text.casefold() for text in (row.phone, row.vehicle) if text),
        )
        changed.update(_redact_provider(connection, row.ref))
        changed["events"] += _redact_events(connection, subject)
        changed["audit"] += _redact_audit(connection, row.ref)
        removed["idempotent_replies"] += _delete_replies(connection, subject)
        (changed if _erase_driver(connection, row.id, row.ref) else removed)["drivers"] += 1
    return removed, changed


def _customer_subject(connection: Connection, row: "Row[Any]") -> _Subject:
    references: list[str] = [row.ref]
    free_texts: list[str | None] = []
    for table, columns in _FREE_TEXT.items():
        query = sa.select(table.c.ref, *(table.c[name] for name in columns))
        for ref, *found in connection.execute(query.where(table.c.customer_id == row.id)):
            references.append(ref)
            free_texts += found
    names = (row.first_name, row.last_name, f"{row.first_name} {row.last_name}")
    numbers = (number for number, _ in _masked(connection, row.id))
    texts = (row.email, row.email_key, row.phone, row.address, *free_texts, *numbers)
    return _Subject(
        partner_id=row.partner_id,
        environment=row.environment,
        references=tuple(references),
        names=frozenset(map(str.casefold, names)),
        texts=frozenset(text.casefold() for text in texts if text),
    )


def _masked(connection: Connection, customer_id: int) -> list[tuple[str, sa.Update]]:
    """Return the masked numbers in records about a customer, each with the statement that hides it."""
    found: list[tuple[str, sa.Update]] = []
    for column in (appointments.c.phones, rides.c.provider_card):
        table = column.table
        query = sa.select(table.c.id, column).where(table.c.customer_id == customer_id, column.is_not(None))
        for at, text in connection.execute(query):
            stored = decode(text)
            is_card = "phones" in stored
            number = (stored["phones"] if is_card else stored).get("number")
            if number is not None:
                hidden = {**stored, "phones": _HIDDEN} if is_card else _HIDDEN
                values = {column.name: encode_text(hidden)}
                found.append((number, sa.update(table).where(table.c.id == at).values(values)))
    return found


def _redact_provider(connection: Connection, ref: str) -> dict[str, int]:
    """Redact a driver in rides and offers, and delete the driver's keys.

    Return how many rows were redacted, by table.
    """
    connection.execute(sa.delete(provider_keys).where(provider_keys.c.provider_ref == ref))
    connection.execute(sa.update(rides).where(rides.c.provider_ref == ref).values(provider_card=None))
    return {
        table.name: connection.execute(
            sa.update(table).where(table.c.provider_ref == ref).values(provider_name=ERASED)
        ).rowcount
        for table in (rides, ride_offers)
    }


def _redact_audit(connection: Connection, ref: str) -> int:
    """Redact a driver's identity in audit entries, which are not deleted; return how many were redacted."""
    columns = audit.c
    query = sa.select(columns.id, columns.before, columns.after).where(columns.subject == f"drivers/{ref}")
    rows = connection.execute(query).all()
    for number, *states in rows:
        before, after = (state and _redact_state(state) for state in states)
        connection.execute(sa.update(audit).where(columns.id == number).values(before=before, after=after))
    return len(rows)


def _redact_state(state: str) -> str:
    fields = decode(state)
    return encode_text({**fields, **dict.fromkeys(_DRIVER_FIELDS & set(fields), ERASED)})


def _clear_free_text(connection: Connection, customer_id: int) -> Iterator[tuple[str, int]]:
    """Clear the free text in records about a customer; yield each table's name and how many rows were changed."""
    for table, names in _FREE_TEXT.items():
        has_text = sa.or_(*(table.c[name].is_not(None) for name in names))
        update = sa.update(table).where(table.c.customer_id == customer_id, has_text)
        yield table.name, connection.execute(update.values(dict.fromkeys(names))).rowcount


def _redact_events(connection: Connection, subject: _Subject) -> int:
    columns = events.c
    # Events about other records contain the person's own reference, which comes first.
    about = sa.or_(columns.subject.in_(subject.references), columns.payload.contains(subject.references[0]))
    found = connection.execute(
        sa.select(columns.id, columns.payload).where(*_scope(columns, subject), about)
    ).all()
    return _redact_rows(connection, columns.payload, columns.id, found, subject)


def _redact_timeline(connection: Connection, subject: _Subject) -> int:
    columns = timeline.c
    with_detail = (columns.subject.in_(subject.references), columns.detail.is_not(None))
    found = connection.execute(sa.select(columns.id, columns.detail).where(*with_detail)).all()
    return _redact_rows(connection, columns.detail, columns.id, found, subject)


def _delete_replies(connection: Connection, subject: _Subject) -> int:
    """Delete the stored replies that identify a person, and return how many were deleted.

    They are not redacted, because a reply is repeated byte for byte or not at all.
    """
    columns = idempotent_replies.c
    keys = list(idempotent_replies.primary_key)
    query = sa.select(*keys, columns.body).where(*_scope(columns, subject), columns.body.is_not(None))
    references = [reference.encode() for reference in subject.references]
    found = [
        row
        for row in connection.execute(query)
        if any(reference in row.body for reference in references) and _redact(row.body, subject) != row.body
    ]
    for *key, _ in found:
        at = (column == value for column, value in zip(keys, key, strict=True))
        connection.execute(sa.delete(idempotent_replies).where(*at))
    return len(found)


def _scope(columns: Any, subject: _Subject) -> list["sa.ColumnElement[bool]"]:
    by_partner = [] if subject.partner_id is None else [columns.partner_id == subject.partner_id]
    return [*by_partner, columns.environment == subject.environment]


def _redact_rows(
    connection: Connection,
    column: "sa.Column[Any]",
    key: "sa.Column[Any]",
    rows: Iterable[Sequence[Any]],
    subject: _Subject,
) -> int:
    changed = 0
    for at, text in rows:
        new = _redact(text.encode(), subject).decode()
        if new != text:
            update = sa.update(column.table).where(key == at)
            changed += connection.execute(update.values({column.name: new})).rowcount
    return changed


def _redact(body: bytes, subject: _Subject) -> bytes:
    """Redact the identifying members of a JSON body; a body without any is returned unchanged, byte for byte."""
    try:
        value = decode(body)
    except ValueError:
        return body
    redacted = _redact_value(value, subject)
    return body if redacted == value else encode(redacted)


def _redact_value(value: Any, subject: _Subject) -> Any:
    if isinstance(value, str):
        return ERASED if value.casefold() in subject.texts else value
    if isinstance(value, list):
        return [_redact_value(item, subject) for item in value]
    if isinstance(value, dict):
        return {name: _redact_member(name, member, subject) for name, member in value.items()}
    return value


def _redact_member(name: str, value: Any, subject: _Subject) -> Any:
    if name in _PLACES:
        return _redact_place(value, subject)
    return ERASED if _identifies(name, value, subject) else _redact_value(value, subject)


def _identifies(name: str, value: object, subject: _Subject) -> bool:
    """Return whether a member is free text or the person's name; other members may match a name by chance."""
    if not isinstance(value, str):
        return False
    return name in _FREE_TEXT_FIELDS or (name.endswith("name") and value.casefold() in subject.names)


def _redact_place(place: Any, subject: _Subject) -> Any:
    """Redact the address of a place; its coordinates identify nobody."""
    redacted = _redact_value(place, subject)
    if isinstance(redacted, dict) and isinstance(redacted.get("address"), str):
        return {**redacted, "address": ERASED}
    return redacted


def _erase_customer(connection: Connection, customer_id: int) -> bool:
    """Empty a customer's row if anything refers to it, else delete it; return whether it was emptied."""
    this = customers.c.id == customer_id
    if not any(count_references(connection, customers.c.id, customer_id).values()):
        connection.execute(sa.delete(customers).where(this))
        return False
    connection.execute(
        sa.update(customers)
        .where(this)
        .values(
            first_name=ERASED,
            last_name=ERASED,
            email=None,
            email_key=None,
            phone=None,
            address=None,
            metadata=None,
        )
    )
    return True


def _erase_driver(connection: Connection, driver_id: int, ref: str) -> bool:
    """Empty a driver's row if anything refers to it, else delete it; return whether it was emptied."""
    this = drivers.c.id == driver_id
    referents = {**count_references(connection, drivers.c.id, driver_id), **count_rides(connection, ref)}
    if not any(referents.values()):
        connection.execute(sa.delete(drivers).where(this))
        return False
    connection.execute(
        sa.update(drivers)
        .where(this)
        .values(
            name=ERASED,
            **dict.fromkeys(("identity", "phone", "vehicle", "weekly", "email", "webhook_url", "plate")),
            **dict.fromkeys(("latitude", "longitude", "active"), 0),
            version=drivers.c.version + 1,
        )
    )
    return True
