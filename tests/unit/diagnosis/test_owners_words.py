"""Symptoms and repairs in sentences as owners write them: what must be read, and what must not."""

import pytest
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Traits

KNOWN = shipped_knowledge()


def symptoms(text: str) -> set[str]:
    return {finding.symptom for finding in read(text, KNOWN).findings if finding.present}


def likely(text: str) -> list[str]:
    clues = read(text, KNOWN).clues(Traits()).about(None, KNOWN.problems)
    return [each.problem.slug for each in diagnose(KNOWN, clues).likely]


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("the stop lights went dark, all brake lights are dead", "brake-lights-out"),
        ("reverse quit, the forward gears work fine", "no-reverse"),
        ("it won't go into reverse anymore", "no-reverse"),
        ("it only starts in neutral", "starts-in-neutral"),
        ("nothing happens in park, but it starts when I shift to N", "starts-in-neutral"),
        ("the gas pedal sticks sometimes", "gas-pedal-sticks"),
        (
            "my truck is suddenly very loud when i start it, it was parked outside overnight",
            "exhaust-loud-parked",
        ),
        ("reddish fluid under the middle of the car", "transmission-leak"),
        ("slow to go into gear on cold mornings", "transmission-harsh-shift"),
        ("a deep knock that follows the rpm", "engine-knock"),
        ("the tire light is on, I found a nail in it", "tire-flat"),
        ("it whines when I turn the wheel. I topped the fluid, it is low again", "power-steering-leak"),
        ("it gets hot in traffic and the fan does not come on", "radiator-fan-dead"),
        ("the radio shuts off by itself", "infotainment-dead"),
        ("the idle is too fast", "high-idle"),
        ("put it in drive and nothing happens", "transmission-no-move"),
        ("one corner sits low", "vehicle-sags"),
    ],
)
def test_read_finds_the_symptom(text: str, symptom: str) -> None:
    assert symptom in symptoms(text)


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("takes all day to cool the cabin", "engine-ticking"),
        ("it takes a minute to warm up", "engine-ticking"),
        (
            "I turn the key and nothing happens, but it starts if I wiggle the gear lever",
            "transmission-no-move",
        ),
        ("the headlights got dim and now it won't restart", "headlight-out"),
        ("the radio shut off while driving", "engine-stalls"),
        ("it pulls right on a flat road, tires are even", "tire-flat"),
        ("the blower runs but there is no heat", "blower-dead"),
        ("the fan does not come on and it overheats", "blower-dead"),
        ("is it better to fix or replace it? it was never in a crash", "maintenance-due"),
        ("key not detected, put a new battery in the fob", "battery-dies-overnight"),
        ("the lug nuts won't come off", "wheel-nut-missing"),
        ("the oil light flickers at idle and the knock speeds up", "high-idle"),
        ("the backup camera does not work in reverse", "no-reverse"),
        ("brake fluid is low, and it groans when I turn", "vehicle-sags"),
    ],
)
def test_read_does_not_find_the_symptom(text: str, symptom: str) -> None:
    assert symptom not in symptoms(text)


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("it is dead every morning. the shop says the battery is good", "parasitic-draw-diagnosis"),
        ("all the brake lights are out, the bulbs are all good", "brake-light-switch"),
        ("no start in park, starts only in neutral", "transmission-range-sensor"),
        ("the accelerator sticks wide open", "throttle-body"),
        ("my EV says the 12-volt battery is weak", "battery-replacement"),
        ("prius is very loud when i start it, fine yesterday", "catalytic-converter"),
    ],
)
def test_repair_is_among_the_first(text: str, repair: str) -> None:
    assert repair in likely(text)[:2]


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        (
            "hesitates. already did the air filter and fuel filter",
            {"engine-air-filter", "fuel-filter-diesel"},
        ),
        ("idle hunts, already cleaned the throttle body", {"throttle-body-cleaning"}),
        ("the 12v battery light is on in my tesla", {"ev-battery", "hv-battery-contactor"}),
        ("oil pressure light is on, the oil is full", {"fluid-top-off"}),
    ],
)
def test_mention_does_not_raise_a_repair(text: str, repairs: set[str]) -> None:
    assert repairs.isdisjoint(likely(text)[:1])


def test_part_that_was_cleaned_may_still_be_bad() -> None:
    assert "throttle-body" in likely("reduced power and it stalls, already cleaned the throttle body")


@pytest.mark.parametrize(
    "text",
    ["our dishwasher leaks", "my phone battery dies by lunch", "water drips under the car when the AC runs"],
)
def test_read_finds_no_repair_where_nothing_is_broken_on_a_vehicle(text: str) -> None:
    result = read(text, KNOWN)

    assert not result.mentions.is_fault
    assert not any((result.findings, result.hints, result.dangers))


def test_reworded_phrase_is_no_unknown_word() -> None:
    assert read("all brake lights are out and the floor is getting hot", KNOWN).unread == ()
