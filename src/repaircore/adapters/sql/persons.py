"""Find, export and erase personal data in the database."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import moment
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.engine.timeouts import extend_timeouts
from repaircore.adapters.sql.erasure import erase_identities
from repaircore.adapters.sql.outbox import delete_events
from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.learning import cells
from repaircore.adapters.sql.schema.metadata import METADATA, About, about
from repaircore.adapters.sql.schema.operations import timeline
from repaircore.adapters.sql.schema.partners import customers
from repaircore.adapters.sql.schema.personal import (
    BLANKED,
    CENTS,
    HOLDINGS,
    RECOMPUTED,
    Holding,
    events_of,
    visits_of,
)
from repaircore.adapters.sql.schema.predictions import feedback, predictions
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.schema.vehicles import plates, vehicles
from repaircore.adapters.sql.schema.visits import visits
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.callers import Environment
from repaircore.persons.exported_marks import SHARED_OF_A_VIN, PersonalMarks, phone_digits
from repaircore.persons.model import Person, PersonalRow, Record
from repaircore.persons.ports import PersonalData
from repaircore.transactions.car_numbers import car_of

_WHOLE_VIN: Final = 17
_AT_ONCE: Final = 1000
_SUMS: Final = ("w", "s", "q")


class SqlPersonalData(PersonalData):
    """The personal data in all tables."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def identify(self, email: str) -> Person:
        user = sa.select(users.c.id).where(users.c.email == email)
        user_id: int | None = self._connection.execute(user).scalar_one_or_none()
        person = Person(email=email, user_id=user_id)
        vins = {vin for holding in HOLDINGS for vin in self._whole_vins(holding, person)}
        numbers = sa.select(customers.c.phone).where(
            customers.c.email_key == email, customers.c.phone.is_not(None)
        )
        phones = map(phone_digits, self._connection.execute(numbers).scalars())
        return evolve(person, phones=frozenset(phones), vins=frozenset(vins))

    def _whole_vins(self, holding: Holding, person: Person) -> Iterable[str]:
        if "vin" not in holding.table.c:
            return ()
        vin = holding.table.c.vin
        query = sa.select(vin).where(holding.whose(person), sa.func.length(vin) == _WHOLE_VIN).distinct()
        return self._connection.execute(query).scalars()

    @override
    def list_own(self, person: Person) -> Mapping[str, Sequence[Record]]:
        found = {holding.table.name: self._rows(holding, person) for holding in HOLDINGS}
        return {name: rows for name, rows in found.items() if rows}

    @override
    def mentions(self, marks: PersonalMarks) -> Sequence[PersonalRow]:
        extend_timeouts(self._connection)
        return [row for table in METADATA.sorted_tables for row in self._mentions_in(table, marks)]

    @override
    def read(self, mention: PersonalRow) -> Record:
        table = METADATA.tables[mention.table]
        query = sa.select(*(table.c[name] for name in mention.columns)).where(_at(table, mention.key))
        row = self._connection.execute(query).mappings().one()
        return {"table": mention.table, "key": dict(mention.key), **_export(row)}

    @override
    def erase_own(self, person: Person) -> tuple[Mapping[str, int], Mapping[str, int]]:
        extend_timeouts(self._connection)
        changed = {
            "predictions": self._anonymize_predictions(person),
            "feedback": self._anonymize_feedback(person),
            "vehicles": self._clear_plates(person),
            "transactions": self._clear_cars(person),
        }
        steps = self._delete_steps(person)
        deleted_events = delete_events(self._connection, events_of(person))
        removed = {
            holding.table.name: self._connection.execute(
                sa.delete(holding.table).where(holding.whose(person))
            ).rowcount
            for holding in sorted(HOLDINGS, key=_refers_last, reverse=True)
            if holding.removed
        }
        deleted, emptied = erase_identities(self._connection, person)
        return _nonzero(
            deleted + Counter(removed) + Counter(timeline=steps, events=deleted_events)
        ), _nonzero(emptied + Counter(changed))

    @override
    def redact(
        self, mentions: Iterable[PersonalRow], marks: PersonalMarks
    ) -> tuple[Mapping[str, int], Mapping[str, int]]:
        removed, changed = Counter[str](), Counter[str]()
        for mention in mentions:
            table = METADATA.tables[mention.table]
            if table.name in RECOMPUTED:
                deleted = self._connection.execute(sa.delete(table).where(_at(table, mention.key)))
                removed[table.name] += deleted.rowcount
            elif table is cells:
                changed[table.name] += self._redact_cell(mention, marks)
            else:
                changed[table.name] += self._redact_row(table, mention, marks)
        return _nonzero(removed), _nonzero(changed)

    def _rows(self, holding: Holding, person: Person) -> list[Record]:
        columns = [column for column in holding.table.c if about(column) is not About.SECRET]
        query = sa.select(*columns).where(holding.whose(person)).order_by(*holding.table.primary_key)
        return [_export(row) for row in self._connection.execute(query).mappings()]

    def _mentions_in(self, table: sa.Table, marks: PersonalMarks) -> Iterator[PersonalRow]:
        keys = list(table.primary_key.columns)
        texts = [column for column in table.c if isinstance(column.type, sa.Text | sa.LargeBinary)]
        if not texts:
            return
        query = sa.select(*keys, *(column.label(f"text_{column.name}") for column in texts))
        streamed = query.execution_options(stream_results=True, yield_per=_AT_ONCE)
        for row in self._connection.execute(streamed):
            values = row[len(keys) :]
            if marks.occur_in("\n".join(_text(value) for value in values if value is not None)):
                names = [
                    column.name
                    for column, value in zip(texts, values, strict=True)
                    if value is not None and marks.occur_in(_text(value))
                ]
                if names:
                    key = {column.name: value for column, value in zip(keys, row, strict=False)}
                    yield PersonalRow(table=table.name, key=key, columns=tuple(names))

    def _anonymize_predictions(self, person: Person) -> int:
        owned, owner = _holding(predictions).whose(person), predictions.c.owner_id
        values: dict[str, Any] = {"email": None, "vin": sa.func.substr(predictions.c.vin, 1, SHARED_OF_A_VIN)}
        if person.user_id is not None:
            # Each prediction gets an owner of its own, since an owner has only one for each cached answer.
            values["owner_id"] = sa.case((owner == person.user_id, -predictions.c.id), else_=owner)
        return self._connection.execute(sa.update(predictions).where(owned).values(values)).rowcount

    def _anonymize_feedback(self, person: Person) -> int:
        if person.user_id is None:
            return 0
        query = sa.select(feedback.c.id, feedback.c.prediction_id).where(feedback.c.user_id == person.user_id)
        rows = self._connection.execute(query.order_by(feedback.c.id)).all()
        # Only the latest rating of each user counts, so the ratings of one prediction get the same anonymous user.
        anonymous: dict[int, int] = {}
        for row in rows:
            user_id = anonymous.setdefault(row.prediction_id, -row.id)
            self._connection.execute(
                sa.update(feedback).where(feedback.c.id == row.id).values(user_id=user_id, comment=None)
            )
        return len(rows)

    def _delete_steps(self, person: Person) -> int:
        """Delete the timelines of a person's visits, which name the customer; return how many steps were deleted."""
        numbers = sa.select(visits.c.number).where(visits_of(person))
        return self._connection.execute(sa.delete(timeline).where(timeline.c.subject.in_(numbers))).rowcount

    def _clear_plates(self, person: Person) -> int:
        numbers = sa.select(plates.c.number).where(plates.c.vin.in_(person.vins))
        owned = sa.or_(vehicles.c.plate_no.in_(numbers), vehicles.c.vin.in_(person.vins))
        update = sa.update(vehicles).where(owned, vehicles.c.plate_no.is_not(None))
        return self._connection.execute(update.values(plate_no=None, plate_state=None)).rowcount

    def _clear_cars(self, person: Person) -> int:
        # The index starts with the environment.
        owned = (
            transactions.c.environment.in_([*Environment]),
            transactions.c.car.in_({car_of(vin) for vin in person.vins}),
        )
        return self._connection.execute(sa.update(transactions).where(*owned).values(car=None)).rowcount

    def _redact_row(self, table: sa.Table, mention: PersonalRow, marks: PersonalMarks) -> int:
        columns = [table.c[name] for name in mention.columns]
        query = sa.select(*columns).where(_at(table, mention.key))
        row = self._connection.execute(query).mappings().one_or_none()
        if row is None:
            return 0  # deleted with the account
        redacted = {
            name: None if table.c[name] in BLANKED else _redact(value, marks)
            for name, value in row.items()
            if value is not None and marks.occur_in(_text(value))
        }
        if redacted:
            self._connection.execute(sa.update(table).where(_at(table, mention.key)).values(redacted))
        return int(bool(redacted))

    def _redact_cell(self, mention: PersonalRow, marks: PersonalMarks) -> int:
        """Move a cell's sums to the cell with its redacted key, to match the redacted evidence in the invoices.

        Return how many cells were moved: 1, or 0 if the cell no longer exists.
        """
        delete = sa.delete(cells).where(_at(cells, mention.key)).returning(*cells.c)
        row = self._connection.execute(delete).mappings().one_or_none()
        if row is None:
            return 0
        insert = upsert(self._connection, cells).values({**row, "key": marks.redact(row["key"])})
        keys = [column.name for column in cells.primary_key]
        sums = {name: cells.c[name] + insert.excluded[name] for name in _SUMS}
        self._connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=sums))
        return 1


