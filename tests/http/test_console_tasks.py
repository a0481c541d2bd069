"""Tasks and batches in the console."""

import csv
import io

import pytest
from flask.testing import FlaskClient
from tests.http.visitors import PASSWORD, Page, Visitor, visitor
from tests.installations import sale
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.tasks.model import TaskKind
from repaircore_http.service import serve_core

VIN = "4T1BF1FK5FU033209"
CARS = f"unit,vin,zip,repair\n=1+1,{VIN},60601,oil-change\n2,bad,60601,oil-change\n"


@pytest.fixture
def client(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


@pytest.fixture
def root(core: Core, client: FlaskClient) -> Visitor:
    return visitor(client, "Root", core=core)


@pytest.fixture
def ada(core: Core) -> Visitor:
    return visitor(serve_core(core).test_client(), "Ada")


def words(answer: TestResponse) -> str:
    return Page(answer.text).words


def start_batch(person: Visitor, content: str = CARS) -> TestResponse:
    person.get("/console/batch")
    return person.post("/console/batch", {"file": (io.BytesIO(content.encode()), "fleet.csv")})


def test_csv_of_cars_is_returned_with_prices(ada: Visitor, core: Core) -> None:
    address = start_batch(ada).headers["Location"]
    assert ada.get(f"{address}/progress.json").get_json() == {
        "ended": False,
        "percent": 0,
        "text": "Waiting for its turn",
    }
    core.task_worker.run_due()
    assert ada.get(f"{address}/progress.json").get_json()["ended"]
    assert "1 car estimated, 1 could not be" in ada.page(address).words
    file = ada.get(f"{address}/file")
    assert "fleet-prices.csv" in file.headers["Content-Disposition"]
    good, bad = csv.DictReader(io.StringIO(file.text))
    assert float(good["low"]) < float(good["average"]) < float(good["high"])
    assert "A VIN has 11 or 17 characters" in bad["error"]
    assert "fleet.csv" in ada.page("/console/batch").words


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "Choose a file first."),
        ("vin,zip\nx,y\n", "no column problem"),
        ("vin,zip,repair\n", "no rows"),
        ('vin,zip,repair\n"open', "not valid CSV"),
    ],
)
def test_invalid_batch_file_is_reported_beside_its_field(ada: Visitor, content: str, sentence: str) -> None:
    answer = start_batch(ada, content)
    assert answer.status_code == 422
    assert sentence in words(answer)


def test_owner_sees_their_own_tasks_and_an_admin_all(ada: Visitor, root: Visitor, core: Core) -> None:
    address = start_batch(ada).headers["Location"]
    assert "Batch of estimates: fleet.csv" in ada.page("/console/tasks").words
    assert "Batch of estimates: fleet.csv" in root.page("/console/tasks?kind=predict_batch").words
    assert "No tasks match." in root.page("/console/tasks?status=failed").words
    eve = visitor(serve_core(core).test_client(), "Eve")
    assert "No tasks yet." in eve.page("/console/tasks").words
    for path in (address, f"{address}/file", f"{address}/progress.json"):
        assert eve.get(path).status_code == 404
    eve.get("/console/tasks")
    assert eve.post(f"{address}/cancel").status_code == 404
    root.get(address)
    assert "The task was canceled." in words(root.post(f"{address}/cancel", follow=True))


def test_export_guards_cells_that_spreadsheets_compute(root: Visitor, core: Core) -> None:
    core.transactions.record(sale(core, notes="=cmd|' /C calc'!A0", part="@SUM(A1)"))
    root.get("/console/tasks")
    address = root.post("/console/tasks/start", {"kind": "export_transactions"}).headers["Location"]
    core.task_worker.run_due()
    (row,) = csv.DictReader(io.StringIO(root.get(f"{address}/file").text))

    assert row["notes"] == "'=cmd|' /C calc'!A0"
    assert row["part_1_name"] == "'@SUM(A1)"


def test_only_admins_start_installation_wide_tasks(ada: Visitor, root: Visitor, core: Core) -> None:
    for person, status in ((ada, 403), (root, 303)):
        for kind in ("export_transactions", "refit", "recalculate_regions"):
            person.get("/console/tasks")
            assert person.post("/console/tasks/start", {"kind": kind}).status_code == status
    root.get("/console/tasks")
    assert root.post("/console/tasks/start", {"kind": "backup"}).status_code == 422
    assert {task.status.value for task in core.task_worker.run_due()} == {"succeeded"}


def test_background_backup_asks_for_the_password_twice(root: Visitor, core: Core) -> None:
    root.get("/console/admin/backups")
    wrong = root.post("/console/admin/backups/later", {"current_password": "wrong horse"})
    assert wrong.status_code == 422
    address = root.post("/console/admin/backups/later", {"current_password": PASSWORD}).headers["Location"]
    (done,) = core.task_worker.run_due()
    assert (done.kind, done.failure) == (TaskKind.BACKUP, None)
    assert "rows are in" in root.page(address).words
    assert root.get(f"{address}/file").status_code == 404
    assert root.post(f"{address}/backup", {"current_password": "wrong horse"}).status_code == 422
    answer = root.post(f"{address}/backup", {"current_password": PASSWORD})
    assert answer.content_type == "application/zip"
    assert answer.data.startswith(b"PK")
    core.backups.discard(done.id)
    assert root.post(f"{address}/backup", {"current_password": PASSWORD}).status_code == 404


def test_failed_task_says_why(root: Visitor, core: Core) -> None:
    address = start_batch(root).headers["Location"]
    core.user_administration.lock(root.email)
    core.task_worker.run_due()
    core.user_administration.unlock(root.email)
    task = core.tasks.page(caller=core.accounts.caller_for(root.email)).items[0]

    assert (
        task.failure
        == "The account that started this task was locked or deleted, or is no longer allowed to run it."
    )
    assert address.endswith(f"/{task.id}")
