"""P1, P2, P8, P12: a cached prediction behind gunicorn.

P1, P2 and P8 compare CPU seconds of the server per request; PostgreSQL's own CPU does not count.
P12 compares what the slowest hundredth of callers waits.
"""

import json
import os
import statistics
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack

from bench.installation import Installation, installation, postgres_database
from bench.served import (
    PLAIN_WORKER,
    Served,
    clients,
    cpu_ratio,
    flood,
    latencies,
    load,
    request_bytes,
    served,
)
from bench.table import Row, ratio_of, tell

_APP = "repaircore_http.wsgi:make_app()"
_BARE = "bench.bare:make_app()"
_UNTRACED = "bench.untraced:make_app()"
_CLIENTS = 4
_KEYS = 100
_PATH = "/api/v1/predict"
_LOGIN = "/api/v1/auth/login"
_SECONDS = 3.0


def rows(*, rounds: int = 9, each: int = 1_000) -> list[Row]:
    with clients(2 * _CLIENTS) as pool:
        pool.submit(os.getpid).result()  # fork the clients before anything else is open
        return [*_against_bare(pool, rounds, each), _trace(pool, rounds, each), _flood(pool)]


def _against_bare(pool: ProcessPoolExecutor, rounds: int, each: int) -> list[Row]:
    found = []
    with ExitStack() as stack:
        made = stack.enter_context(installation())
        bare = stack.enter_context(served(_BARE, {}, made.folder / "bare.log", worker=PLAIN_WORKER))
        constant = [request_bytes("GET", "/")]
        app = stack.enter_context(served(_APP, made.environ, made.folder / "app.log"))
        ratio = cpu_ratio(pool, "P1", (app, _asks(made)), (bare, constant), rounds, each)
        found.append(Row("P1 cached predict over HTTP, SQLite", "bare Flask route, CPU", ratio, 1.25))
        url = stack.enter_context(postgres_database())
        if url is None:
            tell("server: P2 is left out, for REPAIRCORE_TEST_POSTGRES_URL names no server")
            return found
        other = stack.enter_context(installation(url))
        app = stack.enter_context(served(_APP, other.environ, made.folder / "postgres.log"))
        ratio = cpu_ratio(pool, "P2", (app, _asks(other)), (bare, constant), rounds, each)
        found.append(Row("P2 cached predict over HTTP, PostgreSQL", "bare Flask route, CPU", ratio, 1.8))
    return found


def _trace(pool: ProcessPoolExecutor, rounds: int, each: int) -> Row:
    with ExitStack() as stack:
        made = stack.enter_context(installation(keys=_KEYS))
        app = stack.enter_context(served(_APP, made.environ, made.folder / "app.log"))
        untraced = stack.enter_context(served(_UNTRACED, made.environ, made.folder / "untraced.log"))
        asks = _asks(made)
        ratio = cpu_ratio(pool, "P8", (app, asks), (untraced, asks), rounds, each)
    return Row(
        f"P8 predict with history and last_used_at, {_KEYS} keys", "without any write, CPU", ratio, 1.1
    )


def _asks(made: Installation) -> list[bytes]:
    return [request_bytes("POST", _PATH, made.body, key) for key in made.keys]


def _flood(pool: ProcessPoolExecutor, *, rounds: int = 7) -> Row:
    idle, flooded = [], []
    with ExitStack() as stack:
        made = stack.enter_context(installation(logins=_CLIENTS))
        app = stack.enter_context(served(_APP, made.environ, made.folder / "app.log"))
        (ask,) = _asks(made)
        load(pool, _CLIENTS, app.port, [ask], 300)
        for number in range(rounds):
            idle.append(_slowest(pool, app, ask))
            floods = [pool.submit(flood, app.port, login, _SECONDS + 0.5) for login in _logins(made)]
            flooded.append(_slowest(pool, app, ask))
            logins = sum(client.result() for client in floods)
            tell(
                f"server: P12 round {number + 1} of {rounds}: {flooded[-1] * 1e3:.2f} ms against"
                f" {idle[-1] * 1e3:.2f}; {logins} logins"
            )
    return Row(
        f"P12 predict, slowest 1% in a flood of logins ({_CLIENTS} clients)",
        "itself when idle",
        ratio_of(flooded, idle),
        3,
    )


def _slowest(pool: ProcessPoolExecutor, app: Served, ask: bytes) -> float:
    """Give the seconds within which 99 of 100 callers are answered, of four that ask at their leisure."""
    asked = [pool.submit(latencies, app.port, ask, _SECONDS, 0.008) for _ in range(_CLIENTS)]
    return statistics.quantiles([taken for client in asked for taken in client.result()], n=100)[-1]


def _logins(made: Installation) -> list[bytes]:
    return [
        request_bytes("POST", _LOGIN, json.dumps({"email": email, "password": password}).encode())
        for email, password in made.logins
    ]
