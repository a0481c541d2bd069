"""What the driver is warned of, whatever the repair."""

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.unit.diagnostics.shipped import shipped_knowledge

from repaircore.diagnostics.danger import NO_DANGER, Danger, DriverSafety, driver_safety, implied
from repaircore.diagnostics.model import Finding
from repaircore.diagnostics.reading import read
from repaircore.problems.model import Safety

KNOWN = shipped_knowledge()
SAYINGS = sorted(
    {
        " ".join(part.split("/")[0] for part in saying.split())
        for name, sayings in KNOWN.lexicon.dangers.items()
        if name != NO_DANGER
        for saying in sayings
        if "not" not in saying.split() and "lost" not in saying
    }
)


def safety(text: str) -> DriverSafety:
    told = read(text, KNOWN)
    return driver_safety(told.findings, told.dangers)


def dangers(text: str) -> set[str]:
    return {one.danger for one in safety(text).warnings}


def test_every_danger_has_sayings_and_there_is_no_other() -> None:
    assert set(KNOWN.lexicon.dangers) == {*Danger, NO_DANGER}


def test_what_a_danger_implies_is_a_symptom_of_the_book() -> None:
    assert set(implied(Danger)) <= set(KNOWN.symptoms)


def test_what_a_symptom_rules_out_is_another_of_the_book() -> None:
    for symptom, others in KNOWN.lexicon.rules_out.items():
        assert set(others) <= set(KNOWN.symptoms) - {symptom}


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("flames under the hood", "fire"),
        ("my car is on fire", "fire"),
        ("smoke coming from the dashboard", "fire"),
        ("white smoke from under the hood", "fire"),
        ("the car won't start and there is smoke under the hood", "fire"),
        ("strong smell of gasoline", "fuel"),
        ("gas is leaking under the car", "fuel"),
        ("brakes failed completely on the highway", "brakes"),
        ("breaks failled", "brakes"),
        ("I have no brakes", "brakes"),
        ("the brakes don't work", "brakes"),
        ("the pedal goes to the floor", "brakes"),
        ("steering wheel locked up while driving", "steering"),
        ("I can't steer", "steering"),
        ("my temp needle is in the red", "overheating"),
        ("the engine is overheeting", "overheating"),
        ("steam from under the hood", "overheating"),
        ("the oil pressure light is on", "oil-pressure"),
        ("check engine light is flashing", "check-engine-flashing"),
        ("front wheel is coming off", "wheel"),
        ("my wheel is loose", "wheel"),
        ("exhaust fumes inside the car", "exhaust-fumes"),
        ("the hybrid battery is damaged after a crash", "high-voltage"),
    ],
)
def test_the_driver_is_told_to_stop(text: str, danger: str) -> None:
    told = safety(text)
    assert told.stop_driving
    assert danger in {one.danger for one in told.warnings}
    assert all(
        "do not drive" in one.text or "stop as soon as it is safe" in one.text for one in told.warnings
    )


@pytest.mark.parametrize(
    "text",
    [
        "no smoke",
        "no smoke, no fire, it just squeals",
        "blue smoke from the exhaust",
        "no noise when I brake",
        "I have no brake noise",
        "no steering noise",
        "the engine won't fire up",
        "the engine misfires",
        "check engine light is on",
        "the parking brake does not work",
        "failed inspection because of brake pads",
        "the brakes are fine, they never failed",
        "steering wheel buttons don't work",
        "the temp gauge stays cold and never warms up",
        "smoked headlight lens",
    ],
)
def test_what_is_harmless_is_not_warned_of(text: str) -> None:
    assert safety(text) == DriverSafety()


def test_an_airbag_light_is_warned_of_and_needs_no_stop() -> None:
    told = safety("the airbag light is on")
    assert [one.danger for one in told.warnings] == ["airbag"]
    assert not told.stop_driving


@given(some.sampled_from(SAYINGS))
def test_what_is_said_of_a_danger_warns(saying: str) -> None:
    assert dangers(saying)


@given(
    some.sampled_from(["no", "never", "there is no", "without", "I don't have"]),
    some.lists(some.sampled_from(SAYINGS), min_size=1, max_size=3),
    some.sampled_from(["", "it squeals. ", "the radio is loud, "]),
)
def test_what_is_denied_never_warns(no: str, sayings: list[str], before: str) -> None:
    text = before + ". ".join(f"{no} {saying}" for saying in sayings)
    assert safety(text) == DriverSafety()


@given(some.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    told = safety(text)
    assert told.stop_driving <= bool(told.warnings)


def test_a_symptom_that_was_found_otherwise_warns_and_one_that_is_not_there_does_not() -> None:
    assert driver_safety([Finding("oil-pressure-light", present=True)]).stop_driving
    assert driver_safety([Finding("oil-pressure-light", present=False)]) == DriverSafety()


def test_a_repair_that_forbids_driving_stops_the_driver() -> None:
    assert driver_safety([], repairs=[(70, Safety.SHORT), (20, Safety.NO)]) == DriverSafety(stop_driving=True)
    assert driver_safety([], repairs=[(70, "short"), (20, "no")]).stop_driving
    assert not driver_safety([], repairs=[(70, Safety.SHORT), (30, Safety.YES)]).stop_driving


def test_one_that_is_not_likely_stops_nobody() -> None:
    assert not driver_safety([], repairs=[(70, Safety.YES), (19.9, Safety.NO)]).stop_driving


def test_the_most_urgent_comes_first() -> None:
    told = safety("the airbag light is on and flames come from the hood")
    assert [one.danger for one in told.warnings] == ["fire", "airbag"]
