"""A diagnosis in steps whose state the client sends along."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from repaircore.book.model import Safety
from repaircore.chat.model import Status
from repaircore.core import Core
from repaircore.diagnosis.advice import Complaint
from repaircore.diagnosis.consultation import Consult, Consultation, Reply, split_codes
from repaircore.diagnosis.views import certainty_note
from repaircore.kernel.errors import Invalid

ACCORD = "1HGCM82633A004352"
CIVIC: Mapping[str, Any] = {"year": 2015, "make": "Honda", "model": "Civic"}
TESLA: Mapping[str, Any] = {"year": 2018, "make": "Tesla", "model": "Model 3"}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Return SQLite only: a consultation stores nothing."""
    return sqlite_url


def consult(core: Core, **fields: Any) -> Consultation:
    return core.consultations.consult(Consult(**fields))


def slugs(consultation: Consultation) -> list[str]:
    return [each.problem.slug for each in consultation.recommendations]


def errors(core: Core, **fields: Any) -> Mapping[str, Any]:
    with pytest.raises(Invalid) as invalid:
        consult(core, **fields)
    return invalid.value.fields


def test_consultation_ranks_repairs_and_asks_a_question(core: Core) -> None:
    consultation = consult(core, words="squeals when I brake", zip_code="60614", **CIVIC)

    assert slugs(consultation)[0] == "brake-pads-front"
    assert all(each.price is not None and each.why for each in consultation.recommendations)
    assert consultation.question is not None
    assert consultation.question.why
    assert consultation.vehicle is not None


def test_answers_are_returned_and_change_the_ranking(core: Core) -> None:
    first = consult(core, words="squeals when I brake")
    assert first.question is not None
    symptom = first.question.id
    yes, no = (
        consult(core, words="squeals when I brake", answers=(f"{symptom}:{reply}",))
        for reply in ("yes", "no")
    )

    assert [(each.symptom, each.reply) for each in yes.answered] == [(symptom, Reply.YES)]
    assert [each.confidence for each in yes.recommendations] != [
        each.confidence for each in no.recommendations
    ]
    assert yes.question is None or yes.question.id != symptom


def test_skipped_question_is_not_repeated_and_changes_nothing(core: Core) -> None:
    first = consult(core, words="squeals when I brake")
    assert first.question is not None
    skipped = consult(core, words="squeals when I brake", answers=(f"{first.question.id}:unsure",))

    assert slugs(skipped) == slugs(first)
    assert skipped.question is None or skipped.question.id != first.question.id


def test_later_answer_replaces_an_earlier_one(core: Core) -> None:
    twice = consult(core, words="it shakes", answers=("brake-squeal:yes", "brake-squeal:no"))

    assert [each.reply for each in twice.answered] == [Reply.NO]


def test_answer_that_reveals_a_danger_adds_a_warning(core: Core) -> None:
    calm = consult(core, words="strange noise from the front")
    danger = consult(core, words="strange noise from the front", answers=("brake-pedal-sinks:yes",))

    assert not calm.safety.stop_driving
    assert danger.safety.stop_driving
    assert danger.safety.warnings


@given(some.lists(some.text(max_size=60), max_size=40))
def test_malformed_answers_are_accepted(answers: list[str]) -> None:
    assert Consult(words="it shakes", answers=tuple(answers)).answers == tuple(answers)


def test_answers_about_unknown_symptoms_are_ignored(core: Core) -> None:
    invalid = (
        "nothing:yes",
        "brake-squeal",
        "brake-squeal:maybe",
        ":",
        "",
        "brake-squeal:yes:no",
        "\ud800:yes",
    )

    assert consult(core, words="it shakes", answers=invalid).answered == []


def test_single_code_has_the_shares_of_the_code_table(core: Core) -> None:
    consultation = consult(core, codes="p 0420")

    assert consultation.codes == ("P0420",)
    assert slugs(consultation)[0] == "catalytic-converter"
    assert 55 < consultation.recommendations[0].confidence < 65


def test_several_codes_are_not_independent_evidence(core: Core) -> None:
    first, second, *_ = consult(core, codes="P0301, P0420").recommendations

    assert first.confidence < 80
    assert second.confidence > 10


def test_misfire_code_does_not_lead_to_a_misfire_question(core: Core) -> None:
    question = consult(core, codes="P0301").question

    assert question is None or question.id != "engine-misfire"


def test_meaningless_words_have_no_ranking(core: Core) -> None:
    consultation = consult(core, words="jkxqz vvwq")

    assert consultation.is_blank
    assert (slugs(consultation), consultation.question) == ([], None)


@pytest.mark.parametrize(
    "words",
    [
        "it shudders and has no power",
        "strange noise when accelerating",
        "burning smell after a long drive",
        "warning light came on and it is slow",
        "it will not start in the morning",
    ],
)
def test_electric_car_gets_no_engine_questions_or_repairs(core: Core, words: str) -> None:
    answers: tuple[str, ...] = ()
    for _ in range(8):
        consultation = consult(core, words=words, answers=answers, **TESLA)
        assert not {"spark-plugs", "timing-belt", "oil-change", "muffler"} & {*slugs(consultation)}
        if consultation.question is None:
            break
        assert "engine" not in consultation.question.text.casefold()
        answers = (*answers, f"{consultation.question.id}:unsure")


