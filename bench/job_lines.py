"""How well lines of shops are matched by their words alone: ``python -m bench lines [--half tuning] [--wrong] [FILE …]``.

A line of a file is what a service writer typed and what it is: repairs of the book, joined by commas, ``oil`` where an oil change does not
say of which oil, ``none`` where nothing was done that is paid, and ``other`` where it is work that the book does not have, or
that its words leave open. Without files those of tests/data/job_lines are counted: of each a half was drawn to tune with, the other is reported.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from bench.shop_exports.made_up import texts_of
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names
from repaircore.job_matching.model import Match, Outcome
from repaircore.job_matching.repair_match import NOT_IN_BOOK, RepairMatcher

_LINES: Final = Path(__file__).parents[1] / "tests" / "data" / "job_lines"
RIGHT, SEVERAL, NONE, OTHER, SHOWN, LEFT, WRONG = (
    "right",
    "several",
    "none",
    "other",
    "shown",
    "left",
    "wrong",
)
OUTCOMES: Final = (RIGHT, SEVERAL, NONE, OTHER, SHOWN, LEFT, WRONG)
UNDERSTOOD: Final = (RIGHT, SEVERAL, NONE, OTHER)
_OILS: Final = ("oil-change", "oil-change-synthetic")


def main(arguments: Sequence[str]) -> None:
    """Print a table of the files."""
    parser = argparse.ArgumentParser(prog="python -m bench lines", description=__doc__)
    parser.add_argument("--half", choices=("tuning", "held_out"), default="held_out")
    parser.add_argument("--wrong", action="store_true", help="list what was matched wrongly, or not")
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args(arguments)
    files = given.files or files_of(given.half)
    matcher = RepairMatcher(book().problems, job_names())
    sums: Counter[str] = Counter()
    print(f"{'file':<16}{'lines':>7}" + "".join(f"{name:>9}" for name in OUTCOMES) + f"{'understood':>12}")
    for file in files:
        found = counts(matcher, texts_of(file), tell=given.wrong)
        sums += found
        print(_row(file.stem, found))
    print(_row("all", sums))


def files_of(half: str) -> list[Path]:
    """Return the files of a half."""
    return sorted((_LINES / half).glob("*.txt"))


def counts(matcher: RepairMatcher, lines: Iterable[tuple[str, str]], *, tell: bool = False) -> Counter[str]:
    """Return how many lines were matched how."""
    found: Counter[str] = Counter()
    for text, truth in lines:
        match = matcher.match(text)
        outcome = outcome_of(match, truth)
        found[outcome] += 1
        if tell and outcome in {LEFT, SHOWN, WRONG}:
            said = f"{match.slug or ', '.join(match.suggestions)} ({match.outcome})"
            print(f"  {outcome:<6} {text!r} is {truth}, not {said}")
    return found


def outcome_of(match: Match, truth: str) -> str:
    """Return what a match is worth.

    It is understood where no person is needed; ``other`` is work that was recognized as work that the book does not have. A line
    that a person decides about is ``shown`` where the right repair is among those offered, or where there is nothing to decide.
    """
    repairs = [repair for repair in truth.split(", ") if repair not in {"none", "other"}]
    if match.outcome is Outcome.SURE:
        return RIGHT if truth == match.slug else WRONG
    if not match.is_repair:
        return _left_out(match, truth)
    if len(repairs) > 1 and match.outcome is Outcome.SEVERAL:
        return SEVERAL if _same(match.suggestions, repairs) else LEFT
    return SHOWN if len(repairs) < 2 and all(_is_offered(match, repair) for repair in repairs) else LEFT


def _left_out(match: Match, truth: str) -> str:
    if truth == "none":
        return NONE
    return OTHER if truth == "other" and match.reason == NOT_IN_BOOK else WRONG


def _is_offered(match: Match, repair: str) -> bool:
    return not {*(_OILS if repair == "oil" else (repair,))}.isdisjoint(match.suggestions)


def _same(suggestions: Iterable[str], repairs: Iterable[str]) -> bool:
    return {"oil" if "oil" in repairs and one in _OILS else one for one in suggestions} == set(repairs)


def _row(name: str, found: Counter[str]) -> str:
    lines = found.total()
    understood = sum(found[outcome] for outcome in UNDERSTOOD) / max(1, lines)
    cells = "".join(f"{found[outcome]:>9}" for outcome in OUTCOMES)
    return f"{name:<16}{lines:>7}{cells}{understood:>12.1%}"
