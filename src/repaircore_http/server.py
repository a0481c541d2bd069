"""Gunicorn with nothing taken from the working directory: ``python -P -m repaircore_http.server``.

Gunicorn's own program puts the working directory before everything else that can be imported, and runs a
``gunicorn.conf.py`` that lies there. Whoever can write into the folder that a server is started in would have their
Python run with the server's secrets.

Until gunicorn listens to them, SIGINT and SIGTERM wait: whoever starts this program blocks them (``repaircore serve``).
"""

import os
import signal
import sys
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from typing_extensions import override

from repaircore.settings import ANNOUNCEMENT
from repaircore_http.draining import ENDINGS


class Master(Arbiter):  # type: ignore[misc] # gunicorn has no types
    """Gunicorn's master, whose workers lose no signal: one that comes before a worker listens waits until it does.

    A new worker has the master's handlers until it has its own. They would put a signal into a queue that nobody reads any
    more, and the worker would serve on until the master's patience ends.
    """

    @override
    def spawn_worker(self) -> Any:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Server(BaseApplication):  # type: ignore[misc] # gunicorn has no types
    """The service in gunicorn, configured by the command line and, under it, by ``GUNICORN_CMD_ARGS``; a ``--config`` is not read."""

    @override
    def load_config(self) -> None:
        parser = self.cfg.parser()
        for arguments in (self.cfg.get_cmd_args_from_env(), sys.argv[1:]):
            for name, value in vars(parser.parse_args(arguments)).items():
                if value is not None and name != "args":
                    self.cfg.set(name.lower(), value)
        self.cfg.set("when_ready", _hear_signals)

    @override
    def load(self) -> Any:
        """Return the application; called in each worker."""
        from repaircore_http.wsgi import make_app  # noqa: PLC0415 - workers load it, the master stays small

        return make_app()

    @override
    def run(self) -> None:
        """Serve until a signal ends it."""
        try:
            Master(self).run()
        except RuntimeError as failure:
            sys.exit(f"Error: {failure}")


def _hear_signals(_arbiter: Any) -> None:
    """Listen to signals, and only then say that the server listens: whoever reads that may send one at once."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
    sys.stdout.write(os.environ.pop(ANNOUNCEMENT, ""))
    sys.stdout.flush()


if __name__ == "__main__":
    Server(prog="repaircore").run()
