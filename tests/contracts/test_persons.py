"""A person's data is exported and erased completely, on both databases."""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.conftest import OpenCore
from tests.contracts.visits import a_visit
from tests.installations import VIN, ask, discrepancies, filled, sale

from repaircore.accounts.errors import UserNotFound
from repaircore.adapters.sql.schema.metadata import METADATA, About, about
from repaircore.adapters.sql.schema.operations import audit
from repaircore.adapters.sql.schema.personal import HOLDINGS, RECOMPUTED
from repaircore.adapters.sql.schema.predictions import feedback, predictions
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.schema.vehicles import plates, vehicles
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid, NotFound, Unauthenticated
from repaircore.kernel.paging import PageRequest
from repaircore.kernel.timeline import Step
from repaircore.persons.exported_marks import PersonalMarks
from repaircore.predictions.past_predictions import Rating
from repaircore.visits.model import VisitCustomer
from repaircore.visits.ports import VisitFilter

ADA, PHONE = "ada@example.com", "(555) 010-0123"
MARKS = PersonalMarks(emails={ADA}, phones={"5550100123"}, vins={VIN})


def tables_with(kind: About) -> set[str]:
    return {table.name for table in METADATA.sorted_tables if kind in map(about, table.c)}


def test_every_text_column_is_classified() -> None:
    columns = [column for table in METADATA.sorted_tables for column in table.c]
    texts = {str(column) for column in columns if isinstance(column.type, sa.Text | sa.LargeBinary)}
    classified = {str(column) for column in columns if about(column) is not None}

    assert classified == texts, "Classify each column of text or bytes in its info."


def test_every_table_with_personal_data_declares_its_owner() -> None:
    personal = tables_with(About.PERSON) | tables_with(About.SECRET)
    owned = {table.name for table in METADATA.sorted_tables if {"user_id", "owner_id"} & set(table.c.keys())}
    held = {holding.table.name for holding in HOLDINGS}

    assert not (personal - RECOMPUTED | owned) - held, (
        "add them to HOLDINGS (repaircore/adapters/sql/schema/personal.py)"
    )


def test_rows_with_secrets_are_removed() -> None:
    assert tables_with(About.SECRET) <= {holding.table.name for holding in HOLDINGS if holding.removed}


def add_hidden_mentions(core: Core) -> None:
    """Mention Ada where nobody would look."""
    texts = [
        f"Ada's car {VIN.lower()}, call {PHONE} or ADA@Example.COM",
        "1HG-CM8 2633A004352",
        "Eva came along",
    ]
    for text in texts:
        core.transactions.record(sale(core, notes=text, part=f"Pads for {ADA}"))
    with core.storage.database.transaction() as connection:
        connection.execute(
            sa.insert(audit),
            [
                {
                    "at": 1,
                    "environment": "live",
                    "action": "vehicle.changed",
                    "subject": f"vehicles/{VIN}",
                    "before": r'{"email":"\u0061DA\u0040example.com","n":1}',
                    "after": json.dumps({"owner": f"mailto:ada%40example.com {PHONE}", "kept": "Eve"}),
                }
            ],
        )
        (vehicle,) = connection.execute(
            sa.select(vehicles.c.id).where(vehicles.c.vin11 == VIN[:11])
        ).scalars()
        connection.execute(sa.update(vehicles).values(vin=VIN, plate_no="ADA1"))
        connection.execute(
            sa.insert(plates),
            {
                "environment": "live",
                "state": "CA",
                "number": "ADA1",
                "vin": VIN,
                "vehicle_id": vehicle,
                "source": "x",
                "reported_at": 1,
            },
        )


@pytest.fixture
def ada(core: Core) -> Caller:
    caller = filled(core, email="Ada@Example.com")
    add_hidden_mentions(core)
    return caller


def texts(core: Core) -> str:
    """Return all stored text."""
    with core.storage.database.transaction(write=False) as connection:
        return "\n".join(
            str(value)
            for table in METADATA.sorted_tables
            for row in connection.execute(sa.select(table))
            for value in row
            if isinstance(value, str)
        )


