"""Kill imports at random moments, run them again until they finish, and compare with an undisturbed import.

``python -m tests.stress.killed_imports URL --kills 50`` on an empty, migrated database.
"""

import argparse
import csv
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from io import BytesIO, StringIO
from tempfile import TemporaryDirectory
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.schema.operations import imports
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.core import build
from repaircore.kernel.imports import DEFAULT_OPTIONS, ImportOptions, Upload
from repaircore.settings import Settings
from repaircore.wiring.learning import sample_of_invoices

BATCH: Final = 60
_LONGEST: Final = 0.8
_COMPARED_TABLES: Final = ("cells", "tallies", "calibrations", "variances", "transaction_sums")
_COMPARED_COLUMNS: Final = ("fingerprint", "performed_on", "total", "evidence", "review", "make_key")


def run(url: str, kills: int, *, rows: int, seed: int = 1) -> tuple[int, int]:
    """Kill imports a number of times; return the kills and the finished imports.

    Raises:
        AssertionError: something was lost, counted twice or left half done.
    """
    dice = random.Random(seed)  # noqa: S311 - random delays
    content = _sample(rows)
    _import(url, content, ImportOptions(dry_run=True))  # every child process inherits what this loads
    longest = _LONGEST
    start = time.perf_counter()
    _in_child(lambda: _import(url, content, DEFAULT_OPTIONS), None)
    longest = min(longest, (time.perf_counter() - start) / 2)
    expected = _stored_state(url)
    killed = done = 0
    _delete_imported(url)
    while killed < kills:
        if _in_child(lambda: _import(url, content, DEFAULT_OPTIONS), dice.uniform(0, longest)):
            killed += 1
            continue
        assert _stored_state(url) == expected, f"after {killed} kills"
        done += 1
        _delete_imported(url)
    _in_child(lambda: _import(url, content, DEFAULT_OPTIONS), None)
    assert _stored_state(url) == expected, "at the end"
    return killed, done + 1


def _in_child(action: Callable[[], None], seconds: float | None) -> bool:
    """Run an action in a child process; return whether it was killed. The parent has no threads."""
    child = os.fork()
    if not child:
        try:
            action()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the exit status shows it
            sys.excepthook(*sys.exc_info())
            os._exit(1)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False


def _sample(rows: int) -> bytes:
    sample = sample_of_invoices()
    text = StringIO()
    csv.writer(text).writerows([sample.head, *sample.rows(rows, 1)])
    return text.getvalue().encode()


def _import(url: str, content: bytes, import_options: ImportOptions) -> None:
    core = _CORES.setdefault(url, build(_settings(url)))
    result = evolve(core.invoice_imports, batch=BATCH).import_file(
        Upload(name="sample.csv", content=BytesIO(content)), import_options
    )
    assert import_options.dry_run or result.added == result.read


def _settings(url: str) -> Settings:
    state = TemporaryDirectory()
    _STATES.append(state)
    return Settings.from_env(
        {
            "REPAIRCORE_DATABASE_URL": url,
            "REPAIRCORE_STATE_FOLDER": state.name,
            "REPAIRCORE_SECRET_KEY": "0" * 64,
        }
    )


_CORES: Final[dict[str, Any]] = {}
_STATES: Final[list[Any]] = []


def _stored_state(url: str) -> dict[str, list[tuple[Any, ...]]]:
    database = Database(url)
    with database.transaction(write=False) as connection:
        if connection.dialect.name == "sqlite":
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
        tables = [METADATA.tables[name] for name in _COMPARED_TABLES]
        found = {
            table.name: [
                tuple(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key))
            ]
            for table in tables
        }
        results = [transactions.c[name] for name in _COMPARED_COLUMNS]
        query = sa.select(*results).order_by(transactions.c.fingerprint)
        found["transactions"] = [tuple(row) for row in connection.execute(query)]
        open_ones = sa.select(sa.func.count()).where(imports.c.finished_at.is_(None))
        assert connection.execute(open_ones).scalar_one() == 0
    database.close()
    return found


def _delete_imported(url: str) -> None:
    """Delete everything that an import adds."""
    database = Database(url)
    with database.transaction() as connection:
        for table in (transactions, *(METADATA.tables[name] for name in _COMPARED_TABLES), imports, vehicles):
            connection.execute(sa.delete(table))
    database.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--rows", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kills, finished = run(options.url, options.kills, rows=options.rows, seed=options.seed)
    sys.stdout.write(
        f"{kills} kills, {finished} imports of {options.rows:,} rows done, each as if undisturbed.\n"
    )
