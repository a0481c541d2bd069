"""The VIN in a photo, over HTTP, and other uploads."""

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from PIL import Image
from tests import photos
from tests.conftest import OpenCore
from tests.http.people import Person, bearer, person
from tests.http.shape import shaped
from tests.http.watched import serve_core
from typing_extensions import override
from werkzeug.test import TestResponse

from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.reader import ChildVinReader

VIN = "1HGCM82633A004352"
PATH = "/api/v1/predict/extract-vin"
MEGABYTE = 1024 * 1024
BOUNDARY = "fence"


@pytest.fixture(scope="session")
def photo() -> bytes:
    return photos.png(photos.on_table(photos.code("QR", VIN), size=400))


@pytest.fixture
def secret(ada: Person) -> str:
    return ada.keys().secret_key


def _send(api: FlaskClient, token: str, file: Any, name: str = "image", **fields: Any) -> TestResponse:
    data = {**fields, name: (io.BytesIO(file), "photo.png", "image/png")}
    return api.post(PATH, data=data, headers=bearer(token), content_type="multipart/form-data")


def _send_raw(
    api: FlaskClient,
    token: str,
    body: bytes,
    kind: str = f"multipart/form-data; boundary={BOUNDARY}",
    **more: Any,
) -> TestResponse:
    return api.post(PATH, data=body, headers=bearer(token), content_type=kind, **more)


def _part(name: str, content: bytes, filename: str | None = "a.png") -> bytes:
    result = f'; filename="{filename}"' if filename else ""
    return (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{result}\r\n\r\n'.encode()
        + content
        + b"\r\n"
    )


END = f"--{BOUNDARY}--\r\n".encode()


def _is_rejected(answer: TestResponse, status: int = 422) -> bool:
    assert answer.status_code == status, answer.text
    if status == 422:
        return shaped({"message": str, "errors": {"image": [str]}}, answer.json)
    return shaped({"message": str}, answer.json)


def test_extract_vin_returns_the_vin_in_a_photo(api: FlaskClient, secret: str, photo: bytes) -> None:
    answer = _send(api, secret, photo)

    assert answer.status_code == 200
    assert shaped({"success": True, "vin": VIN, "message": str}, answer.json)


def test_other_form_fields_are_ignored(api: FlaskClient, secret: str, photo: bytes) -> None:
    assert _send(api, secret, photo, note="seen today").status_code == 200


def test_image_without_a_vin_is_a_422(api: FlaskClient, secret: str) -> None:
    answer = _send(api, secret, photos.png(photos.on_table(photos.code("QR", "HELLO"), size=300)))

    assert answer.status_code == 422
    assert answer.json == {
        "success": False,
        "message": "No valid 17-character VIN was found in the image.",
    }


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _bomb() -> bytes:
    """Return a PNG of 169 megapixels in 20 KB."""
    rows = zlib.compress(bytes((13_000 // 8 + 1) * 13_000), 9)
    head = struct.pack(">IIBBBBB", 13_000, 13_000, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")


def _animated() -> bytes:
    file = io.BytesIO()
    frames = [photos.code("QR", text) for text in ("one", "two")]
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:])
    return file.getvalue()


def _gif() -> bytes:
    file = io.BytesIO()
    photos.code("QR", VIN).save(file, "GIF")
    return file.getvalue()


HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "text": b"hello",
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "html in a png": b"\x89PNG\r\n\x1a\n<script>alert(1)</script>",
    "gif": _gif(),
    "pdf": b"%PDF-1.7\n" + bytes(1000),
    "bomb": _bomb(),
    "long": photos.png(Image.new("1", (10_001, 2))),
    "animated": _animated(),
    "cut": photos.jpeg(photos.on_table(photos.code("QR", VIN)))[:5000],
    "jpeg head": b"\xff\xd8\xff\xe0" + bytes(100),
    "endless text": b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 9, 9, 8, 0, 0, 0, 0)) * 5000,
}


@pytest.mark.parametrize("case", HOSTILE)
def test_extract_vin_rejects_a_damaged_image(api: FlaskClient, secret: str, photo: bytes, case: str) -> None:
    assert _is_rejected(_send(api, secret, HOSTILE[case]))
    assert _send(api, secret, photo).status_code == 200


def test_extract_vin_detects_the_type_by_content(api: FlaskClient, secret: str, photo: bytes) -> None:
    for name, kind in (
        ("photo.gif", "image/gif"),
        ("photo", "text/html"),
        ("../../x.exe", "application/x-dosexec"),
    ):
        data = {"image": (io.BytesIO(photo), name, kind)}
        answer = api.post(PATH, data=data, headers=bearer(secret), content_type="multipart/form-data")
        assert answer.status_code == 200


def test_data_after_the_image_is_ignored(api: FlaskClient, secret: str, photo: bytes) -> None:
    answer = _send(api, secret, photo + b"PK\x03\x04" + b"<?php system($_GET['c']); ?>" * 100)

    assert answer.json is not None
    assert answer.json["vin"] == VIN


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "application/octet-stream"),
        (b"", f"multipart/form-data; boundary={BOUNDARY}"),
        (b"{}", "application/json"),
        (b"image=x", "application/x-www-form-urlencoded"),
        (b"x", "multipart/form-data"),
        (b"x", "multipart/mixed; boundary=fence"),
        (_part("picture", b"x") + END, f"multipart/form-data; boundary={BOUNDARY}"),
        (_part("image[]", b"x") + END, f"multipart/form-data; boundary={BOUNDARY}"),
        (_part("image", b"text", filename=None) + END, f"multipart/form-data; boundary={BOUNDARY}"),
        (_part("image", b"x") + _part("image", b"y") + END, f"multipart/form-data; boundary={BOUNDARY}"),
        (END, f"multipart/form-data; boundary={BOUNDARY}"),
    ],
)
def test_body_without_exactly_one_image_is_rejected(
    api: FlaskClient, secret: str, body: bytes, kind: str
) -> None:
    assert _is_rejected(_send_raw(api, secret, body, kind))


