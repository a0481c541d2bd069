"""How well quotes are read: ``python -m bench quotes --cases FILE [--problems FILE] [--show]``.

A case has a quote's ``text``, the ``lines`` that a person reads in it, and the ``total`` that it states. A line has ``job`` (words), ``kind``, ``amount``, and
``hours``, ``parts`` and ``labor`` where the text states them; ``problems`` are the slugs of the book that are right for it, none where it is several
repairs or none of the book's. The kinds are those of the reader, ``labor`` for a row of labor alone, and ``other``, which any kind fits that names no repair.
Lines without problems are judged by the search: what it finds first for the job's words is right. ``--problems`` names a JSON object of slugs by job instead.

A quote that lists parts and then labor may be read line by line, or as a repair: a line that is the sum of a row of labor and of parts of the case is
as good as they are, and counted as joined.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from attrs import frozen

from repaircore.core import Core, build
from repaircore.kernel.money import Cents, cents
from repaircore.quotes.model import MatchedLine, MatchedQuote
from repaircore.settings import Settings

Search = Callable[[str], Iterable[str]]
"""List the slugs that words may mean, best first."""

_FOUND: Final = 3
_MOST_JOINED: Final = 12
_SAME_KIND: Final = {"labor": "repair"}
_COUNTS: Final = (
    ("lines", "lines with an amount"),
    ("amount", "read with their amount"),
    ("kind", "read with kind and amount"),
    ("whole", "whole and right: kind, amount, repair, and parts, labor and hours where stated"),
    ("joined", "of these joined to a repair with others"),
    ("repairs", "repairs that are one of the book's"),
    ("matched", "of these matched"),
    ("wrong", "lines that name another repair"),
    ("false", "lines that are none"),
    ("totals", "quotes that state a total"),
    ("total", "of these the total is read"),
    ("quotes", "quotes"),
    ("sum", "quotes whose lines add up to the right sum"),
)


@frozen(kw_only=True)
class TrueLine:
    """A line as a person reads it, in cents."""

    job: str
    kind: str
    amount: Cents
    hours: float | None
    parts: Cents | None
    labor: Cents | None
    problems: frozenset[str]

    @classmethod
    def of(cls, data: Mapping[str, Any], problems: Iterable[str]) -> "TrueLine":
        return cls(
            job=data["job"],
            kind=data["kind"],
            amount=cents(data["amount"]),
            hours=data["hours"],
            parts=None if data["parts"] is None else cents(data["parts"]),
            labor=None if data["labor"] is None else cents(data["labor"]),
            problems=frozenset(problems),
        )


@frozen(kw_only=True)
class Case:
    """A quote; lines without an amount, or of nothing, are left out."""

    name: str
    text: str
    lines: tuple[TrueLine, ...]
    total: Cents | None


def cases_of(path: Path, problems: Mapping[str, Sequence[str]], search: Search) -> list[Case]:
    """Return the cases of a file."""
    return [
        Case(
            name=data["id"],
            text=data["text"],
            lines=tuple(
                TrueLine.of(line, line.get("problems", problems.get(line["job"], _found(line, search))))
                for line in data["lines"]
                if line["amount"]
            ),
            total=cents(data["total"]) if data["total"] else None,
        )
        for data in json.loads(path.read_text("utf-8"))
    ]


def _found(line: Mapping[str, Any], search: Search) -> list[str]:
    return [*search(line["job"])][:_FOUND] if line["kind"] in {"repair", "labor", "part"} else []


def score(cases: Iterable[Case], read: Callable[[str], MatchedQuote], *, show: bool = False) -> Counter[str]:
    """Return the counts of all cases; ``show`` prints what is not right."""
    counts: Counter[str] = Counter()
    for case in cases:
        found = read(case.text)
        own, faults = _judged(case, found)
        counts += own
        if show and faults:
            print(f"##### {case.name}\n{case.text}")
            print("\n".join(faults), "\n", flush=True)
    return counts


def _judged(case: Case, found: MatchedQuote) -> tuple[Counter[str], list[str]]:
    pairs, joined, missing, extra = _paired(case.lines, found.lines)
    counts = Counter(quotes=1, lines=len(case.lines), amount=len(pairs))
    faults = [f"MISSING {line}" for line in missing]
    for true, line in pairs:
        slug = _slug(line)
        counts["kind"] += _is_kind(true, line)
        counts["matched"] += _is_repair(true) and slug in true.problems
        is_wrong = slug is not None and slug not in true.problems
        counts["wrong"] += is_wrong
        is_whole = _is_whole(true, line)
        counts["whole"] += is_whole
        if not is_whole:
            faults.append(f"{'WRONG' if is_wrong else 'PARTLY'} {true}\n   {_text(line)}")
    for some, line in joined:
        slug, problems = _slug(line), frozenset(chain.from_iterable(true.problems for true in some))
        is_right = slug is None or slug in problems
        counts.update(amount=len(some), kind=len(some), wrong=not is_right)
        if is_right and _is_split(some, line):
            counts.update(whole=len(some), joined=len(some))
        else:
            faults.append(f"JOINED {some}\n   {_text(line)}")
    known = frozenset(chain.from_iterable(true.problems for true in case.lines))
    for line in extra:
        counts["wrong"] += _slug(line) is not None and _slug(line) not in known
        faults.append(f"FALSE {_text(line)}")
    counts["false"] += len(extra)
    counts["repairs"] += sum(_is_repair(line) for line in case.lines)
    counts["totals"] += case.total is not None
    counts["total"] += case.total is not None and found.read.stated_total == case.total
    counts["sum"] += sum(line.amount for line in case.lines) == sum(line.line.total for line in found.lines)
    if case.total != found.read.stated_total:
        faults.append(f"TOTAL {case.total} is read as {found.read.stated_total}")
    return counts, faults


def _is_repair(line: TrueLine) -> bool:
    return line.kind == "repair" and bool(line.problems)


_Joined = tuple[Sequence[TrueLine], MatchedLine]


def _paired(
    lines: Sequence[TrueLine], found: Sequence[MatchedLine]
) -> tuple[list[tuple[TrueLine, MatchedLine]], list[_Joined], list[TrueLine], list[MatchedLine]]:
    """Return lines with what they are read as, those that are read as one, those that are not read, and what is none of them."""
    left, missing = [*found], []
    pairs: list[tuple[TrueLine, MatchedLine]] = []
    for true in lines:
        same = [line for line in left if line.line.total == true.amount]
        if not same:
            missing.append(true)
            continue
        best = max(same, key=lambda line, true=true: (_is_whole(true, line), _is_kind(true, line)))  # type: ignore[misc]
        left.remove(best)
        pairs.append((true, best))
    joined: list[_Joined] = []
    for line in [*left]:
        some = _summed(missing, line)
        if some:
            joined.append((some, line))
            left.remove(line)
            missing = [true for true in missing if true not in some]
    return pairs, joined, missing, left


def _summed(lines: Sequence[TrueLine], found: MatchedLine) -> Sequence[TrueLine]:
    """Return the rows of labor and parts that a repair is the sum of."""
    if found.kind.value != "repair":
        return ()
    rows = [line for line in lines if line.kind in {"labor", "part"}][:_MOST_JOINED]
    sets = chain.from_iterable(combinations(rows, size) for size in range(2, len(rows) + 1))
    return next(
        (
            some
            for some in sets
            if any(line.kind == "labor" for line in some)
            and sum(line.amount for line in some) == found.line.total
        ),
        (),
    )


def _is_kind(true: TrueLine, found: MatchedLine) -> bool:
    kind = found.kind.value
    if true.kind == "other":
        return _slug(found) is None
    return kind == _SAME_KIND.get(true.kind, true.kind) or (true.amount < 0 and kind == "discount")


def _is_whole(true: TrueLine, found: MatchedLine) -> bool:
    slug = _slug(found)
    is_named = slug in true.problems or (slug is None and (true.kind != "repair" or not true.problems))
    line = found.line
    labor = None if line.parts_total is None else line.total - line.parts_total
    return (
        is_named
        and _is_kind(true, found)
        and true.hours in {None, line.labor_hours}
        and (true.kind == "part" or true.parts in {None, line.parts_total})
        and true.labor in {None, labor}
    )


def _is_split(lines: Sequence[TrueLine], found: MatchedLine) -> bool:
    parts = sum(line.amount for line in lines if line.kind == "part")
    hours = sum(line.hours or 0 for line in lines)
    return found.line.parts_total == parts and hours in {0, found.line.labor_hours}


def _slug(found: MatchedLine) -> str | None:
    return None if found.problem is None else str(found.problem.slug)


def _text(found: MatchedLine) -> str:
    line = found.line
    split = f"parts {line.parts_total} {list(line.parts)} hours {line.labor_hours} rate {line.labor_rate}"
    return f"{found.kind.value} {line.total} {line.description!r} -> {_slug(found)} | {split}"


def slugs_found(core: Core) -> Search:
    """Return the search that judges lines without problems."""
    return lambda words: [str(problem.slug) for problem in core.quotes.search(words)]


def main(arguments: Sequence[str]) -> None:
    """Print the counts of a file's cases."""
    parser = argparse.ArgumentParser(prog="python -m bench quotes", description=__doc__)
    parser.add_argument("--cases", type=Path, required=True, help="a JSON file of cases")
    parser.add_argument("--problems", type=Path, help="a JSON object of the right slugs by job")
    parser.add_argument("--show", action="store_true", help="print what is not read right")
    options = parser.parse_args(arguments)
    problems = {} if options.problems is None else json.loads(options.problems.read_text("utf-8"))
    with TemporaryDirectory() as folder:
        core = build(Settings.from_env({"REPAIRCORE_DATABASE_URL": f"sqlite:///{folder}/quotes.db"}))
        try:
            cases = cases_of(options.cases, problems, slugs_found(core))
            counts = score(cases, core.quotes.read, show=options.show)
        finally:
            core.close()
    for name, words in _COUNTS:
        print(f"{counts[name]:5}  {words}")
