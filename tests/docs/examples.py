"""Run the examples of a page as a reader would: all in one shell, in a fresh home.

    ```python     runs in one Python, with the page's earlier Python blocks
    ```console    each line after ``$`` runs in the page's shell (tests.docs.session)
    ```text       after Python: what it prints

A Python block that begins with a comment that names a file (``# receiver.py``) is written to that file instead, for
commands to run.

The output must be as shown, except for ids, tokens and spacing. Amounts may differ by as much as prices move in some years; counts
outside of times and ids must be equal. A ``…`` matches any further output, and a console command without output may print
anything.

``repaircore serve`` must be described as running in a second terminal, and runs without the variables of the page's shell, with one worker
and a free port instead of 8000. A receiver of webhooks gets a free port instead of 9000. A loop that waits is limited by ``timeout``.
"""

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
from tests.docs.session import TIMEOUT, CommandResult, Session, end_group, fresh_environ

Check: TypeAlias = Callable[[str, str, str | None], None]
"""Called with an example, its output and the output shown for it."""

ROOT: Final = Path(__file__).parents[2]
SECOND_TERMINAL: Final = "# in a second terminal"
_FENCE: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT: Final = "$ "
_SHOWN_PORTS: Final = ("8000", "9000")
_FILE: Final = re.compile(r"# (\w+\.py)\n")
_SERVES: Final = re.compile(r"(?:^|[&;] |\w )repaircore serve\b")
_WAITS: Final = re.compile(r"(?:^|[;&|(\s'\"])(?:until|while) ")
_VARYING: Final = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"(mst|[ps]k_(?:test|live))_[\w…]+"), r"\1_<token>"),
    (re.compile(r"[\s─━]+"), " "),
)
_FIGURE: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_AMOUNT: Final = re.compile(r"\d+(?:,\d{3})*\.\d+")
_MOVED: Final = 0.08
"""The share by which an amount may differ from the page, because the price index continues to move."""


@frozen
class Block:
    """A fenced block: its language and its text."""

    language: str
    text: str


def pages() -> list[Path]:
    """Return the pages that readers see; those of docs/site only include the others."""
    inside = [page for page in sorted(ROOT.glob("docs/**/*.md")) if page.parent.name != "site"]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *inside]


