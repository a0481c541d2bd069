"""Ranking in a mechanic's order, for complaints as owners write them."""

from collections.abc import Sequence

import pytest
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.diagnosis.danger import Danger
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.questions import next_question
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Powertrain, Traits

KNOWN = shipped_knowledge()
MOST_USUAL = 4


def ranked_slugs(text: str, powertrain: Powertrain | None = None) -> Sequence[str]:
    clues = read(text, KNOWN).clues(Traits(powertrain=powertrain))
    return [each.problem.slug for each in diagnose(KNOWN, clues).candidates]


@pytest.mark.parametrize(
    "text",
    [
        "oil light flickers at idle",
        "low oil pressure warning on the dash",
        "the oil pressure light comes on at stop lights and goes away when I rev it",
    ],
)
def test_oil_level_and_pump_come_before_the_sensor(text: str) -> None:
    order = ranked_slugs(text)

    assert "fluid-top-off" in order[:3]
    assert order.index("oil-pump") < order.index("oil-pressure-sensor")
    assert Danger.OIL_PRESSURE in read(text, KNOWN).dangers


def test_sensor_comes_first_with_its_code() -> None:
    assert ranked_slugs("P0521, mechanical gauge shows 45 psi")[0] == "oil-pressure-sensor"


@pytest.mark.parametrize(
    "text", ["diesel hesitates on acceleration", "my cummins hesitates and loses power uphill when towing"]
)
def test_hesitating_diesel_suspects_fuel_before_the_air_sensor(text: str) -> None:
    order = ranked_slugs(text, Powertrain.DIESEL)

    assert "fuel-filter-diesel" in order[:3]
    assert order.index("fuel-filter-diesel") < order.index("mass-air-flow-sensor")


def test_hesitating_gasoline_engine_keeps_its_order() -> None:
    order = ranked_slugs("hesitates on acceleration", Powertrain.GAS)

    assert "mass-air-flow-sensor" in order[:3]
    assert "fuel-filter-diesel" not in order


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("A/C hot at idle, cold when driving", "radiator-fan"),
        ("ac blows warm sitting in traffic but gets cold on the highway", "radiator-fan"),
        ("temp gauge goes up at idle then drops when I drive", "radiator-fan"),
        ("squealing when I start the car in the morning then stops", "serpentine-belt"),
        ("tires worn on the inside edges", "wheel-alignment"),
        ("car wont start after getting gas", "evap-purge-valve"),
        ("my leaf only goes 50 miles on a charge now", "ev-battery"),
    ],
)
def test_stated_condition_finds_its_cause(text: str, first: str) -> None:
    assert first in ranked_slugs(text)[:3]


@pytest.mark.parametrize(
    ("text", "first", "later"),
    [
        ("oil leak", "valve-cover-gasket", "oil-drain-plug-repair"),
        ("leaking oil", "valve-cover-gasket", "rear-main-seal"),
        ("no heat", "thermostat", "heater-core"),
        ("heater blows cold air", "thermostat", "electric-cabin-heater"),
        ("wont start just clicks", "battery-replacement", "starter-motor"),
        ("battery light", "alternator", "battery-replacement"),
        ("tire pressure light", "tire-flat-repair", "tpms-sensor"),
        ("burning rubber smell", "serpentine-belt", "ac-compressor"),
        ("squeak over bumps", "sway-bar-bushings", "shock-absorbers-rear"),
        ("AC works but barely blows air", "cabin-air-filter", "ac-recharge"),
        (
            "my key turns but nothing happens no lights nothing",
            "battery-replacement",
            "ignition-lock-cylinder",
        ),
        ("car pulls left when i hit the brakes", "brake-caliper-front", "wheel-alignment"),
    ],
)
def test_bare_symptom_begins_with_its_usual_cause(text: str, first: str, later: str) -> None:
    order = ranked_slugs(text)

    assert order[0] == first
    assert later in order[1:]


def test_usual_cause_fits_the_vehicle() -> None:
    assert ranked_slugs("no heat", Powertrain.ELECTRIC)[0] == "electric-cabin-heater"
    assert ranked_slugs("no heat", Powertrain.HYBRID)[0] == "thermostat"
    assert "electric-cabin-heater" not in ranked_slugs("no heat")[:3]


