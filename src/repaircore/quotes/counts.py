"""The count of parts in a line: a shop quotes both wheel bearings, the book prices one."""

from collections.abc import Sequence
from typing import Final

from attrs import evolve

from repaircore.book.model import PartKind, Problem
from repaircore.kernel.money import round_half_up
from repaircore.quote_text.shop_words import significant_words
from repaircore.quotes.comparison import Expected
from repaircore.quotes.stated_counts import marked_count, stated_count

_FIXED_LABOR: Final = 0.4
"""The share of labor that does not depend on how many parts are replaced; an editorial figure."""

_SETS: Final = frozenset({"set", "kit", "pack"})

OTHER_COUNT: Final = "The text names another number of parts than the repair has."


def count_factor(description: str, parts: Sequence[str], problem: Problem) -> float:
    """Return the count of a part in a line relative to the book's; 1 if unstated, or if the part is not a single piece."""
    usual = _pieces(problem)
    if usual is None:
        return 1.0
    count = stated_count(description, problem) or _count_of_parts(parts, problem)
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


def _count_of_parts(parts: Sequence[str], problem: Problem) -> int | None:
    words = significant_words(problem.parts[0].name)
    counts = [
        count
        for part in parts
        if significant_words(part) & words and (count := marked_count(part)) is not None
    ]
    return sum(counts) or None
