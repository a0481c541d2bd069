"""The price adjustment over HTTP, on both databases: who may change it, its bounds, and its audit."""

import threading
from itertools import pairwise
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ASK, Person, bearer, promoted
from tests.http.shape import number, shaped
from tests.http.watched import serve_core

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock

PATH = "/api/v1/admin/settings/price-adjustment"


@pytest.fixture
def root(core: Core, eve: Person) -> Person:
    return promoted(core, eve)


def put(api: FlaskClient, token: str, body: Any) -> Any:
    return api.put(PATH, json=body, headers=bearer(token))


def test_price_adjustment_is_zero_at_first(root: Person) -> None:
    assert root.get(PATH).json == {"success": True, "data": {"percent": 0.0}}


@pytest.mark.parametrize("percent", [-90, -12.5, 0, 33.333, 500])
def test_change_applies_to_every_worker_at_once(
    api: FlaskClient, root: Person, ada: Person, open_core: OpenCore, percent: float
) -> None:
    other = serve_core(open_core()).test_client()
    before = other.post("/api/v1/predict", json=ASK, headers=bearer(ada.token)).get_json()
    answer = put(api, root.token, {"percent": percent})

    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "message": str, "data": {"percent": number}}, answer.json)
    assert other.get(PATH, headers=bearer(root.token)).get_json()["data"] == {"percent": percent}
    after = other.post("/api/v1/predict", json=ASK, headers=bearer(ada.token)).get_json()
    was, now = (body["local_prediction"]["average_total_estimate"] for body in (before, after))

    assert now == pytest.approx(was * (1 + percent / 100), abs=0.05)


@pytest.mark.parametrize(
    "body",
    [{}, {"percent": None}, {"percent": "5"}, {"percent": True}, {"percent": -90.01}, {"percent": 500.01}],
)
def test_invalid_percentage_changes_nothing(
    api: FlaskClient, root: Person, core: Core, body: dict[str, Any]
) -> None:
    answer = put(api, root.token, body)

    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == {"percent"}
    assert core.predictions.price_adjustment() == 0
    assert core.audit.list_newest() == []


def test_only_admins_read_or_change_it(api: FlaskClient, root: Person, ada: Person, core: Core) -> None:
    for token in (ada.token, ada.keys().secret_key, root.keys().public_key):
        for answer in (api.get(PATH, headers=bearer(token)), put(api, token, {"percent": 5})):
            assert (answer.status_code, answer.json) == (403, {"message": "This action is unauthorized."})

    assert core.predictions.price_adjustment() == 0


def test_test_key_cannot_change_it(api: FlaskClient, root: Person, core: Core) -> None:
    test = root.keys("test").secret_key

    assert put(api, test, {"percent": 5}).status_code == 403
    assert api.get(PATH, headers=bearer(test)).status_code == 200
    assert (core.predictions.price_adjustment(), core.audit.list_newest()) == (0, [])


def test_changes_are_audited_with_actor_time_before_and_after(
    api: FlaskClient, root: Person, core: Core, clock: FrozenClock
) -> None:
    key = root.keys()
    put(api, root.token, {"percent": 5})
    put(api, root.token, {"percent": 5.0})  # changes nothing
    put(api, key.secret_key, {"percent": -10})
    core.predictions.adjust_prices(0)
    by_hand, by_key, by_session = core.audit.list_newest()

    assert (by_session.before, by_session.after) == ({"percent": 0.0}, {"percent": 5.0})
    assert (by_key.before, by_key.after) == ({"percent": 5.0}, {"percent": -10.0})
    assert (by_hand.before, by_hand.after) == ({"percent": -10.0}, {"percent": 0.0})
    assert [(one.user_id, one.key_id, one.email) for one in (by_session, by_key, by_hand)] == [
        (root.id, None, root.email),
        (root.id, key.id, root.email),
        (None, None, None),
    ]
    assert {one.action for one in (by_session, by_key, by_hand)} == {"price_adjustment.set"}
    assert by_session.at == clock()


def test_concurrent_changes_are_audited_in_sequence(core: Core) -> None:
    start = threading.Barrier(5)

    def change(percent: int) -> None:
        start.wait(10)
        core.predictions.adjust_prices(percent)

    threads = [threading.Thread(target=change, args=(percent,)) for percent in (1, 2, 3, 4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = core.audit.list_newest()

    assert len(result) == 5
    assert all(newer.before == older.after for newer, older in pairwise(result))
    assert result[0].after == {"percent": core.predictions.price_adjustment()}
    assert result[-1].before == {"percent": 0.0}
