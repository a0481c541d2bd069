"""What it costs to be watched: a cached prediction with metrics, with a line of the log, with both, against neither.

CPU of the process, by calling the application as a server does, the two taking turns; figures go to files that workers
share, lines to a file. Behind gunicorn a request takes a multiple of that, and its share is smaller.
"""

import io
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.installation import Installation, installation
from bench.table import Row, print_table, ratio_of, tell
from repaircore.adapters.metrics.shared import share
from repaircore.core import build
from repaircore.settings import Settings
from repaircore_http.service import serve_core

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


_WATCHED = {
    "metrics": {"REPAIRCORE_METRICS": "on"},
    "a line of the log": {"REPAIRCORE_ACCESS_LOG": "on"},
    "both": {"REPAIRCORE_METRICS": "on", "REPAIRCORE_ACCESS_LOG": "on"},
}
_PLAIN: dict[str, str] = {}


def rows(*, rounds: int = 31, each: int = 200) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        share(Path(folder), reset=True)  # before what keeps figures is imported
        return _rows(rounds, each)


def _rows(rounds: int, each: int) -> list[Row]:
    with installation() as made:
        plain, asked = _app(made, _PLAIN), _asked(made)
        apps = {name: _app(made, settings) for name, settings in _WATCHED.items()}
        taken: dict[str, list[float]] = {name: [] for name in ("plain", *apps)}
        with Path(os.devnull).open("wb") as nowhere, _standard_error_to(nowhere.fileno()):
            for app in (plain, *apps.values()):
                _cpu(app, asked, each)
            for _ in range(rounds):
                taken["plain"].append(_cpu(plain, asked, each))
                for name, app in apps.items():
                    taken[name].append(_cpu(app, asked, each))
    for name, figures in taken.items():
        tell(f"observed: {name}: {sorted(figures)[rounds // 2] * 1e6:.0f} µs")
    return [
        Row(f"cached predict in process, with {name}", "without", ratio_of(taken[name], taken["plain"]))
        for name in apps
    ]


class _standard_error_to:  # noqa: N801 - a context, read as words
    """Have what is written to standard error go elsewhere for a while."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._own = os.dup(2)

    def __enter__(self) -> None:
        os.dup2(self._fd, 2)

    def __exit__(self, *_: object) -> None:
        os.dup2(self._own, 2)
        os.close(self._own)


def _app(made: Installation, settings: dict[str, str]) -> "WSGIApplication":
    core = build(Settings.from_env({**made.environ, **settings}))
    core.prepare()
    return serve_core(core)


def _asked(made: Installation) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/api/v1/predict",
        "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "HTTP_HOST": "127.0.0.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_AUTHORIZATION": f"Bearer {made.keys[0]}",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(made.body)),
        "wsgi.url_scheme": "http",
        "body": made.body,
    }


def _cpu(app: "WSGIApplication", asked: dict[str, Any], times: int) -> float:
    """Give the seconds of CPU that a request takes."""

    def start(status: str, _headers: list[tuple[str, str]], _failed: Any = None) -> Any:
        if not status.startswith("200"):
            raise RuntimeError(status)

    before = time.process_time()
    for _ in range(times):
        b"".join(app({**asked, "wsgi.input": io.BytesIO(asked["body"])}, start))
    return (time.process_time() - before) / times


if __name__ == "__main__":
    print_table(rows())
