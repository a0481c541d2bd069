import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.problems.typos import Speller

SPELLER = Speller(["alternator", "radiator", "brake", "muffler", "p0455", "30000", "ac", "gasket", "casket"])


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("alternater", "alternator"),
        ("alterntor", "alternator"),
        ("radaitor", "radiator"),
        ("mufler", "muffler"),
        ("braek", "brake"),
        ("alter", "alternator"),
    ],
)
def test_speller_corrects_a_typing_error(typed: str, expected: str) -> None:
    assert max(SPELLER.corrections(typed).items(), key=lambda one: one[1])[0] == expected


@pytest.mark.parametrize("typed", ["", "x", "zebra", "30001", "12345", "ab", "xyzzyxyzzy"])
def test_speller_ignores_unlike_words_and_numbers(typed: str) -> None:
    assert SPELLER.corrections(typed) == {}


def test_speller_returns_several_equally_close_words() -> None:
    assert set(SPELLER.corrections("zasket")) == {"gasket", "casket"}


def test_speller_without_words_returns_nothing() -> None:
    assert Speller([]).corrections("brake") == {}


@given(st.text(max_size=50))
def test_speller_returns_few_known_similar_words(typed: str) -> None:
    found = SPELLER.corrections(typed)

    assert len(found) <= 5
    assert all(0.7 <= likeness <= 1 for likeness in found.values())


def test_speller_leaves_out_words_far_behind_the_best() -> None:
    assert set(Speller(["alternator", "alternate"]).corrections("alternators")) == {"alternator"}


@pytest.mark.parametrize(
    ("known", "typed", "similarities"),
    [
        # One edit in three letters is too many, one in four is not.
        ("abc", "abd", {}),
        ("abcd", "abce", {"abcd": 0.75}),
        ("abcdefghij", "abcdefgxyz", {"abcdefghij": 0.7}),
        ("abcdefghij", "abcdefwxyz", {}),
        # A swap of neighbors is one edit.
        ("abcd", "abdc", {"abcd": 0.75}),
        # A beginning of four letters is similar to the whole word, however long.
        ("alternator", "alte", {"alternator": 0.85}),
        ("alternator", "alt", {}),
        # A word up to 0.12 less similar than the best one counts.
        ("abcdefgh abcdefgx", "abcdefgh", {"abcdefgh": 1.0}),
        ("abcdefghij abcdefghix", "abcdefghij", {"abcdefghij": 1.0, "abcdefghix": 0.9}),
        ("abcdefghi abcdefghix", "abcdefghi", {"abcdefghi": 1.0, "abcdefghix": 0.9}),
        # Words of two letters, and numbers, are not guessed.
        ("ac acs", "acs", {"acs": 1.0}),
        ("1234 abc", "1234", {}),
        ("1234 p1234", "x1234", {"p1234": 0.8}),
        ("1234x", "1234", {}),
    ],
)
def test_similarity_is_the_share_of_letters_without_an_edit(
    known: str, typed: str, similarities: dict[str, float]
) -> None:
    assert Speller(known.split()).corrections(typed) == pytest.approx(similarities)


def test_speller_returns_the_five_most_similar_words() -> None:
    words = [f"abcdefgh{letter}" for letter in "vwxyz"]
    found = Speller([*words, "abcdefghi", "abcdefghj"]).corrections("abcdefghi")

    assert list(found) == ["abcdefghi", *(f"abcdefgh{letter}" for letter in "zyxw")]


def test_speller_compares_the_forty_words_that_share_the_most_trigrams() -> None:
    longer = [f"brake{letter}{other}" for letter in "abcdefgh" for other in "abcde"]

    assert "brakeia" not in Speller([*longer, "brakeia"]).corrections("brake")
    # Among words that share as many, the shorter one is closer.
    assert "brakes" in Speller([*longer, "brakes"]).corrections("brake")
    assert list(Speller([*longer, "rbake"]).corrections("brake")) == [
        "brakehe",
        "brakehd",
        "brakehc",
        "brakehb",
        "brakeha",
    ]
    assert "rbake" not in Speller([*longer, "rbake"]).corrections("brake")
