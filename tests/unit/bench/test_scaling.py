"""The calculation of machines and connections, and the page that shows it."""

from pathlib import Path

import pytest
from bench.scaling import Shape, connections, table

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "scaling-out.md"
COMMAND = "python -m bench.scaling --milliseconds 1.2 --cores 2"


def test_page_shows_what_the_program_prints() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert COMMAND in text
    printed = "\n".join(table(Shape(rate=1, machines=1, cores=2, cpu=0.0012)))
    assert printed in text, f"run {COMMAND} and put what it prints into the page"


@pytest.mark.parametrize(("machines", "workers", "expected"), [(1, 2, 12), (1, 4, 20), (2, 4, 24)])
def test_connections_include_each_machines_jobs(machines: int, workers: int, expected: int) -> None:
    assert connections(machines=machines, workers=workers) == expected
