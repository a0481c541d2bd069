"""The shipped lexicon of symptoms, compared with the book."""

import pytest
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.diagnosis.reading import read
from repaircore.problems.words import stem

KNOWN = shipped_knowledge()
LEXICON = KNOWN.lexicon


def test_lexicon_covers_exactly_the_symptoms_of_the_book() -> None:
    assert set(LEXICON.questions) == set(KNOWN.symptoms)
    assert set(LEXICON.said) == set(KNOWN.symptoms)
    assert all(LEXICON.said.values())


def test_every_symptom_is_explained_by_a_repair() -> None:
    assert set(KNOWN.symptoms) == set(KNOWN.by_symptom)


def test_questions_are_distinct_sentences() -> None:
    questions = list(LEXICON.questions.values())

    assert len(set(questions)) == len(questions)
    assert all(text[0].isupper() and text.endswith("?") for text in questions)


@pytest.mark.parametrize("symptom", sorted(KNOWN.symptoms))
def test_sayings_find_a_symptom_by_its_name(symptom: str) -> None:
    found = {one.symptom for one in read(KNOWN.symptoms[symptom], KNOWN).findings if one.present}

    assert symptom in found, found


@pytest.mark.parametrize("symptom", sorted(LEXICON.said))
def test_sayings_are_all_found(symptom: str) -> None:
    for saying in LEXICON.said[symptom]:
        parts = KNOWN.sentence_reader.saying(saying)

        assert parts, saying
        assert all(parts), saying


def test_synonyms_are_neither_ambiguous_nor_chained() -> None:
    pairs = {(stem(other), stem(word)) for word, others in LEXICON.alike.items() for other in others} | {
        (stem(other), stem(word)) for other, word in vocabulary().same.items()
    }
    replaced = {(one, other) for one, other in pairs if one != other}

    assert len({one for one, _ in replaced}) == len(replaced)
    assert not {one for one, _ in replaced} & {other for _, other in replaced}
