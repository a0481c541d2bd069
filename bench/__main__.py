"""Run every benchmark (or those named) and print one table: ``python -m bench [name …]``.

A benchmark is a module of this folder with ``rows()``.
"""

import sys
from importlib import import_module
from pathlib import Path

from bench.table import Row, print_table


def _rows(named: set[str]) -> list[Row]:
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    if unknown := named - set(names):
        sys.exit(f"No such benchmark: {', '.join(sorted(unknown))}")
    modules = [
        import_module(f"bench.{name}")
        for name in names
        if name != "__main__" and (not named or name in named)
    ]
    return [row for module in modules if hasattr(module, "rows") for row in module.rows()]


print_table(_rows(set(sys.argv[1:])))
