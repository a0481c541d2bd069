"""Any body of a POST has a documented answer, on both databases."""

import json
from typing import Any

import pytest
from attrs import evolve, frozen
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import OpenCore
from tests.http.people import ASK, SPECS, bearer, person
from tests.http.providers import with_provider
from tests.http.shape import shaped
from tests.http.watched import serve_core
from werkzeug.test import TestResponse

from repaircore.testing.passwords import RecordingGate

MANY = 1_000_000


@frozen
class Target:
    """A POST with a good body, its optional fields, and the values that are bad only elsewhere."""

    path: str
    good: dict[str, Any]
    optional: frozenset[str] = frozenset()
    accepted: frozenset[str] = frozenset()

    @property
    def required(self) -> set[str]:
        return set(self.good) - self.optional


TARGETS = [
    Target("/api/v1/auth/register", {"name": "Eve", "email": "eve@example.org", "password": "kettle 73 fog"}),
    Target("/api/v1/auth/login", {"email": "ada@example.org", "password": "correct horse"}),
    Target("/api/v1/auth/forgot-password", {"email": "ada@example.org"}),
    Target(
        "/api/v1/auth/change-password", {"current_password": "correct horse", "password": "correct horse"}
    ),
    Target("/api/v1/dashboard/keys", {"name": "shop", "environment": "test"}),
    Target("/api/v1/predict", {**ASK, "mileage": 50_000}, frozenset({"mileage"})),
    Target(
        "/api/v1/predict/by-specs",
        {**SPECS, "trim": "LE", "engine": "2.5L"},
        frozenset({"trim", "engine"}),
    ),
    Target("/api/v1/predict/problems", {"vin": ASK["vin"]}),
    Target("/api/v1/predict/categories/search", {"query": "brakes", "limit": 10}, frozenset({"limit"})),
    Target("/api/v1/predict/vehicle-lookup", {"vin": ASK["vin"]}, accepted=frozenset({"1HGCM82633A00435"})),
    Target("/api/v1/predict/plate-to-vin", {"plate": "TEST123", "state": "CA"}),
]

LOGIN = TARGETS[1]

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.path)
# At a login, any unknown e-mail or password is a 401.
targets_but_login = pytest.mark.parametrize(
    "target", [target for target in TARGETS if target is not LOGIN], ids=lambda target: target.path
)


class Sender:
    """Sends bodies as a user without rate limits."""

    def __init__(self, api: FlaskClient) -> None:
        self._api = api
        self._token = person(api, "Ada").token

    def raw(self, target: Target, body: bytes, kind: str = "application/json") -> TestResponse:
        return self._api.post(target.path, data=body, content_type=kind, headers=bearer(self._token))

    def send(self, target: Target, body: object) -> TestResponse:
        return self.raw(target, json.dumps(body).encode())


@pytest.fixture
def sender(open_core: OpenCore) -> Sender:
    core = open_core(requests_per_minute=MANY, login_failures_per_minute=1000, registrations_per_hour=100_000)
    passwords = evolve(core.passwords, sends_mails=True, gate=RecordingGate(most=MANY))
    core = core.replacing(passwords=passwords)
    return Sender(serve_core(with_provider(core, core.lookups.sandbox)).test_client())


def is_documented(answer: TestResponse, target: Target) -> bool:
    """Return whether the answer has the shape of its status and reports only existing fields."""
    body: Any = answer.json
    if answer.status_code in {200, 201}:
        return True
    if answer.status_code in {400, 401, 413, 415}:
        return shaped({"message": str}, body)
    if answer.status_code == 404:
        return body["success"] is False and type(body["message"]) is str
    if answer.status_code == 503:
        return shaped({"success": False, "message": str, "error_code": "PLATE_SOURCE_UNAVAILABLE"}, body)
    assert answer.status_code == 422, answer.text
    if "errors" not in body:
        return shaped({"success": False, "message": str}, body)
    reported = set(body["errors"])
    assert shaped({"message": str, "errors": {name: [str] for name in reported}}, body)
    assert all(body["errors"].values())
    return bool(reported) and reported <= set(target.good)


