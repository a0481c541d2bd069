"""Customers' answers to the lines of a visit."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated

from attrs import frozen

from repaircore.kernel.rules import FieldErrors, Length, PlainText, Range
from repaircore.kernel.texts import stripped
from repaircore.visits.lifecycle import Action
from repaircore.visits.model import MOST_LINES, Choice, Decision, Visit


@frozen(kw_only=True)
class LineAnswer:
    """The answer to the line with an id; ``note`` is the customer's question, which the choice "asked" requires."""

    line: int
    choice: Choice
    note: Annotated[str, PlainText(0, 1000, lines=True)] | None = None


@frozen(kw_only=True)
class ApproveVisit:
    """The approval of a whole visit, which the shop records under the customer's name."""

    name: Annotated[str, PlainText(1, 120)]


@frozen(kw_only=True)
class AnswerVisit:
    """A customer's answers to a version of a visit, and their name."""

    name: Annotated[str, PlainText(1, 120)]
    version: Annotated[int, Range(1)]
    answers: Annotated[tuple[LineAnswer, ...], Length(1, MOST_LINES)]


def answer_errors(visit: Visit, answers: Sequence[LineAnswer]) -> FieldErrors:
    """Return the errors in answers to the lines of a visit."""
    known = {line.id for line in visit.lines}
    errors: FieldErrors = {}
    for place, answer in enumerate(answers):
        if answer.line not in known:
            errors[f"answers.{place}.line"] = ["The line field must be a line of this estimate."]
        if answer.choice is Choice.ASKED and not (answer.note or "").strip():
            errors[f"answers.{place}.note"] = ["Write your question."]
    return errors


def decisions_in(visit: Visit, data: AnswerVisit, at: datetime) -> Iterator[tuple[int, Decision]]:
    """Yield each answered line's id and decision, in the order of the lines; the last answer to a line wins."""
    answers = {answer.line: answer for answer in data.answers}
    for line in visit.lines:
        answer = answers.get(line.id)
        if answer is not None:
            note = stripped(answer.note)
            yield line.id, Decision(choice=answer.choice, name=data.name.strip(), at=at, note=note)


def is_new(visit: Visit, line_id: int, decision: Decision) -> bool:
    """Return whether a decision differs, in its choice or note, from the present one on its line."""
    before = next(line.decision for line in visit.lines if line.id == line_id)
    return before is None or (before.choice, before.note) != (decision.choice, decision.note)


def action_of(visit: Visit) -> Action:
    """Return the action that the decisions amount to: ``ASK`` if no line is approved and not all are declined."""
    choices = [None if line.decision is None else line.decision.choice for line in visit.lines]
    if all(choice is Choice.APPROVED for choice in choices):
        return Action.APPROVE
    if Choice.APPROVED in choices:
        return Action.APPROVE_PARTLY
    return Action.DECLINE if all(choice is Choice.DECLINED for choice in choices) else Action.ASK
