"""Fifty kills on an empty SQLite database, and as many on PostgreSQL if REPAIRCORE_TEST_POSTGRES_URL names a server."""

import subprocess
import sys
import tempfile
from pathlib import Path

from bench.installation import postgres_database

from repaircore.core import build
from repaircore.settings import Settings


def _stress(url: str, folder: str) -> None:
    core = build(
        Settings.from_env(
            {
                "REPAIRCORE_DATABASE_URL": url,
                "REPAIRCORE_STATE_FOLDER": folder,
                "REPAIRCORE_SECRET_KEY": "0" * 64,
            }
        )
    )
    core.upgrade()
    core.close()
    program = [sys.executable, "-m", "tests.stress.killed_imports", url, *sys.argv[1:]]
    subprocess.run(program, check=True)  # noqa: S603 - our own


with tempfile.TemporaryDirectory() as folder, postgres_database() as server:
    for url in (f"sqlite:///{Path(folder) / 'stress.db'}", server):
        if url is not None:
            sys.stdout.write(f"{url.split(':')[0]}: ")
            sys.stdout.flush()
            _stress(url, folder)
