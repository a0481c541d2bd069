import pytest

from repaircore.complaints.replaced_parts import replaced_in_vain, without_replaced_parts


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
