"""Draw small wrong changes of the code, and see whether the tests of the slice notice each.

Run from the root of the repository: ``python -m tests.mutation``. Each run draws anew; ``--seed`` repeats one. What is not
noticed is printed with its line; the exit status is 1 where less than the wanted share is noticed.
"""

import argparse
import os
import random
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
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.selection import modules, slice_tests

_ROOT: Final = Path(__file__).parents[2]
_LONGEST_SECONDS: Final = 900
_PATIENCE: Final = 5
"""A mutant's tests may take so many times what they take without it, and half a minute: an endless loop is noticed too."""


@frozen(kw_only=True)
class Drawn:
    """A mutant, and the module it is one of."""

    module: Path
    mutant: Mutant


@frozen(kw_only=True)
class Verdict:
    """What became of one: ``noticed``, ``survived``, ``endless``, or ``untested`` where the slice has no tests that pass."""

    drawn: Drawn
    outcome: str
    seconds: float


def draw(root: Path, count: int, seed: int, wanted: Sequence[str]) -> list[Drawn]:
    """Draw mutants, each line of code with the same chance."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    known = [
        Drawn(module=module, mutant=mutant)
        for module in modules(root)
        if not wanted or any(part in str(module) for part in wanted)
        for mutant in mutants_of((root / module).read_text())
    ]
    return dice.sample(known, min(count, len(known)))


class Judge:
    """Judges mutants in a copy of the tree of its own."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._copy = folder
        self._baselines: dict[tuple[str, ...], float | None] = {}
        for name in ("src", "tests", "bench", "docs", "deploy"):
            shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("conftest.py", "pyproject.toml", "noxfile.py", "README.md", "CHANGELOG.md"):
            shutil.copy(root / name, folder / name)

    def judge(self, drawn: Drawn) -> Verdict:
        """Run the tests of a mutant's slice on it."""
        start = time.monotonic()
        tests = slice_tests(self._root, drawn.module)
        outcome = "untested"
        usual = self._baseline(tests)
        if usual is not None:
            path = self._copy / drawn.module
            source = path.read_text()
            try:
                _write(path, drawn.mutant.apply(source))
                outcome = self._run(tests, usual * _PATIENCE + 30)
            finally:
                _write(path, source)
        return Verdict(drawn=drawn, outcome=outcome, seconds=time.monotonic() - start)

    def _baseline(self, tests: list[str]) -> float | None:
        """Return the seconds that tests take on the code as it is, or nothing where they fail or there are none."""
        key = tuple(tests)
        if key not in self._baselines:
            start = time.monotonic()
            passed = bool(tests) and self._run(tests, _LONGEST_SECONDS) == "survived"
            self._baselines[key] = time.monotonic() - start if passed else None
        return self._baselines[key]

    def _run(self, tests: list[str], seconds: float) -> str:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(self._copy / "src"), str(self._copy)])}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *tests]
        try:
            ended = subprocess.run(  # noqa: S603 - our own
                command, cwd=self._copy, env=environment, capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return "endless"
        return "noticed" if ended.returncode else "survived"


def _write(path: Path, text: str) -> None:
    """Write a module so that nothing compiled before is taken for it, though it be as long and written in the same second."""
    later = path.stat().st_mtime + 2
    path.write_text(text)
    os.utime(path, (later, later))


def judged(root: Path, drawn: Sequence[Drawn], workers: int) -> Iterator[Verdict]:
    """Judge all, in several copies of the tree at once, as each comes to an end."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        judges = SimpleQueue[Judge]()
        for number in range(workers):
            judges.put(Judge(root, Path(folder) / str(number)))

        def judge(one: Drawn) -> Verdict:
            mine = judges.get()
            try:
                return mine.judge(one)
            finally:
                judges.put(mine)

        yield from pool.map(judge, drawn)


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--draw", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--seed", type=int, default=None, help="repeats a run")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="trees at once (one a core)")
    parser.add_argument("--least", type=float, default=0.9, help="the share that must be noticed (0.9)")
    parser.add_argument("only", nargs="*", help="parts of paths: repaircore/rides, sql/rides.py")
    asked = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if asked.seed is None else asked.seed
    drawn = draw(_ROOT, asked.draw, seed, asked.only)
    out = sys.stdout
    out.write(f"{len(drawn)} mutants, --seed {seed}\n")
    counts = Counter[str]()
    for number, verdict in enumerate(judged(_ROOT, drawn, asked.workers), 1):
        counts[verdict.outcome] += 1
        one = verdict.drawn.mutant
        out.write(
            f"{number:4} {verdict.outcome:9} {verdict.seconds:5.0f} s  {verdict.drawn.module}:{one.line} {one.within}"
        )
        out.write(f"  {' '.join(one.before.split())[:60]}  ->  {' '.join(one.after.split())[:60]}\n")
        out.flush()
    tried = counts.total() - counts["untested"]
    noticed = counts["noticed"] + counts["endless"]
    share = noticed / tried if tried else 0.0
    out.write(
        f"{noticed} of {tried} noticed ({share:.0%}); {counts['untested']} in slices without tests that pass\n"
    )
    return 0 if share >= asked.least else 1


if __name__ == "__main__":
    sys.exit(_main())