def test_usual_cause_does_not_overrule_other_words() -> None:
    assert ranked_slugs("oil leak between engine and transmission")[0] == "rear-main-seal"
    assert ranked_slugs("no heat, sweet smell and wet carpet")[0] == "heater-core"


@pytest.mark.parametrize(
    "text",
    [
        "battery dies over nite evry few days new battery alredy",
        "battery dies overnight, new battery already",
    ],
)
def test_new_part_is_not_the_cause(text: str) -> None:
    assert ranked_slugs(text)[0] != "battery-replacement"
    assert "parasitic-draw-diagnosis" in ranked_slugs(text)[:3]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("clicks but wont start, battery tested good", "starter-motor"),
        ("wont start just clicks battery was tested fine at autozone", "starter-motor"),
        ("just clicks, battery is good", "starter-motor"),
        ("no heat, thermostat is new", "heater-core"),
    ],
)
def test_good_part_is_not_the_cause(text: str, first: str) -> None:
    assert ranked_slugs(text)[0] == first


@pytest.mark.parametrize(
    "text", ["heater is fine when driving, cold at idle", "this noise is new, squeals on bumps"]
)
def test_only_parts_that_are_always_good_are_excluded(text: str) -> None:
    assert all(hint.bits >= 0 for hint in read(text, KNOWN).hints)


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("front brakes are new and squeal", "brake-squeal"),
        ("battery is new but dies overnight", "battery-dies-overnight"),
        ("heater barely blows warm air", "heater-cold"),
        ("ac barely blowing air", "ac-weak-airflow"),
    ],
)
def test_symptom_of_a_part_is_read(text: str, symptom: str) -> None:
    assert symptom in [finding.symptom for finding in read(text, KNOWN).findings if finding.present]


def test_one_headlight_is_out_although_the_other_bulbs_are_fine() -> None:
    assert ranked_slugs("one headlight out, all the other bulbs are fine")[0] == "headlight-bulb"


def test_part_of_no_axle_is_good_on_both() -> None:
    order = ranked_slugs("pads are good, high pitched brake squeal")

    assert order[0] not in {"brake-pads-front", "brake-pads-rear"}


def test_part_that_somebody_replaced_in_vain_is_not_the_cause() -> None:
    assert ranked_slugs("I replaced the thermostat, still overheats")[0] != "thermostat"


def test_danger_of_a_part_that_tested_good_is_still_warned_of() -> None:
    text = "brakes tested good at the shop but the pedal goes to the floor"

    assert Danger.BRAKES in read(text, KNOWN).dangers


def test_usual_causes_show_their_symptom_and_stand_in_the_book() -> None:
    for symptom, slugs in KNOWN.lexicon.usual.items():
        assert len(set(slugs)) == len(slugs) <= MOST_USUAL, symptom
        assert set(slugs) <= KNOWN.numbers.keys(), symptom


def test_texting_spelling_is_understood() -> None:
    complaint = read("it idles ruff in the mornin", KNOWN)

    assert "engine-rough-idle" in [finding.symptom for finding in complaint.findings]
    assert complaint.unread == ()


@pytest.mark.parametrize(
    "text",
    ["my lower back hurts from the seat", "my knees ache on long drives", "sore shoulder from driving"],
)
def test_drivers_pain_is_not_a_symptom(text: str) -> None:
    complaint = read(text, KNOWN)

    assert (complaint.findings, complaint.hints) == ((), ())


def test_symptom_next_to_a_pain_still_counts() -> None:
    wrists = read("my wrists hurt from the heavy steering", KNOWN)
    back = read("my back hurts because the ride is so bouncy", KNOWN)

    assert "steering-heavy" in {finding.symptom for finding in wrists.findings}
    assert "bouncy-ride" in {finding.symptom for finding in back.findings}


def test_numbers_are_not_unknown_words() -> None:
    assert read("regen keeps happening every 50 miles on my 6.7", KNOWN).unread == ()


