"""The complaints that train the shipped word weights: balanced, varied and unique."""

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import resources
from itertools import combinations
from typing import Any, Final

import pytest

from repaircore.adapters.shipped.book import book

AT_LEAST: Final = 64
TOO_ALIKE: Final = 0.5
"""Jaccard similarity of two texts' runs of five words; shorter texts are compared by all of their words."""
VOICES: Final = {
    "caps",
    "denied",
    "long",
    "mechanic_says",
    "non_native",
    "question",
    "short",
    "slang",
    "story",
    "title",
    "typos",
    "vehicle",
}

_FOLDER = resources.files("repaircore") / "data" / "complaints"
_GROUPS: list[dict[str, Any]] = tomllib.loads((_FOLDER / "groups.toml").read_text(encoding="utf-8"))["group"]


def _complaints(slug: str) -> list[dict[str, str]]:
    text = (_FOLDER / f"{slug}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _runs(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    if len(words) < 5:
        return frozenset([" ".join(sorted(words))])
    return frozenset(" ".join(words[at : at + 5]) for at in range(len(words) - 4))


def _pairs_that_share_a_run(texts: list[frozenset[str]]) -> Iterator[tuple[int, int]]:
    by_run = defaultdict(list)
    for number, runs in enumerate(texts):
        for run in runs:
            by_run[run].append(number)
    yield from {pair for numbers in by_run.values() for pair in combinations(numbers, 2)}


def test_every_repair_of_the_book_is_in_one_group() -> None:
    grouped = Counter(slug for group in _GROUPS for slug in group["repairs"])

    assert set(grouped) == {problem.slug for problem in book().problems}
    assert max(grouped.values()) == 1


@pytest.mark.parametrize("slug", [group["slug"] for group in _GROUPS])
def test_group_has_enough_complaints_in_many_voices_and_lengths(slug: str) -> None:
    complaints = _complaints(slug)
    voices = Counter(complaint["voice"] for complaint in complaints)
    lengths = [len(complaint["text"].split()) for complaint in complaints]

    assert len(complaints) >= AT_LEAST
    assert all(complaint.keys() - {"dangers"} == {"text", "voice"} for complaint in complaints)
    assert set(voices) == VOICES
    assert max(voices.values()) <= len(complaints) / 4
    assert all(complaint["text"].strip() for complaint in complaints)
    assert max(lengths) <= 200
    for low, high in ((0, 11), (12, 39), (40, 200)):
        assert sum(low <= length <= high for length in lengths) >= len(complaints) * 0.15


def test_no_two_complaints_are_nearly_the_same() -> None:
    texts = [complaint["text"] for group in _GROUPS for complaint in _complaints(group["slug"])]
    runs = [_runs(text) for text in texts]

    alike = [
        (texts[a], texts[b])
        for a, b in _pairs_that_share_a_run(runs)
        if len(runs[a] & runs[b]) > TOO_ALIKE * len(runs[a] | runs[b])
    ]

    assert alike == []
