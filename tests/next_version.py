"""The next version of repaircore: a copy of this one whose schema has one revision more."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from typing import Final

from attrs import frozen
from tests.conftest import SECRET_KEY

import repaircore
from repaircore.adapters.sql.engine.storage import HEAD

REVISION: Final = f"{int(HEAD) + 1:04}"

_MIGRATION: Final = f'''"""Colors of vehicles."""

import sqlalchemy as sa
from alembic import op

revision = "{REVISION}"
down_revision = "{HEAD}"


def upgrade() -> None:
    op.add_column("vehicles", sa.Column("color", sa.Text()))
    op.execute("UPDATE vehicles SET color = 'unknown'")


def downgrade() -> None:
    op.drop_column("vehicles", "color")
'''  # noqa: S608 - Python, and the revisions are ours


@frozen
class NextVersion:
    """The next version's packages in ``folder``; its migration gives each vehicle the color "unknown"."""

    folder: Path

    def run(self, url: str, *arguments: str) -> str:
        """Run a command on a database; return what it prints."""
        command = [sys.executable, "-P", "-m", "repaircore_cli", *arguments]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "REPAIRCORE_DATABASE_URL": url,
            "REPAIRCORE_SECRET_KEY": SECRET_KEY,
        }
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - the command of this test
        assert done.returncode == 0, done.stderr
        return done.stdout


def copied_to(folder: Path) -> NextVersion:
    """Return the next version, written to a folder."""
    packages = Path(repaircore.__file__).parents[1]
    for package in ("repaircore", "repaircore_http", "repaircore_cli"):
        copytree(packages / package, folder / package)  # with what is compiled, which has no path in it
    sql = folder / "repaircore/adapters/sql"
    (sql / f"migrations/versions/{REVISION}_next.py").write_text(_MIGRATION)
    storage = sql / "engine/storage.py"
    line = f'HEAD: Final = "{HEAD}"'
    before = storage.read_text()
    assert line in before
    storage.write_text(before.replace(line, f'HEAD: Final = "{REVISION}"'))
    return NextVersion(folder)