@targets
def test_good_body_is_accepted(sender: Sender, target: Target) -> None:
    assert sender.send(target, target.good).status_code in {200, 201}


UNREADABLE = {
    "cut off": b'{"vin": "1HG',
    "null": b"null",
    "a list": b"[]",
    "a string": b'"x"',
    "a number": b"5",
    "two objects": b"{}{}",
    "100,000 brackets": b"[" * 100_000 + b"]" * 100_000,
    "100,000 objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "33 levels": b'{"a":' + b"[" * 33 + b"]" * 33 + b"}",
    "NaN": b'{"mileage": NaN}',
    "Infinity": b'{"mileage": -Infinity}',
    "1e999": b'{"mileage": 1e999}',
    "2^63": b'{"mileage": 9223372036854775808}',
    "-2^63-1": b'{"mileage": -9223372036854775809}',
    "a thousand digits": b'{"mileage": ' + b"9" * 1000 + b"}",
    "no UTF-8": b'{"vin": "\xff\xfe"}',
    "UTF-16": '{"vin": "x"}'.encode("utf-16"),
    "a lone surrogate": b'{"vin": "\\ud800"}',
    "a NUL": b'{"vin": "a\\u0000b"}',
    "a bare NUL": b'{"vin": "a\x00b"}',
    "a NUL in a name": b'{"v\\u0000in": "x"}',
    "a key twice": b'{"vin": "x", "vin": "y"}',
    "a key twice inside": b'{"vin": {"a": 1, "a": 2}}',
    "single quotes": b"{'vin': 'x'}",
    "a comma too much": b'{"vin": "x",}',
}


@targets
def test_invalid_json_object_is_a_400(sender: Sender, target: Target) -> None:
    expected = {name: sender.raw(target, body) for name, body in UNREADABLE.items()}
    assert {name: answer.status_code for name, answer in expected.items()} == dict.fromkeys(UNREADABLE, 400)
    assert all(is_documented(answer, target) for answer in expected.values())


@targets
def test_every_missing_field_is_reported(sender: Sender, target: Target) -> None:
    for body in (b"", b"{}"):
        answer = sender.raw(target, body)
        assert answer.status_code == 422
        assert set(answer.get_json()["errors"]) == target.required
        assert is_documented(answer, target)


@targets
@pytest.mark.parametrize("wrong", [True, 5.5, [], ["x"], {}, {"x": 1}], ids=repr)
def test_every_field_of_a_wrong_type_is_reported(sender: Sender, target: Target, wrong: object) -> None:
    answer = sender.send(target, dict.fromkeys(target.good, wrong))
    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == set(target.good)
    assert is_documented(answer, target)


@targets
def test_null_is_allowed_only_for_optional_fields(sender: Sender, target: Target) -> None:
    answer = sender.send(target, dict.fromkeys(target.good))
    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == target.required


@targets
def test_numbers_and_strings_are_not_converted(sender: Sender, target: Target) -> None:
    swapped = {
        name: str(value) if isinstance(value, int) else 12345678901 for name, value in target.good.items()
    }
    assert set(sender.send(target, swapped).get_json()["errors"]) == set(target.good)


