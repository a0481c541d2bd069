"""Long work in the background, over HTTP."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.http.people import Person, bearer, person
from werkzeug.test import TestResponse

from repaircore.batches.model import MOST_ITEMS, MOST_LATER
from repaircore.core import Core
from repaircore.kernel.callers import Role
from repaircore.tasks.model import MOST_OPEN

TASKS = "/api/v1/tasks"
ITEM = {
    "year": 2015,
    "make": "Toyota",
    "model": "Camry",
    "zip_code": "60601",
    "problem_identifier": "brake-pads-front",
}


@pytest.fixture
def root(core: Core, api: FlaskClient) -> Person:
    admin = person(api, "Root")
    core.accounts.set_role(admin.email, Role.ADMIN)
    return admin


def start(person: Person, items: list[dict[str, Any]], prefer: str = "respond-async") -> TestResponse:
    headers = {**bearer(person.keys().secret_key), "Prefer": prefer}
    return person.client.post("/api/v1/predict/batch", json={"items": items}, headers=headers)


def test_background_batch_has_the_same_answer_as_a_synchronous_one(ada: Person, core: Core) -> None:
    items = [{"id": "a", **ITEM}, {**ITEM, "zip_code": "x"}]
    answer = start(ada, items, "wait=10, Respond-Async; foo")
    assert answer.status_code == 202
    assert answer.headers["Preference-Applied"] == "respond-async"
    path = answer.headers["Location"]
    task = answer.get_json()["data"]
    assert (task["status"], task["kind"], task["title"]) == ("queued", "predict_batch", "2 items")
    early = ada.get(f"{path}/result")
    assert (early.status_code, early.headers["Retry-After"]) == (409, "2")

    core.task_worker.run_due()
    done = ada.get(path).get_json()["data"]
    assert (done["status"], done["percent"], done["has_file"]) == ("succeeded", 100, True)
    assert done["result"] == {"succeeded": 1, "failed": 1}
    assert [line["text"] for line in done["log"]] == ["Waiting.", "Started.", "Done."]
    result = ada.get(f"{path}/result")
    assert result.content_type == "application/json"
    assert result.content_length == len(result.data)
    data, synchronous = (
        result.get_json()["data"],
        ada.post("/api/v1/predict/batch", {"items": items}).get_json()["data"],
    )
    assert (data["succeeded"], data["failed"]) == (1, 1)
    for later, now in zip(data["results"], synchronous["results"], strict=True):
        for prediction in filter(None, (later["prediction"], now["prediction"])):
            del prediction["session_id"]
        assert later == now


def test_batch_over_the_limit_requires_the_async_preference(ada: Person) -> None:
    many = [ITEM] * (MOST_ITEMS + 1)
    refused = ada.post("/api/v1/predict/batch", {"items": many})
    assert refused.status_code == 422
    assert "respond-async" in refused.get_json()["errors"]["items"][0]
    assert start(ada, many).status_code == 202
    assert start(ada, [{}] * (MOST_LATER + 1)).status_code == 422


def test_tasks_are_visible_to_their_owner_and_admins(ada: Person, eve: Person, root: Person) -> None:
    path = start(ada, [ITEM]).headers["Location"]

    assert [task["status"] for task in ada.get(TASKS).get_json()["data"]] == ["queued"]
    assert eve.get(TASKS).get_json()["data"] == []
    for method in (eve.get, lambda address: eve.post(f"{address}/cancel", {})):
        assert method(path).status_code == 404
    assert root.get(path).status_code == 200
    assert root.get(TASKS).get_json()["meta"]["total"] == 1


def test_list_is_filtered(ada: Person) -> None:
    start(ada, [ITEM])

    assert ada.get(f"{TASKS}?status=queued&kind=predict_batch").get_json()["meta"]["total"] == 1
    assert ada.get(f"{TASKS}?status=failed").get_json()["meta"]["total"] == 0
    assert ada.get(f"{TASKS}?status=late").status_code == 422


def test_queued_task_is_cancelled_at_once_and_only_once(ada: Person, core: Core) -> None:
    path = start(ada, [ITEM]).headers["Location"]
    answer = ada.post(f"{path}/cancel", {})
    assert answer.get_json()["data"]["status"] == "cancelled"
    assert core.task_worker.run_due() == []
    again = ada.post(f"{path}/cancel", {})
    assert again.status_code == 409
    assert ada.get(f"{path}/result").status_code == 409


def test_open_tasks_of_an_account_are_limited(ada: Person, eve: Person) -> None:
    for _ in range(MOST_OPEN):
        assert start(ada, [ITEM]).status_code == 202
    refused = start(ada, [ITEM])
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "60"
    assert start(eve, [ITEM]).status_code == 202


def test_tasks_require_a_secret_key(ada: Person, api: FlaskClient) -> None:
    keys = ada.keys()
    assert api.get(TASKS).status_code == 401
    assert api.get(TASKS, headers=bearer(keys.public_key)).status_code == 403
    assert api.get(TASKS, headers=bearer(keys.secret_key)).status_code == 200


def test_impossible_ids_are_not_found(ada: Person) -> None:
    for number in ("0", "9" * 30):
        assert ada.get(f"{TASKS}/{number}").status_code == 404