def blocks(markdown: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    return [Block(*found.groups()) for found in _FENCE.finditer(markdown)]


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a console block, each with its output as shown.

    A line that ends in a backslash, or has an unclosed quote, continues in the next.
    """
    lines = console.splitlines()
    while lines:
        command = lines.pop(0).removeprefix(_PROMPT)
        while lines and _continues(command):
            command += "\n" + lines.pop(0)
        shown = []
        while lines and not lines[0].startswith(_PROMPT):
            shown.append(lines.pop(0))
        yield command, "\n".join(shown)


def _continues(command: str) -> bool:
    try:
        shlex.split(command)
    except ValueError:
        return True
    return command.endswith("\\")


def plain(output: str) -> str:
    """Remove from an output everything that differs from run to run, and all figures."""
    return _FIGURE.sub("0", _steady(output))


def _steady(output: str) -> str:
    for pattern, replacement in _VARYING:
        output = pattern.sub(replacement, output)
    return output.strip()


class Page:
    """A page's examples in a fresh home, with their own ports."""

    def __init__(self, folder: Path, check: Check | None = None) -> None:
        self._check = check or require_match
        self._ports = {shown: str(_free_port()) for shown in _SHOWN_PORTS}
        self._scratch, self._home = folder / "scratch", folder / "home"
        for directory in (self._scratch, self._home):
            directory.mkdir()
        self._environ = fresh_environ(self._home, self._programs(), ROOT / "src")
        self._session = Session(self._home, self._environ, self._scratch)
        self._servers: list[subprocess.Popen[bytes]] = []
        self._log = (self._scratch / "server.log").open("wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()
        for server in self._servers:
            end_group(server)
        self._log.close()

    def run(self, examples: list[Block]) -> None:
        """Run the runnable blocks.

        Raises:
            AssertionError: one failed, or its output differs from the one shown.
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
            (self._home / named[1]).write_text(text, encoding="utf-8")
        else:
            self._done(text, self._session.run_python(text), shown)

    def _run_command(self, command: str, shown: str | None) -> None:
        command = self._with_ports(command)
        if _SERVES.search(command):
            assert command.endswith(SECOND_TERMINAL), (
                f"{command} occupies the page's terminal: {SECOND_TERMINAL}"
            )
            self._serve(command.removesuffix(SECOND_TERMINAL).strip())
            return
        assert command.startswith("timeout ") or not _WAITS.search(command), f"{command} may wait forever"
        self._done(command, self._session.run(command), shown)

    def _done(self, example: str, ended: CommandResult, shown: str | None) -> None:
        assert ended.status == 0, f"{example}\n\nended with {ended.status}\n\n{ended.printed}\n{ended.errors}"
        self._check(example, ended.printed, shown)

    def _with_ports(self, text: str) -> str:
        """Replace the ports shown by those of this page; Python may write (host, port)."""
        for shown, own in self._ports.items():
            text = text.replace(f"127.0.0.1:{shown}", f"127.0.0.1:{own}").replace(
                f'("127.0.0.1", {shown})', f'("127.0.0.1", {own})'
            )
        return text

    def _serve(self, command: str) -> None:
        port = self._ports["8000"]
        server = subprocess.Popen(  # noqa: S603 - the page says what runs
            ["bash", "-c", f"{command} --port {port} --workers 1"],  # noqa: S607 - by default there are two, or more
            cwd=self._home,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stderr=self._log,
            stdout=self._log,
            start_new_session=True,
        )
        self._servers.append(server)
        deadline = time.monotonic() + TIMEOUT
        while not _answers(port):
            log = Path(self._log.name).read_text(encoding="utf-8")
            assert server.poll() is None, f"{command} ended with status {server.returncode}: {log}"
            assert time.monotonic() < deadline, f"{command} does not answer: {log}"
            time.sleep(0.05)

    def _programs(self) -> Path:
        """Return a folder with the ``repaircore`` under test."""
        programs = self._scratch / "bin"
        programs.mkdir()
        program = programs / "repaircore"
        program.write_text(f"#!{sys.executable}\nfrom repaircore_cli.main import run\nrun()\n")
        program.chmod(0o700)
        return programs


def require_match(example: str, printed: str, shown: str | None) -> None:
    """Compare the output of an example with the one shown; None where none is shown.

    Raises:
        AssertionError: they differ by more than the usual differences between runs.
    """
    if shown is None:
        return
    found = re.fullmatch(_pattern(shown), _steady(printed))
    assert found, f"{example}\n\nprints\n\n{printed}"
    amounts = [figure.replace(",", "") for figure in _FIGURE.findall(_steady(shown))]
    came = [figure.replace(",", "") for figure in found.groups()]
    moved = [pair for pair in zip(amounts, came, strict=True) if not _are_alike(*pair)]
    assert not moved, (
        f"{example}\n\nprints other figures than are shown (shown, printed): {moved}\n\n{printed}"
    )


def _pattern(shown: str) -> str:
    """Return the pattern of an output, with a group for each figure."""
    text = re.escape(_FIGURE.sub("\0", _steady(shown))).replace("…", ".*")
    return text.replace(re.escape("\0"), rf"({_FIGURE.pattern})")


def _are_alike(shown: str, printed: str) -> bool:
    if not _AMOUNT.fullmatch(shown):
        return True
    return (
        abs(float(printed) - float(shown)) <= _MOVED * abs(float(shown))
        if _AMOUNT.fullmatch(printed)
        else False
    )


def _answers(port: str) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", trust_env=False).is_success
    except httpx.TransportError:
        return False


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
