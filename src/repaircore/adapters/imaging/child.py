"""A child process that reads untrusted files, as seen by its parent."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from repaircore.adapters.imaging.messages import Closed, receive, receive_bytes, send

VIN_PROGRAM: Final = "repaircore.adapters.imaging.program"
_PASSED_VARIABLES: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")
"""The only environment variables that the child gets: an image may take it over, and others may contain secrets."""


class Child:
    """A running child process. Its creator must end it; it also exits when its parent does.

    A forked process must not use its parent's child: see ``is_ours``.
    """

    def __init__(self, program: str = VIN_PROGRAM) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and program
                [sys.executable, "-P", "-m", program, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=child_environment(),
                start_new_session=True,
            )
        self._socket = ours
        self._parent = os.getpid()
        self._until = 0.0

    @property
    def is_ours(self) -> bool:
        """Whether this process started the child."""
        return self._parent == os.getpid()

    @property
    def pid(self) -> int:
        """The child's process ID."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the child is running."""
        return self._process.poll() is None

    def open(self, descriptor: int, *, seconds: float) -> dict[str, Any]:
        """Send the child a file, and return its first message; ``seconds`` limits all requests about the file together.

        Raises:
            Closed: the child has exited, or sent an invalid message.
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

    def grant(self, seconds: float) -> None:
        """Replace the time limit: from now on, the remaining requests about the open file share ``seconds``."""
        self._until = time.monotonic() + seconds

    def request(self, name: str) -> dict[str, Any]:
        """Send a request about the open file and return the reply; raise as ``open`` does."""
        self._socket.settimeout(self._remaining())
        send(self._socket, {"ask": name})
        return receive(self._socket, self._remaining)

    def request_bytes(self, name: str) -> bytes:
        """Send a request and return the bytes of the reply; raise as ``open`` does."""
        self._socket.settimeout(self._remaining())
        send(self._socket, {"ask": name})
        return receive_bytes(self._socket, self._remaining)

    def done(self) -> None:
        """Ask the child to close the open file; raise as ``open`` does."""
        self._socket.settimeout(self._remaining())
        send(self._socket, {"ask": "close"})

    def end(self) -> None:
        """Kill the child; in a forked process, only close the copy of the connection."""
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
    """Return the import path of this process without the working directory, which others may write to.

    ``python -m`` puts it there. It stays if it contains the package itself.
    """
    here, home = Path.cwd(), Path(__file__).resolve().parents[3]
    return [path for path in sys.path if path and (Path(path) == home or Path(path).resolve() != here)]


def child_environment() -> dict[str, str]:
    """Return the environment variables for a child, without any secrets."""
    passed = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
    return {
        **passed,
        "PYTHONPATH": os.pathsep.join(_import_path()),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
    }
