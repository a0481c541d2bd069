"""Mentions of the vehicle in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from repaircore.complaints.mentions import NOTHING_MENTIONED, Mentions, mentions
from repaircore.complaints.towing import STARTS_AGAIN
from repaircore.kernel.traits import Powertrain


@pytest.mark.parametrize(
    ("text", "miles"),
    [
        ("2009 Honda Civic Si, 132k, slips in 3rd", 132_000),
        ("it has 85,000 miles on it", 85_000),
        ("120,000 km on the clock", 74_565),
        ("drove 3000 miles since the oil change", None),
        ("in the last 200 miles", None),
        ("replaced about 7k miles ago", None),
        ("idles at 2000 rpm", None),
        ("vibrates at 65 mph", None),
        ("at 40k it was fine, now at 90k miles it is not", 90_000),
    ],
)
def test_mentions_has_the_mileage_but_no_distance(text: str, miles: int | None) -> None:
    assert mentions(text).mileage == miles


@pytest.mark.parametrize(
    ("text", "powertrain"),
    [
        ("my EV will not charge", Powertrain.ELECTRIC),
        ("Tesla squeals", Powertrain.ELECTRIC),
        ("my Bolt jerks when accelerating", Powertrain.ELECTRIC),
        ("a bolt fell out of my engine mount", None),
        ("2019 Kona electric makes a noise", Powertrain.ELECTRIC),
        ("2012 Focus e-brake is stuck", None),
        ("EQS won't start", Powertrain.ELECTRIC),
        ("my e-tron leaks", Powertrain.ELECTRIC),
        ("2022 Lightning, no heat", Powertrain.ELECTRIC),
        ("2003 Lightning, supercharger whine", None),
        ("the Prius beeps", Powertrain.HYBRID),
        ("2012 Jetta TDI smokes", Powertrain.DIESEL),
        ("it is not a diesel", None),
        ("the electric windows are stuck", None),
        ("it shakes", None),
    ],
)
def test_mentions_has_a_powertrain_only_if_mentioned(text: str, powertrain: Powertrain | None) -> None:
    assert mentions(text).powertrain is powertrain


def test_mentions_has_the_year() -> None:
    assert mentions("2005 Accord at 2000 rpm").year == 2005
    assert mentions("it cost $2005") == NOTHING_MENTIONED


@given(some.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(mentions(text), Mentions)


@pytest.mark.parametrize(
    ("text", "make"),
    [
        ("2004 Chevy Silverado, P0300", "Chevrolet"),
        ("my Civic stalls", "Honda"),
        ("a Jetta beside a Camry", "Volkswagen"),
        ("a good fit, no focus, my soul", None),
    ],
)
def test_mentions_has_the_make_of_a_name_or_model(text: str, make: str | None) -> None:
    assert mentions(text).make == make


def test_mentions_distinguishes_a_leaf_from_a_leaf_spring() -> None:
    assert mentions("Leaf clunks over bumps").powertrain is Powertrain.ELECTRIC
    assert mentions("my leaf springs are broken").powertrain is None


@pytest.mark.parametrize(
    ("text", "make", "model", "year"),
    [
        ("2011 mazda 6 leaks", "Mazda", "6", 2011),
        ("my avalon shakes", "Toyota", "avalon", None),
        ("2004 pilot, 180k", "Honda", "pilot", 2004),
        ("fusion 2013 jerks", "Ford", "fusion", 2013),
        ("my pontiac grand am stalls", "Pontiac", "grand am", None),
        ("97 accord overheats", "Honda", "accord", 1997),
        ("dodge dakota 03", "Dodge", "dakota", 2003),
        ("chevy 05 silverado clunks", "Chevrolet", "silverado", 2005),
        ("95 c1500 stalls", "Chevrolet", "c1500", 1995),
        ("tesla model y squeaks", "Tesla", "model y", None),
    ],
)
def test_mentions_has_the_make_model_and_year(
    text: str, make: str, model: str | None, year: int | None
) -> None:
    found = mentions(text)

    assert (found.make, found.model, found.year) == (make, model, year)


@pytest.mark.parametrize(
    "text",
    [
        "put in 10 spark plugs",
        "the new pilot bearing whines",
        "12 volt battery is dead",
        "the edge of the tire is worn",
        "one 80 mm bolt is loose",
        "according to him it is fine",
    ],
)
def test_mentions_takes_no_other_word_for_a_vehicle(text: str) -> None:
    found = mentions(text)

    assert (found.make, found.model, found.year) == (None, None, None)


def test_mileage_may_have_a_point_before_thousands() -> None:
    assert mentions("it has 150.000 km").mileage == 93_206
    assert mentions("120.000 miles, no leaks").mileage == 120_000


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("our washing machine shakes", "washing machine"),
        ("my laptop overheats", "laptop"),
        ("the furnace is blowing cold air", "furnace"),
    ],
)
def test_thing_that_is_no_vehicle_is_recognized(text: str, kind: str) -> None:
    found = mentions(text)

    assert found.outside == kind
    assert found.is_no_vehicle
    assert not found.is_fault


@pytest.mark.parametrize(
    "text",
    [
        "my phone won't pair with the radio",
        "backed into the garage door, the bumper is cracked",
        "the car sounds like a washing machine",
        "phone charger in my truck is dead",
        "there is a noise like a vacuum cleaner from my 2015 Civic",
    ],
)
def test_household_word_in_a_complaint_about_a_vehicle_does_not_matter(text: str) -> None:
    assert mentions(text).is_fault


@pytest.mark.parametrize(
    ("text", "is_normal"),
    [
        ("clear water drips under the car while the AC is running", True),
        ("there is a puddle of water under it after I use the a/c", True),
        ("the AC leaks water on the carpet", False),
        ("water drips when the AC is on and it smells sweet", False),
        ("water drips under the car when the ac is on and the air is not cold", False),
        ("water drips under the engine", False),
    ],
)
def test_water_from_the_air_conditioning_is_normal(text: str, *, is_normal: bool) -> None:
    assert mentions(text).is_normal is is_normal


@pytest.mark.parametrize(
    ("text", "starts_again"),
    [
        ("no start when hot, wait an hour and it starts right up", True),
        ("won't start in park but in neutral it starts", True),
        ("cranks and cranks but won't fire up", False),
        ("it won't start, and then the lights died", False),
    ],
)
def test_vehicle_that_starts_again_is_not_stranded_for_good(text: str, *, starts_again: bool) -> None:
    assert (STARTS_AGAIN in mentions(text).stranded) is starts_again
