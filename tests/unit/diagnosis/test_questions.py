"""Which question is asked next."""

import random

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as some
from tests.unit.diagnosis.shipped import shipped_knowledge
from tests.unit.diagnosis.test_engine import clues

from repaircore.book.model import Symptom
from repaircore.book.vocabulary import NO_VOCABULARY
from repaircore.complaints.mentions import NOTHING_MENTIONED
from repaircore.complaints.topics import NONE_OF_THESE, TOPICS, chosen, common_topic, topics_in
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import LEAK, Knowledge, mention_chance
from repaircore.diagnosis.model import Clues, Evidence, Finding, Hint, SymptomQuestion
from repaircore.diagnosis.questions import MOST_QUESTIONS, OPTIONS, SURE, next_question
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Powertrain, Traits
from repaircore.testing.builders import a_problem

KNOWN = shipped_knowledge()


def asked_first(text: str) -> SymptomQuestion:
    question = next_question(KNOWN, read(text, KNOWN).clues(Traits()))

    assert question is not None
    return question


@given(clues)
def test_question_is_new_tells_something_and_is_asked_only_while_unsure(result: Clues) -> None:
    question = next_question(KNOWN, result)
    first = diagnose(KNOWN, result).candidates[0]
    if question is None:
        return

    assert first.probability < SURE or first.problem.slug == "diagnostic-scan"
    assert question.id not in {one.symptom for one in result.findings}
    assert question.bits > 0
    assert question.options == OPTIONS
    assert question.text.endswith("?")
    other = next_question(KNOWN, result, frozenset({question.id}))

    assert other is None or other.id != question.id


def test_next_question_stops_at_the_limit() -> None:
    asked: set[str] = set()
    while (question := next_question(KNOWN, Clues(), frozenset(asked))) is not None:
        asked.add(question.id)

    assert len(asked) == MOST_QUESTIONS


def test_question_brings_the_first_three_more_than_what_is_asked_at_random() -> None:
    """The expected probability of the first three after an answer, by `diagnose` itself."""
    dice = random.Random(3)  # noqa: S311 - a sample
    result = read("it loses power uphill and feels sluggish", KNOWN).clues(Traits())
    question = next_question(KNOWN, result)

    assert question is not None
    known = {one.symptom for one in result.findings}
    others = dice.sample(sorted(set(KNOWN.symptoms) & set(KNOWN.by_symptom) - known), 30)

    assert after(result, question.id) >= max(after(result, other) for other in others) - 0.02


def after(result: Clues, symptom: str) -> float:
    """Return the probability that the first three are expected to have after an answer."""
    shares = {link.repair: link.share for link in KNOWN.by_symptom[symptom]}
    there = sum(
        one.probability * (mention_chance(share) if share else LEAK)
        for one in diagnose(KNOWN, result).candidates
        for share in [shares.get(KNOWN.numbers[one.problem.slug], 0.0)]
    )
    expected = 0.0
    for present, chance in ((True, there), (False, 1 - there)):
        found = diagnose(KNOWN, evolve(result, findings=(*result.findings, Finding(symptom, present))))
        expected += chance * sum(one.probability for one in found.candidates[:3])
    return expected


def test_next_question_skips_the_light_of_a_known_code() -> None:
    result = Clues(codes=("P0300",))
    asked: set[str] = set()
    while (question := next_question(KNOWN, result, asked)) is not None:
        assert question.id != "check-engine-light"
        asked.add(question.id)


@pytest.mark.parametrize(
    "text", ["it stalls", "car dies", "smells weird", "sluggish", "runs bad", "help", "truck stutters"]
)
def test_check_engine_light_never_opens(text: str) -> None:
    assert asked_first(text).id != "check-engine-light"


def test_electric_car_is_asked_nothing_of_engines() -> None:
    result = Clues(traits=Traits(powertrain=Powertrain.ELECTRIC))
    asked: set[str] = set()
    while (question := next_question(KNOWN, result, frozenset(asked))) is not None:
        asked.add(question.id)

    assert asked
    assert not any(one.startswith(("engine-", "check-engine", "exhaust-", "oil-")) for one in asked)


def test_light_alone_is_asked_about_however_likely_a_scan_is() -> None:
    result = Clues(
        findings=(Finding("check-engine-light", present=True),), hints=(Hint("diagnostic-scan", 20.0),)
    )

    assert diagnose(KNOWN, result).candidates[0].probability > SURE
    assert next_question(KNOWN, result) is not None


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("vibration", "shake"),
        ("my car vibrates", "shake"),
        ("the truck is shaking", "shake"),
        ("it wobbles", "shake"),
        ("noise", "noise"),
        ("my car makes a weird noise", "noise"),
        ("strange sounds", "noise"),
        ("squeaking", "squeak"),
        ("car squeals", "squeak"),
        ("clunking", "clunk"),
        ("car wont start", "no-start"),
        ("it doesn't start", "no-start"),
        ("my van will not start", "no-start"),
        ("smoke", "smoke"),
        ("weird smell", "smell"),
        ("something is leaking", "leak"),
        ("puddle under car", "leak"),
        ("brakes", "brakes"),
        ("problem with my brakes", "brakes"),
        ("transmission trouble", "transmission"),
        ("A C", "air-conditioning"),
        ("A/C", "air-conditioning"),
        ("a. c. problem", "air-conditioning"),
    ],
)
def test_complaint_of_a_topic_alone_is_asked_about_that_first(text: str, topic: str) -> None:
    question = asked_first(text)

    assert question.id in TOPICS[topic].symptoms
    assert question.text.startswith(TOPICS[topic].opening)