def test_repair_that_does_not_fit_is_not_recommended(core: Core) -> None:
    words = "timing belt squeals and the engine does not start"

    assert "timing-belt" not in slugs(consult(core, words=words, year=2018, make="Toyota", model="Camry"))


def test_every_bad_field_is_reported_at_once(core: Core) -> None:
    bad = errors(core, codes="P0420, nonsense", year=2015, make="Honda", zip_code="00000", words="x")

    assert {"codes", "words"} <= {*bad} or {"codes", "model", "zip_code"} <= {*bad}
    assert errors(core).keys() == {"words"}
    assert errors(core, words="it shakes", model="Civic").keys() == {"year", "make"}
    assert errors(core, words="it shakes", year=2015, make="Honda", model="Nope").keys() == {"model"}
    assert errors(core, words="it shakes", vin="1HGCM82633A123456", year=2003).keys() == {"vin"}


def test_consultation_stores_nothing(core: Core) -> None:
    consult(core, words="squeals when I brake", vin="1HGCM82633A004352", zip_code="60614")

    assert core.outcomes.accuracy().cases == 0
    assert core.stored_vehicles.page().total == 0


def test_split_codes_accepts_many_separators() -> None:
    assert split_codes("P0301,p0171; P-0420 p 0128\nP0301") == (["P0301", "P0171", "P0420", "P0128"], [])
    assert split_codes("P0301 oops") == (["P0301"], ["oops"])
    assert split_codes(" , ;") == ([], [])


@pytest.mark.parametrize(
    ("words", "impossible"),
    [
        ("timing chain rattle on startup", "timing-chain"),
        ("leaf spring broken", "leaf-spring"),
        ("power steering light on, steering suddenly heavy", "electric-steering-rack"),
        ("glow plug light flashes, needs glow plugs", "glow-plugs"),
    ],
)
def test_every_use_case_excludes_repairs_that_do_not_fit(core: Core, words: str, impossible: str) -> None:
    advice = core.diagnoses.diagnose(Complaint(description=words, vin=ACCORD))
    turn = core.chats.start(words, vin=ACCORD)
    while turn.status is Status.AWAITING_ANSWER:
        turn = core.chats.reply(turn.chat.session_id, "unsure")

    assert impossible in slugs(consult(core, words=words))
    assert impossible not in slugs(consult(core, words=words, vin=ACCORD))
    assert impossible not in {each.problem.slug for each in advice.recommendations}
    assert impossible not in {suspect.slug for suspect in turn.chat.diagnosis}


def test_spanish_words_are_understood(core: Core) -> None:
    spanish = consult(core, words="Cuando freno el volante vibra mucho")

    assert slugs(spanish)[0] == "brake-rotors-front"


def test_unknown_kind_of_vehicle_gets_a_first_guess_with_a_note(core: Core) -> None:
    words = "squeals when I brake"
    car, motorcycle = consult(core, words=words), consult(core, words=f"my motorcycle {words}")

    assert car.note is None
    assert motorcycle.note is not None
    assert "motorcycle" in motorcycle.note
    assert not motorcycle.enough
    assert motorcycle.recommendations[0].confidence < car.recommendations[0].confidence / 2


def test_year_in_the_words_excludes_later_parts(core: Core) -> None:
    words = "hard to start, smells of gas, stumbles when I accelerate"
    old, unknown = consult(core, words=f"1967 Mustang {words}"), consult(core, words=words)

    assert "fuel-injector" in slugs(unknown)
    assert "fuel-injector" not in slugs(old)


@pytest.mark.parametrize(
    "words",
    [
        "smoke comes from under the dash and it smells of burnt plastic",
        "none of my brake lights work",
        "the engine overheats, steam under the hood",
    ],
)
def test_no_repair_contradicts_an_instruction_to_stop(core: Core, words: str) -> None:
    consulted = consult(core, words=words)
    advice = core.diagnoses.diagnose(Complaint(description=words))

    assert consulted.safety.stop_driving
    assert advice.safety.stop_driving
    assert {each.safe_to_drive for each in consulted.recommendations} == {Safety.NO}
    assert {each.safe_to_drive for each in advice.recommendations} == {Safety.NO}


def test_chat_calls_no_repair_safe_to_drive_with_after_a_stop(core: Core) -> None:
    turn = core.chats.start("the engine overheats, steam under the hood")
    while turn.chat.question is not None:
        turn = core.chats.reply(turn.chat.session_id, "unsure")

    assert turn.chat.safety.stop_driving
    assert {each.safe_to_drive for each in turn.chat.diagnosis} == {Safety.NO.value}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("our dishwasher leaks", "dishwasher"),
        ("clear water drips under the car while the AC runs", "normal"),
    ],
)
def test_words_about_no_fault_of_a_vehicle_get_a_note_and_no_repair(
    core: Core, words: str, said: str
) -> None:
    consulted = consult(core, words=words)
    advice = core.diagnoses.diagnose(Complaint(description=words))

    assert said in (consulted.note or "")
    assert said in (certainty_note(advice) or "")
    assert consulted.question is None
    assert consulted.recommendations == []
    assert advice.recommendations == ()
    assert not advice.enough
    assert any(said in note for note in core.chats.start(words).notes)
