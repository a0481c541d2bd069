import pytest

from repaircore.complaints.good_parts import TOP_OFF, good_parts, parts_tested_good

NAMES = {
    "air": "air-spring",
    "battery": "battery-replacement",
    "fuel pump": "fuel-pump",
    "thermostat": "thermostat",
}


def split_good_parts(text: str) -> tuple[str, frozenset[str]]:
    rest, slugs = good_parts(
        text, lambda part: {NAMES[part.lower()]} if part.lower() in NAMES else frozenset()
    )
    return " ".join(rest.split()), slugs


@pytest.mark.parametrize(
    ("text", "rest", "slug"),
    [
        ("just clicks, battery tested good", "just clicks,", "battery-replacement"),
        (
            "just clicks battery was tested fine at the store",
            "just clicks at the store",
            "battery-replacement",
        ),
        ("The battery is new, no crank", ", no crank", "battery-replacement"),
        ("fuel pump checks out ok but no start", "but no start", "fuel-pump"),
        ("no heat, my thermostat is brand new", "no heat,", "thermostat"),
        ("pulls left, battery is good", "pulls left,", "battery-replacement"),
        ("the store says battery is good, no crank", "the store says , no crank", "battery-replacement"),
        ("battery came back good. clicks", ". clicks", "battery-replacement"),
        ("I had the battery tested and it was good, clicks", "I , clicks", "battery-replacement"),
        ("they tested the thermostat, it's fine. no heat", "they . no heat", "thermostat"),
        ("cold air, thermostat good, hoses hot", "cold air, , hoses hot", "thermostat"),
        ("battery tested good in the shop, what else?", "in the shop, what else?", "battery-replacement"),
    ],
)
def test_good_part_is_removed_from_the_text(text: str, rest: str, slug: str) -> None:
    assert split_good_parts(text) == (rest, frozenset({slug}))


@pytest.mark.parametrize(
    "text",
    [
        "battery is good when warm",
        "the battery light is new",
        "the noise is new",
        "is the battery good?",
        "you think the battery is good? it clicks",
        "not sure if the battery is good",
        "I don't think the battery is good, it clicks",
        "make sure the battery is good",
        "battery is fine most of the time",
        "battery is good as dead",
        "battery tested good a year ago",
        "all the other battery is fine",
        "the left fuel pump is fine, the right one hums",
        "spare battery is good",
        "the air is fine",
        "battery died",
        "",
    ],
)
def test_text_without_a_good_part_is_unchanged(text: str) -> None:
    assert split_good_parts(text) == (text, frozenset())


def test_two_good_parts_are_both_removed() -> None:
    rest, slugs = split_good_parts("battery and thermostat are both new, no heat")

    assert rest == ", no heat"
    assert slugs == {"battery-replacement", "thermostat"}


@pytest.mark.parametrize("text", ["oil is full", "coolant level is fine", "the brake fluid is topped off"])
def test_full_fluid_needs_no_top_off(text: str) -> None:
    assert split_good_parts(text)[1] == {TOP_OFF}


@pytest.mark.parametrize(
    "text", ["the oil is full of metal", "not sure if the oil is full", "is the oil full?"]
)
def test_fluid_that_may_not_be_full_is_no_good_part(text: str) -> None:
    assert split_good_parts(text)[1] == frozenset()


def test_tested_part_is_told_from_one_that_is_only_called_good() -> None:
    named = {"battery": frozenset({"battery-replacement"}), "thermostat": frozenset({"thermostat"})}

    assert parts_tested_good(
        "battery tested good, thermostat is good", lambda part: named.get(part, frozenset())
    ) == {"battery-replacement"}
