"""A reader's session in a fresh home: one bash that runs command after command, and one Python.

As at a prompt, variables, functions, the current folder and background jobs persist, and a variable must be exported before
another program sees it. The home is empty, and the environment has only what any shell has.
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

TIMEOUT: Final = 240.0
"""Seconds until a command times out; on an idle machine none takes more than a few."""
_GRACE: Final = 30.0
"""Seconds for background jobs to end after a signal."""
_INHERITED: Final = ("TZ", "TMPDIR", "SSL_CERT_FILE")
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
"""Run one file after another in one namespace, like Python's own prompt."""


@frozen
class CommandResult:
    """The exit status and output of a command; no status where it timed out or ended the session."""

    status: int | None
    printed: str
    errors: str


def fresh_environ(home: Path, programs: Path, source: Path) -> dict[str, str]:
    """Return the environment after a login, with the installed programs."""
    path = os.pathsep.join(
        [str(programs), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    )
    machine = {name: os.environ[name] for name in _INHERITED if name in os.environ}
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
    """A terminal: its bash, and a Python started from it."""

    def __init__(self, folder: Path, environ: dict[str, str], scratch: Path) -> None:
        self._folder, self._scratch = folder, scratch
        self._count = 0
        self._shell = _Prompt(["bash", "--noprofile", "--norc", "-o", "pipefail"], folder, environ)
        self._python: _Prompt | None = None

    def run(self, command: str) -> CommandResult:
        """Run a command in the shell."""
        source, output, errors = self._files(command)
        line = f". {source} >{output} 2>{errors} </dev/null; echo $? >&{self._shell.fd}"
        return CommandResult(self._shell.run_line(line), _read(output), _read(errors))

    def run_python(self, text: str) -> CommandResult:
        """Run lines of Python in one process, which inherits what the shell had exported when it started."""
        if self._python is None:
            listed = self.run("env -0").printed.split("\0")
            environ = dict(variable.split("=", 1) for variable in listed if variable)
            self._python = _Prompt([sys.executable, "-c", _PROMPT], self._folder, environ, numbered=True)
        source, output, errors = self._files(text)
        return CommandResult(
            self._python.run_line(f"{source}\t{output}\t{errors}"), _read(output), _read(errors)
        )

    def close(self) -> None:
        """End both and every process they started."""
        for prompt in filter(None, (self._python, self._shell)):
            prompt.close()

    def _files(self, text: str) -> tuple[Path, Path, Path]:
        self._count += 1
        source = self._scratch / f"{self._count}.in"
        source.write_text(text + "\n", encoding="utf-8")
        return source, source.with_suffix(".out"), source.with_suffix(".err")


class _Prompt:
    """A program that runs line after line and writes a status for each to its own pipe."""

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

    def run_line(self, line: str) -> int | None:
        """Run a line and return its status."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        reply = b""
        deadline = time.monotonic() + TIMEOUT
        while not reply.endswith(b"\n"):
            # Background jobs share the pipe, so its end says nothing about the prompt.
            ready, _, _ = select.select([self._answers], [], [], 0.5)
            reply += os.read(self._answers, 64) if ready else b""
            if not reply and (self._process.poll() is not None or time.monotonic() > deadline):
                return None
        return int(reply)

    def close(self) -> None:
        """End the program and every process it started."""
        assert self._process.stdin is not None
        end_group(self._process)
        self._process.stdin.close()
        os.close(self._answers)


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """Terminate a process that leads its own session, with every process it started, and kill those that remain."""
    _signal(process.pid, signal.SIGTERM)
    _signal(process.pid, signal.SIGHUP)  # an interactive bash ignores the other
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
