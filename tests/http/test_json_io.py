import io
import json
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.http.example import example_app
from tests.unit.test_strict_json import JSON_VALUES
from typing_extensions import override

from repaircore_http.routes import MAX_BODY_BYTES

GOOD = {"vin": "1HGCM82633A004352", "zip_code": "90210"}
_PROPERTY_CLIENT = example_app().test_client()


def post(client: FlaskClient, path: str, body: bytes, kind: str = "application/json", **more: Any) -> Any:
    return client.post(path, data=body, content_type=kind, **more)


def chunked(client: FlaskClient, path: str, body: bytes) -> Any:
    return client.post(
        path,
        input_stream=io.BytesIO(body),
        content_type="application/json",
        headers={"Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True, "CONTENT_LENGTH": ""},
    )


@pytest.mark.parametrize(
    "body",
    [b"{", b"[" * 100_000, b'{"a": NaN}', b'{"a": 1e999}', rb'{"a": "\ud800"}', rb'{"vin": "\u0000"}', b'{"a": "\xff"}',
     b'{"mileage": 9223372036854775808}', b'{"vin": 1, "vin": 2}', b"[]", b"5", b"null", b'"text"'],
)  # fmt: skip
def test_invalid_json_object_is_a_400_with_a_message(client: FlaskClient, body: bytes) -> None:
    answer = post(client, "/flat/ask", body)
    assert answer.status_code == 400
    assert list(answer.json) == ["message"]
    assert answer.json["message"].startswith("The body ")


def test_missing_body_reports_the_missing_fields(client: FlaskClient) -> None:
    answer = client.post("/flat/ask")
    assert answer.status_code == 422
    assert answer.json == {
        "message": "The vin field is required. (and 1 more error)",
        "errors": {"vin": ["The vin field is required."], "zip_code": ["The zip code field is required."]},
    }


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/x+json"]
)
def test_body_of_another_type_is_a_415(client: FlaskClient, kind: str) -> None:
    answer = post(client, "/flat/ask", json.dumps(GOOD).encode(), kind)
    assert answer.status_code == 415
    assert list(answer.json) == ["message"]


@pytest.mark.parametrize(
    "kind", ["application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json"]
)
def test_other_json_media_types_are_accepted(client: FlaskClient, kind: str) -> None:
    assert post(client, "/flat/ask", json.dumps(GOOD).encode(), kind).status_code == 200


