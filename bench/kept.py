"""What was measured last, kept: ``python -m bench --keep [name …]``.

The figures lie in docs/reference/performance.csv, each with the day of its measurement and the machine; the page beside it is made of
them.
"""

import csv
import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from attrs import asdict, fields, frozen

from bench.table import Ratio, Row

FOLDER: Final = Path(__file__).parents[1] / "docs" / "reference"
PAGE: Final = FOLDER / "performance.md"
_TABLE: Final = "performance.csv"
_HEAD: Final = """# Performance

Each figure is a **ratio to a yardstick that ran in the same benchmark**, the two taking turns: the median of the rounds, with the quartiles in
parentheses; a figure without is a count, a single round, or the worst of several earlier runs. Smaller is better. `nox -s bench` prints this table for the machine that it runs on; `nox -s bench -- --keep` also puts what it measured
in its place here, where each figure has the day and the machine that it is of. What is measured how, and why something falls short, stands in the
[explanation](../explanation/performance.md).

Other programs were at work on the machine meanwhile.
"""
_UNMEASURED: Final = """
## What no benchmark measures

How long a queue gets when requests come faster than they are answered: the clients of these benchmarks wait for each answer before they ask
again.
"""


@frozen(kw_only=True)
class Kept:
    """A line of the table: as it is printed, and the day and the machine it was measured on."""

    what: str
    yardstick: str
    median: str
    low: str
    high: str
    goal: str
    day: str
    machine: str

    @property
    def text(self) -> str:
        return self.row.ratio.text if self.low else f"{float(self.median):.2f}"

    @property
    def row(self) -> Row:
        median = float(self.median)
        ratio = Ratio(median, float(self.low or median), float(self.high or median))
        return Row(self.what, self.yardstick, ratio, float(self.goal) if self.goal else None)


def this_machine() -> str:
    """Say what figures depend on: cores, kind of machine, system and Python."""
    return f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}, Python {platform.python_version()}"


def read(*, folder: Path = FOLDER) -> list[Kept]:
    table = folder / _TABLE
    if not table.exists():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return [Kept(**line) for line in csv.DictReader(file)]


def keep(
    measured: Iterable[Row], day: str, machine: str, *, folder: Path = FOLDER, whole: bool = False
) -> None:
    """Put what was measured in the place of what was kept of the same, and make the page anew.

    A ``whole`` run of all benchmarks keeps no other figures: no benchmark measures them any longer.
    """
    lines = {} if whole else {(line.what, line.yardstick): line for line in read(folder=folder)}
    lines |= {(row.what, row.yardstick): _kept(row, day, machine) for row in measured}
    ordered = sorted(lines.values(), key=_order)
    with (folder / _TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [one.name for one in fields(Kept)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(line) for line in ordered)
    (folder / PAGE.name).write_text(page(ordered), encoding="utf-8")


def page(lines: Iterable[Kept]) -> str:
    rows = [(line, line.row) for line in lines]
    table = [("what", "yardstick", "ratio (quartiles)", "goal", "met", "measured", "on"), ("---",) * 7]
    table += [
        (row.what, row.yardstick, line.text, _whole(row.aim), row.met, line.day, line.machine)
        for line, row in rows
    ]
    short = [
        f"- {r.what}: {line.text} ({r.yardstick}), goal {_whole(r.aim)}" for line, r in rows if r.met == "no"
    ]
    shortfalls = short or ["Nothing of what was measured."]
    parts = [
        _HEAD,
        *(f"| {' | '.join(line)} |" for line in table),
        "\n## What falls short\n",
        *shortfalls,
        _UNMEASURED,
    ]
    return "\n".join(parts)


def _whole(aim: str) -> str:
    """Keep a goal on one line."""
    return aim.replace(" ", "\N{NO-BREAK SPACE}")


def _kept(row: Row, day: str, machine: str) -> Kept:
    ratio = row.ratio
    swings = ratio.low != ratio.high
    return Kept(
        what=row.what.strip(),
        yardstick=row.yardstick,
        median=f"{ratio.median:.4g}",
        low=f"{ratio.low:.4g}" if swings else "",
        high=f"{ratio.high:.4g}" if swings else "",
        goal="" if row.goal is None else f"{row.goal:g}",
        day=day,
        machine=machine,
    )


def _order(line: Kept) -> tuple[bool, int, str, str]:
    """Sort by the number of the goal; what has none comes last."""
    number = line.what.partition(" ")[0].removeprefix("P")
    return not number.isdigit(), int(number) if number.isdigit() else 0, line.what, line.yardstick


if __name__ == "__main__":
    PAGE.write_text(page(read()), encoding="utf-8")