def test_of_two_topics_what_they_have_in_common_is_asked() -> None:
    assert asked_first("brake noise").id in {"brake-squeal", "brake-grinding"}
    assert asked_first("brakes are noisy").id in {"brake-squeal", "brake-grinding"}


def test_of_two_topics_with_nothing_in_common_the_first_is_asked_about() -> None:
    topic = common_topic(["leak", "noise"])

    assert topic == TOPICS["noise"]
    assert common_topic([]) is None


def test_topic_is_asked_about_twice_while_nothing_is_known_to_be_there() -> None:
    result = read("car wont start", KNOWN).clues(Traits())
    first = next_question(KNOWN, result)

    assert first is not None
    second = next_question(KNOWN, result, frozenset({first.id}))

    assert second is not None

    assert {first.id, second.id} <= TOPICS["no-start"].symptoms


def test_open_question_is_asked_once() -> None:
    result = read("vibration", KNOWN).clues(Traits())
    first = next_question(KNOWN, result)

    assert first is not None
    second = next_question(KNOWN, result, frozenset({first.id}))

    assert second is not None

    assert first.text.startswith(TOPICS["shake"].opening)
    assert not second.text.startswith(TOPICS["shake"].opening)


@pytest.mark.parametrize(
    "text",
    [
        "code P0300, vibration",
        "it squeals when I brake",
        "the temperature gauge climbs in traffic and the heater blows cold air, some noise too",
    ],
)
def test_next_question_skips_the_topic_of_a_longer_complaint(text: str) -> None:
    openings = tuple(topic.opening for topic in TOPICS.values() if topic.opening)

    question = next_question(KNOWN, read(text, KNOWN).clues(Traits()))

    assert question is None or not question.text.startswith(openings)


def test_open_question_offers_choices() -> None:
    question = asked_first("car makes a noise")

    assert "a hum that rises with speed" in question.options
    assert not {"yes", "no"} & set(question.options)
    assert question.options[-2:] == (NONE_OF_THESE, "unsure")


def test_plain_question_is_answered_with_yes_or_no() -> None:
    clues = read("car makes a noise", KNOWN).clues(Traits())
    question = next_question(KNOWN, clues, opens=False)

    assert question is not None
    assert question.options == OPTIONS


def test_choice_is_a_present_symptom_and_none_of_these_denies_all() -> None:
    options = (*TOPICS["shake"].choices, NONE_OF_THESE, "unsure")

    assert chosen("At highway speed", options) == {"vibration-at-speed": True}
    assert chosen("none of these", options) == dict.fromkeys(TOPICS["shake"].choices.values(), False)
    assert chosen("unsure", options) == {}
    assert chosen("rotten eggs", options) == {}


def test_each_choice_means_one_symptom_of_its_topic() -> None:
    listed = [choice for topic in TOPICS.values() for choice in topic.choices]

    assert len(listed) == len(set(listed))
    assert all(set(topic.choices.values()) <= topic.symptoms for topic in TOPICS.values())
    assert all(topic.choices for topic in TOPICS.values() if topic.opening)


def test_topics_are_of_symptoms_of_the_book() -> None:
    assert all(topic.symptoms <= set(KNOWN.by_symptom) for topic in TOPICS.values())


@pytest.mark.parametrize("text", ["Mercedes a c class", "ac35", "grade a cables", ""])
def test_topics_in_ignores_lookalikes(text: str) -> None:
    assert topics_in(text) == ()


def test_evidence_keeps_topics() -> None:
    evidence = Evidence().with_mentions(NOTHING_MENTIONED, topics=("shake",)).with_mentions(NOTHING_MENTIONED)

    assert evidence.clues().topics == ("shake",)


@given(clues, some.sampled_from(sorted(KNOWN.by_symptom)))
def test_unsure_answer_changes_nothing_but_that_it_is_not_asked_again(result: Clues, symptom: str) -> None:
    evidence = Evidence(findings=result.findings, codes=result.codes, hints=result.hints)

    assert evidence.with_questioned(symptom).clues() == evidence.clues()


def test_no_counts_less_than_the_book_says() -> None:
    result = Clues(findings=(Finding("brake-squeal", present=False),))
    pads = next(one for one in diagnose(KNOWN, result).candidates if one.problem.slug == "brake-pads-front")
    link = next(
        one
        for one in KNOWN.by_symptom["brake-squeal"]
        if KNOWN.problems[one.repair].slug == "brake-pads-front"
    )

    assert [reason.weight for reason in pads.reasons] == pytest.approx([0.8 * link.missing])


@pytest.mark.parametrize(
    "text",
    [
        "loses power uphill",
        "rough idle",
        "the car dies at lights",
        "heater blows cold",
        "it overheats",
        "wipers smear",
        "stalls",
    ],
)
def test_only_what_a_likely_repair_shows_is_asked_about(text: str) -> None:
    result = read(text, KNOWN).clues(Traits())
    asked: set[str] = set()
    while (question := next_question(KNOWN, result, frozenset(asked))) is not None:
        likely = diagnose(KNOWN, result).candidates[:12]

        assert question.id in {symptom.slug for one in likely for symptom in one.problem.symptoms}
        asked.add(question.id)


def test_repairs_that_show_the_same_are_not_asked_apart() -> None:
    alike = tuple(Symptom(slug=slug, share=0.6) for slug in ("a", "b"))
    known = Knowledge(
        [a_problem(id=number, slug=f"r{number}", symptoms=alike) for number in (1, 2, 3, 4)],
        evolve(NO_VOCABULARY, symptoms={"a": "A", "b": "B"}),
    )

    assert next_question(known, Clues()) is None
