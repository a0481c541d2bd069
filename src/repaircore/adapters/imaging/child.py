"""The process that looks at images, as its parent sees it."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from repaircore.adapters.imaging.wire import Closed, receive, receive_bytes, send

_PROGRAM: Final = "repaircore.adapters.imaging.program"
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")
"""Of the environment the child gets no more: it may fall to an image, and the rest holds secrets."""


class Child:
    """A running child; whoever made it ends it, and it ends by itself when its parent does.

    ``alive`` tells whether it may be asked on. A fork's copy of it is not its to ask: see ``is_ours``.
    """

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter, a program of ours
                [sys.executable, "-P", "-m", _PROGRAM, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=_environment(),
                start_new_session=True,
            )
        self._socket = ours
        self._parent = os.getpid()
        self._until = 0.0

    @property
    def is_ours(self) -> bool:
        """Tell whether this process started it."""
        return self._parent == os.getpid()

    @property
    def pid(self) -> int:
        """Give its process number."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Tell whether it runs."""
        return self._process.poll() is None

    def open(self, descriptor: int, *, seconds: float) -> dict[str, Any]:
        """Give it a file, and so many seconds in all for whatever is asked about it.

        Raises:
            Closed: it is gone, or says nonsense.
            TimeoutError: the time is up.
        """
        self._until = time.monotonic() + seconds
        try:
            self._socket.settimeout(self._remaining())
            socket.send_fds(self._socket, [b"f"], [descriptor])
        except TimeoutError:
            raise
        except OSError:
            raise Closed from None
        return receive(self._socket, self._remaining)

    def ask(self, what: str) -> dict[str, Any]:
        """Ask something about the open file; raises as ``open`` does."""
        self._socket.settimeout(self._remaining())
        send(self._socket, {"ask": what})
        return receive(self._socket, self._remaining)

    def ask_bytes(self, what: str) -> bytes:
        """Ask for bytes; raises as ``open`` does."""
        self._socket.settimeout(self._remaining())
        send(self._socket, {"ask": what})
        return receive_bytes(self._socket, self._remaining)

    def done(self) -> None:
        """Let it forget the open file; raises as ``open`` does."""
        self._socket.settimeout(self._remaining())
        send(self._socket, {"ask": "close"})

    def end(self) -> None:
        """End it at once; in a fork's copy only the copy of the connection is let go."""
        self._socket.close()
        if self.is_ours:
            self._process.kill()
            self._process.wait()

    def _remaining(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def _import_path() -> list[str]:
    """Return where this process imports from, without the working directory, which others may write to.

    Python itself puts it there for ``python -m``. It stays when the package itself lies in it.
    """
    here, home = Path.cwd(), Path(__file__).resolve().parents[3]
    return [path for path in sys.path if path and (Path(path) == home or Path(path).resolve() != here)]


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(_import_path()),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
    }
