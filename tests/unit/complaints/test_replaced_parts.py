import pytest

from repaircore.complaints.replaced_parts import (
    cleaned_in_vain,
    replaced_in_vain,
    without_parts_done_already,
    without_replaced_parts,
)


@pytest.mark.parametrize(
    ("text", "parts", "left"),
    [
        ("replaced thermostat, still overheats", ["thermostat"], ", still overheats"),
        ("battery dies overnight, new battery already", ["battery"], "battery dies overnight,   already"),
        ("already replaced the starter", ["starter"], "already"),
        ("starter already replaced. no start", ["starter"], ". no start"),
        ("I replaced the thermostat, still overheats", ["thermostat"], "I , still overheats"),
        ("my dad swapped the coils, no change", ["coils"], "my dad , no change"),
        ("fuel pump was replaced. still no start", ["fuel pump"], ". still no start"),
    ],
)
def test_part_that_was_replaced_is_not_the_cause(text: str, parts: list[str], left: str) -> None:
    assert [*replaced_in_vain(text)] == parts
    assert without_replaced_parts(text).split() == left.split()


@pytest.mark.parametrize(
    "text",
    [
        "replaced front pads last week and they already squeal",
        "I already have an appointment, replaced the battery last year",
        "my rotors have not worn down already, have they? changed the pads",
        "replaced the battery",
        "already squeals",
        "",
    ],
)
def test_already_about_something_else_says_nothing_of_the_part(text: str) -> None:
    assert [*replaced_in_vain(text)] == []
    assert without_replaced_parts(text) == text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("already did plugs, coils and air filter", ["plugs", "coils", "air filter"]),
        ("replaced the battery, alternator and starter, still dead", ["battery", "alternator", "starter"]),
        ("swapped coils + plugs, no change", ["coils", "plugs"]),
        ("still squeals, replaced pads and rotors", ["pads", "rotors"]),
        ("it did the same thing again and still shakes", []),
    ],
)
def test_each_part_of_a_list_was_replaced(text: str, parts: list[str]) -> None:
    assert [*replaced_in_vain(text)] == parts


def test_cleaned_part_is_not_a_replaced_one() -> None:
    text = "idle is rough, already cleaned the throttle body"

    assert [*cleaned_in_vain(text)] == ["throttle body"]
    assert [*replaced_in_vain(text)] == []


def test_only_what_was_done_already_is_removed_from_a_complaint_that_persists() -> None:
    text = "changed the plugs and it still misfires"

    assert without_parts_done_already(text) == text
    assert without_parts_done_already("misfires, plugs already changed").split() == ["misfires,"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I've cleaned the air flow sensor, no change", ["air flow"]),
        ("ran a bottle through to clean up the injectors, no change", ["injectors"]),
        ("throttle body was cleaned, no change", ["throttle body"]),
    ],
)
def test_cleaned_part_is_named_without_who_cleaned_it(text: str, parts: list[str]) -> None:
    assert [*cleaned_in_vain(text)] == parts
