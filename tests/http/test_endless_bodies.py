"""Endless bodies, for every kind of endpoint that takes a body."""

import io
import tracemalloc

import pytest
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import Person, bearer, person
from tests.http.watched import serve_core
from typing_extensions import override

MEGABYTE = 1 << 20
BOUNDARY = "boundary"
FORM = f"multipart/form-data; boundary={BOUNDARY}"
JSON = "application/json"


class Endless(io.RawIOBase):
    """A body of two gigabytes, generated while it is read; it counts the bytes read."""

    def __init__(self, head: bytes) -> None:
        self._head, self._left = head, 2048 * MEGABYTE
        self.read_bytes = 0

    @override
    def read(self, size: int = -1) -> bytes:
        assert 0 <= size <= MEGABYTE, "too much of the body is requested at once"
        chunk = self._head[:size] or b"x" * min(size, self._left)
        self._head, self._left = self._head[size:], self._left - len(chunk)
        self.read_bytes += len(chunk)
        return chunk


def _part(name: str) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="a.csv"\r\n'
    return f"{head}Content-Type: text/csv\r\n\r\nvin,zip_code\r\n".encode()


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: no body reaches the database."""
    return sqlite_url


@pytest.fixture
def ada(open_core: OpenCore) -> Person:
    return person(serve_core(open_core()).test_client(), "Ada")


@pytest.mark.parametrize("has_length", [True, False], ids=["length", "chunked"])
@pytest.mark.parametrize(
    ("path", "head", "media_type", "max_megabytes"),
    [
        ("/api/v1/predict", b'{"vin": "', JSON, 1),
        ("/api/v1/predict/batch", b'{"items": [{"vin": "', JSON, 8),
        ("/api/v1/predict/quote-check/read", _part("file"), FORM, 10),
        ("/api/v1/fleet/vehicles/csv", _part("file"), FORM, 1),
    ],
)
def test_endless_body_is_rejected_in_constant_memory(
    ada: Person, path: str, head: bytes, media_type: str, max_megabytes: int, *, has_length: bool
) -> None:
    body, client = Endless(head), ada.client
    length = str(2048 * MEGABYTE) if has_length else ""
    environ = {
        "CONTENT_TYPE": media_type,
        "CONTENT_LENGTH": length,
        "wsgi.input": body,
        "wsgi.input_terminated": True,
    }
    tracemalloc.start()
    answer = _post(client, path, ada.keys().secret_key, environ)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert answer in {413, 422, 400}
    assert peak < (3 * max_megabytes + 8) * MEGABYTE


def _post(client: FlaskClient, path: str, key: str, environ: dict[str, object]) -> int:
    return client.post(path, headers=bearer(key), environ_overrides=environ).status_code