def test_cold_diesel_with_white_smoke_suspects_injectors_first() -> None:
    order = ranked_slugs("hard start in the morning with lots of white smoke till warm", Powertrain.DIESEL)

    assert order.index("diesel-fuel-injector") < order.index("head-gasket")


def test_question_skips_what_a_narrower_symptom_implies() -> None:
    question = next_question(KNOWN, read("A/C hot at idle, cold when driving", KNOWN).clues(Traits()))

    assert question is None or question.id != "ac-warm"


@pytest.mark.parametrize(
    "text",
    [
        "adding coolant every other week but there is never a puddle",
        "coolant keeps disappearing, no leak that I can find",
        "antifreeze level goes down, nothing under the car",
        "my jeep loses coolant but no leaks anywhere",
    ],
)
def test_coolant_that_disappears_is_pressure_tested_before_anything_is_replaced(text: str) -> None:
    order = ranked_slugs(text)

    assert order[0] == "cooling-system-pressure-test"
    assert "head-gasket" in order[1:7]
    assert {"radiator-cap", "water-pump"} <= set(order[1:9])
    assert "heater-core" in order[1:15]


@pytest.mark.parametrize(
    "text",
    [
        "engine turns over fine but no start when warm, an hour later it starts as if nothing happened",
        "stalled at the light, cranks but won't start, after 20 minutes fires up like nothing ever happened",
    ],
)
def test_start_like_nothing_happened_is_no_dead_starter(text: str) -> None:
    present = {finding.symptom for finding in read(text, KNOWN).findings if finding.present}

    assert "engine-no-crank" not in present
    assert "starter-motor" not in ranked_slugs(text)[:2]


@pytest.mark.parametrize("text", ["bubbling in the coolant reservoir", "air bubbles in my radiator at idle"])
def test_bubbles_in_the_coolant_suspect_the_head_gasket(text: str) -> None:
    assert ranked_slugs(text)[0] == "head-gasket"


@pytest.mark.parametrize(
    "text",
    [
        "alternator light came on and the power steering went stiff, temp gauge climbing",
        "charge light on, steering went hard and it overheated",
        "no power steering and the battery light is on and the temp is going up",
    ],
)
def test_systems_of_the_belt_that_fail_together_suspect_the_belt(text: str) -> None:
    assert ranked_slugs(text)[0] == "serpentine-belt"


@pytest.mark.parametrize(
    "text", ["P0430 and a sulfur smell, 2015 Tacoma", "p0420 smells like rotten eggs when I floor it"]
)
def test_converter_comes_with_what_to_rule_out_and_its_warranty(text: str) -> None:
    found = diagnose(KNOWN, read(text, KNOWN).clues(Traits())).likely
    slugs = [each.problem.slug for each in found]
    caution = found[slugs.index("catalytic-converter")].reasons[0]

    assert "diagnostic-scan" in slugs[:2]
    assert caution.is_caution
    assert "misfire" in caution.text
    assert "8 years or 80,000 miles" in caution.text


def test_code_alone_keeps_the_shares_of_its_table() -> None:
    found = diagnose(KNOWN, read("P0420", KNOWN).clues(Traits())).candidates

    assert (found[0].problem.slug, round(found[0].probability, 1)) == ("catalytic-converter", 0.6)


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("2015 nissan murano slips and shudders", "automatic-transmission-rebuild"),
        ("2018 altima jerks when accelerating", "torque-converter"),
        ("2014 chevy tahoe slips between second and third", "cvt-replacement"),
        ("2017 Honda odyssey shudders at 40", "dual-clutch-pack"),
    ],
)
def test_mentioned_model_decides_the_transmission(text: str, absent: str) -> None:
    clues = read(text, KNOWN).clues(Traits()).about(None, KNOWN.problems)

    assert absent in clues.excluded


def test_unknown_model_or_year_excludes_no_transmission() -> None:
    for text in ("my nissan slips", "2015 nissan slips", "murano slips"):
        clues = read(text, KNOWN).clues(Traits()).about(None, KNOWN.problems)

        assert "automatic-transmission-rebuild" not in clues.excluded
