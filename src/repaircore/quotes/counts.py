"""The count of parts in a line: a shop quotes both wheel bearings, the book prices one."""

import re
from collections.abc import Sequence
from typing import Final

from attrs import evolve

from repaircore.book.model import PartKind, Problem
from repaircore.kernel.money import round_half_up
from repaircore.quote_text.shop_words import significant_words
from repaircore.quotes.comparison import Expected

_FIXED_LABOR: Final = 0.4
"""The share of labor that does not depend on how many parts are replaced; an editorial figure."""

_MOST: Final = 8
_BOTH: Final = re.compile(
    r"\b(both|pair|pr|left (?:and|&) right|right (?:and|&) left|l ?[/&] ?r|l[fr] ?(?:and|[/&,]) ?r[fr]|lh ?(?:and|[/&]) ?rh|driver (?:and|&) passenger|two|x\s?2|2x|2 sides|each side)\b|\(2\)",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(
    r"\((\d)\)|\b(?:all|qty:?|set of) (\d|two|three|four|five|six|eight)\b|\bx\s?(\d)\b|\b(\d)\s?x\b|^(\d) × ",
    re.IGNORECASE,
)
_WORDS: Final = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8}
_COUNTED: Final = (
    r"(?<![\w.#/$-])(?<!cyl )(?<!cyls )(?<!cylinder )(?<!cylinders )(?<!bank )(?<!no )(?P<count>[2-8]|two|three|four|five|six|eight)"
    r"\s*(?:ea\.?|pcs?\.?|of)?\s+(?:(?!and |plugs? )[a-z]+\s+){{0,3}}?{noun}s\b"
)
"""A number before the part in the plural: six new coils, but not the coil of cylinder 6."""

_SINGLE: Final = re.compile(
    r"\b(left|right|lh|rh|lf|rf|lr|driver'?s?|passenger'?s?|one side|single|l/[fr]|r/[fr])\b", re.IGNORECASE
)
_SETS: Final = frozenset({"set", "kit", "pack"})


OTHER_COUNT: Final = "The text names another number of parts than the repair has."


def count_factor(description: str, parts: Sequence[str], problem: Problem) -> float:
    """Return the count of a part in a line relative to the book's; 1 if unstated, or if the part is not a single piece."""
    usual = _pieces(problem)
    if usual is None:
        return 1.0
    count = _count(description) or _count_of_noun(description, problem) or _count_of_parts(parts, problem)
    return 1.0 if count is None else count / usual


def for_count(expected: Expected, factor: float) -> Expected:
    """Return the expected price of ``factor`` times as many parts; some of the labor is the same for any number."""
    labor = _FIXED_LABOR + (1 - _FIXED_LABOR) * factor
    parts = round_half_up(expected.parts * factor)
    total = parts + (expected.average - expected.parts) * labor
    ratio = total / expected.average
    average = max(1, round_half_up(total))
    return evolve(
        expected,
        low=max(1, min(average, round_half_up(expected.low * ratio))),
        average=average,
        high=max(average, round_half_up(expected.high * ratio)),
        hours=expected.hours * labor,
        parts=parts,
        items={name: round_half_up(price * factor) for name, price in expected.items.items()},
        center=expected.center * ratio,
    )


def _pieces(problem: Problem) -> int | None:
    """Return how many pieces the book's price is for, one or two; None for sets, fluids and engine-dependent counts."""
    if not problem.parts:
        return None
    first = problem.parts[0]
    is_piece = (
        first.kind is PartKind.PART and first.per is None and not _SETS & set(first.name.lower().split())
    )
    return first.quantity if is_piece and first.quantity in {1, 2} else None


def _count(text: str) -> int | None:
    if _BOTH.search(text):
        return 2
    numbered = _NUMBERED.search(text)
    if numbered is not None:
        count = _number(next(group for group in numbered.groups() if group is not None))
        return count if 0 < count <= _MOST else None
    return 1 if _SINGLE.search(text) else None


def _count_of_noun(text: str, problem: Problem) -> int | None:
    """Return the number that stands before what the book names the part: "6 coils"."""
    noun = re.split(r"[,(]| with ", problem.parts[0].name, maxsplit=1)[0].split()[-1].casefold()
    found = re.search(_COUNTED.format(noun=re.escape(noun)), text, re.IGNORECASE)
    if found is None:
        return None
    return _number(found["count"])


def _number(text: str) -> int:
    return _WORDS.get(text.casefold()) or int(text)


def _count_of_parts(parts: Sequence[str], problem: Problem) -> int | None:
    words = significant_words(problem.parts[0].name)
    counts = [
        count for part in parts if significant_words(part) & words and (count := _count(part)) is not None
    ]
    return sum(counts) or None
