"""The contract of the port ``OldRecords``, on both databases, and retention as a whole."""

from datetime import timedelta
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts import test_past_predictions
from tests.contracts.conftest import NOW
from tests.contracts.dispatching import Town
from tests.contracts.partners import add_partner

from repaircore.accounts.model import Session, User
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.accounts import sessions
from repaircore.adapters.sql.schema.diagnosis import chat_messages, chat_sessions
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.schema.operations import audit, imports
from repaircore.adapters.sql.schema.predictions import predictions, remembered
from repaircore.adapters.sql.schema.rides import dispatch_requests
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.imports import ImportResult
from repaircore.predictions.model import Answer, Question
from repaircore.predictions.past_predictions import Rating
from repaircore.retention.model import Piece, RecordKind, RetentionPolicy
from repaircore.rides.model import RideKind
from repaircore.testing.builders import some_figures
from repaircore.testing.clock import FrozenClock

LIVE = Environment.LIVE


def delete_old(
    database: Database, kind: RecordKind, *, after_id: int = 0, most: int = 100, days: float = 1
) -> Piece:
    with work.open_work(database, write=True) as unit:
        before = NOW + timedelta(days=days)
        return unit.old_records.delete(kind, before=before, after_id=after_id, most=most)


def count(database: Database, table: sa.Table) -> int:
    with database.transaction(write=False) as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def test_predictions_without_a_rating_or_invoice_are_deleted(database: Database) -> None:
    ids = [
        test_past_predictions.prediction_id(database, test_past_predictions.add_prediction(database, n))
        for n in range(1, 6)
    ]
    with work.open_work(database, write=True) as unit:
        unit.ratings.add(ids[1], user_id=1, rating=Rating.GOOD, comment=None, at=NOW)
        vehicle = sa.select(predictions.c.vehicle_id).limit(1).scalar_subquery()
        values = {"environment": "live", "problem_id": 101, "performed_on": "2026-01-02", "parts": "[]"}
        unit.connection.execute(
            sa.insert(transactions).values(
                **values,
                vehicle_id=vehicle,
                prediction_id=ids[3],
                labor_hours=1.0,
                labor_rate=1,
                parts_total=0,
                labor_total=1,
                total=1,
                review=0,
                created_at=0,
            )
        )

    assert delete_old(database, RecordKind.PREDICTIONS, days=0).deleted == 0
    assert delete_old(database, RecordKind.PREDICTIONS).deleted == 3
    with database.transaction(write=False) as connection:
        stored = connection.execute(sa.select(predictions.c.id).order_by(predictions.c.id)).scalars().all()
        assert stored == [ids[1], ids[3]]


def test_deletion_continues_past_rows_that_stay(database: Database) -> None:
    ids = [
        test_past_predictions.prediction_id(database, test_past_predictions.add_prediction(database, n))
        for n in range(1, 8)
    ]
    with work.open_work(database, write=True) as unit:
        for number in ids[:4]:
            unit.ratings.add(number, user_id=1, rating=Rating.GOOD, comment=None, at=NOW)
    first = delete_old(database, RecordKind.PREDICTIONS, most=3)
    second = delete_old(database, RecordKind.PREDICTIONS, most=3, after_id=first.last_id or 0)
    third = delete_old(database, RecordKind.PREDICTIONS, most=3, after_id=second.last_id or 0)

    assert (first, second, third) == (
        Piece(deleted=0, last_id=ids[2]),
        Piece(deleted=2, last_id=ids[5]),
        Piece(deleted=1, last_id=None),
    )


