"""Choice of the next question."""

import random

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as some
from tests.unit.diagnosis.shipped import shipped_knowledge
from tests.unit.diagnosis.test_engine import clues

from repaircore.book.model import Symptom
from repaircore.book.vocabulary import NO_VOCABULARY
from repaircore.complaints.mentions import NOTHING_MENTIONED, Mentions
from repaircore.complaints.topics import NONE_OF_THESE, TOPICS, chosen, common_topic, topics_in
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import LEAK, Knowledge, mention_chance
from repaircore.diagnosis.model import Clues, Evidence, Finding, Hint, SymptomQuestion
from repaircore.diagnosis.questions import MOST_QUESTIONS, OPTIONS, SURE, next_question
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Powertrain, Traits
from repaircore.testing.builders import a_problem

KNOWN = shipped_knowledge()


def first_question(text: str) -> SymptomQuestion:
    question = next_question(KNOWN, read(text, KNOWN).clues(Traits()))

    assert question is not None
    return question


@given(clues)
def test_question_is_new_informative_and_asked_only_while_unsure(case: Clues) -> None:
    question = next_question(KNOWN, case)
    first = diagnose(KNOWN, case).candidates[0]
    if question is None:
        return

    assert first.probability < SURE or first.problem.slug == "diagnostic-scan"
    assert question.id not in {one.symptom for one in case.findings}
    assert question.bits > 0
    assert question.options == OPTIONS
    assert question.text.endswith("?")
    other = next_question(KNOWN, case, frozenset({question.id}))

    assert other is None or other.id != question.id


def test_next_question_stops_at_the_limit() -> None:
    previous: set[str] = set()
    while (question := next_question(KNOWN, Clues(), frozenset(previous))) is not None:
        previous.add(question.id)

    assert len(previous) == MOST_QUESTIONS


def test_question_helps_the_first_three_more_than_a_random_one() -> None:
    """Compare the expected probability of the first three, computed with `diagnose`."""
    dice = random.Random(3)  # noqa: S311 - a sample
    case = read("it loses power uphill and feels sluggish", KNOWN).clues(Traits())
    question = next_question(KNOWN, case)

    assert question is not None
    known = {one.symptom for one in case.findings}
    others = dice.sample(sorted(set(KNOWN.symptoms) & set(KNOWN.by_symptom) - known), 30)

    assert expected_after(case, question.id) >= max(expected_after(case, other) for other in others) - 0.02


def expected_after(case: Clues, symptom: str) -> float:
    """Return the probability that the first three are expected to have after an answer."""
    shares = {link.repair: link.share for link in KNOWN.by_symptom[symptom]}
    yes_chance = sum(
        one.probability * (mention_chance(share) if share else LEAK)
        for one in diagnose(KNOWN, case).candidates
        for share in [shares.get(KNOWN.numbers[one.problem.slug], 0.0)]
    )
    expected = 0.0
    for present, chance in ((True, yes_chance), (False, 1 - yes_chance)):
        found = diagnose(KNOWN, evolve(case, findings=(*case.findings, Finding(symptom, present))))
        expected += chance * sum(one.probability for one in found.candidates[:3])
    return expected


def test_next_question_skips_the_light_of_a_known_code() -> None:
    case = Clues(codes=("P0300",))
    previous: set[str] = set()
    while (question := next_question(KNOWN, case, previous)) is not None:
        assert question.id != "check-engine-light"
        previous.add(question.id)


@pytest.mark.parametrize(
    "text", ["it stalls", "car dies", "smells weird", "sluggish", "runs bad", "help", "truck stutters"]
)
def test_check_engine_light_is_never_the_first_question(text: str) -> None:
    assert first_question(text).id != "check-engine-light"


def test_electric_car_gets_no_engine_questions() -> None:
    case = Clues(traits=Traits(powertrain=Powertrain.ELECTRIC))
    previous: set[str] = set()
    while (question := next_question(KNOWN, case, frozenset(previous))) is not None:
        previous.add(question.id)

    assert previous
    assert not any(one.startswith(("engine-", "check-engine", "exhaust-", "oil-")) for one in previous)


