"""The shipped list of how owners tell of symptoms, held against the book."""

import pytest
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.diagnosis.reading import read
from repaircore.problems.words import stem

KNOWN = shipped_knowledge()
LEXICON = KNOWN.lexicon


def test_every_symptom_of_the_book_has_a_question_and_sayings_and_no_other() -> None:
    assert set(LEXICON.questions) == set(KNOWN.symptoms)
    assert set(LEXICON.said) == set(KNOWN.symptoms)
    assert all(LEXICON.said.values())


def test_every_symptom_is_one_that_a_repair_explains() -> None:
    assert set(KNOWN.symptoms) == set(KNOWN.by_symptom)


def test_questions_are_sentences_and_each_is_asked_for_one_symptom() -> None:
    asked = list(LEXICON.questions.values())
    assert len(set(asked)) == len(asked)
    assert all(text[0].isupper() and text.endswith("?") for text in asked)


@pytest.mark.parametrize("symptom", sorted(KNOWN.symptoms))
def test_what_a_symptom_is_called_is_read_as_that_symptom(symptom: str) -> None:
    found = {one.symptom for one in read(KNOWN.symptoms[symptom], KNOWN).findings if one.present}
    assert symptom in found, found


@pytest.mark.parametrize("symptom", sorted(LEXICON.said))
def test_every_saying_is_heard(symptom: str) -> None:
    for saying in LEXICON.said[symptom]:
        parts = KNOWN.sentence_reader.saying(saying)
        assert parts, saying
        assert all(parts), saying


def test_no_word_is_like_two_and_none_is_like_one_that_is_like_another() -> None:
    pairs = {(stem(other), stem(word)) for word, others in LEXICON.alike.items() for other in others} | {
        (stem(other), stem(word)) for other, word in vocabulary().same.items()
    }
    likened = {(one, other) for one, other in pairs if one != other}
    assert len({one for one, _ in likened}) == len(likened)
    assert not {one for one, _ in likened} & {other for _, other in likened}
