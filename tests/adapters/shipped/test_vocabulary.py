"""The list of synonyms is data that people edit: these find what would have no effect."""

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


def test_symptoms_are_the_books() -> None:
    assert SHIPPED.symptoms == symptoms()


def test_every_meaning_is_in_words_of_the_book() -> None:
    foreign = {
        (said, text): sorted(LANGUAGE.stems(text) - TERMS.places.keys())
        for said, meant in SHIPPED.meanings.items()
        for text in meant
        if not LANGUAGE.stems(text) or not TERMS.knows(LANGUAGE.stems(text))
    }

    assert not foreign


def test_no_two_sayings_are_the_same() -> None:
    seen: dict[frozenset[str], str] = {}
    for said in SHIPPED.meanings:
        stems = frozenset(LANGUAGE.all_stems(said))
        assert stems
        assert seen.setdefault(stems, said) == said


def test_word_is_read_as_another_one_and_never_in_a_circle() -> None:
    for read in (SHIPPED.same, SHIPPED.misspelled):
        targets = {stem(other) for other in read.values()}
        for word, other in read.items():
            assert words(word) == (word,)
            assert stem(word) != stem(other)
            assert stem(word) not in targets


def test_no_word_that_names_a_category_is_ignored() -> None:
    for category in book().categories:
        assert LANGUAGE.stems(category.name)
