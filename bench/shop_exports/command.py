"""How files of invoices are understood: ``python -m bench exports [--tuned | --seen] [--wrong]``.

Made-up exports of shop systems are imported: each job is right, wrong or left to somebody's decision. Without an option those
are reported that were written after the rules; ``--tuned`` are those that the rules were written with, ``--seen`` those that were
looked at once. ``--wrong`` lists what was matched wrongly.
"""

import argparse
import io
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from typing import cast

from bench.shop_exports.made_up import FRESH, SEEN, TUNED, Export, exports
from repaircore.adapters.shipped.job_names import job_names
from repaircore.adapters.spreadsheets.workbooks import workbook_rows
from repaircore.core import Core
from repaircore.invoice_files.sorting import JobSorter, VehicleOf
from repaircore.job_matching.model import Outcome
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import RejectedRow
from repaircore.settings import Settings
from repaircore.shop_tables.columns import recognize
from repaircore.shop_tables.jobs import JobReader
from repaircore.shop_tables.model import Job
from repaircore.shop_tables.table import Table
from repaircore.transactions.file_cells import BadCell

RIGHT, WRONG, REVIEW, REJECTED = "right", "wrong", "review", "rejected"


def main(arguments: Sequence[str]) -> None:
    """Print a table of the exports."""
    parser = argparse.ArgumentParser(prog="python -m bench exports", description=__doc__)
    parser.add_argument("--tuned", action="store_true")
    parser.add_argument("--seen", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    given = parser.parse_args(arguments)
    names = TUNED if given.tuned else SEEN if given.seen else FRESH
    chosen = [one for one in exports() if one.name.split(".")[0] in names]
    print(f"{'file':<16}{'jobs':>6}{'repairs':>9}{'right':>7}{'wrong':>7}{'review':>8}{'rejected':>10}")
    sums: Counter[str] = Counter()
    for one, found in measured(chosen, tell=given.wrong):
        sums += found
        print(_row(one.name, found))
    print(_row("all", sums))
    matched = sums[RIGHT] + sums[WRONG]
    print(f"Of {matched} automatic matches {sums[WRONG]} are wrong: {sums[WRONG] / max(1, matched):.1%}.")
    print(
        f"Of {sums['repairs']} repairs of the book {sums[RIGHT] / max(1, sums['repairs']):.0%} need no decision."
    )


def measured(chosen: Sequence[Export], *, tell: bool = False) -> Iterator[tuple[Export, Counter[str]]]:
    """Yield the counts of each export."""
    with tempfile.TemporaryDirectory() as folder:
        core = Core(Settings(database_url=f"sqlite:///{folder}/exports.db"))
        core.upgrade(lambda _: None)
        try:
            for one in chosen:
                yield one, _counts(core, one, tell=tell)
        finally:
            core.close()


def _counts(core: Core, export: Export, *, tell: bool) -> Counter[str]:
    problems = core.problems.list_all()
    slugs = {problem.slug for problem in problems}
    vehicle = cast("VehicleOf", core.invoice_imports.lookups(Environment.LIVE).vehicle)
    sorter = JobSorter(RepairMatcher(problems, job_names()), problems, vehicle=vehicle, decisions={})
    counts: Counter[str] = Counter()
    with Table() as table:
        table.read(io.BytesIO(export.content), workbook_rows)
        reader = JobReader(recognize(table.names, table.profiles, {}), last=date(2026, 1, 1))
        for job in reader.read(table.rows()):
            if isinstance(job, RejectedRow):
                counts[REJECTED] += 1
            if isinstance(job, Job):
                truth = export.truth[job.line]
                counts["jobs"] += 1
                counts["repairs"] += truth in slugs
                outcome = _outcome(sorter, job, truth)
                counts[outcome] += 1
                if tell and outcome == WRONG:
                    print(f"  {job.text!r} is {truth}")
    return counts


def _outcome(sorter: JobSorter, job: Job, truth: str) -> str:
    try:
        match = sorter.sort(job).match
    except BadCell:
        return REJECTED
    if match is None or match.outcome is not Outcome.SURE:
        return REVIEW
    return RIGHT if match.slug == truth else WRONG


def _row(name: str, counts: Counter[str]) -> str:
    shown = (
        counts["jobs"],
        counts["repairs"],
        counts[RIGHT],
        counts[WRONG],
        counts[REVIEW],
        counts[REJECTED],
    )
    widths = (6, 9, 7, 7, 8, 10)
    return f"{name:<16}" + "".join(f"{count:>{width}}" for count, width in zip(shown, widths, strict=True))
