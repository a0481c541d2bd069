"""Killed imports leave whole batches, and continue after them; ``nox -s stress`` kills fifty times."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

_KILLS = 10
_ROWS = 900


def test_killed_imports_come_to_the_same(database_url: str) -> None:
    program = [sys.executable, "-m", "tests.stress.killed_imports", database_url]
    program += ["--kills", str(_KILLS), "--rows", str(_ROWS)]
    root = Path(__file__).parents[2]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(program, capture_output=True, text=True, check=False, cwd=root, env=environ)  # noqa: S603 - our own
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(f"{_KILLS} kills")
