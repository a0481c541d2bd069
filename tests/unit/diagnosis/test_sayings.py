"""Matching of sayings in a sentence."""

import pytest
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.complaints.sayings import Sayings

READER = shipped_knowledge().sentence_reader


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
