"""Matching of sayings in a sentence."""

import pytest
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.complaints.sayings import Sayings

READER = shipped_knowledge().sentence_reader


@pytest.mark.parametrize(
    ("text", "near", "is_found"),
    [
        ("brakes squeal", 1, True),
        ("brakes loudly squeal", 1, False),
        ("brakes loudly squeal", 2, True),
        ("squeal loudly brakes", 1, False),
        ("squeal loudly brakes", 2, True),
        ("brakes", 20, False),
    ],
)
def test_saying_is_found_only_where_its_words_are_near(text: str, near: int, *, is_found: bool) -> None:
    (sentence,) = READER.sentences(text)
    matches = Sayings(READER, {"brakes-squeal": ["brakes squeal"]}, near=near).find(sentence)

    assert bool(matches) is is_found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("squeal squeal loudly brakes squeal", {3, 4}),
        ("brakes squeal squeal squeal", {0, 1}),
        ("squeal squeal brakes", {1, 2}),
        ("squeal brakes squeal", {0, 1}),
    ],
)
def test_saying_is_found_in_its_nearest_words(text: str, words: set[int]) -> None:
    (sentence,) = READER.sentences(text)
    (match,) = Sayings(READER, {"brakes-squeal": ["brakes squeal"]}, near=20).find(sentence)

    assert match.places == words
