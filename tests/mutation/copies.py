"""Tries mutants in copies of the tree, each with a process of its own: whatever is imported, runs changed."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from tests.mutation.entered import Choice, Entered
from tests.mutation.forks import TIMEOUT_FACTOR, Candidate, Verdict
from tests.mutation.selection import slice_tests

_LONGEST_SECONDS: Final = 900
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (.+)$", re.MULTILINE)


def try_in_copies(
    root: Path,
    candidates: Mapping[int, Candidate],
    entered: Entered,
    workers: int,
    report: Callable[[int, Verdict], None],
) -> None:
    """Try mutants concurrently in several copies of the tree, and report each verdict by its number."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        testers = SimpleQueue[MutantTester]()
        for number in range(workers):
            testers.put(MutantTester(root, Path(folder) / str(number), entered))

        def try_mutant(one: Candidate) -> Verdict:
            tester = testers.get()
            try:
                return tester.try_mutant(one)
            finally:
                testers.put(tester)

        for number, verdict in zip(candidates, pool.map(try_mutant, candidates.values()), strict=True):
            report(number, verdict)


class MutantTester:
    """Tests mutants in its own copy of the tree."""

    def __init__(self, root: Path, folder: Path, entered: Entered) -> None:
        self._root = root
        self._copy = folder
        self._entered = entered
        self._baselines: dict[tuple[str, ...], float | None] = {}
        for name in ("src", "tests", "bench", "docs", "deploy"):
            shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("conftest.py", "pyproject.toml", "noxfile.py", "README.md", "CHANGELOG.md"):
            shutil.copy(root / name, folder / name)

    def try_mutant(self, candidate: Candidate) -> Verdict:
        """Run the tests that enter the mutant's function on it, or those of its slice if none is known to."""
        start = time.monotonic()
        outcome = "untested"
        path = self._copy / candidate.module
        source = path.read_text()
        for choice in self._choices(candidate):
            try:
                _write(path, candidate.mutant.apply(source))
                outcome, failed = self._run(choice.tests, choice.seconds * TIMEOUT_FACTOR + 30)
            finally:
                _write(path, source)
            if failed and not self._passes(failed):
                outcome = "untested"
            if outcome != "survived":
                break
        return Verdict(candidate=candidate, outcome=outcome, seconds=time.monotonic() - start)

    def _choices(self, candidate: Candidate) -> list[Choice]:
        choices = self._entered.choose(candidate.module, candidate.mutant.within)
        if not choices:
            tests = slice_tests(self._root, candidate.module)
            seconds = self._baseline(tests)
            choices = [] if seconds is None else [Choice(tests=tests, seconds=seconds)]
        return choices

    def _baseline(self, tests: list[str]) -> float | None:
        """Return the seconds that tests take on the unchanged code: None if they fail, or there are none."""
        key = tuple(tests)
        if key not in self._baselines:
            start = time.monotonic()
            passed = bool(tests) and self._run(tests, _LONGEST_SECONDS)[0] == "survived"
            self._baselines[key] = time.monotonic() - start if passed else None
        return self._baselines[key]

    def _passes(self, test: str) -> bool:
        """Tell whether a test that noticed a mutant passes on the unchanged code, for it now ran without those before it."""
        return self._baseline([test]) is not None

    def _run(self, tests: list[str], seconds: float) -> tuple[str, str | None]:
        """Return the outcome, and the test that failed."""
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(self._copy / "src"), str(self._copy)])}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
        command += ["--tb=no", "-rfE", *tests]
        try:
            ended = subprocess.run(  # noqa: S603 - our own
                command,
                cwd=self._copy,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "endless", None
        if not ended.returncode:
            return "survived", None
        failed = [f"{line} - " for line in _FAILED.findall(ended.stdout)]
        return "noticed", next(
            (test for test in tests if any(line.startswith(f"{test} - ") for line in failed)), None
        )


def _write(path: Path, text: str) -> None:
    """Write a module with a later time, so that no stale bytecode of the same size and second is used."""
    later = path.stat().st_mtime + 2
    path.write_text(text)
    os.utime(path, (later, later))