def _refers_last(holding: Holding) -> int:
    """Return a sort key that puts referenced tables before the tables that refer to them."""
    return METADATA.sorted_tables.index(holding.table)


def _holding(table: sa.Table) -> Holding:
    return next(holding for holding in HOLDINGS if holding.table is table)


def _at(table: sa.Table, key: Mapping[str, Any]) -> sa.ColumnElement[bool]:
    return sa.and_(*(table.c[name] == value for name, value in key.items()))


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode(_encoding(value))


def _redact(value: str | bytes, marks: PersonalMarks) -> str | bytes:
    text = marks.redact(_text(value))
    return text if isinstance(value, str) else text.encode(_encoding(value))


def _encoding(value: bytes) -> str:
    """Return an encoding for bytes: UTF-8 if they are valid UTF-8, else one that maps each byte to a character."""
    try:
        value.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _nonzero(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


def _export(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): _export_value(str(name), value) for name, value in row.items()}


def _export_value(name: str, value: Any) -> Any:
    if value is None:
        return None
    for matches, convert in _CONVERSIONS:
        if matches(name):
            return convert(value)
    return value.hex() if isinstance(value, bytes) else value


def _parsed(value: str) -> Any:
    try:
        return decode(value)
    except NotJsonError:
        return value


_CONVERSIONS: Final[tuple[tuple[Callable[[str], bool], Callable[[Any], Any]], ...]] = (
    (
        lambda name: name == "at" or name.endswith("_at"),
        lambda value: f"{moment(value):%Y-%m-%dT%H:%M:%S.%fZ}",
    ),
    (lambda name: name in CENTS, lambda value: value / 100),
    (lambda name: name in {"before", "after"}, _parsed),
)
