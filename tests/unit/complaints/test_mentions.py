"""Mentions of the vehicle in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from repaircore.complaints.mentions import NOTHING_MENTIONED, Mentions, mentions
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
