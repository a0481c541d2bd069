"""Run the Dockerfile step by step below a folder instead of in an image, and check its server.

Needs a package index, like a build: it runs where REPAIRCORE_TEST_PACKAGE_INDEX is set, as in ``.ci/run``.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

import pytest
from tests.docs.examples import ROOT
from tests.docs.session import end_group

_DEPLOY: Final = ROOT / "deploy"
_MOVED: Final = ("/opt/repaircore", "/var/lib/repaircore")
_SHIMS: Final = {
    "useradd": "#!/bin/sh\nexit 0\n",
    "install": '#!/bin/sh\nwhile [ "$1" != -m ]; do shift; done\nexec /usr/bin/install -d "$@"\n',
}
_TIMEOUT: Final = 120.0


def _instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with their arguments."""
    lines = (_DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    words = [line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")]
    return [(name, " ".join(rest.split())) for name, rest in words]


def _context(folder: Path) -> Path:
    """Copy the build context: every file that is not ignored."""
    rules = (_DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [rule[1:] for rule in rules if rule.startswith("!")]
    hidden = [rule.removeprefix("**/") for rule in rules if not rule.startswith("!") and rule != "*"]

    def ignore(_: str, names: list[str]) -> list[str]:
        return [name for name in names if any(fnmatch(name, rule) for rule in hidden)]

    for name in patterns:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=ignore)
        else:
            shutil.copy(ROOT / name, target)
    return folder


class _Build:
    """A build with a folder as its root."""

    def __init__(self, folder: Path) -> None:
        self.root, self._source, self._programs = folder / "root", folder / "source", folder / "bin"
        self._context = _context(folder / "context")
        for directory in (self.root / "opt", self.root / "var/lib", self._source, self._programs):
            directory.mkdir(parents=True)
        for name, text in _SHIMS.items():
            (self._programs / name).write_text(text)
            (self._programs / name).chmod(0o755)
        (self._programs / "python").symlink_to(sys.executable)
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("REPAIRCORE_", "PYTHON"))
        }
        self._environ = {**inherited, "PATH": f"{self._programs}:{inherited['PATH']}"}
        self.stages = 0
        self.healthcheck: list[str] = []
        self.command: list[str] = []

    def relocated(self, text: str) -> str:
        return re.sub("|".join(_MOVED), lambda found: f"{self.root}{found[0]}", text)

    def execute(self, name: str, rest: str) -> None:
        """Run an instruction."""
        if name == "FROM":
            self.stages += 1
        elif name == "ARG":
            argument, value = rest.split("=", 1)
            self._environ[argument] = value
        elif name == "COPY" and not rest.startswith("--from=build "):
            self._copy(rest.split())
        elif name == "RUN":
            subprocess.run(  # noqa: S603 - our own file
                ["bash", "-euo", "pipefail", "-c", self.relocated(rest)],  # noqa: S607
                cwd=self._source,
                env=self._environ,
                check=True,
            )
        elif name == "ENV":
            # The PATH of an image has only its own programs; here they come first.
            for variable, value in (pair.split("=", 1) for pair in self.relocated(rest).split()):
                self._environ[variable] = value.replace("$PATH", self._environ["PATH"])
        elif name == "HEALTHCHECK":
            self.healthcheck = json.loads(rest.partition("CMD ")[2])
        elif name in {"ENTRYPOINT", "CMD"}:
            self.command += json.loads(rest)
        else:
            assert name in {"WORKDIR", "COPY", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL"}, name

    def _copy(self, words: list[str]) -> None:
        *names, target = words
        for name in names:
            source = self._context / name
            if source.is_dir():
                shutil.copytree(source, self._source / target)
            else:
                shutil.copy(source, self._source / target)

    def start(self, port: str) -> "subprocess.Popen[bytes]":
        """Start the command of the container."""
        return subprocess.Popen(  # noqa: S603 - the file says what runs
            [{"0.0.0.0": "127.0.0.1", "8000": port}.get(word, word) for word in self.command],  # noqa: S104
            cwd=self.root,
            env=self.environ,
            start_new_session=True,
        )

    @property
    def environ(self) -> dict[str, str]:
        database = f"sqlite:///{self.root}/var/lib/repaircore/repaircore.db"
        return {**self._environ, "REPAIRCORE_DATABASE_URL": database}

    def is_healthy(self, port: str) -> bool:
        checked = [word.replace(":8000/", f":{port}/") for word in self.healthcheck]
        return subprocess.run(checked, env=self.environ, capture_output=True, check=False).returncode == 0  # noqa: S603


@pytest.mark.long
@pytest.mark.thorough
def test_every_step_of_the_image_works_and_its_server_is_healthy(tmp_path: Path) -> None:
    if not os.environ.get("REPAIRCORE_TEST_PACKAGE_INDEX"):
        pytest.skip("REPAIRCORE_TEST_PACKAGE_INDEX is not set: a build asks a package index")
    build = _Build(tmp_path)
    for name, rest in _instructions():
        build.execute(name, rest)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = str(listener.getsockname()[1])

    server = build.start(port)
    try:
        deadline = time.monotonic() + _TIMEOUT
        while not build.is_healthy(port):
            assert server.poll() is None
            assert time.monotonic() < deadline
        server.terminate()
        assert server.wait(_TIMEOUT) == 0
    finally:
        end_group(server)

    assert build.stages == 2
    pinned = (build.root / "opt/repaircore/constraints.txt").read_text(encoding="utf-8")
    assert "sqlalchemy==" in pinned.lower()
    assert "repaircore" not in pinned
    assert not (build.root / "opt/repaircore/bin/pip").exists()
