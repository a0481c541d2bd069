"""Pick random mutants of the code, and check whether the tests that enter the mutated function detect each.

Run from the root of the repository: ``python -m tests.mutation``, with Python 3.12 or newer. First all short tests run once, and
which functions each enters is recorded; ``--entered FOLDER`` keeps that record, and uses one that is there. Mutants are tried in
forks of one process, and those that it cannot try in copies of the tree. A function that is in no record is tried with all tests
of its slice. Each run picks other mutants; ``--seed`` repeats one. Results are printed with their lines; the exit status is 1 if
less than the required share is detected.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.mutation.copies import try_in_copies
from tests.mutation.entered import FOLDER_VARIABLE, Entered
from tests.mutation.forks import Candidate, Verdict, try_in_forks
from tests.mutation.mutants import mutants_of
from tests.mutation.selection import FOLDERS, modules

_ROOT: Final = Path(__file__).parents[2]


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


def _described(one: Candidate) -> str:
    mutant = one.mutant
    before, after = (" ".join(text.split())[:60] for text in (mutant.before, mutant.after))
    return f"{one.module}:{mutant.line} {mutant.within}  {before}  ->  {after}"


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--draw", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--seed", type=int, default=None, help="repeats a run")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="trees at once (one a core)")
    parser.add_argument("--entered", type=Path, help="keeps the record of which test enters what")
    parser.add_argument(
        "--seconds", type=float, default=40.0, help="how long the tests of a mutant may take together (40)"
    )
    parser.add_argument("--least", type=float, default=0.9, help="the share that must be noticed (0.9)")
    parser.add_argument("only", nargs="*", help="parts of paths: repaircore/rides, sql/rides.py")
    arguments = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if arguments.seed is None else arguments.seed
    candidates = pick_mutants(_ROOT, arguments.draw, seed, arguments.only)
    out = os.fdopen(os.dup(1), "w", buffering=1)  # pytest captures what is written to the other
    out.write(f"{len(candidates)} mutants, --seed {seed}\n")
    counts = Counter[str]()

    def report(number: int, verdict: Verdict) -> None:
        counts[verdict.outcome] += 1
        sys.stderr.write(
            f"{number:4} {verdict.outcome:9} {verdict.seconds:5.0f} s  {_described(verdict.candidate)}\n"
        )

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        entered = record_entered(
            _ROOT, (arguments.entered or folder / "entered").resolve(), arguments.workers
        )
        entered.most_seconds = arguments.seconds
        numbered = dict(enumerate(candidates, 1))
        left = try_in_forks(numbered, entered, arguments.workers, folder, report)
        try_in_copies(_ROOT, left, entered, arguments.workers, report)
    tried = counts.total() - counts["untested"]
    noticed = counts["noticed"] + counts["endless"]
    share = noticed / tried if tried else 0.0
    out.write(
        f"{noticed} of {tried} noticed ({share:.0%}); {counts['untested']} in slices without tests that pass\n"
    )
    return 0 if share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(_main())