def test_light_alone_gets_a_question_despite_a_likely_scan() -> None:
    case = Clues(
        findings=(Finding("check-engine-light", present=True),), hints=(Hint("diagnostic-scan", 20.0),)
    )

    assert diagnose(KNOWN, case).candidates[0].probability > SURE
    assert next_question(KNOWN, case) is not None


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
def test_bare_topic_gets_its_question_first(text: str, topic: str) -> None:
    question = first_question(text)

    assert question.id in TOPICS[topic].symptoms
    assert question.text.startswith(TOPICS[topic].opening)


def test_two_topics_get_a_question_they_share() -> None:
    assert first_question("brake noise").id in {"brake-squeal", "brake-grinding"}
    assert first_question("brakes are noisy").id in {"brake-squeal", "brake-grinding"}


def test_common_topic_falls_back_to_the_first_topic() -> None:
    topic = common_topic(["leak", "noise"])

    assert topic == TOPICS["noise"]
    assert common_topic([]) is None


def test_topic_gets_two_questions_while_nothing_is_found() -> None:
    case = read("car wont start", KNOWN).clues(Traits())
    first = next_question(KNOWN, case)

    assert first is not None
    second = next_question(KNOWN, case, frozenset({first.id}))

    assert second is not None

    assert {first.id, second.id} <= TOPICS["no-start"].symptoms


def test_open_question_is_asked_once() -> None:
    case = read("vibration", KNOWN).clues(Traits())
    first = next_question(KNOWN, case)

    assert first is not None
    second = next_question(KNOWN, case, frozenset({first.id}))

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
    question = first_question("car makes a noise")

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
    choices = [choice for topic in TOPICS.values() for choice in topic.choices]

    assert len(choices) == len(set(choices))
    assert all(set(topic.choices.values()) <= topic.symptoms for topic in TOPICS.values())
    assert all(topic.choices for topic in TOPICS.values() if topic.opening)


def test_topics_have_symptoms_of_the_book() -> None:
    assert all(topic.symptoms <= set(KNOWN.by_symptom) for topic in TOPICS.values())


@pytest.mark.parametrize("text", ["Mercedes a c class", "ac35", "grade a cables", ""])
def test_topics_in_ignores_lookalikes(text: str) -> None:
    assert topics_in(text) == ()


def test_evidence_keeps_topics() -> None:
    evidence = Evidence().with_mentions(NOTHING_MENTIONED, topics=("shake",)).with_mentions(NOTHING_MENTIONED)

    assert evidence.clues().topics == ("shake",)


def test_evidence_keeps_the_mentioned_model_until_another_make_or_model_is_mentioned() -> None:
    murano = Evidence().with_mentions(Mentions(make="Nissan", model="Murano", year=2015))

    assert murano.with_mentions(NOTHING_MENTIONED).clues().model == "Murano"
    assert murano.with_mentions(Mentions(make="Nissan")).clues().model == "Murano"
    assert murano.with_mentions(Mentions(make="Nissan", model="Altima")).clues().model == "Altima"
    assert murano.with_mentions(Mentions(make="Ford")).clues().model is None


@given(clues, some.sampled_from(sorted(KNOWN.by_symptom)))
def test_unsure_answer_changes_no_clues(case: Clues, symptom: str) -> None:
    evidence = Evidence(findings=case.findings, codes=case.codes, hints=case.hints)

    assert evidence.with_questioned(symptom).clues() == evidence.clues()


def test_answer_of_no_counts_less_than_in_the_book() -> None:
    case = Clues(findings=(Finding("brake-squeal", present=False),))
    pads = next(one for one in diagnose(KNOWN, case).candidates if one.problem.slug == "brake-pads-front")
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
def test_questions_are_about_symptoms_of_likely_repairs(text: str) -> None:
    case = read(text, KNOWN).clues(Traits())
    previous: set[str] = set()
    while (question := next_question(KNOWN, case, frozenset(previous))) is not None:
        likely = diagnose(KNOWN, case).candidates[:12]

        assert question.id in {symptom.slug for one in likely for symptom in one.problem.symptoms}
        previous.add(question.id)


def test_repairs_with_the_same_symptoms_get_no_question() -> None:
    alike = tuple(Symptom(slug=slug, share=0.6) for slug in ("a", "b"))
    known = Knowledge(
        [a_problem(id=number, slug=f"r{number}", symptoms=alike) for number in (1, 2, 3, 4)],
        evolve(NO_VOCABULARY, symptoms={"a": "A", "b": "B"}),
    )

    assert next_question(known, Clues()) is None
