"""The examples of a page, run as a reader would run them.

    ```python     runs in a process of its own with the page's earlier Python blocks before it
    ```console    each line after ``$`` runs in bash; variables last until the end of the page
    ```text       after Python: what it prints

A Python block that begins with a comment that names a file (``# receiver.py``) is put into that file instead, for
commands to run. The variables of a page are in the environment of its Python.

What is shown as output must come, apart from figures, ids, tokens and spacing: prices move with the
price index, and nobody's token is another's. A ``…`` stands for whatever else is printed, and a console
command without output may print anything.
``repaircore serve`` runs beside the rest, on a free port instead of 8000, until the page ends; so does a command
with ``&`` behind it. A receiver of webhooks gets a free port instead of 9000.
"""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeAlias

import httpx
from attrs import frozen

Check: TypeAlias = Callable[[str, str, str | None], None]
"""Called with an example, what it prints and what is shown for it."""

ROOT: Final = Path(__file__).parents[2]
_FENCE: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT: Final = "$ "
_SHOWN_PORTS: Final = ("8000", "9000")
_FILE: Final = re.compile(r"# (\w+\.py)\n")
_PATIENCE: Final = 60.0
_VARYING: Final = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"(mst|[ps]k_(?:test|live))_[\w…]+"), r"\1_<token>"),
    (re.compile(r"\d+(?:[.,:]\d+)*"), "0"),
    (re.compile(r"[\s─━]+"), " "),
)


@frozen
class Block:
    """A fenced block: its language and its text."""

    language: str
    text: str


def pages() -> list[Path]:
    """List the pages that readers see; those of docs/site only bring the others in."""
    inside = [page for page in sorted(ROOT.glob("docs/**/*.md")) if page.parent.name != "site"]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *inside]


def blocks(markdown: str) -> list[Block]:
    """Give the fenced blocks of a page, in order."""
    return [Block(*found.groups()) for found in _FENCE.finditer(markdown)]


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Give the commands of a console block, each with the output that is shown for it.

    A line that ends in a backslash, or leaves a quotation open, goes on in the next.
    """
    lines = console.splitlines()
    while lines:
        command = lines.pop(0).removeprefix(_PROMPT)
        while lines and _goes_on(command):
            command += "\n" + lines.pop(0)
        shown = []
        while lines and not lines[0].startswith(_PROMPT):
            shown.append(lines.pop(0))
        yield command, "\n".join(shown)


def _goes_on(command: str) -> bool:
    try:
        shlex.split(command)
    except ValueError:
        return True
    return command.endswith("\\")


def plain(output: str) -> str:
    """Leave out of an output what differs from run to run."""
    for pattern, occur_in in _VARYING:
        output = pattern.sub(occur_in, output)
    return output.strip()


class Page:
    """A page's examples in a folder, with a database and a port of their own."""

    def __init__(self, folder: Path, check: Check | None = None) -> None:
        self._folder = folder
        self._check = check or matched
        self._ports = {shown: str(_free_port()) for shown in _SHOWN_PORTS}
        self._port = self._ports["8000"]
        self._python = ""
        self._servers: list[subprocess.Popen[bytes]] = []
        self._variables = folder / ".variables"
        self._variables.touch()
        self._environ = self._clean_environ()
        self._log = (folder / "server.log").open("wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.terminate()
            server.wait(_PATIENCE)
        self._log.close()

    def run(self, examples: list[Block]) -> None:
        """Run the blocks that can be run.

        Raises:
            AssertionError: one failed, or printed something else than what is shown.
        """
        for block, after in zip(examples, [*examples[1:], None], strict=True):
            if block.language == "python":
                shown = after.text if after is not None and after.language == "text" else None
                self._run_python(block.text, shown)
            elif block.language == "console":
                for command, output in commands(block.text):
                    self._run_command(command, output or None)

    def _run_python(self, text: str, shown: str | None) -> None:
        text = self._with_ports(text)
        if named := _FILE.match(text):
            (self._folder / named[1]).write_text(text, encoding="utf-8")
            return
        # Earlier blocks run again, silently: only what this block prints is compared.
        mark = "print('<this block>')\n"
        script = f'. {self._variables}; exec "$0" -c "$1"'
        printed = self._run(["bash", "-c", script, sys.executable, f"{self._python}{mark}{text}"])
        self._check(text, printed.partition("<this block>\n")[2], shown)
        self._python += text

    def _run_command(self, command: str, shown: str | None) -> None:
        command = self._with_ports(command)
        if command.startswith("repaircore serve"):
            self._serve(command)
        elif command.endswith(" &"):
            self._start(command.removesuffix(" &"))
        else:
            script = f"set -eao pipefail; . {self._variables}\n{command}\ndeclare -px > {self._variables}"
            self._check(command, self._run(["bash", "-c", script]), shown)

    def _with_ports(self, text: str) -> str:
        """Put the ports of this page in the place of those that are shown; Python may write (host, port)."""
        for shown, own in self._ports.items():
            text = text.replace(f"127.0.0.1:{shown}", f"127.0.0.1:{own}").replace(
                f'("127.0.0.1", {shown})', f'("127.0.0.1", {own})'
            )
        return text

    def _serve(self, command: str) -> None:
        server = self._start(f"{command} --port {self._port}")
        deadline = time.monotonic() + _PATIENCE
        while not self._answers():
            log = Path(self._log.name).read_text(encoding="utf-8")
            assert server.poll() is None, f"{command} ended with status {server.returncode}: {log}"
            assert time.monotonic() < deadline, f"{command} does not answer: {log}"
            time.sleep(0.05)

    def _start(self, command: str) -> subprocess.Popen[bytes]:
        script = f". {self._variables}\nexec {command}"
        server = subprocess.Popen(  # noqa: S603 - the page says what runs
            ["bash", "-c", script],  # noqa: S607 - the bash of whoever runs the tests
            cwd=self._folder,
            env=self._environ,
            stderr=self._log,
            stdout=self._log,
        )
        self._servers.append(server)
        return server

    def _answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self._port}/readyz", trust_env=False).is_success
        except httpx.TransportError:
            return False

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(  # noqa: S603 - the page says what runs
            command,
            cwd=self._folder,
            env=self._environ,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{command[-1]}\n\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _clean_environ(self) -> dict[str, str]:
        """Give an environment in which ``repaircore`` is this one, and keeps its data in the folder."""
        programs = self._folder / ".bin"
        programs.mkdir()
        program = programs / "repaircore"
        program.write_text(f"#!{sys.executable}\nfrom repaircore_cli.main import run\nrun()\n")
        program.chmod(0o700)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("REPAIRCORE_")}
        path = os.pathsep.join(
            [str(programs), str(Path(sys.executable).parent), kept.get("PATH", os.defpath)]
        )
        own = {"PATH": path, "PYTHONPATH": str(ROOT / "src"), "XDG_DATA_HOME": str(self._folder / ".data")}
        return {**kept, **own, "COLUMNS": "110", "NO_COLOR": "1", "NO_PROXY": "127.0.0.1"}


def matched(example: str, printed: str, shown: str | None) -> None:
    """Compare what an example prints with what is shown for it; None where nothing is shown.

    Raises:
        AssertionError: they differ in more than figures.
    """
    if shown is not None:
        wanted = re.escape(plain(shown)).replace("…", ".*")
        assert re.fullmatch(wanted, plain(printed)), f"{example}\n\nprints\n\n{printed}"


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
