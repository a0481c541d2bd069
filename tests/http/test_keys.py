"""API keys: created, listed, used, rotated and deleted, over both databases."""

from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ASK, Person, bearer
from tests.http.shape import moment, shaped
from tests.http.watched import serve_core

from repaircore.testing.clock import EPOCH, FrozenClock

KEYS = "/api/v1/dashboard/keys"
KEY = {
    "id": int,
    "name": str,
    "public_key": str,
    "secret_key": str,
    "environment": str,
    "last_used_at": lambda value: value is None or moment(value),
    "old_secret_ends_at": None,
}


@pytest.mark.parametrize("environment", ["live", "test"])
def test_new_pair_is_shown_once_in_full(ada: Person, environment: str) -> None:
    answer = ada.post(KEYS, {"name": "shop", "environment": environment})
    assert answer.status_code == 201
    shape = {
        "id": int,
        "name": "shop",
        "public_key": lambda key: key.startswith(f"pk_{environment}_"),
        "secret_key": lambda key: key.startswith(f"sk_{environment}_"),
        "environment": environment,
    }
    assert shaped({"status": "success", "message": str, "data": shape}, answer.json)
    listed = ada.get(KEYS)
    assert listed.status_code == 200
    assert shaped({"status": "success", "data": [KEY]}, listed.json)
    secret = answer.get_json()["data"]["secret_key"]
    assert listed.get_json()["data"][0]["secret_key"] == f"sk_{environment}_…{secret[-4:]}"
    assert listed.get_json()["data"][0]["last_used_at"] is None
    assert secret not in listed.text


def test_keys_are_listed_only_for_their_owner(ada: Person, eve: Person) -> None:
    mine = [ada.keys("live", name="one").id, ada.keys("test", name="two").id]
    assert [key["id"] for key in ada.get(KEYS).get_json()["data"]] == mine
    assert eve.get(KEYS).json == {"status": "success", "data": []}


def test_create_reports_every_bad_field(ada: Person) -> None:
    answer = ada.post(KEYS, {"name": " ", "environment": "prod"})
    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"name": [str], "environment": [str]}}, answer.json)


def test_both_keys_of_a_pair_work(api: FlaskClient, ada: Person) -> None:
    keys = ada.keys()
    results = [
        api.post("/api/v1/predict", json=ASK, headers=bearer(key)).status_code
        for key in (keys.public_key, keys.secret_key)
    ]
    assert results == [200, 200]


def test_deleted_key_stops_working_at_once_in_every_worker(ada: Person, open_core: OpenCore) -> None:
    keys, other = ada.keys(), serve_core(open_core()).test_client()
    for key in (keys.public_key, keys.secret_key):
        assert other.post("/api/v1/predict", json=ASK, headers=bearer(key)).status_code == 200
    answer = ada.delete(f"{KEYS}/{keys.id}")
    assert answer.status_code == 200
    assert shaped({"status": "success", "message": str}, answer.json)
    for client in (other, ada.client):
        for key in (keys.public_key, keys.secret_key):
            refused = client.post("/api/v1/predict", json=ASK, headers=bearer(key))
            assert (refused.status_code, refused.json) == (401, {"message": "Unauthenticated."})
    assert ada.get(KEYS).get_json()["data"] == []


def test_keys_of_another_user_are_not_deleted(ada: Person, eve: Person) -> None:
    keys = ada.keys()
    others = eve.delete(f"{KEYS}/{keys.id}")
    unknown = eve.delete(f"{KEYS}/999999")
    assert (others.status_code, unknown.status_code) == (404, 404)
    assert shaped({"message": str}, others.json)
    assert others.json == unknown.json
    assert [key["id"] for key in ada.get(KEYS).get_json()["data"]] == [keys.id]


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", str(2**63 - 1), str(2**63), "9" * 100])
def test_invalid_key_id_is_not_found(ada: Person, number: str) -> None:
    answer = ada.delete(f"{KEYS}/{number}")
    assert answer.status_code == 404
    assert shaped({"message": str}, answer.json)


def test_id_of_a_deleted_key_is_never_reused(ada: Person) -> None:
    first = ada.keys().id
    ada.delete(f"{KEYS}/{first}")
    assert ada.keys().id > first


