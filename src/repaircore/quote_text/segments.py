"""Split a line of text into items, each with its words and amounts."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents
from repaircore.quote_text.money_text import Figures, Money

UNIT_WORDS: Final = re.compile(
    r"^(?:ea|each|t|n|y|x|qty|hrs?|per|parts?|usd|us|plus)$",
    re.IGNORECASE,
)
WORD: Final = re.compile(r"[A-Za-z]{2,}|[A-Za-z](?=\s|$)")
_FOR: Final = re.compile(
    r"^\s+(?:for|to (?:replace|do|fix|change))\s+(?!both\b|all\b|each\b|everything\b|the pair\b|parts\b|labor\b)",
    re.IGNORECASE,
)
_APART: Final = re.compile(r"[=;]|[,.]\s|\bparts?\W*$", re.IGNORECASE)
_CLAUSE_END: Final = re.compile(r"[,;]\s|[.?!](?:\s|$)")
_SENTENCE_END: Final = re.compile(r"(?<=[A-Za-z)]{2})[.?!;]\s+|[.?!;]$")
_ASIDE_FIRST: Final = re.compile(r"^\s*\([^)\d]*\)(?=\s*[,;.])")
_LINKS: Final = re.compile(
    r"^\W*(?:(?:installed|and|or|then|another|extra|also|with|plus)\b\W*)+$", re.IGNORECASE
)
_FEWEST_PROSE_WORDS: Final = 6


@frozen
class Segment:
    """An item in a line: its words, its amounts and, for the last item, the words after it."""

    before: str
    amounts: tuple[Money, ...]
    after: str


def has_words(text: str) -> bool:
    """Return whether ``text`` has words other than units."""
    return any(not UNIT_WORDS.match(word) for word in WORD.findall(text))


def split_items(figures: Figures) -> list[Segment]:
    """Split a line into its items; the words for an amount are those before it, or else those after it."""
    text, groups = figures.text, _groups(figures)
    if not groups and figures.quantity and figures.unit is not None:
        amount = round(figures.quantity * figures.unit)
        return [Segment(text, (Money(amount, len(text), len(text), is_sure=True),), "")]
    found: list[Segment] = []
    start = 0
    for place, group in enumerate(groups):
        end = groups[place + 1][0].start if place + 1 < len(groups) else len(text)
        before, after = text[start : group[0].start], text[group[-1].end : end]
        before = _ASIDE_FIRST.sub("", before) if place else before
        is_named = bool(WORD.search(_LINKS.sub("", before))) and not (place == 0 and _FOR.match(after))
        if is_named or before.rstrip().endswith("=") or not WORD.search(after):
            found.append(Segment(_last_sentence(before), tuple(group), after if end == len(text) else ""))
            start = group[-1].end
        else:  # "$320 for front brake pads, $540 rear brakes"
            found.append(Segment(_CLAUSE_END.split(_FOR.sub(" ", after))[0], tuple(group), ""))
            start = end
    return found


def _groups(figures: Figures) -> list[list[Money]]:
    """Return the amounts in a line, grouped by item: an item may have several columns."""
    groups = [[figures.money[0]]] if figures.money else []
    for left, right in pairwise(figures.money):
        between = figures.text[left.end : right.start]
        if has_words(between) or _APART.search(between):
            groups.append([right])
        else:
            groups[-1].append(right)
    return groups


_PARTS_BEFORE: Final = re.compile(r"\bparts?(?:\s+cost)?\W*$", re.IGNORECASE)
_LABOR_BEFORE: Final = re.compile(r"^\W*(?:labou?r|lbr)\b|\b(?:labou?r|lbr)\W*$", re.IGNORECASE)
_TOTAL_ONLY: Final = re.compile(r"^\W*(?:(?:line|in)\s+)?total\W*$", re.IGNORECASE)
_RATES: Final = range(40_00, 500_00)
_ROUNDING: Final = 100
"""How many cents a price computed from hours rounded to tenths may be off."""


@frozen
class StatedSplit:
    """An item that states its total and the parts in it, both in cents: ``Brakes  parts 289.00  2.0 h  $579.00``."""

    words: str
    parts: Cents
    total: Cents


def stated_split(segments: Sequence[Segment], figures: Figures) -> StatedSplit | None:
    """Return the only item in a line if it states its parts and its total and the hours agree, else None."""
    if not segments or figures.quantity is not None or not _PARTS_BEFORE.search(segments[0].before):
        return None
    amounts = [money.amount for segment in segments for money in segment.amounts]
    is_one = len(segments) == 1 or (len(segments) == 2 and _TOTAL_ONLY.match(segments[1].before))  # noqa: PLR2004
    if not is_one or len(amounts) != 2 or not 0 < amounts[0] < amounts[1]:  # noqa: PLR2004 - parts and total
        return None
    words = _LABOR_BEFORE.sub(" ", _PARTS_BEFORE.sub(" ", segments[0].before).rstrip(" ,;:-"))
    labor = amounts[1] - amounts[0]
    is_likely = _is_labor(labor, figures) if figures.hours else len(segments) > 1 and has_words(words)
    return StatedSplit(words, amounts[0], amounts[1]) if is_likely else None


def _is_labor(amount: Cents, figures: Figures) -> bool:
    """Return whether an amount is a plausible price for a line's hours."""
    hours = figures.hours or 0.0
    if figures.rate is not None:
        return abs(hours * figures.rate - amount) <= _ROUNDING
    return hours > 0 and round(amount / hours) in _RATES


_LABEL_ONLY: Final = re.compile(r"^\W*(?:labou?r|lbr|parts?)\W*$", re.IGNORECASE)
_COLUMN_GAP: Final = re.compile(r"[.;]\s{2,}(?:labou?r|lbr|parts?)\W*$", re.IGNORECASE)


def _last_sentence(words: str) -> str:
    """Return the last sentence in prose, which says what the amount is for; shorter text is returned unchanged."""
    if len(WORD.findall(words)) < _FEWEST_PROSE_WORDS:
        return words
    last = next((text for text in reversed(_SENTENCE_END.split(words)) if has_words(text)), words)
    # In columns, a period ends an abbreviation, and a label alone does not say what its amount is for.
    return words if _LABEL_ONLY.match(last) and _COLUMN_GAP.search(words) else last


def without_line_sum(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Return a line's segments without the sum of their amounts at the end: ``parts 289.00  labor 330.00  619.00``."""
    if len(segments) < 2 or len(segments[-1].amounts) != 2:  # noqa: PLR2004 - the last item, and the sum
        return segments
    *others, last = segments
    item, line_sum = (money.amount for money in last.amounts)
    if sum(segment.amounts[-1].amount for segment in others) + item != line_sum:
        return segments
    return [*others, evolve(last, amounts=last.amounts[:1])]
