"""A server started in a folder with planted modules imports none of them."""

from pathlib import Path
from typing import Final

import httpx
import pytest
from tests.e2e.processes import Installation, serving, until
from tests.photos import code, on_table, png

VIN: Final = "1HGCM82633A004352"
PLANTED: Final = (
    "attrs",
    "gunicorn.conf",
    "h11",
    "msgspec",
    "repaircore",
    "repaircore_cli",
    "sitecustomize",
    "usercustomize",
    "zxingcpp",
)
PROGRAM: Final = "import os, pathlib\npathlib.Path({folder!r}, f'{name}-{{os.getpid()}}').touch()\n"


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    for name in PLANTED:
        (tmp_path / f"{name}.py").write_text(PROGRAM.format(folder=str(folder), name=name))
    return folder


@pytest.mark.long
def test_nothing_is_imported_from_the_folder_a_server_is_started_in(tmp_path: Path, marks: Path) -> None:
    settings = {"REPAIRCORE_DATABASE_URL": f"sqlite:///{tmp_path}/served.db", "REPAIRCORE_METRICS": "on"}
    with serving(tmp_path, ["--workers", "1"], settings) as served, httpx.Client(timeout=60) as client:
        until(lambda: served.jobs)
        client.base_url = httpx.URL(served.url)
        key = _key(client)

        files = {"image": ("vin.png", png(on_table(code("Code 128", VIN))), "image/png")}
        answer = client.post("/api/v1/predict/extract-vin", files=files, headers=key)

        assert answer.json()["vin"] == VIN
        assert _jobs_have_begun(served, client)
    assert [*marks.iterdir()] == []


def _key(client: httpx.Client) -> dict[str, str]:
    account = {"name": "Ada", "email": "ada@example.org", "password": "correct horse"}
    token = client.post("/api/v1/auth/register", json=account).json()["data"]["session_token"]
    headers = {"Authorization": f"Bearer {token}"}
    body = {"name": "shop", "environment": "live"}
    created = client.post("/api/v1/dashboard/keys", json=body, headers=headers).json()
    return {"Authorization": f"Bearer {created['data']['secret_key']}"}


def _jobs_have_begun(served: Installation, client: httpx.Client) -> bool:
    return until(
        lambda: "repaircore_jobs_begun_total 1.0" in client.get("/metrics").text and bool(served.jobs)
    )
