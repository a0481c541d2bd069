"""Run every benchmark (or those named) and print one table: ``python -m bench [--keep] [name …]``.

``--keep`` also keeps the figures in docs/reference/performance.md. A benchmark is a module of this folder with ``rows()``. The beginning of its name will do.
``python -m bench quality`` measures how good estimates are, not how quick, ``python -m bench learning`` how they become so, ``python -m bench visits`` how often the range of a visit holds, ``python -m bench quotes`` how well quotes are read, ``python -m bench exports`` how files of shops are understood, and ``python -m bench lines`` lines alone, with a model that ``python -m bench line_weights`` trains; ``--help`` tells their options.
"""

import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from bench.kept import keep, this_machine
from bench.table import Row, print_table, tell


def _rows(named: list[str]) -> list[Row]:
    # Others, such as the applications to be served, are not imported: only what has rows to give.
    texts = {path.stem: path.read_text() for path in Path(__file__).parent.glob("*.py")}
    names = sorted(name for name, text in texts.items() if "\ndef rows(" in text)
    if unknown := [name for name in named if not any(known.startswith(name) for known in names)]:
        sys.exit(f"No such benchmark: {', '.join(unknown)}; there are {', '.join(names)}")
    rows: list[Row] = []
    for name in names:
        if not named or name.startswith(tuple(named)):
            tell(name)
            rows += import_module(f"bench.{name}").rows()
    return rows


# What these measure are no ratios, and they take options of their own.
_COMMANDS = {
    "quality": "bench.quality.command",
    "learning": "bench.quality.learning",
    "visits": "bench.visits",
    "quotes": "bench.quotes",
    "exports": "bench.shop_exports.command",
    "lines": "bench.job_lines",
    "line_weights": "bench.line_weights",
}


if __name__ == "__main__":
    named = sys.argv[1:]
    if named and named[0] in _COMMANDS:
        import_module(_COMMANDS[named[0]]).main(named[1:])
        sys.exit()
    only = [name for name in named if name != "--keep"]
    measured = _rows(only)
    print_table(measured)
    if "--keep" in named:
        keep(measured, f"{datetime.now(UTC):%Y-%m-%d}", this_machine(), whole=not only)
