"""The exact scores of a search in a small book: the weights of words by place and rarity, and similar titles."""

from math import log1p
from typing import Any

import pytest
from attrs import evolve

from repaircore.book.model import Category, Problem, Symptom
from repaircore.book.vocabulary import NO_VOCABULARY, Vocabulary
from repaircore.problems.fusion import RankedList
from repaircore.problems.language import Language
from repaircore.problems.search import ProblemIndex
from repaircore.problems.terms import Terms
from repaircore.problems.titles import Title, names_of, titles_of
from repaircore.problems.trigrams import TrigramIndex
from repaircore.testing.builders import a_problem

LANGUAGE = Language(NO_VOCABULARY)
PLACES = Category(id=1, slug="stops", name="Halt", description="What stops the vehicle.")


def about(value: float) -> Any:
    return pytest.approx(value, abs=5e-5)


def repair(number: int, name: str, **fields: Any) -> Problem:
    """Return a repair that has no words but its name, unless others are given."""
    bare: dict[str, Any] = {"keywords": (), "description": "", "symptoms": (), "parts": (), "parent": PLACES}
    slug = name.lower().replace(" ", "-")
    return a_problem(id=number, name=name, slug=slug, **{**bare, **fields})


def scores(
    problems: list[Problem], text: str, vocabulary: Vocabulary = NO_VOCABULARY, **more: Any
) -> dict[int, float]:
    found = ProblemIndex(problems, vocabulary).search(text, limit=99, **more)
    return {hit.problem.id: hit.score for hit in found}


def test_weight_of_a_word_depends_on_its_place() -> None:
    squeal = Symptom(slug="squeal", share=0.5)
    part = evolve(a_problem().parts[0], name="rotor")
    one = repair(1, "Pads", keywords=("linings",), parts=(part,), description="worn", symptoms=(squeal,))
    terms = Terms.of([one], LANGUAGE, {"squeal": LANGUAGE.stems("noise")})
    weights = {word: places[0] for word, places in terms.places.items()}

    assert weights == about_each(
        {"pad": 1.0, "lin": 0.75, "halt": 0.3, "stop": 0.3, "rotor": 0.25, "worn": 0.15, "nois": 0.5}
    )
    assert terms.worth["pad"] == pytest.approx(log1p(1 / 1.5))
    assert terms.worth["worn"] == pytest.approx(log1p(1 / 0.65))


def about_each(values: dict[str, float]) -> Any:
    return pytest.approx(values)


def test_word_in_two_places_weighs_like_independent_chances() -> None:
    terms = Terms.of([repair(1, "Pads", keywords=("worn rotor",), description="worn")], LANGUAGE, {})

    assert terms.places["worn"] == {0: pytest.approx(1 - 0.25 * 0.85)}
    assert terms.knows(["worn", "pad"])
    assert not terms.knows(["worn", "unknown"])


def test_word_of_more_repairs_is_worth_less() -> None:
    terms = Terms.of([repair(1, "Front pads"), repair(2, "Rear pads"), repair(3, "Horn")], LANGUAGE, {})

    assert terms.worth["pad"] == pytest.approx(log1p(3 / 2.5))
    assert terms.worth["horn"] == pytest.approx(log1p(3 / 1.5))


def test_titles_are_the_names_the_keywords_and_the_symptoms() -> None:
    one = repair(1, "Water pump", keywords=("coolant mover",), symptoms=(Symptom(slug="leak", share=0.5),))
    titles = list(titles_of(one, LANGUAGE, {"leak": LANGUAGE.stems("coolant leak")}))

    assert names_of(one, LANGUAGE) == {frozenset({"water", "pump"})}
    assert sorted(titles, key=lambda title: sorted(title.stems)) == [
        Title(LANGUAGE.stems("coolant leak"), about(0.5)),
        Title(LANGUAGE.stems("coolant mover"), 1.0),
        Title(LANGUAGE.stems("water pump"), 1.0),
    ]


def test_score_is_half_that_of_the_words_and_half_that_of_the_best_title() -> None:
    pump, water = log1p(2 / 1.5), log1p(2 / 2.5)
    book = [repair(1, "Water pump"), repair(2, "Water hose")]

    assert scores(book, "water pump") == {
        1: 1.0,
        2: about(0.5 * water / (water + pump) + 0.5 * 2 * water / (water + pump + water + pump)),
    }
    # All words of the title, and one that the book does not know at all.
    assert scores(book, "water pump zyxw") == {1: 0.99, 2: about(water / (water + pump))}
    assert scores(book, "pump") == {1: about(0.5 + 0.5 * 2 * pump / (water + pump + pump))}


def test_score_of_what_is_not_searched_for_by_name_is_at_most_almost_one() -> None:
    assert scores([repair(1, "Horn", keywords=("beeper",))], "beeper") == {1: about(0.5 * 0.75 + 0.5)}
    assert scores([repair(1, "Horn beep", keywords=("beep",))], "beep") == {1: 0.99}


def test_scores_have_four_decimals() -> None:
    pump, water = log1p(2 / 1.5), log1p(2 / 2.5)
    book = [repair(1, "Water pump"), repair(2, "Water hose")]

    assert scores(book, "water pump zyxw")[2] == round(water / (water + pump), 4)


def test_repairs_that_hardly_match_are_left_out() -> None:
    long = "Alpha bravo charlie delta foxtrot golf hotel india juliett kilo lima mike november oscar papa"
    described = repair(2, "Quebec", description="alpha")
    found = scores([repair(1, long), described], long)

    assert found[1] == 1.0
    assert 2 not in found
    assert scores([repair(1, "Alpha bravo"), described], "alpha")[2] == about(0.5 * 0.15)


