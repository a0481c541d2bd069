"""P4: a fresh estimate on a long history against one on a short one, on both databases.

Run from the root of the repository: ``python -m bench history``. ``REPAIRCORE_BENCH_INVOICES`` says how long (1,000,000); the
short history is a hundredth of it. What is measured reads the database and computes; no model is asked.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.imports import invoices, taken, upgraded, write_sample
from bench.installation import postgres_database
from bench.table import Row, interleaved, ratio_of, tell
from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.settings import Settings

_VIN = "1HGCM82633A"
_ZIP = "90210"
_PROBLEM = "brake-pads-front"


def rows() -> list[Row]:
    many = invoices()
    few = max(1, many // 100)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for count in (few, many):
            tell(f"history: making {count:,} invoices up")
            write_sample(folder / f"{count}.csv", count)
        found = [
            _measured(
                "SQLite", [f"sqlite:///{folder / f'{count}.db'}" for count in (few, many)], folder, few, many
            )
        ]
        with ExitStack() as stack:
            urls = [stack.enter_context(postgres_database(f"history_{count}")) for count in (few, many)]
            if all(urls):
                found.append(_measured("PostgreSQL", [url for url in urls if url], folder, few, many))
    return found


def _measured(where: str, urls: list[str], folder: Path, few: int, many: int) -> Row:
    with ExitStack() as stack:
        asked = []
        for url, count in zip(urls, (few, many), strict=True):
            tell(f"history: {where}, taking {count:,} invoices over")
            upgraded(url)
            taken(url, folder / f"{count}.csv")
            asked.append(stack.enter_context(_estimating(url, folder)))
        tell(f"history: {where}, estimating")
        short, long = interleaved(*asked, rounds=40, times=25)
    return Row(
        f"P4 fresh estimate on {many:,} invoices, {where}", f"the same on {few:,}", ratio_of(long, short), 1.2
    )


@contextmanager
def _estimating(url: str, folder: Path) -> Iterator[Callable[[], object]]:
    core = Core(
        Settings.from_env(
            {
                "REPAIRCORE_DATABASE_URL": url,
                "REPAIRCORE_STATE_FOLDER": str(folder / "state"),
                "REPAIRCORE_SECRET_KEY": "0" * 64,
            }
        )
    )
    specs = core.vehicles.resolve(_VIN).specs
    problem = core.problems.get(_PROBLEM)
    computing = core.predictions.computation()
    try:
        yield lambda: computing.local(Environment.LIVE, _ZIP, specs, [problem.id])
    finally:
        core.close()
