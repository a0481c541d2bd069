"""Paths with invalid ids: callers without access cannot tell them from valid ones."""

import csv
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from tests.http.people import Person, bearer

ENDPOINTS = Path(__file__).parents[2] / "docs" / "reference" / "endpoints.csv"
ODD = ("abc", "-1", "1.5", "%20", "9" * 30, "%00")


def _rows(*auths: str) -> list[tuple[str, str]]:
    with ENDPOINTS.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["auth"] in auths and "{" in row["path"]]
    return [(row["method"], row["path"]) for row in rows]


@pytest.mark.parametrize("odd", ODD)
def test_odd_id_without_a_credential_is_401_everywhere(api: FlaskClient, odd: str) -> None:
    statuses = {
        (method, path): api.open(re.sub(r"{[^}]+}", odd, path), method=method).status_code
        for method, path in _rows("admin", "secret", "session", "key")
    }

    assert {call: status for call, status in statuses.items() if status != 401} == {}


def test_odd_id_of_an_admins_path_is_403_for_others(api: FlaskClient, ada: Person) -> None:
    statuses = {
        (method, path): api.open(
            re.sub(r"{[^}]+}", "abc", path), method=method, json={"x": 1}, headers=bearer(ada.token)
        ).status_code
        for method, path in _rows("admin")
    }

    assert {call: status for call, status in statuses.items() if status != 403} == {}


def test_odd_id_is_404_for_an_authorized_caller(api: FlaskClient, ada: Person) -> None:
    assert ada.get("/api/v1/tasks/abc").status_code == 404
    assert api.get("/api/v1/tasks/abc/nothing").status_code == 404