def test_export_has_everything_but_secrets(core: Core, ada: Caller) -> None:
    export = core.persons.export("ADA@example.com", phones=[PHONE])
    assert {name: len(rows) for name, rows in export.own.items()} == {
        "users": 1,
        "sessions": 1,
        "api_keys": 1,
        "predictions": 1,
        "feedback": 2,
        "plates": 1,
    }
    (user,), (prediction,) = export.own["users"], export.own["predictions"]
    assert (user["id"], user["name"], user["email"]) == (ada.user_id, "Ada Byron", ADA)
    assert user["created_at"] == "2026-01-02T03:04:05.678901Z"
    assert prediction["local_average"] == round(prediction["local_average"], 2) < 1000
    assert {row["comment"] for row in export.own["feedback"]} == {
        "Too dear for Ada.",
        "Ada changed her mind.",
    }
    mentioned = {(one["table"], *sorted(set(one) - {"table", "key"})) for one in export.mentions}
    assert mentioned == {
        ("audit", "after"),
        ("audit", "after", "before", "subject"),
        ("transactions", "notes", "parts"),
        ("transactions", "parts"),
        ("vehicles", "vin"),
    }
    text = json.dumps([export.own, export.mentions], default=str)

    assert "password_hash" not in text
    assert "token_hash" not in text
    assert "secret_hash" not in text


@pytest.mark.usefixtures("ada")
def test_erasure_leaves_no_trace(core: Core) -> None:
    core.transactions.record(sale(core, notes="nevada@example.com came along"))
    assert MARKS.occur_in(texts(core))
    erasure = core.persons.erase(ADA, phones=[PHONE])
    assert erasure.traces == ()
    assert erasure.vins == 1
    assert {name: erasure.removed[name] for name in ("users", "sessions", "api_keys", "plates")} == {
        "users": 1,
        "sessions": 1,
        "api_keys": 1,
        "plates": 1,
    }
    left = texts(core)

    assert not MARKS.occur_in(left)
    assert "Ada Byron" not in left
    assert "Too dear" not in left
    assert "ADA1" not in left
    assert "nevada@example.com came along" in left
    assert "Eve" in left
    with pytest.raises(NotFound):
        core.persons.export(ADA, phones=[PHONE])


@pytest.mark.usefixtures("ada")
def test_figures_stay_after_an_erasure(core: Core, database_url: str) -> None:
    other = filled(core, email="eve@example.com")
    before = core.ratings
    assert discrepancies(database_url) == []
    core.persons.erase(ADA, phones=[PHONE])
    assert discrepancies(database_url) == []
    with core.storage.database.transaction(write=False) as connection:
        stored = connection.execute(sa.select(predictions).order_by(predictions.c.id)).all()
        rated = connection.execute(sa.select(feedback.c.user_id, feedback.c.comment)).all()

    assert [(row.owner_id, row.vin, row.email) for row in stored] == [
        (-stored[0].id, VIN[:11], None),
        (other.user_id, VIN[:11], "eve@example.com"),  # who asked about the same car
    ]
    assert stored[0].local_average > 0
    assert [row for row in rated if row.user_id not in {-1, other.user_id}] == []
    assert core.past_predictions.page(request=PageRequest(number=1, per_page=15)).total == 2
    assert before is core.ratings


@pytest.mark.usefixtures("ada")
def test_transactions_can_be_deleted_after_an_erasure(core: Core, database_url: str) -> None:
    core.persons.erase(ADA, phones=[PHONE])
    assert discrepancies(database_url) == []
    with core.storage.database.transaction(write=False) as connection:
        stored = list(connection.execute(sa.select(transactions.c.id)).scalars())
    for number in stored:
        core.transactions.delete(number)

    assert discrepancies(database_url) == []


@pytest.mark.usefixtures("ada")
def test_erasure_is_audited_without_the_person(core: Core) -> None:
    core.persons.erase(ADA, phones=[PHONE])
    newest = core.audit.list_newest()[0]

    assert (newest.action, newest.subject, newest.before) == ("person.erased", "persons", None)
    assert newest.after is not None
    assert newest.after["removed"]["users"] == 1


def test_credentials_end_in_every_worker(open_core: OpenCore) -> None:
    core, worker = open_core(), open_core()
    filled(core, email=ADA)
    caller = core.accounts.caller_for(ADA)
    key = core.accounts.create_key(name="k", environment="live", caller=caller)
    session = core.accounts.login(email=ADA, password="correct horse", address="1").session_token
    tokens = (key.secret_key, key.key.public_key, session)
    for token in tokens:
        assert worker.accounts.authenticate(token).user_id == caller.user_id
    core.persons.erase(ADA)
    for token in tokens:
        with pytest.raises(Unauthenticated):
            worker.accounts.authenticate(token)
    with pytest.raises(UserNotFound):
        worker.accounts.caller_for(ADA)

    assert worker.accounts.create_user(name="Ada", email=ADA, password="correct horse").id != caller.user_id


