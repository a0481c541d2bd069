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
