"""P6: what starting the command line costs (docs/decisions/quick-start.md)."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable

from bench.table import Row, interleaved, print_table, ratio_of

_PROGRAM = "from repaircore_cli.main import run; run()"


def _starting(code: str, *arguments: str, **variables: str) -> Callable[[], object]:
    command = [sys.executable, "-c", code, *arguments]
    environ = {**os.environ, **variables}
    return lambda: subprocess.run(command, env=environ, check=True, capture_output=True)


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/shop.db"
        asked = ("predict", "1HGCM82633A004352", "90210", "brake-pads-front")
        nothing, typer, pydantic, help_, cached = interleaved(
            _starting("pass"),
            _starting("import typer"),
            _starting("import pydantic"),
            _starting(_PROGRAM, "--help"),
            _starting(_PROGRAM, *asked, REPAIRCORE_DATABASE_URL=database),
            rounds=8,
            times=1,
        )
    yardstick = "python -c pass"
    return [
        Row("import typer", yardstick, ratio_of(typer, nothing)),
        Row("import pydantic", yardstick, ratio_of(pydantic, nothing)),
        Row("P6 repaircore --help", yardstick, ratio_of(help_, nothing), 6),
        Row("P6 repaircore predict, cached", yardstick, ratio_of(cached, nothing), 13),
    ]


if __name__ == "__main__":
    print_table(rows())
