"""What benchmarks measured is kept, and the page is made of it."""

import os
import sys
from pathlib import Path

import pytest
from bench.kept import PAGE, Kept, keep, page, read, this_machine
from bench.table import Ratio, Row, exactly

_EARLIER = Kept(
    what="P2 an answer",
    yardstick="nothing",
    median="3",
    low="2.5",
    high="3.5",
    goal="2",
    day="2026-01-01",
    machine="an old machine",
)


def _kept_in(folder: Path, *measured: Row) -> list[Kept]:
    keep(measured, "2026-02-02", "a new machine", folder=folder)
    return read(folder=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    keep([_EARLIER.row], _EARLIER.day, _EARLIER.machine, folder=tmp_path)
    return tmp_path


def test_page_is_made_of_the_figures_that_are_kept() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(read()), "run: python -m bench.kept"


def test_every_figure_has_its_day_its_machine_and_a_yardstick() -> None:
    assert [line for line in read() if not (line.day and line.machine and line.yardstick)] == []


def test_figures_of_two_machines_are_told_apart(folder: Path) -> None:
    kept = _kept_in(folder, Row("P1 a start", "nothing", exactly(9.0)))
    assert [line.machine for line in kept] == ["a new machine", "an old machine"]
    result = (folder / PAGE.name).read_text(encoding="utf-8")
    assert "| 2026-02-02 | a new machine |" in result
    assert "| 2026-01-01 | an old machine |" in result


def test_machine_is_told_with_its_cores_and_its_python() -> None:
    result = this_machine()
    assert result.startswith(f"{os.cpu_count()} cores, ")
    assert result.endswith("Python {}.{}.{}".format(*sys.version_info))


def test_what_is_measured_again_takes_its_place_and_the_rest_stays(folder: Path) -> None:
    again = Row("P2 an answer", "nothing", Ratio(1.5, 1.0, 2.0), 2)
    other = Row("P10 a search", "another", exactly(4))
    first = Row("P1 a start", "nothing", Ratio(9.0, 8.0, 9.5))
    assert [(line.what, line.text, line.day) for line in _kept_in(folder, other, first)] == [
        ("P1 a start", "9.00 (8.00-9.50)", "2026-02-02"),
        ("P2 an answer", "3.00 (2.50-3.50)", "2026-01-01"),
        ("P10 a search", "4.00", "2026-02-02"),
    ]
    assert [line.text for line in _kept_in(folder, again)][1] == "1.50 (1.00-2.00)"


def test_what_misses_its_goal_is_said_to_fall_short(folder: Path) -> None:
    result = (folder / PAGE.name).read_text(encoding="utf-8").partition("## What falls short")[2]
    assert "P2 an answer: 3.00" in result
    _kept_in(folder, Row("P2 an answer", "nothing", Ratio(1.5, 1.0, 2.0), 2))
    result = (folder / PAGE.name).read_text(encoding="utf-8").partition("## What falls short")[2]
    assert "P2 an answer" not in result
