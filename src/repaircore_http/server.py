"""Gunicorn that takes nothing from the working directory: ``python -P -m repaircore_http.server``.

Gunicorn's own program puts the working directory first in the import path, and runs a ``gunicorn.conf.py`` found there.
Thus anyone who can write to the folder where a server is started could run code with the server's secrets.

The processes of a service also start here. Each is started by the one above it in this table, and both notice when the
other dies.

| process | holds | ends | its death is noticed by |
| --- | --- | --- | --- |
| master: ``repaircore serve`` becomes it | the listener | when it is told to, after all others | whoever started it |
| workers, forked by it | the listener, connections, databases | with the master; otherwise it is replaced | the master, at once |
| jobs, one process forked by it | databases | with the master; otherwise it is restarted | the master, at once |
| readers of images and documents, started by a worker or the jobs | one file at a time | with the socket to its parent | the process that uses it |

docs/explanation/processes.md says more. SIGINT and SIGTERM are blocked by the program that starts this one
(``repaircore serve``), and unblocked once gunicorn handles them; the same holds for the processes that this one starts.
"""

import gc
import linecache
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, NoReturn

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from typing_extensions import override

from repaircore.failure_text import error_json, error_text
from repaircore.job_process import run_jobs
from repaircore.json_text import pretty
from repaircore.logs import configure_logging
from repaircore.mapped_pages import release_library_pages
from repaircore.prctl import name_process, refuse_huge_pages, return_large_blocks, signal_on_parent_death
from repaircore.settings import ANNOUNCEMENT, Settings
from repaircore_http.core import EXTENSION
from repaircore_http.draining import STOP_SIGNALS, STOPPING
from repaircore_http.fast_path.heap_holes import occupy_free_blocks

JOBS: Final = "--jobs"
"""The argument that makes the master run the background jobs."""
JSON: Final = "--json"
"""The argument that makes the server print a startup failure as JSON."""
JOBS_NAME: Final = "repaircore-jobs"
"""The name of the jobs process, which otherwise looks like a worker."""

_SHORTEST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_GRACE: Final = 12.0
"""Seconds from SIGTERM to SIGKILL for the jobs; they interrupt themselves a bit earlier (``repaircore_cli.jobs``)."""

_POLL_PAUSE: Final = 0.05

_log = logging.getLogger("repaircore.jobs")


def next_pause(before: float, lasted: float) -> float:
    """Return the seconds until the next restart: twice the last pause, or the shortest one if the jobs ran for long."""
    if lasted >= _LONGEST_PAUSE:
        return _SHORTEST_PAUSE
    return min(_LONGEST_PAUSE, max(_SHORTEST_PAUSE, 2 * before))


def describe_exit(status: int) -> str:
    """Return how the jobs ended, in words, given an exit status or a negative signal number."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"were killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"were killed by signal {-status}"


@contextmanager
def _signals_blocked(*others: signal.Signals) -> Iterator[None]:
    """Block signals in the ``with`` block; a process that starts there keeps them blocked until it unblocks them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*STOP_SIGNALS, *others))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Jobs:
    """The process of the background jobs, which the master forks like the workers; no jobs run if ``work`` is None.

    It is a fork, so that it shares what the master has loaded.
    """

    def __init__(self, work: Callable[[], None] | None) -> None:
        self._work = work
        self._pid: int | None = None
        self._starts_at = self._started_at = 0.0
        self._pause = 0.0
        self._killed_at: float | None = None

    def keep(self) -> None:
        """Start the process if it is not running and the pause since it last ended, if any, is over."""
        if self._work is not None and self._pid is None and time.monotonic() >= self._starts_at:
            self._start(self._work)

    def reap(self) -> None:
        """If the process has ended, schedule its restart; call this before anything else waits for all children."""
        status = self._status()
        if status is None:
            return
        self._pid = None
        if self._killed_at is None:
            now = time.monotonic()
            self._pause = next_pause(self._pause, now - self._started_at)
            self._starts_at = now + self._pause
            _log.error(
                "The background jobs %s and will restart in %.0f s.", describe_exit(status), self._pause
            )

    def terminate(self) -> None:
        """Tell the process to end, and do not start another one."""
        self._work = None
        self.reap()  # otherwise its id may have been reused by now
        if self._pid is not None and self._killed_at is None:
            self._killed_at = time.monotonic() + _GRACE
            os.kill(self._pid, signal.SIGTERM)

    def wait(self) -> None:
        """Wait until the process has ended, and kill it after a grace period."""
        if self._pid is None or self._killed_at is None:
            return
        while self._status() is None:
            if time.monotonic() >= self._killed_at:
                _log.warning("The background jobs did not end within %.0f s and are being killed.", _GRACE)
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                break
            time.sleep(_POLL_PAUSE)
        self._pid = None

    def _status(self) -> int | None:
        """Return the exit status of the process (negative for a signal), or None if it is running or there is none."""
        if self._pid is None:
            return None
        try:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
        except ChildProcessError:  # something else has already waited for it
            return 0
        return os.waitstatus_to_exitcode(status) if pid else None

    def _start(self, work: Callable[[], None]) -> None:
        master = os.getpid()
        # SIGHUP reloads the server, and would end the jobs, which are in its process group.
        with _signals_blocked(signal.SIGHUP):
            self._pid = os.fork()
            if self._pid == 0:
                # This applies until the process watches its parent itself.
                signal_on_parent_death(signal.SIGKILL)
                if os.getppid() == master:
                    _run_and_exit(work)
                os._exit(1)
        self._started_at = time.monotonic()


