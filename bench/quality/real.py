"""The same comparison on real invoices: a file as docs/reference/transactions-csv.md describes it, which is read and never copied.

The last sixth of its rows by date is estimated, from those before. Each needs ``year``, ``make``, ``model``, ``problem``, ``date``, ``zip``,
``parts_total``, ``labor_hours`` and ``labor_rate``, or ``total`` instead of the rate. Each ZIP code counts as a shop.
"""

import csv
import gzip
import io
import time
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.quality.product import MovedClock, SetPanel, do_nightly, installed, noon
from bench.quality.runs import Result, fitted, methods
from bench.quality.scores import Score, score
from bench.quality.worlds import Jobs
from bench.table import tell
from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.imports import ImportOptions, Upload
from repaircore.predictions.model import PredictBySpecs

Floats = NDArray[np.float64]
Row = Mapping[str, str]

_LEARNED: Final = 5 / 6
_DAYS_OF_MONTH: Final = 30.4375
_START: Final = date(1990, 1, 1)


def run_file(path: Path, *, tested: int, boosting: bool) -> Result:
    """Measure all methods on a file; there is no oracle, and no model that could be wrong."""
    past, coming = cut(read(path), tested=tested)
    jobs = jobs_of([*past, *coming])
    paid = np.array([_total(row) for row in (*past, *coming)])
    before, after = np.arange(len(past)), np.arange(len(past), len(jobs))
    scores = [_of_product(path.name, past, coming, paid[after])]
    for name, method in methods(boosting=boosting):
        tell(f"{path.name}: {name}")
        started = time.perf_counter()
        predicted = fitted(method, jobs.take(before), paid[before], jobs.take(after), _day)
        scores.append(score(name, predicted, paid[after], seconds=time.perf_counter() - started))
    return Result(world=path.name, size=len(past), seed=0, scores=tuple(scores))


def read(path: Path) -> list[Row]:
    """Read the invoices, the oldest first; those on which nothing was paid are left out."""
    opening = gzip.open if path.suffix == ".gz" else open
    with opening(path, "rt", encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if _total(row) > 0]
    return sorted(rows, key=lambda row: row["date"])


def cut(rows: Sequence[Row], *, tested: int) -> tuple[Sequence[Row], Sequence[Row]]:
    """Give what is learned from, and evenly many of what came after it."""
    last = int(len(rows) * _LEARNED)
    coming = rows[last:]
    every = max(1, len(coming) // tested)
    return rows[:last], coming[::every][:tested]


def jobs_of(rows: Sequence[Row]) -> Jobs:
    """Number every value that is text."""
    return Jobs(
        month=np.array([(date.fromisoformat(row["date"]) - _START).days / _DAYS_OF_MONTH for row in rows]),
        problem=_numbered([row["problem"] for row in rows]),
        model=_numbered([f"{row['make']} {row['model']}" for row in rows]),
        make=_numbered([row["make"] for row in rows]),
        year=np.array([int(row["year"]) for row in rows]),
        shop=_numbered([row["zip"] for row in rows]),
    )


def _of_product(name: str, past: Sequence[Row], coming: Sequence[Row], paid: Floats) -> Score:
    tell(f"{name}: the product learns from {len(past):,} invoices")
    started = time.perf_counter()
    clock = MovedClock(noon(date.fromisoformat(past[-1]["date"])))
    with installed(clock, SetPanel()) as core:
        for code in sorted({row["zip"] for row in (*past, *coming)}):
            core.facilities.create(CreateFacility(facility_name=f"Shop at {code}", zip_code=code))
        _bring_in(core, past)
        do_nightly(core)
        rows = []
        for row in coming:
            clock.now = noon(date.fromisoformat(row["date"]))
            local = core.predictions.predict_by_specs(
                PredictBySpecs(
                    year=int(row["year"]),
                    make=row["make"],
                    model=row["model"],
                    zip_code=row["zip"],
                    problem_identifier=row["problem"],
                )
            ).figures.local
            rows.append((local.low / 100, local.average / 100, local.high / 100, float(local.confidence)))
    table = np.array(rows)
    seconds = time.perf_counter() - started
    return score("product", table[:, :3], paid, stated=float(table[:, 3].mean()), seconds=seconds)


def _bring_in(core: Core, rows: Sequence[Row]) -> None:
    text = io.StringIO()
    # Shops are known by their ZIP code alone here, and which predictions rows answer was another installation's affair.
    names = [name for name in rows[0] if name not in {"facility", "facility_id", "session_id"}]
    table = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    taken = core.invoice_imports.import_file(
        Upload(name="real.csv", content=io.BytesIO(text.getvalue().encode())), ImportOptions(keep_good=True)
    )
    tell(f"{taken.added:,} of {len(rows):,} rows were taken")


def _total(row: Row) -> float:
    if row.get("total"):
        return float(row["total"])
    return float(row["parts_total"] or 0) + round(
        float(row["labor_hours"] or 0) * float(row["labor_rate"] or 0), 2
    )


def _numbered(words: Sequence[str]) -> NDArray[np.int64]:
    return np.asarray(np.unique(words, return_inverse=True)[1], dtype=np.int64)


def _day(month: float) -> date:
    return _START + timedelta(days=round(month * _DAYS_OF_MONTH))
