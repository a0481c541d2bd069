"""Accuracy on the made-up quotes, both the tuning half and the held-out half."""

from collections import Counter

import pytest
from tests.unit.quote_text.quotes import (
    ExpectedLine,
    SampleQuote,
    VoicedQuote,
    sample_quotes,
    voiced_quotes,
)

from repaircore.adapters.shipped.book import book
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.reader import read_quote
from repaircore.quotes.text_match import known_repairs, match_line

PROBLEMS = book().problems
KNOWN = known_repairs(PROBLEMS)


def _slug(line: QuoteLine) -> str | None:
    problem = match_line(line.description or "", line.parts, PROBLEMS)
    return None if problem is None else str(problem.slug)


def _count_right(quote: SampleQuote, counts: Counter[str]) -> None:
    left = list(read_quote(quote.text, KNOWN).lines)
    for expected in quote.lines:
        counts["lines"] += 1
        found = next(
            (line for line in left if (line.kind, line.total) == (expected.kind, expected.total)), None
        )
        if found is None:
            counts["unmatched"] += expected.repair is not None
            continue
        left.remove(found)
        counts["kind and total"] += 1
        counts["all"] += _is_right(expected, found, counts)


def _is_right(expected: ExpectedLine, found: QuoteLine, counts: Counter[str]) -> bool:
    is_split = _is_split_right(expected, found)
    if expected.kind is not LineKind.REPAIR:
        return is_split
    slug = _slug(found)
    if slug == expected.repair:
        counts["matched"] += slug is not None
    else:
        counts["unmatched" if slug is None else "wrong"] += 1
    return is_split and slug == expected.repair


def _is_split_right(expected: ExpectedLine, found: QuoteLine) -> bool:
    counted = f"{expected.quantity} × "
    return (
        expected.parts in {None, found.parts_total}
        and expected.hours in {None, found.labor_hours}
        and expected.rate in {None, found.labor_rate}
        and (expected.quantity is None or any(part.startswith(counted) for part in found.parts))
    )


@pytest.mark.parametrize(
    ("half", "least", "most_wrong"),
    [
        ("tuning", 0.95, 0),
        ("held_out", 0.85, 2),
        ("columns/tuning", 0.9, 0),
        ("columns/held_out", 0.85, 0),
    ],
)
def test_read_quote_reads_most_lines_right(half: str, least: float, most_wrong: int) -> None:
    counts: Counter[str] = Counter()
    for quote in sample_quotes(half):
        _count_right(quote, counts)
    print(half, dict(counts))  # noqa: T201 - the figures of the documentation

    assert counts["all"] >= least * counts["lines"]
    assert counts["wrong"] <= most_wrong


@pytest.mark.parametrize(
    ("half", "least"),
    [("tuning", 1.0), ("held_out", 0.9), ("columns/tuning", 1.0), ("columns/held_out", 0.9)],
)
def test_read_quote_lines_add_up_to_the_stated_sums(half: str, least: float) -> None:
    stated = [quote for quote in sample_quotes(half) if quote.meets]
    met = [quote for quote in stated if read_quote(quote.text, KNOWN).sums_meet]
    print(half, len(met), "of", len(stated))  # noqa: T201

    assert len(met) >= least * len(stated)


_NOT_MATCHED = {"20-glass"}  # the words for its glass name no repair clearly


@pytest.mark.parametrize(
    "quote",
    [
        quote
        for half in ("tuning", "columns/tuning")
        for quote in sample_quotes(half)
        if quote.name not in _NOT_MATCHED
    ],
    ids=lambda quote: quote.name,
)
def test_read_quote_reads_a_tuning_quote_without_a_mistake(quote: SampleQuote) -> None:
    counts: Counter[str] = Counter()
    read = read_quote(quote.text, KNOWN)

    _count_right(quote, counts)

    assert counts["all"] == len(quote.lines) == len(read.lines)
    assert read.sums_meet == (quote.meets or None)
    assert read.unread == ()


_READ_IN_PART = {
    *("C01", "D10", "D12", "D14", "D15", "D16", "D19", "I02", "I03", "I09", "I10", "I11", "I13", "I14"),
    *("C11", "C12", "C13", "C14", "C15", "C18", "O04", "O07", "O08", "O13", "O16", "O17", "O19"),
}
"""Quotes whose lines are joined or named in another way, or not all read."""


@pytest.mark.parametrize("quote", voiced_quotes(without=_READ_IN_PART), ids=lambda quote: quote.name)
def test_read_quote_reads_a_quote_in_the_words_of_a_shop(quote: VoicedQuote) -> None:
    read = read_quote(quote.text, KNOWN)
    left = list(read.lines)

    for expected in quote.lines:
        found = next(line for line in left if (line.kind, line.total) == (expected.kind, expected.total))
        left.remove(found)
        assert _is_split_right(expected, found), expected
    assert left == []
    assert read.sums_meet is not False
    assert read.unread == ()


def test_half_of_the_sample_quotes_are_held_out() -> None:
    assert len(sample_quotes("held_out")) == len(sample_quotes("tuning")) == 32
    assert len(sample_quotes("columns/held_out")) == len(sample_quotes("columns/tuning")) == 10