def test_person_without_an_account_is_found_by_a_linked_email(core: Core) -> None:
    shop = filled(core, email="shop@example.com")
    answer = core.predictions.predict(ask(vin="5YJ3E1EA7KF317000", problem_identifier="wiper-blades"), shop)
    core.past_predictions.link_email(answer.session_id, "Customer@Example.com", shop)
    export = core.persons.export("customer@example.com")
    assert [row["vin"] for row in export.own["predictions"]] == ["5YJ3E1EA7KF317000"]
    core.persons.erase("customer@example.com")
    with core.storage.database.transaction(write=False) as connection:
        stored = connection.execute(sa.select(predictions).order_by(predictions.c.id)).all()

    assert [(row.owner_id, row.vin, row.email) for row in stored] == [
        (shop.user_id, VIN, "shop@example.com"),
        (shop.user_id, "5YJ3E1EA7KF", None),
    ]
    assert core.accounts.caller_for("shop@example.com") == shop


@pytest.mark.usefixtures("ada")
def test_dry_run_changes_nothing(core: Core) -> None:
    before = texts(core)
    erasure = core.persons.erase(ADA, dry_run=True)

    assert texts(core) == before
    assert (erasure.changed["users"], erasure.changed["feedback"], erasure.vins) == (1, 2, 1)


@pytest.mark.usefixtures("ada")
def test_erasure_counts_what_it_removed_and_changed_and_logs_that(core: Core) -> None:
    expected = core.persons.erase(ADA, dry_run=True)
    erasure = core.persons.erase(ADA)
    with core.storage.read() as work:
        (entry,) = [one for one in work.audit.list_newest(limit=99) if one.action == "person.erased"]

    assert {"users", "transactions"} <= expected.changed.keys()
    assert expected.changed.keys() <= erasure.removed.keys() | erasure.changed.keys()
    assert entry.after == {"removed": dict(erasure.removed), "changed": dict(erasure.changed)}
    assert not erasure.removed.keys() & {"transactions"}


@pytest.mark.usefixtures("ada")
def test_cached_answers_that_mention_a_person_are_deleted(core: Core) -> None:
    remembered = METADATA.tables["remembered"]
    with core.storage.database.transaction() as connection:
        connection.execute(sa.update(remembered).values(figures=json.dumps({"vehicle": {"vin": VIN}})))
    core.persons.erase(ADA, phones=[PHONE])
    with core.storage.database.transaction(write=False) as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(remembered)).scalar_one() == 0


@pytest.mark.usefixtures("ada")
def test_erased_bytes_are_in_neither_file_nor_later_backup(
    core: Core, database_url: str, tmp_path: Path
) -> None:
    # Enough rows to split pages of the file, which leaves copies behind.
    for _ in range(150):
        core.transactions.record(sale(core, notes=f"{ADA} {VIN} " + "x" * 300))
    core.persons.erase(ADA, phones=[PHONE])
    core.backups.make(tmp_path / "after.zip")
    restored = Core(evolve(core.settings, database_url=f"sqlite:///{tmp_path / 'restored.db'}"))
    restored.backups.restore(tmp_path / "after.zip")
    restored.close()
    files = [tmp_path / "restored.db"]
    if database_url.startswith("sqlite"):
        file = Path(database_url.removeprefix("sqlite:///"))
        files += [path for path in (file, file.with_name(file.name + "-wal")) if path.exists()]
    for path in files:
        assert not MARKS.occur_in_bytes(path.read_bytes()), path

    assert b"Ada Byron" not in b"".join(path.read_bytes() for path in files)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"email": "ada"}, "email"),
        ({"email": ADA, "phones": ["12"]}, "phone"),
        ({"email": ADA, "vins": ["1HGCM82633A"]}, "vin"),
    ],
)
def test_erase_rejects_bad_identifiers(core: Core, arguments: dict[str, object], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        core.persons.erase(**arguments)  # type: ignore[arg-type]

    assert list(refused.value.fields) == [field]


def test_export_and_erase_require_an_admin(core: Core) -> None:
    user = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION)
    with pytest.raises(Forbidden):
        core.persons.export(ADA, caller=user)
    with pytest.raises(Forbidden):
        core.persons.erase(ADA, caller=user)
    with pytest.raises(NotFound, match=r"No data was found for ada@example.com\."):
        core.persons.erase(ADA, caller=LOCAL)


