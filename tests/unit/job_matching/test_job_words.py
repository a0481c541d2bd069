"""The words of a job."""

import pytest

from repaircore.job_matching.job_words import (
    component_after,
    is_oil_unsaid,
    job_words,
    names_action,
    without_what_is_fine,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("R&R frt brk pads", {"front", "brake", "pad"}),
        ("Replaced pads, rotors ok", {"pad"}),
        ("pads ok, rotors good", {"pad", "rotor", "ok"}),
        ("Customer states dead. Replaced alternator", {"alternator"}),
        ("Replaced alternator; customer states dead", {"alternator"}),
        ("alternator R2D2", {"alternator"}),
        ("60k service", {"60k", "service"}),
        ("alternator ’s", {"alternator"}),
        ("", set()),
    ],
)
def test_words_say_what_was_done(text: str, words: set[str]) -> None:
    assert job_words(text) == words


def test_complaint_counts_if_nothing_else_is_said() -> None:
    assert "alternator" in job_words("Customer states alternator dead")
    assert "alternator" not in job_words("Customer states alternator dead. Replaced battery")


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("4 tires", "fourtire"),
        ("three tires", "threetire"),
        ("both tires", "twotire"),
        ("pair of tires", "twotire"),
        ("set of tires", "fourtire"),
        ("set of 4 tires", "fourtire"),
        ("1 new tire", "onetire"),
        ("tires qty 2", "twotire"),
        ("tires 4 each", "fourtire"),
        ("replaced LF tire", "onetire"),
        ("mount and balance 4 tires", "fourtire"),
        ("balance 4 tires", None),
        ("rotate 4 tires", None),
        ("patched 1 tire", None),
        ("tire", None),
        ("5 tires", None),
    ],
)
def test_number_of_tires_is_one_word(text: str, counted: str | None) -> None:
    words = job_words(text)

    assert {word for word in words if word.endswith("tire") and word != "tire"} == ({counted} - {None})
    if counted is not None:
        assert not words & {"tire", "mount", "balance", "two", "four", "new"}


@pytest.mark.parametrize(
    ("text", "words", "company", "component"),
    [
        ("water pump gasket", {"water", "pump"}, set(), "gasket"),
        ("Water pump GASKETS", {"water", "pump"}, set(), "gasket"),
        ("water pump, gasket", {"water", "pump"}, set(), None),
        ("gasket water pump", {"water", "pump"}, set(), None),
        ("water pump gasket", {"water", "pump", "gasket"}, set(), None),
        ("radiator gasket", {"water", "pump"}, set(), None),
        ("battery terminal", {"battery"}, {"terminal"}, "terminal"),
        ("battery terminal", {"battery"}, set(), None),
        ("battery service", {"battery"}, {"service"}, None),
        ("cv shaft", {"cv", "axle"}, {"shaft"}, None),
        ("fuel injector cleaning", {"fuel", "injection", "cleaning"}, {"injector"}, None),
        ("fuel injector cleaning battery", {"fuel", "injection", "cleaning"}, {"injector"}, None),
        ("fuel injector", {"fuel", "injection", "cleaning"}, {"injector"}, "injector"),
        ("battery terminal then battery cable", {"battery"}, set(), "cable"),
    ],
)
def test_component_after_a_name_changes_its_meaning(
    text: str, words: set[str], company: set[str], component: str | None
) -> None:
    assert component_after(text, frozenset(words), frozenset(company)) == component


@pytest.mark.parametrize(
    ("text", "is_unsaid"),
    [
        ("oil change", True),
        ("Oil & filter", True),
        ("synthetic oil change", False),
        ("oil pan", False),
        ("alternator", False),
    ],
)
def test_oil_is_unsaid_if_the_text_says_no_more_than_oil(text: str, *, is_unsaid: bool) -> None:
    assert is_oil_unsaid(text) is is_unsaid


def test_action_is_a_word_for_work() -> None:
    assert names_action("REPLACED battery")
    assert names_action("r&r battery")
    assert not names_action("battery")


def test_findings_that_are_fine_are_left_out() -> None:
    assert without_what_is_fine("Replaced PADS, rotors ok") == "replaced pads"
    assert without_what_is_fine("rotors ok. Replaced pads") == "replaced pads"
    assert without_what_is_fine("Rotors, pads") == "rotors, pads"
    assert without_what_is_fine("good 5. Rotors") == "good 5. rotors"
    assert without_what_is_fine("rotors ok") == "rotors ok"
    assert without_what_is_fine("good pads, rotors") == "good pads, rotors"
