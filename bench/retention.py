"""Predictions that are kept and deleted: bytes a row, rows a second, and what another writer waits meanwhile.

Run from the root of the repository: ``python -m bench.retention 1000000``, or with the address of a PostgreSQL server's empty database
as a second argument. The figures and what follows from them are in docs/explanation/retention.md.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from attrs import evolve

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL
from repaircore.kernel.errors import Unavailable
from repaircore.retention.model import RecordKind, RetentionPolicy
from repaircore.settings import Settings

_SECRET: Final = "a secret for a benchmark, which protects nothing"
_BATCH: Final = 50_000
_GIVEN_UP: Final = 10.0
"""Seconds after which a writer gives up."""
_DAY: Final = 86_400_000_000
_SPAN: Final = 1000 * _DAY
_OLD: Final = timedelta(days=500)

_NUMBERS: Final = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :end)",
    "postgresql": "WITH n(i) AS (SELECT generate_series(CAST(:first AS bigint), CAST(:end AS bigint) - 1))",
}
_TEXT: Final = {"sqlite": "printf('%012x', i)", "postgresql": "lpad(to_hex(i), 12, '0')"}
_INSERT: Final = """
INSERT INTO predictions (session_id, owner_id, environment, remembered_id, vin, vehicle_id, problem_id, zip_code, mileage,
 red_flag, match_percentage, local_low, local_average, local_high, model_a_source, model_a_average, model_b_source,
 model_b_average, ai_average, created_at, confidence, doubt)
{numbers} SELECT '019b7a52-0000-7000-8000-' || {text}, 1 + i % 500, 'live', '019b7a53-0000-7000-8000-' || {text}, '1HGCM826*3A',
 :vehicle, 101, '90210', 60000 + i % 50000, 0, 97.5, 21000, 25000, 31000, 'component-table', 26000, 'hours-regression',
 24500, 25250, :start + i * :step, 80, 0.01 FROM n
"""


def main(rows: int, url: str | None) -> None:
    """Make so many predictions, delete the older half, and print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        address = url or f"sqlite:///{Path(folder) / 'retention.db'}"
        core = Core(Settings(database_url=address, secret_key=_SECRET, state_folder=Path(folder)))
        core.upgrade()
        began_with = _bytes(core)
        made = _fill(core, rows)
        bytes_a_row = (_bytes(core) - began_with) / rows
        alone = _write_times(core, 200)
        with _writer(core) as times:
            start, cpu = time.perf_counter(), time.process_time()
            deleted = evolve(
                core.retention, policy=RetentionPolicy(days={RecordKind.PREDICTIONS: _OLD.days})
            ).prune()
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        gone = deleted["predictions"]
        _say("rows", f"{rows:,}")
        _say("bytes a row, with its indexes", f"{bytes_a_row:.0f}")
        _say("rows made a second, in batches", f"{rows / made:,.0f}")
        _say("rows deleted", f"{gone:,}")
        _say("rows deleted a second, with the rests", f"{gone / seconds:,.0f}")
        _say("milliseconds of this process's CPU for 1,000 rows", f"{cpu / gone * 1e6:.1f}")
        _say("another writer, alone: median, 99 of 100 (ms)", _spread(alone))
        _say("another writer, meanwhile: median, 99 of 100 (ms)", _spread(times))
        core.close()


def _fill(core: Core, rows: int) -> float:
    database = core.storage.database
    now = int(core.clock().timestamp() * 1e6)
    with core.storage.transaction() as work:
        from repaircore.testing.builders import a_vehicle  # noqa: PLC0415 - of the library, for tests

        work.vehicles.add(a_vehicle())
    start = time.perf_counter()
    for first in range(0, rows, _BATCH):
        with database.transaction(write=True) as connection:
            kind = connection.dialect.name
            if kind == "postgresql":
                connection.exec_driver_sql(
                    "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"
                )
            vehicle = connection.execute(sa.text("SELECT id FROM vehicles LIMIT 1")).scalar_one()
            insert = sa.text(_INSERT.format(numbers=_NUMBERS[kind], text=_TEXT[kind]))
            connection.execute(
                insert,
                {
                    "first": first,
                    "end": min(rows, first + _BATCH),
                    "vehicle": vehicle,
                    "start": now - _SPAN,
                    "step": _SPAN // rows,
                },
            )
    return time.perf_counter() - start


def _bytes(core: Core) -> int:
    with core.storage.database.transaction(write=False) as connection:
        if connection.dialect.name == "postgresql":
            return connection.exec_driver_sql("SELECT pg_total_relation_size('predictions')").scalar_one()  # type: ignore[no-any-return]
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        return int(pages * connection.exec_driver_sql("PRAGMA page_size").scalar_one())


def _write_times(core: Core, number: int) -> list[float]:
    return [_write(core) for _ in range(number)]


def _write(core: Core) -> float:
    start = time.perf_counter()
    with core.storage.transaction() as work:
        work.audit.add(LOCAL, "thing.change", "things/1", before=None, after=None, at=core.clock())
    return time.perf_counter() - start


@contextmanager
def _writer(core: Core) -> Iterator[list[float]]:
    """Write something twenty times a second, as a request would."""
    times: list[float] = []
    stop = threading.Event()

    def write() -> None:
        while not stop.wait(0.05):
            try:
                times.append(_write(core))
            except Unavailable:
                times.append(_GIVEN_UP)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield times
    finally:
        stop.set()
        thread.join()


def _spread(times: list[float]) -> str:
    ordered = sorted(times)
    return f"{ordered[len(ordered) // 2] * 1e3:.1f}, {ordered[int(len(ordered) * 0.99)] * 1e3:.1f}"


def _say(name: str, value: str) -> None:
    sys.stdout.write(f"| {name} | {value} |\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