BAD: dict[str, list[Any]] = {
    "vin": [
        "",
        " ",
        "1HGCM82633",
        "1HGCM82633A00435",
        "1HGCM82633A0043522",
        "1HGCM82633AOO4352",
        "IHGCM82633A004352",
        "1HGCM82633AQ04352",
        "1HGCM82633Ä",
        "１HGCM82633A",
        "1HGCM82633A\n\x7f",
        "x" * 900_000,
        "'; DROP TABLE users; --",
    ],
    "zip_code": [
        "",
        "0",
        "00000",
        "99999",
        "9021",
        "902101",
        "90210-",
        "90210-12",
        "٩٠٢١٠",
        " 90210",
        "90210\n",
    ],
    "problem_identifier": [
        "",
        "nope",
        "1",
        "brakes",
        "0",
        "-101",
        "101.0",
        "٣",
        "0x65",
        str(2**31),
        str(2**63),
        "9" * 1000,
        "Brake-Pads-Front",
        "x" * 900_000,
        "%",
    ],
    "mileage": [-1, 2_000_001, 2**63 - 1, -(2**63)],
    "plate": ["", " ", "-", "A" * 11, "7ABC_123", "../7ABC", "Ä", "\u0667", "x" * 900_000, "' OR 1=1"],
    "state": ["", "C", "XX", "CAL", " CA", "CA\n", "California", "\u017fd", "x" * 900_000],
    "year": [0, -1, 1899, 2101, 2**31, 2**63 - 1],
    "make": ["", " ", "x" * 101],
    "model": ["", "\t", "x" * 101],
    "trim": ["x" * 101],
    "engine": ["x" * 101],
    "query": ["", " ", "b", " b ", "b" * 501, "x" * 900_000],
    "limit": [0, -1, 51, 2**31, 2**63 - 1, -(2**63)],
    "environment": ["", "Live", "prod", "x" * 900_000],
}
REGISTRATION = {
    "name": ["", " ", "x" * 256],
    "email": ["", "x", "@", "x@", "a" * 900_000],
    "password": ["", "1234567"],
    "current_password": ["", "battery staple", "\u202e"],
}


@targets_but_login
def test_only_the_bad_value_is_reported(sender: Sender, target: Target) -> None:
    table = BAD if "predict" in target.path else {**BAD, **REGISTRATION}
    for name in target.good:
        for value in [value for value in table[name] if value not in target.accepted]:
            answer = sender.send(target, {**target.good, name: value})
            assert answer.status_code == 422, (name, str(value)[:50], answer.text)
            assert list(answer.get_json()["errors"]) == [name]
            assert is_documented(answer, target)
            assert len(answer.data) < 5000, "an answer repeats what was sent"


@pytest.mark.parametrize(
    "target",
    # A current password is compared once the new one is acceptable.
    [target for target in TARGETS if target is not LOGIN and "current_password" not in target.good],
    ids=lambda target: target.path,
)
def test_all_bad_values_are_reported_at_once(sender: Sender, target: Target) -> None:
    table = BAD if "predict" in target.path else {**BAD, **REGISTRATION}
    answer = sender.send(target, {name: table[name][-1] for name in target.good})
    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == set(target.good)


def test_odd_emails_at_a_login_are_a_401(sender: Sender) -> None:
    odd = ["", " ", "x" * 900_000, "ADA@example.org\n", "ada@example.org'--", "%", "\u202e"]
    results = [sender.send(LOGIN, {"email": email, "password": "battery"}) for email in odd]
    assert {answer.status_code for answer in results} == {401}


@targets
def test_unknown_fields_are_ignored(sender: Sender, target: Target) -> None:
    more = {"unknown": [1, {"a": None}], "success": False, "__class__": "x", "self": 1, "": 0}
    assert sender.send(target, {**target.good, **more}).status_code in {200, 201}


@targets
def test_body_of_a_wrong_type_or_size_is_rejected(sender: Sender, target: Target) -> None:
    body = json.dumps(target.good).encode()
    for kind in ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert sender.raw(target, body, kind).status_code == 415
    large = sender.raw(target, b'{"x": "' + b"y" * 1_048_576 + b'"}')
    assert large.status_code == 413
    assert is_documented(large, target)


# Any input

_TEXT = st.text(st.characters(codec=None, categories=None), max_size=30)
_NUMBER = st.integers() | st.floats() | st.integers(-5, 3000)
_VALUE = st.recursive(
    st.none() | st.booleans() | _NUMBER | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=6,
)


def _bodies(target: Target) -> st.SearchStrategy[dict[str, Any]]:
    """Draw each field from any value, from bad values, and mostly from good ones."""
    good = {name: st.just(value) for name, value in target.good.items()}
    fields = {
        name: good[name] | good[name] | st.sampled_from(BAD.get(name, [""])) | _VALUE for name in target.good
    }
    return st.fixed_dictionaries({}, optional=fields)


@targets
@given(data=st.data())
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_object_has_a_documented_answer(sender: Sender, target: Target, data: st.DataObject) -> None:
    body = data.draw(_bodies(target))
    assert is_documented(sender.send(target, body), target)
