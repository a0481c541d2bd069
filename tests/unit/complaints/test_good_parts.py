import pytest

from repaircore.complaints.good_parts import good_parts

NAMES = {"battery": "battery-replacement", "fuel pump": "fuel-pump", "thermostat": "thermostat"}


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
        "battery died",
        "",
    ],
)
def test_text_without_a_good_part_is_unchanged(text: str) -> None:
    assert split_good_parts(text) == (text, frozenset())
