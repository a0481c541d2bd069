"""Any input to the operators' operations has a documented answer, on both databases."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import OpenCore
from tests.http.people import bearer, person
from tests.http.shape import shaped
from tests.http.test_bad_input import UNREADABLE
from tests.http.watched import serve_core
from werkzeug.test import TestResponse

from repaircore.kernel.callers import Role
from repaircore.vehicles.validation import CreateVehicle

VEHICLES = "/api/v1/admin/vehicles"
MASK = "1HGCM82633A"
CHANGE: dict[str, Any] = {
    "vin_mask": MASK,
    "current_mileage": 0,
    "plate_no": "7ABC123",
    "motor_vehicle_type": "Sedan",
    "motor_vehicle_type_group": "Passenger",
}
NEW: dict[str, Any] = {
    **CHANGE,
    "vin_mask": "1HGCM82643A",
    "vehicle_model_id": "2003-honda-accord",
    "new_make": "Honda",
    "new_model": "Accord",
    "new_year": 2003,
    "seed_facility_id": None,
}
PAGE = ("page", "per_page", "sort", "cursor", "format")
LISTS = {
    VEHICLES: ("search", "make", "model", "year", "facility_id", *PAGE),
    f"{VEHICLES}/search-models": ("q", "limit"),
    f"{VEHICLES}/stats": (),
    f"{VEHICLES}/form-options": (),
    "/api/v1/admin/problems": ("search", "parent_id", *PAGE),
    "/api/v1/admin/problems/brakes/children": PAGE,
    "/api/v1/admin/problems/stats": (),
}
IN_PATHS = (
    VEHICLES + "/{}",
    "/api/v1/admin/problems/{}/show",
    "/api/v1/admin/problems/{}/details",
    "/api/v1/admin/problems/{}/children",
)


class Operator:
    """An admin without rate limits, and a vehicle to update."""

    def __init__(self, api: FlaskClient, vehicle_id: str, token: str) -> None:
        self._api, self._token = api, token
        self.targets = {"POST": (VEHICLES, NEW), "PUT": (f"{VEHICLES}/{vehicle_id}", CHANGE)}

    def send(self, method: str, body: object) -> TestResponse:
        return self.raw(method, json.dumps(body).encode())

    def raw(self, method: str, body: bytes, kind: str = "application/json") -> TestResponse:
        path, _ = self.targets[method]
        headers = bearer(self._token)
        return self._api.open(path, method=method, data=body, content_type=kind, headers=headers)

    def get(self, path: str) -> TestResponse:
        return self._api.get(path, headers=bearer(self._token))


@pytest.fixture
def operator(open_core: OpenCore) -> Operator:
    core = open_core(requests_per_minute=1_000_000)
    api = serve_core(core).test_client()
    root = person(api, "Root")
    core.accounts.set_role(root.email, Role.ADMIN)
    vehicle = core.stored_vehicles.create(CreateVehicle(**{**NEW, "vin_mask": MASK}))
    return Operator(api, str(vehicle.id), root.token)


def is_documented(answer: TestResponse, fields: set[str]) -> bool:
    """Return whether the answer has the shape of its status and reports only existing fields."""
    body: Any = answer.json
    if answer.status_code in {200, 201}:
        return body["success"] is True
    if answer.status_code in {400, 404, 409, 413, 415}:
        return shaped({"message": str}, body)
    assert answer.status_code == 422, answer.text
    reported = set(body["errors"])
    assert shaped({"message": str, "errors": {name: [str] for name in reported}}, body)
    assert all(body["errors"].values())
    return bool(reported) and reported <= fields


writers = pytest.mark.parametrize("method", ["POST", "PUT"])
paths = pytest.mark.parametrize("path", LISTS)


@writers
def test_invalid_json_object_is_a_400(operator: Operator, method: str) -> None:
    expected = {name: operator.raw(method, body) for name, body in UNREADABLE.items()}
    assert {name: answer.status_code for name, answer in expected.items()} == dict.fromkeys(UNREADABLE, 400)


@writers
@pytest.mark.parametrize("wrong", [True, 5.5, [], ["x"], {}, {"x": 1}], ids=repr)
def test_every_field_of_a_wrong_type_is_reported(operator: Operator, method: str, wrong: object) -> None:
    good = operator.targets[method][1]
    answer = operator.send(method, dict.fromkeys(good, wrong))
    assert (answer.status_code, set(answer.get_json()["errors"])) == (422, set(good))


@writers
def test_body_of_a_wrong_type_or_size_is_rejected(operator: Operator, method: str) -> None:
    body = json.dumps(operator.targets[method][1]).encode()
    for kind in ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert operator.raw(method, body, kind).status_code == 415
    assert operator.raw(method, b'{"x": "' + b"y" * 1_048_576 + b'"}').status_code == 413


@writers
def test_long_text_has_a_short_answer(operator: Operator, method: str) -> None:
    good = operator.targets[method][1]
    for name in good:
        answer = operator.send(method, {**good, name: "x" * 900_000})
        assert (answer.status_code, set(answer.get_json()["errors"])) == (422, {name})
        assert len(answer.data) < 5000, "an answer repeats what was sent"


# Any input

_TEXT = st.text(st.characters(codec=None, categories=None), max_size=30)
_NUMBER = st.integers() | st.integers(-5, 3000) | st.sampled_from([2**31, 2**63 - 1, -(2**63), 2**63])
_VALUE = st.recursive(
    st.none() | st.booleans() | _NUMBER | st.floats() | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=6,
)
_NEARLY_VALID = st.sampled_from(
    ["", " ", MASK, "1HGCM82643A004352", "1HGCM82643A***", "2003-honda-accord", "2003--", "1", "0", "\u0663"]
)
many_examples = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@writers
@given(data=st.data())
@many_examples
def test_any_object_has_a_documented_answer(operator: Operator, method: str, data: st.DataObject) -> None:
    good = operator.targets[method][1]
    fields = {name: st.just(value) | st.just(value) | _NEARLY_VALID | _VALUE for name, value in good.items()}
    body = data.draw(st.fixed_dictionaries({}, optional=fields))
    assert is_documented(operator.send(method, body), set(good))


_QUERY_TEXT = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.integers().map(str),
    st.sampled_from(
        ["", "0", "-1", "1e9", "9" * 400, "%", "_", "\\", "' OR 1=1 --", "\x00", "\u0663", "true"]
    ),
)


@paths
@given(data=st.data())
@many_examples
def test_any_query_has_a_documented_answer(operator: Operator, path: str, data: st.DataObject) -> None:
    names = LISTS[path]
    pairs = data.draw(
        st.lists(st.tuples(st.sampled_from([*names, "unknown", "id"]), _QUERY_TEXT), max_size=5)
    )
    query = "&".join(f"{name}={quote(text)}" for name, text in pairs)
    # Where there are parameters, unknown ones are refused.
    refused = {*names, "unknown", "id"} if names else set()
    assert is_documented(operator.get(f"{path}?{query}"), refused)


@pytest.mark.parametrize("path", IN_PATHS)
@given(text=_QUERY_TEXT)
@many_examples
def test_any_id_in_a_path_has_a_documented_answer(operator: Operator, path: str, text: str) -> None:
    answer = operator.get(path.format(quote(text, safe="")))
    assert answer.status_code in {200, 404}
    if answer.status_code == 404:
        assert shaped({"message": str}, answer.json)


def test_any_bytes_in_a_query_have_a_documented_answer(operator: Operator) -> None:
    for path, names in LISTS.items():
        for bad in ("%ff", "%00", "%ed%a0%80", "%", "%zz", "a%0d%0ab", "%f0%9f%9a%97" * 300):
            for name in names:
                assert is_documented(operator.get(f"{path}?{name}={bad}"), set(names))
