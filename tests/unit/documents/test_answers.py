"""Customers' answers, and the action that follows for a visit."""

from datetime import timedelta

import pytest
from attrs import evolve
from tests.unit.documents.test_billing import AT, VISIT, visit_with

from repaircore.documents.answers import (
    AnswerVisit,
    LineAnswer,
    action_of,
    answer_errors,
    decisions_in,
    is_new,
)
from repaircore.documents.links import is_answerable, is_open
from repaircore.kernel.link_tokens import may_be_token
from repaircore.visits.lifecycle import Action, Status
from repaircore.visits.model import Choice, Visit

APPROVED, DECLINED, ASKED = Choice.APPROVED, Choice.DECLINED, Choice.ASKED


def answer(*answers: LineAnswer, name: str = "Grace") -> AnswerVisit:
    return AnswerVisit(name=name, version=1, answers=answers)


@pytest.mark.parametrize(
    ("choices", "action"),
    [
        ((), Action.ASK),
        ((APPROVED,), Action.APPROVE_PARTLY),
        ((APPROVED, APPROVED), Action.APPROVE),
        ((APPROVED, ASKED), Action.APPROVE_PARTLY),
        ((DECLINED, DECLINED), Action.DECLINE),
        ((DECLINED, ASKED), Action.ASK),
        ((ASKED, ASKED), Action.ASK),
    ],
)
def test_action_follows_from_all_decisions(choices: tuple[Choice, ...], action: Action) -> None:
    assert action_of(visit_with(*choices)) == action


def test_decisions_are_new_if_they_differ() -> None:
    visit = visit_with(APPROVED, DECLINED)
    data = answer(
        LineAnswer(line=1, choice=APPROVED), LineAnswer(line=2, choice=ASKED, note=" Why? "), name=" Bo "
    )

    first, second = decisions_in(visit, data, AT)

    assert [is_new(visit, *first), is_new(visit, *second)] == [False, True]
    number, decision = second
    assert (number, decision.choice, decision.name, decision.note) == (2, ASKED, "Bo", "Why?")


def test_answer_errors_name_unknown_lines_and_missing_questions() -> None:
    errors = answer_errors(
        VISIT, [LineAnswer(line=9, choice=APPROVED), LineAnswer(line=1, choice=ASKED, note=" ")]
    )

    assert set(errors) == {"answers.0.line", "answers.1.note"}


@pytest.mark.parametrize("status", Status)
def test_link_is_open_for_sent_visits_until_it_expires(status: Status) -> None:
    visit = _with_status(status)

    assert is_open(visit, visit.valid_until) == (status not in {Status.DRAFT, Status.CANCELLED})
    assert not is_open(visit, visit.valid_until + timedelta(days=2)), (
        "two UTC days later it has expired in Hawaii, too"
    )


def test_customer_can_answer_until_the_work_begins() -> None:
    answerable = {status for status in Status if is_answerable(_with_status(status))}

    assert answerable == {Status.SENT, Status.APPROVED, Status.PARTLY_APPROVED, Status.DECLINED}


@pytest.mark.parametrize(
    ("text", "is_token"),
    [
        ("A" * 43, True),
        ("a-_9" + "A" * 39, True),
        ("A" * 42, False),
        ("A" * 44, False),
        ("é" * 43, False),
        ("", False),
    ],
)
def test_may_be_token_checks_the_format(text: str, *, is_token: bool) -> None:
    assert may_be_token(text) == is_token


def _with_status(status: Status) -> Visit:
    return evolve(VISIT, status=status)
