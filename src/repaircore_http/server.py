"""Gunicorn that takes nothing from the working directory: ``python -P -m repaircore_http.server``.

Gunicorn's own program puts the working directory before everything else that can be imported, and runs a
``gunicorn.conf.py`` that lies there. Anyone who can write into the folder that a server is started in could run their
Python with the server's secrets.

SIGINT and SIGTERM are blocked by the program that starts this one (``repaircore serve``), and unblocked once gunicorn handles them.
"""

import os
import signal
import sys
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from typing_extensions import override

from repaircore.settings import ANNOUNCEMENT
from repaircore_http.draining import STOP_SIGNALS


class Master(Arbiter):  # type: ignore[misc] # gunicorn has no types
    """Gunicorn's master, whose new workers lose no signal: it blocks them until the worker has its handlers.

    Until then a new worker has the master's handlers, which would put the signal into a queue that nobody reads any
    more; the worker would serve on until the master kills it.
    """

    @override
    def spawn_worker(self) -> Any:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            return super().spawn_worker()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Server(BaseApplication):  # type: ignore[misc] # gunicorn has no types
    """The service in gunicorn, configured by its arguments and by ``GUNICORN_CMD_ARGS``; a ``--config`` is not read."""

    @override
    def load_config(self) -> None:
        parser = self.cfg.parser()
        for arguments in (self.cfg.get_cmd_args_from_env(), sys.argv[1:]):
            for name, value in vars(parser.parse_args(arguments)).items():
                if value is not None and name != "args":
                    self.cfg.set(name.lower(), value)
        self.cfg.set("when_ready", _unblock_signals_and_announce)

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
        except RuntimeError as error:
            sys.exit(f"Error: {error}")


def _unblock_signals_and_announce(_arbiter: Any) -> None:
    """Unblock signals before the announcement: whoever reads it may send one at once."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    sys.stdout.write(os.environ.pop(ANNOUNCEMENT, ""))
    sys.stdout.flush()


if __name__ == "__main__":
    Server(prog="repaircore").run()
