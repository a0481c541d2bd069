import pytest

from repaircore.complaints.good_parts import good_parts

NAMES = {"battery": "battery-replacement", "fuel pump": "fuel-pump", "thermostat": "thermostat"}


def found(text: str) -> tuple[str, frozenset[str]]:
    left, slugs = good_parts(
        text, lambda part: {NAMES[part.lower()]} if part.lower() in NAMES else frozenset()
    )
    return " ".join(left.split()), slugs


@pytest.mark.parametrize(
    ("text", "left", "slug"),
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
def test_part_that_is_good_is_taken_out_of_the_text(text: str, left: str, slug: str) -> None:
    assert found(text) == (left, frozenset({slug}))


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
def test_text_without_a_good_part_stays_as_it_is(text: str) -> None:
    assert found(text) == (text, frozenset())
