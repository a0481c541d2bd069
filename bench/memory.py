"""P19: the memory of ``repaircore serve`` with two workers and its jobs, after each worker was asked one thing of each kind,
and the readers of photos have ended: each takes 150 MB for seconds after a photo.

Memory that processes share is divided among them (PSS), so that the sum is what the machine has less. The yardstick is a constant.
"""

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
from PIL import Image
from tests.e2e.processes import Installation, command, serving, until

from bench.table import Row, exactly, print_table, tell

_MEGABYTES: Final = 220
_ASKED: Final = 6
"""Times that each thing is asked, over a connection each, so that both workers are."""
_CAR: Final = {"vin": "1HGCM82633A004352"}
_PROBLEM: Final = {"problem_identifier": "brake-pads-front"}
_BODIES: Final[dict[str, Any]] = {
    "predict": {**_CAR, "zip_code": "90210", **_PROBLEM},
    "predict/problems": _CAR,
    "predict/categories/search": {"query": "brak pads"},
    "predict/diagnose": {"description": "It squeals when braking", **_CAR},
    "predict/quote-check/read": {"text": "Front brake pads 350"},
    "predict/visit": {**_CAR, "zip_code": "90210", "lines": [_PROBLEM]},
    "diagnostic/chat": {"symptom": "My brakes squeal", **_CAR},
}


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "REPAIRCORE_DATABASE_URL": f"sqlite:///{folder}/shop.db",
            "REPAIRCORE_STATE_FOLDER": f"{folder}/state",
        }
        with serving(Path(folder), ["--workers", "2"], settings) as served:
            until(lambda: served.jobs)
            _ask_everything(served.url)
            tell(f"memory: {sum(map(_proportional, _of_family(served))):.0f} MB at once")
            until(lambda: _of_family(served) == {*served.pids()})  # readers of photos end by themselves
            shares = {pid: _proportional(pid) for pid in served.pids()}
            for pid, share in sorted(shares.items()):
                tell(f"memory: {share:.0f} MB {_role(served, pid)}")
            used = sum(shares.values())
    return [Row("P19 memory of a server with jobs", f"{_MEGABYTES} MB", exactly(used / _MEGABYTES), goal=1)]


def _ask_everything(url: str) -> None:
    with _client(url) as client:
        person = {"name": "Bench", "email": "bench@example.org", "password": "correct horse"}
        session = client.post("/api/v1/auth/register", json=person).json()["data"]["session_token"]
        asked = {"name": "bench", "environment": "live"}
        made = client.post("/api/v1/dashboard/keys", json=asked, headers=_bearer(session)).json()["data"]
    headers = _bearer(made["secret_key"])
    image = io.BytesIO()
    Image.effect_noise((800, 600), 50).save(image, "PNG")
    for _ in range(_ASKED):
        for path, body in _BODIES.items():
            with _client(url) as client:
                client.post(f"/api/v1/{path}", json=body, headers=headers).raise_for_status()
        with _client(url) as client:
            client.get("/docs").raise_for_status()
            client.get("/console/login")
            files = {"image": ("a.png", image.getvalue(), "image/png")}
            client.post("/api/v1/predict/extract-vin", files=files, headers=headers)  # there is no VIN in it


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=120, trust_env=False)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _of_family(served: Installation) -> set[int]:
    """Return all processes, readers of photos included; not those that have ended, and that nobody has waited for yet."""
    own = served.pids()
    return {*own, *(child for pid in own for child in _children(pid) if any(command(child)))}


def _role(served: Installation, pid: int) -> str:
    return "master" if pid == served.master else "jobs" if pid in served.jobs else "worker"


def _proportional(pid: int) -> float:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    (size,) = [line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:")]
    return int(size) / 1024


def _children(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        yield from map(int, children.read_text().split())


if __name__ == "__main__":
    print_table(rows())
