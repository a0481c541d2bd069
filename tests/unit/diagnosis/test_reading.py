import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Traits

KNOWN = shipped_knowledge()


def result(text: str) -> set[str]:
    return {one.symptom for one in read(text, KNOWN).findings if one.present}


def denied(text: str) -> set[str]:
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
def test_symptom_is_found_in_other_words(text: str, symptom: str) -> None:
    assert symptom in result(text)


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
    assert symptom in denied(text)
    assert symptom not in result(text)


def test_read_ignores_a_negation_in_another_clause() -> None:
    assert "oil-leak" in result("no warning lights, but it leaks oil")
    assert "engine-stalls" in result("I have no idea. It stalls.")


def test_read_ignores_what_works_well() -> None:
    assert result("the brakes are fine") == set()
    assert "brake-warning-light" not in result("brake light works fine")


def test_low_speed_is_nothing_that_sits_low() -> None:
    assert result("brakes squeak at low speeds") == {"brake-squeal"}
    assert result("popping noise when turning left at low speed") == {"clicking-on-turns"}


def test_low_speed_is_no_highway_speed() -> None:
    assert "vibration-at-speed" not in result("it vibrates at low speeds")


def test_fan_of_the_radiator_is_not_that_of_the_cabin() -> None:
    text = "engine gets hot in traffic, temp needle near red, fan doesn't seem to come on"

    assert result(text) == {"engine-overheats", "engine-overheats-idle", "radiator-fan-dead"}
    assert result("radiator fan not spinning") == {"radiator-fan-dead"}


def test_words_that_are_far_apart_do_not_belong_together() -> None:
    far = "squeal one thing of many that were noted by somebody who drove through town and then home to brake"

    assert "brake-squeal" not in result(far)
    assert "brake-squeal" not in result("The door squeals. I like to brake.")


def test_longer_saying_stands_for_the_shorter_one_in_it() -> None:
    assert result("check engine light is flashing") >= {"check-engine-flashing"}


def test_codes_are_read_as_people_write_them() -> None:
    assert read("scanner says p0420 and P 0301, also p-0171", KNOWN).codes == ("P0420", "P0301", "P0171")


def test_repair_that_is_named_is_a_hint() -> None:
    hints = read("I think the alternator is going out", KNOWN).hints
    best = sorted(hints, key=lambda hint: -hint.bits)[:3]

    assert "alternator" in {hint.repair for hint in best}


def test_read_has_no_hints_from_denied_words() -> None:
    hinted = {one.repair for one in read("grinds when I brake, no airbag light", KNOWN).hints}

    assert "airbag-control-module" not in hinted
    assert "brake-rotors-rear" in hinted


def test_read_returns_unknown_words() -> None:
    assert "zebra" in read("my zebra squeals when braking", KNOWN).unread


def test_ordinary_word_is_no_typing_error() -> None:
    assert result("something overhead") == set()


@pytest.mark.parametrize("text", ["", "   ", "?!", "😀", "车子坏了", "a" * 2000, "not " * 500, "\x00\x01"])
def test_any_text_can_be_read_and_may_say_nothing(text: str) -> None:
    assert read(text, KNOWN).findings == ()


@given(some.text(max_size=300))
def test_reading_never_fails_and_is_always_the_same(text: str) -> None:
    assert read(text, KNOWN) == read(text, KNOWN)


@given(some.lists(some.sampled_from([*KNOWN.lexicon.said["brake-squeal"], "not", ",", ".", "light"])))
def test_every_finding_is_a_symptom_of_the_book(words: list[str]) -> None:
    assert {one.symptom for one in read(" ".join(words), KNOWN).findings} <= set(KNOWN.symptoms)


def test_engine_that_cranks_is_turned_by_its_battery() -> None:
    text = "cranks but won't start"

    assert result(text) == {"engine-cranks-no-start"}
    assert denied(text) == {"engine-no-crank", "engine-slow-crank", "clicking-no-start"}


def test_read_keeps_a_mentioned_symptom_that_another_rules_out() -> None:
    both = result("shakes when I hit the brakes. It also vibrates at highway speed.")

    assert {"brake-vibration", "vibration-at-speed"} <= both


def test_no_belongs_to_the_verb_that_follows_it() -> None:
    assert "ignition-key-stuck" in result("the key does not turn")
    assert "ignition-key-stuck" not in result("no hum from the back seat when I turn the key")


def test_no_idea_denies_nothing() -> None:
    hinted = {one.repair for one in read("105k and no idea if the timing belt was ever done", KNOWN).hints}

    assert "timing-belt" in hinted


@pytest.mark.parametrize(
    "text",
    [
        "losing coolant no leaks white smoke",
        "it loses coolant, no leaks, white smoke",
        "loses coolant but no leak anywhere",
        "losing coolant without any leaks",
    ],
)
def test_read_finds_no_leak_beside_lost_coolant(text: str) -> None:
    assert "coolant-leak" not in result(text)


@pytest.mark.parametrize(
    "text", ["losing coolant", "no oil leaks but it leaks coolant", "coolant leak at the pump, no smoke"]
)
def test_leak_that_is_not_denied_stands(text: str) -> None:
    assert "coolant-leak" in result(text)


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("engine runs hot? no, it stays cold", "engine-overheats"),
        ("oil leaks? nope", "oil-leak"),
        ("white smoke? none. but it misfires", "white-smoke"),
    ],
)
def test_question_answered_with_no_denies(text: str, symptom: str) -> None:
    assert symptom in denied(text)


@pytest.mark.parametrize(
    "text", ["A C not cold", "a c blows warm", "A. C blows warm", "my a c isn't cold anymore"]
)
def test_air_conditioning_may_be_written_with_a_space(text: str) -> None:
    assert result(text) == {"ac-warm"}


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("car overheated, replaced thermostat, still overheats, heater cold", "thermostat"),
        ("battery replaced twice, dead every three days", "battery-replacement"),
    ],
)
def test_repair_that_was_made_in_vain_is_not_the_first(text: str, repair: str) -> None:
    found = diagnose(KNOWN, read(text, KNOWN).clues(Traits()))

    assert found.candidates[0].problem.slug != repair