def test_chats_are_deleted_with_their_messages(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        for number, at in ((1, 0), (2, 10**18)):
            unit.connection.execute(
                sa.insert(chat_sessions).values(
                    id=number,
                    session_id=str(number),
                    owner_id=0,
                    environment="live",
                    status="reset",
                    step=0,
                    messages=1,
                    evidence="{}",
                    started_at=0,
                    active_at=at,
                    version=1,
                )
            )
            unit.connection.execute(
                sa.insert(chat_messages).values(
                    chat_id=number, number=1, role="user", kind="symptom", text="x", created_at=0
                )
            )

    assert delete_old(database, RecordKind.CHATS).deleted == 1
    assert (count(database, chat_sessions), count(database, chat_messages)) == (1, 1)


def test_audit_is_deleted_by_age(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        for at in (NOW, NOW + timedelta(days=2)):
            unit.audit.add(LOCAL, "thing.change", "things/1", before=None, after=None, at=at)

    assert delete_old(database, RecordKind.AUDIT).deleted == 1
    assert count(database, audit) == 1


def test_unfinished_imports_stay(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        for digest in "ab":
            record = unit.imports.begin("recalls", environment=LIVE, digest=digest, file="x.csv", at=NOW)
            record = unit.imports.update(record, evolve(ImportResult(), read=1))
        unit.imports.finish(record, NOW)

    assert delete_old(database, RecordKind.IMPORTS).deleted == 1
    assert count(database, imports) == 1


def test_requests_to_providers_stay_while_open(core: Core, clock: FrozenClock) -> None:
    town = Town.of(core, add_partner(core.storage.database, environment=LIVE), RideKind.MOBILE)
    town.add_providers(3)
    ride = town.create()
    town.dispatch.run()
    first, *_ = town.requests(ride.ref)
    with core.storage.transaction() as unit:
        closed = sa.update(dispatch_requests).where(dispatch_requests.c.ref == first.ref)
        unit.connection.execute(closed.values(status="closed"))
        before = clock.now + timedelta(days=1)
        piece = unit.old_records.delete(RecordKind.PROVIDER_REQUESTS, before=before, after_id=0, most=10)

    assert piece.deleted == 1
    assert first.ref not in {request.ref for request in town.requests(ride.ref)}


def test_expired_answers_and_sessions_are_deleted(database: Database, ada: User) -> None:
    with work.open_work(database, write=True) as unit:
        for number, ends_at in enumerate([NOW, NOW + timedelta(hours=1), NOW + timedelta(days=3)]):
            unit.sessions.add(
                Session(
                    token_hash=bytes([number]),
                    user_id=ada.id,
                    created_at=NOW - timedelta(days=9),
                    expires_at=ends_at,
                )
            )
            question = Question(
                environment=LIVE, vehicle_key=str(number), problem_id=101, zip_code="90210", mileage_band=None
            )
            made_at = NOW - timedelta(days=9)
            answer = Answer(
                id=UUID(int=number), figures=some_figures(), computed_at=made_at, expires_at=ends_at
            )
            unit.predictions.store(question, answer)

    for kind, table in ((RecordKind.SESSIONS, sessions), (RecordKind.ANSWERS, remembered)):
        assert [delete_old(database, kind, most=1) for _ in range(3)] == [
            Piece(deleted=1, last_id=0),
            Piece(deleted=1, last_id=0),
            Piece(deleted=0, last_id=None),
        ]
        assert count(database, table) == 1


def test_retention_keeps_everything_by_default(core: Core, clock: FrozenClock) -> None:
    database = core.storage.database
    test_past_predictions.add_prediction(database, 1)
    clock.advance(timedelta(days=4000))

    assert core.retention.prune() == {"answers": 0, "sessions": 0}
    assert count(database, predictions) == 1


def test_retention_deletes_only_the_named_kinds(core: Core, clock: FrozenClock) -> None:
    """Delete everything that may be deleted in the far future: no row of any other kind goes."""
    clock.advance(timedelta(days=36_500))
    before = _rows(core)
    everything = RetentionPolicy(days=dict.fromkeys(RecordKind, 1))
    evolve(core.retention, policy=everything, rest=lambda: None).prune()

    assert _rows(core) == before


def _rows(core: Core) -> dict[str, int]:
    return {table.name: count(core.storage.database, table) for table in METADATA.sorted_tables}


@pytest.mark.parametrize("seconds", [0.0, 100.0])
def test_run_ends_after_its_time(core: Core, seconds: float) -> None:
    database = core.storage.database
    with work.open_work(database, write=True) as unit:
        for _ in range(3):
            unit.audit.add(
                LOCAL, "thing.change", "things/1", before=None, after=None, at=NOW - timedelta(days=9)
            )
    times = iter([0.0, *[seconds * 100] * 10])
    timed = evolve(
        core.retention,
        policy=RetentionPolicy(days={RecordKind.AUDIT: 1}),
        timer=lambda: next(times),
        rest=lambda: None,
    )

    assert timed.prune() == {"audit": 3 if seconds == 0 else 0}