def test_best_reading_of_a_word_counts() -> None:
    meanings = {"zinger": ("spark plugs", "horn")}
    words = evolve(NO_VOCABULARY, meanings=meanings)
    book = [repair(1, "Spark plugs"), repair(2, "Horn"), repair(3, "Spark arrester")]
    spark, plug, horn, arrester = log1p(3 / 2.5), log1p(3 / 1.5), log1p(3 / 1.5), log1p(3 / 1.5)
    whole = 0.9 * (spark + plug)

    assert scores(book, "zinger", words) == {
        1: about(0.5 + 0.5 * 2 * whole / (spark + plug + whole)),
        2: about(0.5 * 0.9 * horn / whole + 0.5 * 2 * 0.9 * horn / (horn + whole)),
        3: about(0.5 * 0.9 * spark / whole + 0.5 * 2 * 0.9 * spark / (spark + arrester + whole)),
    }


def test_search_of_no_results_finds_none() -> None:
    index = ProblemIndex([repair(1, "Horn")], NO_VOCABULARY)

    assert index.search("horn", limit=0) == []
    assert index.search("horn", limit=-1) == []
    assert len(index.search("horn", limit=1)) == 1


def test_list_that_stands_alone_replaces_the_words() -> None:
    book = [repair(1, "Horn"), repair(2, "Pump"), repair(3, "Hose")]
    alone = RankedList(repairs=(("hose", 0.123456), ("none", 0.9), ("pump", 0.1)), alone=True)
    beside = RankedList(repairs=(("hose", 0.9),))

    assert scores(book, "horn", lists=[beside, alone]) == {3: 0.1235, 2: 0.1}
    assert len(ProblemIndex(book, NO_VOCABULARY).search("horn", limit=1, lists=[alone])) == 1
    assert list(scores(book, "horn", lists=[beside])) == [1, 3]
    assert list(scores(book, "horn", lists=[evolve(beside, weight=1.1)])) == [3, 1]


def test_list_lifts_a_repair_that_the_words_alone_would_leave_out() -> None:
    book = [repair(1, "Horn"), repair(2, "Horn relay")]
    index, listed = ProblemIndex(book, NO_VOCABULARY), RankedList(repairs=(("horn-relay", 0.9),))

    assert [hit.problem.id for hit in index.search("horn", limit=1)] == [1]
    assert [hit.problem.id for hit in index.search("horn", limit=1, lists=[listed])] == [2]


def test_titles_with_similar_letters_are_found_while_typing_alone() -> None:
    book = [repair(1, "Horn"), repair(2, "Alternator", keywords=("generator",))]

    # Of 10 trigrams of the search and 9 of the title, 6 are shared: ter ern rna nat ato tor.
    assert scores(book, "xxxxternator") == {}
    assert scores(book, "xxxxternator", as_typed=True) == {2: 0.3789}  # 0.6 * 2 * 6 / (10 + 9)


@pytest.mark.parametrize(
    ("title", "text", "likeness"),
    [
        ("ab", "ab", 1.0),
        ("ab", "a", None),
        ("abc", "abc", 1.0),
        ("abc", "abd", 0.5),
        ("abcd xy", "abcd", 2 * 3 / (3 + 4)),
        ("abcde", "abxyz", None),
        ("abcd", "abxyz", None),
        ("abc", "abxyz", None),
        ("abcd", "abcxyz", 2 * 2 / (3 + 5)),
    ],
)
def test_likeness_of_letters_is_the_share_of_trigrams_in_common(
    title: str, text: str, likeness: float | None
) -> None:
    index = TrigramIndex([repair(1, title)])

    assert index.ranked(text) == ([] if likeness is None else [(0, about(likeness))])


def test_most_similar_titles_come_first_each_repair_with_its_best_one() -> None:
    index = TrigramIndex(
        [repair(1, "abxe"), repair(2, "wxyz", keywords=("abcx", "abcd", "abxy")), repair(3, "abcx")]
    )

    assert index.ranked("abcd") == [(1, 1.0), (2, about(2 / 3))]
    assert index.ranked("abc") == [
        (1, about(0.8)),
        (2, about(0.8)),
        (0, about(0.4)),
    ]


@pytest.mark.parametrize(
    ("text", "word"),
    [("br", "br"), ("the br", "br"), ("br ", None), ("br.", None), ("", None), ("...", None), ("Bré", "bre")],
)
def test_last_word_is_unfinished_unless_something_follows(text: str, word: str | None) -> None:
    assert LANGUAGE.unfinished(text) == word


def test_long_query_is_truncated() -> None:
    words = [f"w{number}" for number in range(30)]
    long = f"w1{' ' * 497}yz"

    assert LANGUAGE.typed(" ".join(words)) == frozenset(words[:24])
    assert LANGUAGE.unfinished(" ".join(words)) == "w23"
    assert LANGUAGE.typed(long) == {"w1", "y"}
    assert LANGUAGE.unfinished(long) == "y"


def test_best_of_many_repairs_have_the_scores_of_a_search_for_all() -> None:
    """With forty good answers to the rarer word, the commoner one is looked for only in those."""
    kinds = ((), ("bravo",), ("charlie",), ())
    book = [
        *(repair(number, f"Alpha item{number}", keywords=kinds[number % 4]) for number in range(1, 46)),
        *(repair(number, f"Item{number}", keywords=("bravo charlie",)) for number in range(46, 101)),
    ]
    index = ProblemIndex(book, evolve(NO_VOCABULARY, meanings={"zinger": ("bravo", "charlie")}))

    for text in ("alpha bravo", "alpha zinger", "alpha bravo charlie", "alpha bravo zinger"):
        all_of_them = index.search(text, limit=200)

        assert len(all_of_them) > 45
        assert [hit for hit in index.search(text, limit=20) if hit not in all_of_them] == [], text
