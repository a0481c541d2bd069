"""Stored benchmark figures, and the page generated from them."""

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


def _record(folder: Path, *rows: Row) -> list[Kept]:
    keep(rows, "2026-02-02", "a new machine", folder=folder)
    return read(folder=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    keep([_EARLIER.row], _EARLIER.day, _EARLIER.machine, folder=tmp_path)
    return tmp_path


def test_page_is_generated_from_the_stored_figures() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(read()), "run: python -m bench.kept"


def test_every_figure_has_a_day_a_machine_and_a_yardstick() -> None:
    assert [line for line in read() if not (line.day and line.machine and line.yardstick)] == []


def test_figures_name_their_machine(folder: Path) -> None:
    lines = _record(folder, Row("P1 a start", "nothing", exactly(9.0)))
    assert [line.machine for line in lines] == ["a new machine", "an old machine"]
    result = (folder / PAGE.name).read_text(encoding="utf-8")
    assert "| 2026-02-02 | a new machine |" in result
    assert "| 2026-01-01 | an old machine |" in result


def test_machine_is_described_by_cores_and_python_version() -> None:
    result = this_machine()
    assert result.startswith(f"{os.cpu_count()} cores, ")
    assert result.endswith("Python {}.{}.{}".format(*sys.version_info))


def test_new_measurement_replaces_only_the_same_figure(folder: Path) -> None:
    again = Row("P2 an answer", "nothing", Ratio(1.5, 1.0, 2.0), 2)
    other = Row("P10 a search", "another", exactly(4))
    first = Row("P1 a start", "nothing", Ratio(9.0, 8.0, 9.5))
    assert [(line.what, line.text, line.day) for line in _record(folder, other, first)] == [
        ("P1 a start", "9.00 (8.00-9.50)", "2026-02-02"),
        ("P2 an answer", "3.00 (2.50-3.50)", "2026-01-01"),
        ("P10 a search", "4.00", "2026-02-02"),
    ]
    assert [line.text for line in _record(folder, again)][1] == "1.50 (1.00-2.00)"


def test_whole_run_drops_figures_that_nothing_measures_any_longer(folder: Path) -> None:
    start = Row("P1 a start", "nothing", exactly(9.0))
    keep([start], "2026-02-02", "a new machine", folder=folder, whole=True)
    assert [line.what for line in read(folder=folder)] == ["P1 a start"]


def test_page_lists_figures_that_miss_their_goal(folder: Path) -> None:
    result = (folder / PAGE.name).read_text(encoding="utf-8").partition("## What falls short")[2]
    assert "P2 an answer: 3.00" in result
    _record(folder, Row("P2 an answer", "nothing", Ratio(1.5, 1.0, 2.0), 2))
    result = (folder / PAGE.name).read_text(encoding="utf-8").partition("## What falls short")[2]
    assert "P2 an answer" not in result
