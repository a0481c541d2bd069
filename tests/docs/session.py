"""A reader's session: one bash in a fresh home, which is given one command after another, and one Python.

Variables, functions, the folder and background jobs last as they do at a prompt, and as there a variable has to be exported
before another program knows it. Nothing is prepared: the home is empty, and of the environment only what any shell has is there.
"""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from attrs import frozen

PATIENCE: Final = 240.0
"""Seconds until a command is given up: none takes more than a few on an idle machine."""
_GRACE: Final = 30.0
"""Seconds in which what runs in the background ends when it is asked to."""
_OF_THE_MACHINE: Final = ("TZ", "TMPDIR", "SSL_CERT_FILE")
_PROMPT: Final = r"""
import contextlib, os, sys, traceback
names = {"__name__": "__main__"}
answers = os.fdopen(int(sys.argv[1]), "w")
for line in sys.stdin:
    source, output, errors = line.rstrip("\n").split("\t")
    status = 0
    with open(output, "w") as out, open(errors, "w") as err:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                exec(compile(open(source).read(), source, "exec"), names)
            except BaseException:
                status = 1
                traceback.print_exc()
    print(status, file=answers, flush=True)
"""
"""Runs one file after another with the same names, as Python's own prompt does."""


@frozen
class Ended:
    """How something ended, and what it printed; no status where it took too long, or ended the session."""

    status: int | None
    printed: str
    errors: str


def fresh_environ(home: Path, programs: Path, source: Path) -> dict[str, str]:
    """Return the environment of somebody who has just logged in, with the programs that were installed."""
    path = os.pathsep.join(
        [str(programs), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    )
    machine = {name: os.environ[name] for name in _OF_THE_MACHINE if name in os.environ}
    installed = {"PATH": path, "PYTHONPATH": str(source)}  # of a checkout; an installation needs none
    return {
        **machine,
        **installed,
        "HOME": str(home),
        "USER": "ada",
        "LANG": "C.UTF-8",
        "COLUMNS": "110",
        "TERM": "xterm",
    }


class Session:
    """A terminal: its bash, and the Python that was started from it."""

    def __init__(self, folder: Path, environ: dict[str, str], scratch: Path) -> None:
        self._folder, self._scratch = folder, scratch
        self._count = 0
        self._shell = _Prompt(["bash", "--noprofile", "--norc", "-o", "pipefail"], folder, environ)
        self._python: _Prompt | None = None

    def run(self, command: str) -> Ended:
        """Run a command in the shell."""
        source, output, errors = self._files(command)
        line = f". {source} >{output} 2>{errors} </dev/null; echo $? >&{self._shell.fd}"
        return Ended(self._shell.tell(line), _read(output), _read(errors))

    def run_python(self, text: str) -> Ended:
        """Run lines of Python, in one process that knows what the shell had exported when it was started."""
        if self._python is None:
            listed = self.run("env -0").printed.split("\0")
            environ = dict(variable.split("=", 1) for variable in listed if variable)
            self._python = _Prompt([sys.executable, "-c", _PROMPT], self._folder, environ, numbered=True)
        source, output, errors = self._files(text)
        return Ended(self._python.tell(f"{source}\t{output}\t{errors}"), _read(output), _read(errors))

    def close(self) -> None:
        """End both, and all that they have started."""
        for prompt in filter(None, (self._python, self._shell)):
            prompt.close()

    def _files(self, text: str) -> tuple[Path, Path, Path]:
        self._count += 1
        source = self._scratch / f"{self._count}.in"
        source.write_text(text + "\n", encoding="utf-8")
        return source, source.with_suffix(".out"), source.with_suffix(".err")


class _Prompt:
    """A program that does one line after another, and writes a status for each to a pipe of its own."""

    def __init__(
        self, command: list[str], folder: Path, environ: dict[str, str], *, numbered: bool = False
    ) -> None:
        self._answers, self.fd = os.pipe()
        self._process = subprocess.Popen(  # noqa: S603 - the page says what runs
            [*command, str(self.fd)] if numbered else command,
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(self.fd,),
            start_new_session=True,
        )
        os.close(self.fd)

    def tell(self, line: str) -> int | None:
        """Have a line done and return its status."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        said = b""
        deadline = time.monotonic() + PATIENCE
        while not said.endswith(b"\n"):
            # What runs in the background has the pipe, too: its end says nothing about the prompt.
            ready, _, _ = select.select([self._answers], [], [], 0.5)
            said += os.read(self._answers, 64) if ready else b""
            if not said and (self._process.poll() is not None or time.monotonic() > deadline):
                return None
        return int(said)

    def close(self) -> None:
        """End the program, and all that it has started."""
        assert self._process.stdin is not None
        end_group(self._process)
        self._process.stdin.close()
        os.close(self._answers)


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """Ask a process and all that it has started to end, and kill what does not; it leads a session of its own."""
    _signal(process.pid, signal.SIGTERM)
    _signal(process.pid, signal.SIGHUP)  # bash at a prompt ignores the other
    deadline = time.monotonic() + _GRACE
    while _signal(process.pid, 0) and time.monotonic() < deadline:
        process.poll()
        time.sleep(0.02)
    _signal(process.pid, signal.SIGKILL)
    process.wait()


def _signal(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
