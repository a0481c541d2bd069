import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Traits

KNOWN = shipped_knowledge()


def present(text: str) -> set[str]:
    return {one.symptom for one in read(text, KNOWN).findings if one.present}


def absent(text: str) -> set[str]:
    return {one.symptom for one in read(text, KNOWN).findings if not one.present}


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("The brakes squeal", "brake-squeal"),
        ("SQUEALING BRAKES!!!", "brake-squeal"),
        ("brakse are squeeling", "brake-squeal"),
        ("there is a high pitched noise whenever I slow down", "brake-squeal"),
        ("there is smoke, and it is blue", "blue-smoke"),
        ("the A/C isn't cold anymore", "ac-warm"),
        ("doesn't warm up", "temperature-gauge-low"),
        ("the window stopped working", "window-stuck"),
        ("loses power", "engine-low-power"),
        ("the cooling fan does not come on", "radiator-fan-dead"),
        ("wheel about to fall off", "wheel-nut-missing"),
        ("the driver's seat won't slide", "seat-stuck"),
        ("the temperature gauge does not come up", "temperature-gauge-low"),
    ],
)
def test_read_finds_a_symptom_in_other_words(text: str, symptom: str) -> None:
    assert symptom in present(text)


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("no oil leaks", "oil-leak"),
        ("it never overheats", "engine-overheats"),
        ("the engine does not stall", "engine-stalls"),
        ("without any blue smoke", "blue-smoke"),
    ],
)
def test_read_finds_denied_symptoms_absent(text: str, symptom: str) -> None:
    assert symptom in absent(text)
    assert symptom not in present(text)


def test_read_ignores_a_negation_in_another_clause() -> None:
    assert "oil-leak" in present("no warning lights, but it leaks oil")
    assert "engine-stalls" in present("I have no idea. It stalls.")


def test_read_ignores_what_works_well() -> None:
    assert present("the brakes are fine") == set()
    assert "brake-warning-light" not in present("brake light works fine")


def test_low_speed_is_not_low_ride_height() -> None:
    assert present("brakes squeak at low speeds") == {"brake-squeal"}
    assert present("popping noise when turning left at low speed") == {"clicking-on-turns"}


def test_low_speed_is_not_highway_speed() -> None:
    assert "vibration-at-speed" not in present("it vibrates at low speeds")


def test_radiator_fan_is_not_the_cabin_fan() -> None:
    text = "engine gets hot in traffic, temp needle near red, fan doesn't seem to come on"

    assert present(text) == {"engine-overheats", "engine-overheats-idle", "radiator-fan-dead"}
    assert present("radiator fan not spinning") == {"radiator-fan-dead"}


def test_distant_words_do_not_match() -> None:
    distant = (
        "squeal one thing of many that were noted by somebody who drove through town and then home to brake"
    )

    assert "brake-squeal" not in present(distant)
    assert "brake-squeal" not in present("The door squeals. I like to brake.")


def test_longer_saying_is_found_around_a_shorter_one() -> None:
    assert present("check engine light is flashing") >= {"check-engine-flashing"}


def test_read_finds_codes_as_people_write_them() -> None:
    assert read("scanner says p0420 and P 0301, also p-0171", KNOWN).codes == ("P0420", "P0301", "P0171")


def test_named_repair_is_a_hint() -> None:
    hints = read("I think the alternator is going out", KNOWN).hints
    best = sorted(hints, key=lambda hint: -hint.bits)[:3]

    assert "alternator" in {hint.repair for hint in best}


def test_read_has_no_hints_from_denied_words() -> None:
    suggested = {one.repair for one in read("grinds when I brake, no airbag light", KNOWN).hints}

    assert "airbag-control-module" not in suggested
    assert "brake-rotors-rear" in suggested


def test_read_returns_unknown_words() -> None:
    assert "zebra" in read("my zebra squeals when braking", KNOWN).unread


def test_ordinary_word_is_not_a_typo() -> None:
    assert present("something overhead") == set()


@pytest.mark.parametrize("text", ["", "   ", "?!", "😀", "车子坏了", "a" * 2000, "not " * 500, "\x00\x01"])
def test_meaningless_text_has_no_findings(text: str) -> None:
    assert read(text, KNOWN).findings == ()


