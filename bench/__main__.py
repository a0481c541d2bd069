"""Run the benchmarks and print one table: ``python -m bench [SUBJECT …]``."""

import sys
from importlib import import_module

from bench.table import Row, print_table

_SUBJECTS = ("library", "hot_reads", "rate_windows", "startup", "estimator", "server")


def main(named: list[str]) -> None:
    unknown = sorted(set(named) - set(_SUBJECTS))
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(_SUBJECTS)}.")
    rows: list[Row] = []
    for subject in named or _SUBJECTS:
        rows += import_module(f"bench.{subject}").rows()
    print_table(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
