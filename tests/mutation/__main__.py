"""Pick random mutants of the code, and check whether the tests that enter the mutated function detect each.

Run from the root of the repository: ``python -m tests.mutation``, with Python 3.12 or newer. First all short tests run once, and
which functions each enters is recorded; ``--entered FOLDER`` keeps that record, and uses one that is there. A function that is in
no record is tried with all tests of its slice. Each run picks other mutants; ``--seed`` repeats one. Results are printed with
their lines; the exit status is 1 if less than the required share is detected.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from attrs import frozen
from tests.mutation.entered import FOLDER_VARIABLE, Choice, Entered
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.selection import FOLDERS, modules, slice_tests

_ROOT: Final = Path(__file__).parents[2]
_LONGEST_SECONDS: Final = 900
_TIMEOUT_FACTOR: Final = 5
"""The factor, beside half a minute, by which a mutant's tests may be slower: endless loops are detected too."""
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (.+)$", re.MULTILINE)


@frozen(kw_only=True)
class Candidate:
    """A mutant and its module."""

    module: Path
    mutant: Mutant


@frozen(kw_only=True)
class Verdict:
    """The outcome for one: ``noticed``, ``survived``, ``endless``, or ``untested`` if the slice has no passing tests."""

    candidate: Candidate
    outcome: str
    seconds: float


def pick_mutants(root: Path, count: int, seed: int, paths: Sequence[str]) -> list[Candidate]:
    """Pick random mutants, each with the same chance."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    known = [
        Candidate(module=module, mutant=mutant)
        for module in modules(root)
        if not paths or any(part in str(module) for part in paths)
        for mutant in mutants_of((root / module).read_text())
    ]
    return dice.sample(known, min(count, len(known)))


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
                outcome, failed = self._run(choice.tests, choice.seconds * _TIMEOUT_FACTOR + 30)
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


def record_entered(root: Path, folder: Path, workers: int) -> Entered:
    """Return which functions each short test enters: read from the folder, or recorded into it by running them."""
    if not any(folder.glob("*.json")):
        if sys.version_info < (3, 12):
            sys.exit("Which test enters what can be recorded with Python 3.12 or newer.")
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "-p", "tests.mutation.entered"]
        subprocess.run(  # noqa: S603 - our own
            [*command, "--tb=no", "--maxfail=100", *(f"tests/{name}" for name in FOLDERS)],
            cwd=root,
            env=os.environ | {FOLDER_VARIABLE: str(folder)},
            check=False,
        )
    return Entered.read(folder)


def try_all(root: Path, candidates: Sequence[Candidate], entered: Entered, workers: int) -> Iterator[Verdict]:
    """Test all mutants concurrently in several copies of the tree; yield the results in order."""
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

        yield from pool.map(try_mutant, candidates)


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--draw", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--seed", type=int, default=None, help="repeats a run")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="trees at once (one a core)")
    parser.add_argument("--entered", type=Path, help="keeps the record of which test enters what")
    parser.add_argument("--least", type=float, default=0.9, help="the share that must be noticed (0.9)")
    parser.add_argument("only", nargs="*", help="parts of paths: repaircore/rides, sql/rides.py")
    arguments = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if arguments.seed is None else arguments.seed
    candidates = pick_mutants(_ROOT, arguments.draw, seed, arguments.only)
    out = sys.stdout
    out.write(f"{len(candidates)} mutants, --seed {seed}\n")
    counts = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        entered = record_entered(_ROOT, (arguments.entered or Path(folder)).resolve(), arguments.workers)
    for number, verdict in enumerate(try_all(_ROOT, candidates, entered, arguments.workers), 1):
        counts[verdict.outcome] += 1
        one = verdict.candidate.mutant
        out.write(
            f"{number:4} {verdict.outcome:9} {verdict.seconds:5.0f} s  {verdict.candidate.module}:{one.line} {one.within}"
        )
        out.write(f"  {' '.join(one.before.split())[:60]}  ->  {' '.join(one.after.split())[:60]}\n")
        out.flush()
    tried = counts.total() - counts["untested"]
    noticed = counts["noticed"] + counts["endless"]
    share = noticed / tried if tried else 0.0
    out.write(
        f"{noticed} of {tried} noticed ({share:.0%}); {counts['untested']} in slices without tests that pass\n"
    )
    return 0 if share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(_main())