@given(some.text(max_size=300))
def test_read_is_deterministic_for_any_text(text: str) -> None:
    assert read(text, KNOWN) == read(text, KNOWN)


@given(some.lists(some.sampled_from([*KNOWN.lexicon.said["brake-squeal"], "not", ",", ".", "light"])))
def test_every_finding_is_a_symptom_of_the_book(words: list[str]) -> None:
    assert {one.symptom for one in read(" ".join(words), KNOWN).findings} <= set(KNOWN.symptoms)


def test_cranking_engine_rules_out_no_crank_symptoms() -> None:
    text = "cranks but won't start"

    assert present(text) == {"engine-cranks-no-start"}
    assert absent(text) == {"engine-no-crank", "engine-slow-crank", "clicking-no-start"}


def test_read_keeps_a_mentioned_symptom_that_another_rules_out() -> None:
    both = present("shakes when I hit the brakes. It also vibrates at highway speed.")

    assert {"brake-vibration", "vibration-at-speed"} <= both


def test_no_denies_only_its_own_verb() -> None:
    assert "ignition-key-stuck" in present("the key does not turn")
    assert "ignition-key-stuck" not in present("no hum from the back seat when I turn the key")


def test_no_idea_denies_nothing() -> None:
    suggested = {one.repair for one in read("105k and no idea if the timing belt was ever done", KNOWN).hints}

    assert "timing-belt" in suggested


@pytest.mark.parametrize(
    "text",
    [
        "losing coolant no leaks white smoke",
        "it loses coolant, no leaks, white smoke",
        "loses coolant but no leak anywhere",
        "losing coolant without any leaks",
    ],
)
def test_read_denies_a_leak_next_to_lost_coolant(text: str) -> None:
    assert "coolant-leak" not in present(text)


@pytest.mark.parametrize(
    "text", ["losing coolant", "no oil leaks but it leaks coolant", "coolant leak at the pump, no smoke"]
)
def test_read_finds_a_leak_that_is_not_denied(text: str) -> None:
    assert "coolant-leak" in present(text)


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("engine runs hot? no, it stays cold", "engine-overheats"),
        ("oil leaks? nope", "oil-leak"),
        ("white smoke? none. but it misfires", "white-smoke"),
    ],
)
def test_question_answered_with_no_denies_the_symptom(text: str, symptom: str) -> None:
    assert symptom in absent(text)


@pytest.mark.parametrize(
    "text", ["A C not cold", "a c blows warm", "A. C blows warm", "my a c isn't cold anymore"]
)
def test_air_conditioning_may_be_written_with_a_space(text: str) -> None:
    assert present(text) == {"ac-warm"}


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("car overheated, replaced thermostat, still overheats, heater cold", "thermostat"),
        ("battery replaced twice, dead every three days", "battery-replacement"),
    ],
)
def test_repair_that_did_not_help_is_not_first(text: str, repair: str) -> None:
    found = diagnose(KNOWN, read(text, KNOWN).clues(Traits()))

    assert found.candidates[0].problem.slug != repair


def likely(text: str) -> list[str]:
    return [each.problem.slug for each in diagnose(KNOWN, read(text, KNOWN).clues(Traits())).likely]


def test_symptom_named_as_the_only_condition_counts_against_repairs_without_it() -> None:
    assert likely("steering wheel shakes at highway speed")[0] == "tire-balance"
    assert likely("steering wheel shakes only when I brake from highway speed")[0] == "brake-rotors-front"


def test_only_condition_that_fits_several_symptoms_counts_against_no_repair() -> None:
    text = "truck only shakes under hard acceleration"
    assert {"engine-hesitation", "transmission-shudder"} <= present(text)
    assert "engine-mount" in likely(text)


def test_engine_that_is_fine_once_it_is_warm_does_not_overheat() -> None:
    assert "engine-overheats" not in present("engine hesitates when it's cold, runs fine warmed up")
    assert "engine-overheats" not in present("stumbles at first but is fine once it warms up")