@pytest.mark.parametrize(
    "body",
    [
        b"no form at all",
        _part("image", b"x"),
        f"--{BOUNDARY}\r\nContent-Type: image/png\r\n\r\nx\r\n".encode() + END,
        f"--{BOUNDARY}\r\n\xff\xfe: \xff\r\n\r\nx\r\n".encode("latin-1") + END,
        f"--{BOUNDARY}\r\n".encode() + b"\x00" * 500,
    ],
)
def test_unreadable_form_is_rejected(api: FlaskClient, secret: str, body: bytes) -> None:
    assert _is_rejected(_send_raw(api, secret, body), 400)


def test_too_long_boundary_is_rejected(api: FlaskClient, secret: str) -> None:
    answer = _send_raw(api, secret, b"x" * 1000, f"multipart/form-data; boundary={'b' * 5000}")

    assert _is_rejected(answer, 400)


def test_form_with_too_many_parts_is_rejected(api: FlaskClient, secret: str, photo: bytes) -> None:
    many = b"".join(_part(f"f{number}", b"x", None) for number in range(2000))

    assert _is_rejected(_send_raw(api, secret, many + _part("image", photo) + END), 413)
    assert _is_rejected(_send_raw(api, secret, _part("image", photo) + many + END), 413)


def test_form_with_too_much_besides_the_image_is_rejected(
    api: FlaskClient, secret: str, photo: bytes
) -> None:
    for part in (_part("note", bytes(200_000), None), _part("other", bytes(200_000))):
        assert _is_rejected(_send_raw(api, secret, part + _part("image", photo) + END), 413)
    header = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{"x" * 500_000}"\r\n\r\nx\r\n'.encode()

    assert _is_rejected(_send_raw(api, secret, header + END), 413)


def test_extract_vin_accepts_ten_megabytes_and_no_more(api: FlaskClient, secret: str, photo: bytes) -> None:
    full = photo + bytes(10 * MEGABYTE - len(photo))
    assert _send_raw(api, secret, _part("image", full) + END).status_code == 200
    refused = _send_raw(api, secret, _part("image", full + b"x") + END)

    assert _is_rejected(refused)
    assert refused.json is not None
    assert refused.json["message"] == "The image must not be larger than 10 MB."


class _Endless(io.RawIOBase):
    """A body that is generated while it is read; it counts the bytes read."""

    def __init__(self, head: bytes, size: int) -> None:
        self._head, self._left = head, size
        self.read_bytes = 0

    @override
    def read(self, size: int = -1) -> bytes:
        assert size >= 0, "the whole body was asked for at once"
        chunk = self._head[:size] or bytes(min(size, self._left))
        self._head, self._left = self._head[size:], self._left - (0 if self._head else len(chunk))
        self.read_bytes += len(chunk)
        return chunk


def test_body_without_a_length_is_read_only_up_to_the_limit(api: FlaskClient, secret: str) -> None:
    body = _Endless(_part("image", b"")[:-2], 30 * MEGABYTE)
    answer = api.post(
        PATH,
        headers=bearer(secret),
        environ_overrides={
            "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
            "CONTENT_LENGTH": "",
            "wsgi.input": body,
            "wsgi.input_terminated": True,
        },
    )

    assert _is_rejected(answer)
    assert body.read_bytes > 10 * MEGABYTE


def test_body_that_ends_before_its_length_is_rejected(api: FlaskClient, secret: str) -> None:
    answer = api.post(
        PATH,
        input_stream=io.BytesIO(_part("image", b"x")),
        headers={**bearer(secret), "Content-Length": "1000"},
        content_type=f"multipart/form-data; boundary={BOUNDARY}",
    )

    assert _is_rejected(answer, 400)


def test_extract_vin_accepts_a_publishable_key_and_requires_one(
    api: FlaskClient, ada: Person, photo: bytes
) -> None:
    assert _send(api, ada.keys("test").public_key, photo).status_code == 200
    assert _send(api, "", photo).status_code == 401


@pytest.fixture
def without_reader(open_core: OpenCore, tmp_path: Path) -> FlaskClient:
    """Return the client of a service without an image reader."""
    core = open_core()
    reader = ChildVinReader(ImageLimit(tmp_path), packages=["no_such_package"])
    vehicles = core.vehicles
    without_images = core.replacing(
        vehicles=evolve(vehicles, extraction=evolve(vehicles.extraction, reader=reader))
    )
    return serve_core(without_images).test_client()


def test_missing_extra_is_named_in_the_answer(without_reader: FlaskClient, photo: bytes) -> None:
    answer = _send(without_reader, person(without_reader, "Bo").keys().secret_key, photo)

    assert answer.status_code == 422
    assert shaped({"success": False, "message": str}, answer.json)
    assert answer.json is not None
    assert "repaircore[images]" in answer.json["message"]
