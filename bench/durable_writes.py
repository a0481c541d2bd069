"""How long a durable write takes at worst while others write: four processes make customers known, each in a transaction.

There are two yardsticks, each taken in turns with the load: what the disk itself takes (the median of a 4 KiB write and its
fdatasync on the same disk), and the median of the same write by one process alone. The 99.9th percentile is of all writes of a
round.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from bench.installation import postgres_database
from bench.table import Ratio, Row, print_table, ratio_of, tell
from repaircore.core import Core, build
from repaircore.customers.model import ResolveCustomer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.settings import Settings

_WRITERS = 4
_ROUNDS = 3
_EACH = 300
_WARM = 20
_SYNCS = 200
_SECRET = "throw-away-throw-away-throw-away-1"
_PROMILLE = 0.999


def _settings(url: str) -> Settings:
    return Settings(database_url=url, secret_key=_SECRET)


@contextmanager
def _core(url: str) -> Iterator[Core]:
    core = build(_settings(url))
    try:
        yield core
    finally:
        core.storage.close()


def _write(url: str, writer: int, start: int, seconds: "list[float]") -> None:
    with _core(url) as core:
        caller = PartnerCaller(partner_id=1, environment=Environment.TEST)
        for number in range(start, start + _WARM + _EACH):
            request = ResolveCustomer(
                first_name="Ada",
                last_name="Byron",
                email=f"w{writer}n{number}@example.com",
                phone=f"+1{2_000_000_000 + writer * 10_000_000 + number}",
            )
            began = time.perf_counter()
            core.customers.resolve(request, caller)
            if number >= start + _WARM:  # the first one imports what it needs
                seconds.append(time.perf_counter() - began)


def _writer(url: str, writer: int, start: int, path: str) -> None:
    seconds: list[float] = []
    _write(url, writer, start, seconds)
    Path(path).write_text("\n".join(map(repr, seconds)))


def _taken(url: str, folder: Path, round_: int, writers: range) -> list[float]:
    """Return the seconds of the writes of one round, which these writers make at the same time, in ascending order."""
    paths = [folder / f"{round_}-{writer}" for writer in writers]
    spawn = get_context("spawn")
    started = [
        spawn.Process(target=_writer, args=(url, writer, round_ * (_WARM + _EACH), str(path)))
        for writer, path in zip(writers, paths, strict=True)
    ]
    for process in started:
        process.start()
    for process in started:
        process.join()
        assert process.exitcode == 0  # none failed, "database is locked" least of all
    taken = sorted(float(line) for path in paths for line in path.read_text().splitlines())
    assert len(taken) == len(writers) * _EACH
    return taken


def _synced(folder: Path) -> float:
    """Give the median of a small write that is on the disk, in seconds."""
    descriptor = os.open(folder / "synced", os.O_CREAT | os.O_WRONLY, 0o600)
    taken = []
    try:
        for _ in range(_SYNCS):
            began = time.perf_counter()
            os.pwrite(descriptor, b"x" * 4096, 0)
            os.fdatasync(descriptor)
            taken.append(time.perf_counter() - began)
    finally:
        os.close(descriptor)
    return statistics.median(taken)


def _measured(url: str, folder: Path) -> tuple[Ratio, Ratio]:
    """Compare the slowest writes among four writers with a write to the disk, and with the median of one writer alone."""
    with _core(url) as core:
        core.upgrade()
        core.partners.create("Bench", "test")
    worst, synced, alone = [], [], []
    for round_ in range(_ROUNDS):
        synced.append(_synced(folder))
        together = _taken(url, folder, round_, range(_WRITERS))
        worst.append(together[int(len(together) * _PROMILLE)])
        alone.append(statistics.median(_taken(url, folder, round_, range(_WRITERS, _WRITERS + 1))))
    return ratio_of(worst, synced), ratio_of(worst, alone)


def _rows_on(name: str, url: str, folder: Path) -> list[Row]:
    to_disk, to_one_writer = _measured(url, folder)
    what = f"P9 a durable write among {_WRITERS} writers, 99.9th percentile, {name}"
    return [
        Row(what, "median write and fdatasync", to_disk, 50),
        Row(what, "median of one writer alone", to_one_writer, 12),
    ]


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = _rows_on("SQLite", f"sqlite:///{folder}/writes.db", folder)
        with postgres_database() as url:
            if url is None:
                tell("durable_writes: REPAIRCORE_TEST_POSTGRES_URL names no server")
                return found
            return [*found, *_rows_on("PostgreSQL", url, folder)]


if __name__ == "__main__":
    print_table(rows())
