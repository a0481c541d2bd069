"""Answers lead to repairs that explain them."""

import pytest
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.adapters.shipped.book import book, symptoms
from repaircore.adapters.shipped.questionnaire import shipped_questionnaire
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.model import Clues
from repaircore.questionnaire.model import Option, findings_of
from repaircore.questionnaire.submissions import SubmissionResult, outcome_of

SHIPPED = shipped_questionnaire(frozenset(symptoms()))
SHOWN_BY = {one.slug: {symptom.slug for symptom in one.symptoms} for one in book().problems}


def outcome(*options: Option) -> SubmissionResult:
    return outcome_of(diagnose(shipped_knowledge(), Clues(findings=findings_of(options))))


def test_every_answer_for_a_symptom_leads_to_repairs_with_it() -> None:
    telling = [
        option
        for category in SHIPPED
        for question in category.active_questions
        for option in question.options
        if option.present
    ]
    unexplained = [
        option.answer
        for option in telling
        if not any(SHOWN_BY[one.repair] & {*option.present} for one in outcome(option).suggestions)
    ]

    assert unexplained == []


def test_answers_against_every_symptom_lead_to_nothing() -> None:
    for category in SHIPPED:
        denials = [
            option
            for question in category.active_questions
            for option in question.options
            if option.absent and not option.present
        ]

        assert outcome(*denials) == SubmissionResult(enough=False, suggestions=())


@pytest.mark.parametrize(
    ("slug", "answers", "repairs"),
    [
        ("starting-and-battery", {201: "It only clicks", 203: "Yes", 206: "Yes"}, {"battery-replacement"}),
        ("brakes", {301: "A high-pitched squeal", 302: "As always"}, {"brake-pads-front", "brake-pads-rear"}),
        (
            "overheating",
            {401: "Too hot", 402: "Yes", 405: "Thick white smoke that smells sweet", 406: "Yes"},
            {"head-gasket"},
        ),
        ("glass-body-and-wipers", {1501: "It has a chip"}, {"windshield-chip-repair"}),
        ("heating-and-air-conditioning", {1202: "Nothing blows at all"}, {"blower-motor", "blower-resistor"}),
    ],
)
def test_typical_answers_lead_to_the_typical_repair(
    slug: str, answers: dict[int, str], repairs: set[str]
) -> None:
    (category,) = (one for one in SHIPPED if one.slug == slug)
    chosen = [
        option
        for number, answer in answers.items()
        if (question := category.question(number)) and (option := question.option(answer))
    ]

    assert len(chosen) == len(answers)
    assert outcome(*chosen).suggestions[0].repair in repairs
