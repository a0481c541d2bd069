"""The features of a suspicion: its wording, the words before, inside and after it, and the adjacent sentences."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from repaircore.danger_model.wording import Suspicion, Wording, plain_words, sentences
from repaircore.problems.words import stem

MOST_SENTENCES: Final = 120
"""How many sentences are read: problems are described early, and the response time must be bounded."""

_LONGEST: Final = 600
"""The length in characters to which sentences are truncated."""

_AROUND: Final = 6
"""How many words before and after a suspicion become features."""

Features = Mapping[str, float]


def candidates(text: str, wording: Wording) -> Iterator[tuple[str, Features]]:
    """Yield each danger that a sentence of ``text`` may describe, with the features of that suspicion."""
    listed = [sentence[:_LONGEST] for sentence in sentences(text)[:MOST_SENTENCES]]
    read: dict[int, Sequence[str]] = {}

    def readings(number: int) -> Sequence[str]:
        if number not in read:
            read[number] = [wording.reading(word) for word in plain_words(listed[number])]
        return read[number]

    for number, sentence in enumerate(listed):
        for suspicion in wording.suspicions(sentence):
            features = _of_sentence(sentence, suspicion, wording)
            for tag, numbers in (
                ("<<", range(max(0, number - 1), number)),
                (">>", range(number + 1, min(number + 2, len(listed)))),
            ):
                around = {word for other in numbers for word in readings(other) if word.isupper()}
                features |= dict.fromkeys((f"{tag}{word}" for word in around), 0.4)
            yield suspicion.danger, features


def _of_sentence(sentence: str, suspicion: Suspicion, wording: Wording) -> dict[str, float]:
    danger = suspicion.danger
    features = dict.fromkeys((f"p:{danger}:{number}" for number in suspicion.wordings), 1.0)
    features[f"d:{danger}"] = 1.0
    if len(suspicion.wordings) > 1:
        features["p:many"] = 1.0
    before = plain_words(sentence[: suspicion.start])
    inside = plain_words(sentence[suspicion.start : suspicion.end])
    after = plain_words(sentence[suspicion.end :])
    for tag, part in (("pre", before[-_AROUND:]), ("in", inside), ("post", after[:_AROUND])):
        features |= _of_part(tag, part, wording)
    features |= dict.fromkeys((f"{danger}|{wording.reading(word)}" for word in inside), 0.7)
    for tag, nearest in (("pre1", before[-1:]), ("post1", after[:1])):
        features |= dict.fromkeys((f"{tag}:{wording.reading(word)}" for word in nearest), 1.0)
    return features | _of_words(sentence, wording)


def _of_part(tag: str, said: Sequence[str], wording: Wording) -> dict[str, float]:
    """Return the features of the words and word pairs before, inside or after a suspicion."""
    read = [wording.reading(word) for word in said]
    features = dict.fromkeys((f"{tag}:{reading}" for reading in read), 1.0)
    for word, reading in zip(said, read, strict=True):
        if reading.isupper():
            features[f"{tag}={stem(word)}"] = 0.6
    return features | dict.fromkeys((f"{tag}:{first} {second}" for first, second in pairwise(read)), 0.8)


def _of_words(sentence: str, wording: Wording) -> dict[str, float]:
    """Return the features of a whole sentence: its words, word pairs and word classes, and how it begins and ends."""
    said = plain_words(sentence)
    stems = [stem(word) for word in said]
    read = [wording.reading(word) for word in said]
    names = [f"w:{word}" for word in stems] + [f"w:{first} {second}" for first, second in pairwise(stems)]
    features = dict.fromkeys(names, 0.5) | dict.fromkeys((f"#{each}" for each in read if each.isupper()), 1.0)
    if len(read) > 1:
        features[f"^{read[0]} {read[1]}"] = 1.0
    if sentence.rstrip().endswith("?"):
        features |= dict.fromkeys(("?", f"?{read[0] if read else ''}"), 1.0)
    return features
