"""The list of synonyms is edited by hand; these tests find entries without effect."""

from repaircore.adapters.shipped.book import book, symptoms
from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.problems.language import Language
from repaircore.problems.terms import Terms
from repaircore.problems.words import stem, words

SHIPPED = vocabulary()
LANGUAGE = Language(SHIPPED)
TERMS = Terms.of(
    book().problems, LANGUAGE, {slug: LANGUAGE.stems(name) for slug, name in SHIPPED.symptoms.items()}
)


def test_symptoms_exist_in_the_book() -> None:
    assert SHIPPED.symptoms == symptoms()


def test_every_meaning_uses_words_of_the_book() -> None:
    foreign = {
        (saying, text): sorted(LANGUAGE.stems(text) - TERMS.places.keys())
        for saying, meaning in SHIPPED.meanings.items()
        for text in meaning
        if not LANGUAGE.stems(text) or not TERMS.knows(LANGUAGE.stems(text))
    }

    assert not foreign


def test_no_two_sayings_are_the_same() -> None:
    seen: dict[frozenset[str], str] = {}
    for saying in SHIPPED.meanings:
        stems = frozenset(LANGUAGE.all_stems(saying))
        assert stems
        assert seen.setdefault(stems, saying) == saying


def test_replacements_of_words_have_no_cycles() -> None:
    for read in (SHIPPED.same, SHIPPED.misspelled):
        targets = {stem(other) for other in read.values()}
        for word, other in read.items():
            assert words(word) == (word,)
            assert stem(word) != stem(other)
            assert stem(word) not in targets


def test_no_word_that_names_a_category_is_ignored() -> None:
    for category in book().categories:
        assert LANGUAGE.stems(category.name)
