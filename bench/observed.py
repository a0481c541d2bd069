"""What it costs to be watched: the server with metrics, with a line for each request, with both, against itself without.

CPU seconds of the server per remembered prediction, as P1 is measured.
"""

import os
from contextlib import ExitStack

from bench.installation import installation
from bench.served import clients, flood, served
from bench.server import _APP, _asks, _cpu_ratio
from bench.table import Row, print_table

__all__ = ["rows"]

_WATCHED = {
    "metrics": {"REPAIRCORE_METRICS": "on"},
    "a line for each request": {"REPAIRCORE_ACCESS_LOG": "on"},
    "both": {"REPAIRCORE_METRICS": "on", "REPAIRCORE_ACCESS_LOG": "on"},
}


def rows(*, rounds: int = 7, each: int = 400) -> list[Row]:
    found = []
    with clients(8) as pool:
        pool.submit(os.getpid).result()  # fork the clients before anything else is open
        for name, settings in _WATCHED.items():
            with ExitStack() as stack:
                plain, watched = stack.enter_context(installation()), stack.enter_context(installation())
                environ = {**watched.environ, **settings}
                bare = stack.enter_context(served(_APP, plain.environ, plain.folder / "app.log"))
                app = stack.enter_context(served(_APP, environ, watched.folder / "app.log"))
                for server, made in ((app, watched), (bare, plain)):
                    flood(server.port, _asks(made)[0], 1.0, (200, 503))  # a slow machine computes for a while
                ratio = _cpu_ratio(pool, name, (app, _asks(watched)), (bare, _asks(plain)), rounds, each)
            found.append(Row(f"remembered predict over HTTP with {name}", "without, CPU", ratio, 1.05))
    return found


if __name__ == "__main__":
    print_table(rows())
