"""A process killed between the effect and its stored answer leaves neither."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import SECRET_KEY
from tests.http.partners import partner_app
from tests.http.probe import Probes, effects, probed

from repaircore.core import Core, build
from repaircore.settings import Settings

pytestmark = pytest.mark.long

_PROGRAM = """
import os, signal, sys
from tests.adapters.sql.test_killed_between import installation
from tests.http.probe import Probes, probed

url, state, token, moment = sys.argv[1:]
core = installation(url, state)
def die(*_args, **_options):
    os.kill(os.getpid(), signal.SIGKILL)
client = probed(core, Probes(on={moment: die})).test_client()
headers = {"Authorization": "Bearer " + token, "Idempotency-Key": "k"}
client.post("/api/v1/partner/probe", json={}, headers=headers)
"""


def installation(url: str, state: str) -> Core:
    """Open the installation that both processes share."""
    return build(Settings(database_url=url, state_folder=Path(state), secret_key=SECRET_KEY))


@pytest.mark.parametrize("moment", ["before", "after"])
def test_process_killed_around_the_effect_leaves_nothing(
    database_url: str, tmp_path: Path, moment: str
) -> None:
    core = installation(database_url, str(tmp_path))
    client = probed(core, Probes()).test_client()
    asker = partner_app(client, core)
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _PROGRAM, database_url, str(tmp_path), asker.token, moment],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    assert effects(core) == 0
    answer = asker.post("/probe", {}, key="k")
    assert answer.status_code == 201
    assert "Idempotent-Replayed" not in answer.headers
    assert effects(core) == 1
    core.close()
