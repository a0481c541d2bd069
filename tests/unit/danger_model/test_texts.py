"""Training texts of the danger model: balance and no duplicates."""

import json
import re
from collections import Counter
from importlib import resources

from repaircore.adapters.shipped.dangers import (
    composed_texts,
    danger_texts,
    danger_wording,
    labeled_complaints,
    written_texts,
)
from repaircore.diagnosis.danger import Danger

_LEAST_PER_DANGER = 15
_BY_PHRASES_ALONE = {Danger.HOT_EXHAUST, Danger.VISIBILITY, Danger.BRAKE_LIGHTS, Danger.BRAKE_WARNING}
_LEARNED = set(Danger) - _BY_PHRASES_ALONE
_VOICES = {
    "history",
    "fear",
    "repaired",
    "others",
    "buying",
    "workshop",
    "question",
    "lookalike",
    "denied",
}


def test_each_danger_has_texts_and_wordings() -> None:
    by_danger = Counter(danger for text in written_texts() for danger in text.dangers)

    assert set(by_danger) == _LEARNED == set(danger_wording().dangers)
    assert min(by_danger.values()) >= _LEAST_PER_DANGER


def test_half_of_the_written_texts_are_harmless_in_many_voices() -> None:
    texts = list(written_texts())
    harmless = sum(not text.dangers for text in texts)
    page = (resources.files("repaircore") / "data" / "dangers" / "harmless.jsonl").read_text("utf-8")
    voices = Counter(json.loads(line)["voice"] for line in page.splitlines())

    assert len(texts) >= 1000
    assert 0.45 <= harmless / len(texts) <= 0.6
    assert set(voices) == _VOICES
    assert min(voices.values()) >= 20


def test_texts_are_unique() -> None:
    by_text = Counter(re.sub(r"[^a-z0-9?!]+", " ", text.text.lower()).strip() for text in danger_texts())

    assert [text for text, count in by_text.items() if count > 1] == []


def test_labels_of_complaints_name_dangers() -> None:
    labeled = list(labeled_complaints())

    assert len(labeled) >= 700
    assert {danger for text in labeled for danger in text.dangers} <= set(Danger)
    assert sum(not text.dangers for text in labeled) > len(labeled) / 2


def test_composed_texts_are_of_both_kinds_for_each_danger() -> None:
    composed = list(composed_texts())

    assert {danger for text in composed for danger in text.dangers} == _LEARNED
    assert {text.weight for text in composed} == {0.5}
    assert any(not text.dangers for text in composed)
