"""Reading the lines of a quote in a photo or a PDF over the API."""

import io
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests import papers
from tests.http.people import Person, bearer
from werkzeug.test import TestResponse

from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES

PATH = "/api/v1/predict/quote-check/read"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: nothing is stored."""
    return sqlite_url


@pytest.fixture
def secret(ada: Person) -> str:
    return ada.keys("live").secret_key


def _errors(answer: TestResponse) -> dict[str, list[str]]:
    assert answer.json is not None
    found: dict[str, list[str]] = answer.json["errors"]
    return found


def _send(api: FlaskClient, secret: str, content: bytes, **more: Any) -> TestResponse:
    data = {"file": (io.BytesIO(content), "quote.pdf"), **more}
    return api.post(PATH, data=data, headers=bearer(secret), content_type="multipart/form-data")


def test_pdf_is_read_like_its_text(api: FlaskClient, secret: str) -> None:
    pasted = api.post(PATH, json={"text": "\n".join(papers.LINES)}, headers=bearer(secret))

    sent = _send(api, secret, papers.quote_pdf())

    assert sent.status_code == 200, sent.text
    assert sent.json == pasted.json


def test_form_accepts_text_instead_of_a_file(api: FlaskClient, secret: str) -> None:
    data = {"text": "Front brake pads $279.00"}

    answer = api.post(PATH, data=data, headers=bearer(secret), content_type="multipart/form-data")

    assert answer.status_code == 200


def test_unreadable_file_gets_a_readable_error(api: FlaskClient, secret: str) -> None:
    for content in (papers.encrypted_pdf(), b"%PDF-1.7", b"GIF89a", b"x"):
        answer = _send(api, secret, content)
        assert answer.status_code == 422
        assert set(_errors(answer)) == {"file"}


def test_file_and_text_together_are_rejected(api: FlaskClient, secret: str) -> None:
    answer = _send(api, secret, papers.quote_pdf(), text="Front brake pads $279.00")

    assert answer.status_code == 422
    assert set(_errors(answer)) == {"file"}


def test_file_in_json_is_rejected(api: FlaskClient, secret: str) -> None:
    answer = api.post(PATH, json={"file": "JVBERi0x"}, headers=bearer(secret))

    assert answer.status_code == 422
    assert set(_errors(answer)) == {"file"}


def test_too_large_file_is_rejected(api: FlaskClient, secret: str) -> None:
    head = b'--fence\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'
    body = head + b"x" * (MAX_DOCUMENT_BYTES + 1) + b"\r\n--fence--\r\n"

    answer = api.post(
        PATH, data=body, headers=bearer(secret), content_type="multipart/form-data; boundary=fence"
    )

    assert answer.status_code == 422
    assert "10 MB" in _errors(answer)["file"][0]
