import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.problems.typos import Speller

SPELLER = Speller(["alternator", "radiator", "brake", "muffler", "p0455", "30000", "ac", "gasket", "casket"])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("alternater", "alternator"),
        ("alterntor", "alternator"),
        ("radaitor", "radiator"),
        ("mufler", "muffler"),
        ("braek", "brake"),
        ("alter", "alternator"),
    ],
)
def test_a_typing_error_is_seen_through(typed: str, meant: str) -> None:
    assert max(SPELLER.corrections(typed).items(), key=lambda one: one[1])[0] == meant


@pytest.mark.parametrize("typed", ["", "x", "zebra", "30001", "12345", "ab", "xyzzyxyzzy"])
def test_a_word_that_is_like_none_means_none_and_numbers_are_not_guessed(typed: str) -> None:
    assert SPELLER.corrections(typed) == {}


def test_several_are_given_when_several_are_as_near() -> None:
    assert set(SPELLER.corrections("zasket")) == {"gasket", "casket"}


def test_who_knows_nothing_means_nothing() -> None:
    assert Speller([]).corrections("brake") == {}


@given(st.text(max_size=50))
def test_what_is_meant_is_known_and_few_and_alike(typed: str) -> None:
    meant = SPELLER.corrections(typed)
    assert len(meant) <= 5
    assert all(0.7 <= likeness <= 1 for likeness in meant.values())