def test_compressed_body_is_a_415(client: FlaskClient) -> None:
    answer = post(client, "/flat/ask", b"\x1f\x8b", headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 415


def test_too_large_body_is_a_413_before_it_is_read(client: FlaskClient) -> None:
    unread = io.BytesIO(b"x" * 10)
    answer = client.post(
        "/flat/ask",
        input_stream=unread,
        content_type="text/plain",
        environ_overrides={"CONTENT_LENGTH": str(MAX_BODY_BYTES + 1)},
    )
    assert (answer.status_code, list(answer.json or ())) == (413, ["message"])
    assert unread.tell() == 0


def test_too_large_chunked_body_is_a_413(client: FlaskClient) -> None:
    assert chunked(client, "/flat/ask", b" " * (MAX_BODY_BYTES + 1)).status_code == 413


@pytest.mark.parametrize("size", [MAX_BODY_BYTES, MAX_BODY_BYTES + 1])
def test_chunked_body_is_never_cut_off(client: FlaskClient, size: int) -> None:
    body = json.dumps(GOOD).encode().ljust(MAX_BODY_BYTES).ljust(size, b"!")
    assert chunked(client, "/flat/ask", body).status_code == (200 if size == MAX_BODY_BYTES else 413)


@pytest.mark.parametrize("error", [ConnectionResetError(), Exception("not a chunk size")])
def test_interrupted_body_is_a_400(client: FlaskClient, error: Exception) -> None:
    class Broken(io.BytesIO):
        @override
        def read(self, size: int | None = -1) -> bytes:
            raise error

    for length in ("20", ""):
        answer = client.post(
            "/flat/ask",
            input_stream=Broken(),
            content_type="application/json",
            environ_overrides={"wsgi.input_terminated": True, "CONTENT_LENGTH": length},
        )
        assert answer.status_code == 400


def test_chunked_body_is_read(client: FlaskClient) -> None:
    assert chunked(client, "/flat/ask", json.dumps(GOOD).encode()).status_code == 200


@pytest.mark.parametrize("length", ["abc", "-5", "²", "9" * 5000])
def test_invalid_content_length_is_a_client_error(client: FlaskClient, length: str) -> None:
    answer = client.post(
        "/flat/ask",
        input_stream=io.BytesIO(b"{}"),
        content_type="application/json",
        environ_overrides={"CONTENT_LENGTH": length},
    )
    assert answer.status_code in {400, 413}


def test_body_cut_short_is_a_400(client: FlaskClient) -> None:
    answer = client.post(
        "/flat/ask",
        input_stream=io.BytesIO(b"{}"),
        content_type="application/json",
        environ_overrides={"CONTENT_LENGTH": "20"},
    )
    assert answer.status_code == 400


def test_route_can_accept_larger_bodies(client: FlaskClient) -> None:
    body = json.dumps({"text": "x" * (2 * MAX_BODY_BYTES)}).encode()
    assert post(client, "/plain/big", body).json == {"size": 2 * MAX_BODY_BYTES}
    assert chunked(client, "/plain/big", body).json == {"size": 2 * MAX_BODY_BYTES}
    assert post(client, "/plain/raw", body).status_code == 413


def test_handler_adds_its_own_errors_to_the_same_answer(client: FlaskClient) -> None:
    answer = client.post("/plain/partial", json={"zip_code": "00000"})
    assert answer.status_code == 422
    assert answer.json is not None
    assert answer.json["errors"] == {
        "vin": ["The vin field is required."],
        "zip_code": ["The zip code does not exist."],
    }


def test_query_parameters_take_precedence_over_the_body(client: FlaskClient) -> None:
    answer = client.get("/plain/filter?page=2&years=2001&years=2002", json={"page": 9, "make": "Honda"})
    assert answer.json == {"page": 2, "make": "Honda", "most": None, "active": None, "years": [2001, 2002]}


def test_bad_query_parameter_is_a_422(client: FlaskClient) -> None:
    answer = client.get("/plain/filter?page=x&most=nan")
    assert answer.status_code == 422
    assert answer.json is not None
    assert answer.json["errors"] == {
        "page": ["The page field must be an integer."],
        "most": ["The most field must be a number."],
    }


def test_nul_in_the_query_is_a_400(client: FlaskClient) -> None:
    assert client.get("/plain/filter?make=a%00b").status_code == 400


def test_nul_in_the_path_is_a_404(client: FlaskClient) -> None:
    assert client.get("/plain/words/a%00b").status_code == 404
    assert client.get("/plain/words/ab").json == {"word": "ab"}


@pytest.mark.parametrize("number", ["9223372036854775808", "9" * 5000, "%D9%A5", "-5", "1.0"])
def test_impossible_number_in_the_path_is_a_404(client: FlaskClient, number: str) -> None:
    assert client.get(f"/plain/numbers/{number}").status_code == 404


def test_largest_number_in_the_path_is_accepted(client: FlaskClient) -> None:
    assert client.get(f"/plain/numbers/{10**18 - 1}").json == {"number": 10**18 - 1}
    assert client.get(f"/plain/numbers/{10**18}").status_code == 404


def test_values_are_serialized_uniformly(client: FlaskClient) -> None:
    answer = client.get("/plain/values")
    assert answer.status_code == 201
    assert answer.content_type == "application/json"
    assert answer.json == {
        "at": "2026-01-31T17:00:00Z",
        "utc": "2026-01-31T17:00:00Z",
        "id": "00000000-0000-0000-0000-000000000005",
        "price": 12.5,
        "who": {
            "user_id": 1,
            "role": "user",
            "environment": "test",
            "credential": "secret",
            "key_id": None,
            "key_name": None,
        },
    }


def test_plain_dict_is_serialized_the_same_way(client: FlaskClient) -> None:
    assert client.get("/plain/dict").json == {"at": "2026-01-31T00:00:00Z"}


@settings(max_examples=60)
@given(JSON_VALUES, st.sampled_from(["/flat/ask", "/plain/raw", "/plain/partial", "/flags/partner/ask"]))
def test_no_json_value_is_a_500(value: Any, path: str) -> None:
    assert post(_PROPERTY_CLIENT, path, json.dumps(value).encode()).status_code in {200, 400, 422}


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(["vin", "zip_code", "mileage", "answers", "pressures"]), JSON_VALUES))
def test_no_value_of_a_known_field_is_a_500(fields: dict[str, Any]) -> None:
    assert _PROPERTY_CLIENT.post("/flat/ask", json=fields).status_code in {200, 422}


@settings(max_examples=60)
@given(st.binary(max_size=80))
def test_no_bytes_are_a_500(body: bytes) -> None:
    assert post(_PROPERTY_CLIENT, "/plain/raw", body).status_code in {200, 400}


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_no_query_is_a_500(text: str) -> None:
    assert _PROPERTY_CLIENT.get("/plain/filter", query_string={"page": text, "make": text}).status_code in {
        200,
        400,
        422,
    }
