"""Photos sent to a running service: huge files, decompression bombs, floods, and workers that stop."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from PIL import Image
from tests import photos
from tests.e2e.server import Server

pytestmark = pytest.mark.long

PATH = "/api/v1/predict/extract-vin"
VIN = "1HGCM82633A004352"
MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def photo() -> bytes:
    return photos.png(photos.on_table(photos.code("QR", VIN), size=400))


def _send(server: Server, token: str, file: bytes) -> httpx.Response:
    return server.client.post(PATH, files={"image": ("photo.png", file)}, headers=_bearer(token))


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _memory(pid: int) -> int:
    """Return the peak memory of a process in bytes."""
    return int(Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()[0]) * 1024


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in listed for child in path.read_text().split()]


def _huge_upload() -> Iterator[bytes]:
    yield b'--fence\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'
    for _ in range(30):
        yield bytes(MEGABYTE)
    yield b"\r\n--fence--\r\n"


def test_giants_and_bombs_are_refused_in_json_and_cost_a_worker_no_memory(
    server: Server, photo: bytes
) -> None:
    token = server.visitor().secret_key
    assert _send(server, token, photo).json()["vin"] == VIN
    before = {pid: _memory(pid) for pid in server.workers}
    kind = {"Content-Type": "multipart/form-data; boundary=fence", **_bearer(token)}
    bomb = photos.png(Image.new("1", (13_000, 13_000)))
    for _ in range(4):
        chunked = server.client.post(PATH, content=_huge_upload(), headers=kind)
        for refused in (chunked, _send(server, token, bytes(30 * MEGABYTE)), _send(server, token, bomb)):
            assert refused.status_code == 422, refused.text
            assert set(refused.json()["errors"]) == {"image"}
    assert all(_memory(pid) - before[pid] < 150 * MEGABYTE for pid in server.workers)


def test_predictions_are_answered_while_photos_flood_in(server: Server) -> None:
    token = server.visitor().secret_key
    nothing = photos.jpeg(Image.effect_noise((800, 600), 60))
    server.predict(token)
    with ThreadPoolExecutor(6) as pool:
        floods = [pool.submit(_send, server, token, nothing) for _ in range(6)]
        answers = [server.predict(token) for _ in range(20)]
        statuses = {flood.result().status_code for flood in floods}
    assert {answer.status_code for answer in answers} == {200}
    assert statuses <= {422, 429}


def test_processes_that_look_at_photos_end_with_their_workers(server: Server, photo: bytes) -> None:
    token = server.visitor().secret_key
    for _ in range(8):
        assert _send(server, token, photo).status_code == 200
    children = [child for worker in server.workers for child in _children(worker)]
    assert children
    server.process.terminate()
    server.process.wait(30)
    until = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < until:
        time.sleep(0.02)
    assert not [child for child in children if Path(f"/proc/{child}").exists()]
