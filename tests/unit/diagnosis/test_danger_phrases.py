"""Dangers that phrases alone detect: a hot exhaust, dark brake lights, no view of the road, the red brake light."""

import pytest
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.diagnosis.danger import Danger, DriverSafety, driver_safety
from repaircore.diagnosis.model import Finding
from repaircore.diagnosis.reading import read

KNOWN = shipped_knowledge()


def safety(text: str) -> DriverSafety:
    result = read(text, KNOWN)
    return driver_safety((), result.dangers, read=result.stranded)


def dangers(text: str) -> set[str]:
    return {one.danger for one in safety(text).warnings}


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("the exhaust manifold is glowing", Danger.HOT_EXHAUST),
        ("saw the cat glowing cherry red under the van last stop", Danger.HOT_EXHAUST),
        ("the floorboard on my side is getting really hot", Danger.HOT_EXHAUST),
        ("hot floor after ten miles", Danger.HOT_EXHAUST),
        ("converter got so hot that the carpet smokes", Danger.FIRE),
        ("none of the brake lights light up when I press the pedal", Danger.BRAKE_LIGHTS),
        ("brake lights are not working at all", Danger.BRAKE_LIGHTS),
        ("no brake lights", Danger.BRAKE_LIGHTS),
        ("both brake lights quit working", Danger.BRAKE_LIGHTS),
        ("wipers died in a snow storm", Danger.VISIBILITY),
        ("it is raining and the wipers won't move", Danger.VISIBILITY),
        ("the hood flew open on the highway", Danger.VISIBILITY),
        ("headlights went out while I drove home at night", Danger.VISIBILITY),
        ("the brake pedal got rock hard", Danger.BRAKES),
        ("it takes my whole weight on the pedal to stop", Danger.BRAKES),
        ("a red brake light on the dash comes on in turns. brakes seem ok I guess", Danger.BRAKE_WARNING),
    ],
)
def test_read_finds_a_danger(text: str, danger: str) -> None:
    assert danger in dangers(text)


@pytest.mark.parametrize(
    "text",
    [
        "one of my brake lights is out",
        "the other brake light is out",
        "the trailer has no brake lights",
        "brake lights stay on when it is parked",
        "wipers don't work well in the rain, they streak",
        "wipers stopped working, and rain is in the forecast",
        "wipers won't move, but it has been dry for weeks",
        "one of the headlights went out at night",
        "floor vents blow hot air",
        "the heater keeps the floor warm",
        "glow plugs and the exhaust manifold gasket are new",
        "the clutch pedal is rock hard",
    ],
)
def test_read_finds_no_danger_in_what_sounds_like_one(text: str) -> None:
    assert dangers(text) == set()


def test_quitting_wipers_are_no_quitting_engine() -> None:
    assert Danger.POWER_LOSS not in dangers("my wipers quit on the interstate in heavy rain")


def test_who_cannot_see_waits_and_needs_no_tow() -> None:
    result = safety("wipers died in a snow storm")

    assert result.stop_driving
    assert result.towing is None


def test_red_brake_light_does_not_stop_the_driver() -> None:
    answered = driver_safety([Finding("brake-warning-light", present=True)])

    assert not answered.stop_driving
    assert [one.danger for one in answered.warnings] == [Danger.BRAKE_WARNING]


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("red brake light came on and the pedal went soft", Danger.BRAKES),
        ("red brake light on the dash, brake fluid is leaking", Danger.BRAKES),
        ("red brake light came on, the pedal is longer and a line is rusty and wet", Danger.BRAKES),
        ("the red brake light is on, everything else is normal", Danger.BRAKE_WARNING),
    ],
)
def test_red_brake_light_means_failing_brakes_only_with_another_sign(text: str, danger: str) -> None:
    assert dangers(text) == {danger}


def test_failing_brakes_leave_no_milder_advice() -> None:
    result = driver_safety((), [Danger.BRAKES, Danger.BRAKE_WARNING])

    assert [one.danger for one in result.warnings] == [Danger.BRAKES]


def test_spare_is_only_advised_if_there_is_one() -> None:
    (warning,) = driver_safety((), [Danger.TIRE]).warnings

    assert "if you have a spare" in warning.text.lower()