def test_erasing_one_of_two_raters_keeps_the_sums_consistent(
    core: Core, ada: Caller, database_url: str
) -> None:
    answer = core.predictions.predict(ask(), ada)
    core.ratings.rate(answer.session_id, Rating.WRONG, None, LOCAL)
    core.persons.erase(ADA)

    assert discrepancies(database_url) == []


@pytest.mark.usefixtures("ada")
def test_sums_under_an_erased_name_are_merged(core: Core) -> None:
    cells = METADATA.tables["cells"]
    cell = {"environment": "live", "problem_id": 7, "kind": "part", "level": "problem"}
    names = [f"pads for {ADA}", "pads for ADA@example.com", "pads for [erased]", "pads"]
    sums = [{**cell, "key": name, "w": 1, "s": 10**at, "q": 4} for at, name in enumerate(names)]
    with core.storage.database.transaction() as connection:
        connection.execute(sa.insert(cells), sums)
    assert core.persons.erase(ADA, phones=[PHONE]).traces == ()
    with core.storage.database.transaction(write=False) as connection:
        stored = connection.execute(
            sa.select(cells).where(cells.c.problem_id == 7).order_by(cells.c.key)
        ).all()

    assert [(row.key, row.w, row.s, row.q) for row in stored] == [
        ("pads", 1, 1000, 4),
        ("pads for [erased]", 3, 111, 12),
    ]


def test_chats_are_erased_with_their_vehicles(core: Core) -> None:
    shop = filled(core, email="shop@example.com")
    whole = "5YJ3E1EA7KF317000"
    chat = {
        "evidence": "{}",
        "session_id": "c1",
        "owner_id": shop.user_id,
        "email": "customer@example.com",
        "environment": "live",
        "status": "diagnosed",
        "vin": whole,
        "step": 1,
        "messages": 1,
        "started_at": 1,
        "active_at": 1,
        "version": 1,
    }
    said = {"number": 1, "role": "user", "kind": "symptom", "text": "It squeaks.", "created_at": 1}
    chats, messages = METADATA.tables["chat_sessions"], METADATA.tables["chat_messages"]
    with core.storage.database.transaction() as connection:
        stored = connection.execute(sa.insert(chats).values(chat).returning(chats.c.id)).scalar_one()
        connection.execute(sa.insert(messages).values(chat_id=stored, **said))
    core.transactions.record(sale(core, notes=f"came in again: {whole}"))
    export = core.persons.export("customer@example.com").own
    assert [row["text"] for row in export["chat_messages"]] == ["It squeaks."]
    erasure = core.persons.erase("customer@example.com")
    assert (erasure.removed["chat_sessions"], erasure.removed["chat_messages"]) == (1, 1)
    left = texts(core)

    assert "It squeaks." not in left
    assert whole not in left
    assert "came in again: 5YJ3E1EA7KF" in left


def test_visits_of_a_customer_are_erased_with_timelines(core: Core, ada: Caller) -> None:
    with core.storage.transaction() as work:
        theirs = a_visit(1, owner_id=99, customer=VisitCustomer(name="Ada", email="ADA@Example.com"))
        others = a_visit(2, owner_id=99, customer=VisitCustomer(name="Eve", email="eve@example.com"))
        own = a_visit(3, owner_id=ada.user_id)
        for visit in (theirs, others, own):
            work.visits.add(visit)
            work.timelines.add(
                visit.number, Step(at=visit.created_at, action="create", before=None, after="draft")
            )

    core.persons.erase(ADA)

    with core.storage.read() as work:
        left = work.visits.page(
            VisitFilter(environment=Environment.LIVE, owner_id=None),
            request=PageRequest(number=1, per_page=9),
        )
        assert [visit.number for visit in left] == [others.number]
        assert work.timelines.list_for(theirs.number) == work.timelines.list_for(own.number) == []
        assert len(work.timelines.list_for(others.number)) == 1