def test_last_use_is_stored_at_most_once_a_minute(ada: Person, clock: FrozenClock) -> None:
    keys = ada.keys()

    def used_at(after: timedelta) -> str:
        clock.now = EPOCH + after
        ada.client.post("/api/v1/secure-data", headers=bearer(keys.secret_key))
        return str(ada.get(KEYS).get_json()["data"][0]["last_used_at"])

    results = [used_at(timedelta(seconds=seconds)) for seconds in (0, 59, 60, 61, 120)]
    assert results == [
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:05:05Z",
        "2026-01-02T03:05:05Z",
        "2026-01-02T03:06:05Z",
    ]


def test_requests_of_a_key_are_limited_per_minute(ada: Person, open_core: OpenCore) -> None:
    keys, other = ada.keys(), ada.keys()
    api = serve_core(open_core(requests_per_minute=7)).test_client()
    results = [api.post("/api/v1/secure-data", headers=bearer(keys.secret_key)).status_code for _ in range(7)]
    refused = api.post("/api/v1/secure-data", headers=bearer(keys.secret_key))
    assert results == [200] * 7
    assert refused.status_code == 429
    assert refused.json == {"message": "Too Many Attempts."}
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert api.post("/api/v1/secure-data", headers=bearer(other.secret_key)).status_code == 200


def test_predictions_of_a_publishable_key_are_limited_per_minute(ada: Person, open_core: OpenCore) -> None:
    keys = ada.keys()
    api = serve_core(open_core(predictions_per_minute=3)).test_client()

    def predict(key: str) -> int:
        return api.post("/api/v1/predict", json=ASK, headers=bearer(key)).status_code

    assert [predict(keys.public_key) for _ in range(4)] == [200, 200, 200, 429]
    assert [predict(keys.secret_key) for _ in range(4)] == [200] * 4


def test_key_is_renamed(ada: Person) -> None:
    keys = ada.keys()
    answer = ada.patch(f"{KEYS}/{keys.id}", {"name": " front desk "})
    assert answer.status_code == 200
    assert shaped({"status": "success", "message": str, "data": KEY}, answer.json)
    assert [key["name"] for key in ada.get(KEYS).get_json()["data"]] == ["front desk"]
    assert ada.patch(f"{KEYS}/{keys.id}", {"name": ""}).status_code == 422


@pytest.mark.parametrize(("body", "statuses"), [({}, [401, 401]), ({"overlap_hours": 2}, [200, 401])])
def test_rotated_key_has_a_new_secret_in_every_worker(
    ada: Person, open_core: OpenCore, clock: FrozenClock, body: dict[str, int], statuses: list[int]
) -> None:
    keys, other = ada.keys(), serve_core(open_core()).test_client()

    def statuses_of(secret: str) -> set[int]:
        return {
            client.post("/api/v1/predict", json=ASK, headers=bearer(secret)).status_code
            for client in (ada.client, other)
        }

    assert statuses_of(keys.secret_key) == {200}
    answer = ada.post(f"{KEYS}/{keys.id}/rotate", body)
    assert answer.status_code == 200
    shape = {key: kind for key, kind in KEY.items() if key != "last_used_at"}
    ends_at = moment if body else None
    assert shaped(
        {"status": "success", "message": str, "data": {**shape, "old_secret_ends_at": ends_at}}, answer.json
    )
    secret = answer.get_json()["data"]["secret_key"]
    assert secret != keys.secret_key
    assert statuses_of(secret) == statuses_of(keys.public_key) == {200}
    assert statuses_of(keys.secret_key) == {statuses[0]}
    clock.advance(timedelta(hours=2))
    assert statuses_of(keys.secret_key) == {statuses[1]}
    assert ada.get(KEYS).get_json()["data"][0]["old_secret_ends_at"] is None


@pytest.mark.parametrize("hours", [-1, 25, 1.5, "1", None, True, 2**53])
def test_invalid_overlap_is_rejected(ada: Person, hours: object) -> None:
    keys = ada.keys()
    answer = ada.post(f"{KEYS}/{keys.id}/rotate", {"overlap_hours": hours})
    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"overlap_hours": [str]}}, answer.json)


def test_keys_of_another_user_are_not_renamed_or_rotated(ada: Person, eve: Person) -> None:
    keys = ada.keys()
    for answer in (
        eve.patch(f"{KEYS}/{keys.id}", {"name": "mine"}),
        eve.post(f"{KEYS}/{keys.id}/rotate", {}),
    ):
        assert (answer.status_code, answer.json) == (404, {"message": "API key not found."})
    assert ada.get(KEYS).get_json()["data"][0]["name"] == "shop"