def _run_and_exit(work: Callable[[], None]) -> NoReturn:
    """Call ``work`` in a forked process, and exit without the master's cleanup."""
    status = 1
    try:
        name_process(JOBS_NAME)
        for number in {
            *Arbiter.SIGNALS,
            signal.SIGCHLD,
        }:  # the master's handlers only fill a queue that nothing reads here
            signal.signal(number, signal.SIG_DFL)
        with open(os.devnull, "r+b") as nothing:  # noqa: PTH123 - only errors are shown
            os.dup2(nothing.fileno(), 0)
            os.dup2(nothing.fileno(), 1)
        work()
        status = 0
    except SystemExit as end:
        if isinstance(end.code, str):
            _log.error("%s", end.code)
        else:
            status = end.code or 0
    except BaseException:  # noqa: BLE001 - it is logged, and the process ends
        _log.exception("The background jobs failed.")
    finally:
        logging.shutdown()
        os._exit(status)


class Master(Arbiter):  # type: ignore[misc] # gunicorn has no types
    """Gunicorn's master, which also keeps the jobs running, and whose new workers lose no signal.

    It blocks signals until a worker has its handlers. Until then, a new worker has the master's handlers, which would
    put a signal into a queue that nothing reads; the worker would keep serving until the master kills it.
    """

    def __init__(self, app: Any, *, has_jobs: bool) -> None:
        super().__init__(app)
        self._jobs = Jobs(self._run_jobs if has_jobs else None)

    @override
    def spawn_worker(self) -> Any:
        with _signals_blocked(signal.SIGHUP):
            return super().spawn_worker()

    @override
    def manage_workers(self) -> None:
        super().manage_workers()
        self._jobs.keep()

    @override
    def reap_workers(self) -> None:
        self._jobs.reap()
        super().reap_workers()

    @override
    def signal(self, sig: int, frame: Any) -> None:
        """Queue a signal; workers, which may have received it, too, see at once that the whole server is stopping."""
        if sig in STOP_SIGNALS:
            self._begin_to_stop()
        super().signal(sig, frame)

    def _run_jobs(self) -> None:
        """Run the jobs in this forked process, without the master's listeners."""
        for listener in self.LISTENERS:
            listener.sock.close()
        for worker in self.WORKERS.values():
            worker.tmp.close()
        served = self.app.wsgi().extensions[EXTENSION]
        # In a thread, which has its own heap: in this one, the database would fill gaps between shared objects, which
        # would copy 8 MB.
        with ThreadPoolExecutor(1) as reader:
            obstacles = reader.submit(served.ready).result()
        for obstacle in obstacles:
            sys.exit(f"The background jobs cannot run: {obstacle}")
        run_jobs(served, parent=self.pid)

    def _begin_to_stop(self) -> None:
        if (
            self.reexec_pid == self.master_pid == 0 and not self.systemd
        ):  # otherwise others listen on the same socket
            STOPPING.begin()

    @override
    def stop(self, graceful: bool = True) -> None:
        """End the workers and the jobs at the same time, each within its deadline."""
        self._begin_to_stop()
        self._jobs.terminate()
        super().stop(graceful)
        self._jobs.wait()


class _WithoutGenerated(dict[str, Any]):
    """The lines of source files, except those of methods that attrs generates: 8 MB that only debuggers need."""

    @override
    def setdefault(self, key: str, default: Any = None) -> Any:
        return default


class Server(BaseApplication):  # type: ignore[misc] # gunicorn has no types
    """The service in gunicorn, configured by its arguments and by ``GUNICORN_CMD_ARGS``; a ``--config`` is not read.

    With ``--jobs``, it also runs the background jobs. Errors that prevent its start are printed as the command line
    prints them, or as JSON with ``--json``.
    """

    def __init__(self, prog: str) -> None:
        self._has_jobs, self._as_json = JOBS in sys.argv, JSON in sys.argv
        self._arguments = [argument for argument in sys.argv[1:] if argument not in {JOBS, JSON}]
        super().__init__(prog=prog)

    @override
    def load_config(self) -> None:
        parser = self.cfg.parser()
        for arguments in (self.cfg.get_cmd_args_from_env(), self._arguments):
            for name, value in vars(parser.parse_args(arguments)).items():
                if value is not None and name != "args":
                    self.cfg.set(name.lower(), value)
        self.cfg.set("when_ready", _unblock_signals_and_announce)

    @override
    def load(self) -> Any:
        """Return the application, which has nothing open: with ``--preload``, workers are forked after it is loaded."""
        # The command line of httpx, which it would import, takes 8 MB.
        sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # documented: it cannot be imported
        linecache.cache = _WithoutGenerated(linecache.cache)
        from repaircore_http.wsgi import make_app  # noqa: PLC0415 - the rest of this module needs few imports

        try:
            app = make_app()
        except Exception as error:  # noqa: BLE001 - whoever starts a server gets a sentence, never a traceback
            sys.stderr.write(
                pretty(error_json(error), is_ascii=True) + "\n" if self._as_json else error_text(error)
            )
            sys.exit(1)
        gc.collect()
        gc.freeze()  # otherwise the first collection of a worker would copy what it shares
        release_library_pages()  # 12 MB, most of which is never read again
        self._occupied = occupy_free_blocks()
        return app

    @override
    def run(self) -> None:
        """Serve until a signal ends the server."""
        settings = Settings.from_env(os.environ)
        configure_logging(settings.log_format, settings.log_level)
        return_large_blocks()
        refuse_huge_pages()
        try:
            Master(self, has_jobs=self._has_jobs).run()
        except RuntimeError as error:
            sys.exit(f"Error: {error}")


def _unblock_signals_and_announce(_arbiter: Any) -> None:
    """Print the announcement, but unblock signals first: whoever reads it may send one at once."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    sys.stdout.write(os.environ.pop(ANNOUNCEMENT, ""))
    sys.stdout.flush()


if __name__ == "__main__":
    Server(prog="repaircore").run()
