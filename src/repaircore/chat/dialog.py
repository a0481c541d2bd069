"""The dialog of a chat: from the user's message to the next question, or to the diagnosis."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from attrs import evolve, frozen

from repaircore.book.model import Safety
from repaircore.chat.model import MOST_STEPS, Chat, Detail, Kind, Message, Speaker, Status, Suspect
from repaircore.complaints.answers import Verdict
from repaircore.diagnosis import engine, questions
from repaircore.diagnosis.advice import confidence_for, note_on
from repaircore.diagnosis.danger import safe_to_drive
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Candidate, Clues, Diagnosis, Evidence, Finding, OpenQuestion
from repaircore.diagnosis.reading import ReadComplaint, with_complaint

_NOT_UNDERSTOOD: Final = "No symptom, trouble code or repair was recognized in your message."
_NOTHING_YET: Final = f"{_NOT_UNDERSTOOD} Answer the question, or describe what you notice in other words."
_AGAIN: Final = 'Please answer "yes", "no" or "unsure", or describe what you notice in other words.'
_SKIPPED: Final = "The question was skipped."


@frozen(kw_only=True)
class UserTurn:
    """The evidence after a user's message, notes for the user, and the question to repeat, if any."""

    evidence: Evidence
    notes: tuple[str, ...] = ()
    again: OpenQuestion | None = None


@frozen(kw_only=True)
class Decision:
    """The diagnosis so far, and the next question.

    ``question`` is None if no further question is worth asking or the chat has reached its last step.
    """

    question: OpenQuestion | None
    diagnosis: Diagnosis


NOTHING_CHOSEN: Final[Mapping[str, bool]] = {}


def after_symptom(evidence: Evidence, read: ReadComplaint, lights: Sequence[str]) -> UserTurn:
    """Return the evidence after the first message, and notes for the user."""
    known = with_complaint(evidence, read, [*read.findings, *_light_findings(lights)], answered=lights)
    notes = () if lights or _says_something(read) else (_NOTHING_YET,)
    note = note_on(read.mentions)
    return UserTurn(
        evidence=known, notes=notes if note is None else (*(notes if read.mentions.is_fault else ()), note)
    )


def after_answer(
    evidence: Evidence,
    question: OpenQuestion,
    verdict: Verdict | None,
    read: ReadComplaint,
    *,
    lights: Sequence[str] = (),
    chosen: Mapping[str, bool] = NOTHING_CHOSEN,
) -> UserTurn:
    """Return the evidence after an answer: a verdict, the ``chosen`` symptoms, or any other text or image.

    After an uninformative answer, the question is repeated once and then skipped.
    """
    found, answered = [*read.findings, *_light_findings(lights)], [*lights, *chosen]
    found += (Finding(symptom, present) for symptom, present in chosen.items())
    if verdict in (Verdict.YES, Verdict.NO):
        found.append(Finding(question.id, verdict is Verdict.YES))
        answered.append(question.id)
    known = with_complaint(evidence, read, found, answered=answered)
    if verdict is not None or lights or chosen or _says_something(read):
        return UserTurn(evidence=known.with_questioned(question.id))
    if question.id in evidence.questioned:
        return UserTurn(evidence=evidence, notes=(f"{_NOT_UNDERSTOOD} {_SKIPPED}",))
    return UserTurn(
        evidence=evidence.with_questioned(question.id),
        notes=(f"{_NOT_UNDERSTOOD} {_AGAIN}",),
        again=question,
    )


def decide(knowledge: Knowledge, chat: Chat, *, again: OpenQuestion | None = None) -> Decision:
    """Return the diagnosis so far and the next question, if any; the same chat always gives the same result.

    ``again`` is a question to repeat, unless the chat has reached its last step.
    """
    vehicle = None if chat.vehicle is None else chat.vehicle.specs
    clues = chat.evidence.clues().about(vehicle, knowledge.problems)
    diagnosis = engine.diagnose(knowledge, clues)
    question = None
    if chat.step < MOST_STEPS:
        question = again or _next_question(knowledge, clues, chat.evidence, diagnosis)
    return Decision(question=question, diagnosis=diagnosis)


def conclude(
    chat: Chat, decision: Decision, message: Message, notes: Sequence[str]
) -> tuple[Chat, tuple[Message, ...]]:
    """Return the chat after a turn, and the messages that the turn adds."""
    at = message.at
    messages = [message, *(_reply(Kind.NOTE, note, at) for note in notes)]
    question = decision.question
    if question is not None:
        messages.append(_reply(Kind.QUESTION, question.text, at, Detail(question=question)))
        after = evolve(chat, stored_status=Status.AWAITING_ANSWER, question=question)
    else:
        suspects, enough = _suspects(chat.evidence, decision.diagnosis)
        if evolve(chat, diagnosis=suspects).safety.stop_driving:  # no repair may contradict it
            suspects = tuple(evolve(each, safe_to_drive=Safety.NO.value) for each in suspects)
        detail = Detail(diagnosis=suspects, enough=enough)
        messages.append(_reply(Kind.DIAGNOSIS, _summary(suspects, enough=enough), at, detail))
        after = evolve(chat, stored_status=Status.DIAGNOSED, question=None, diagnosis=suspects, enough=enough)
    return evolve(after, messages=chat.messages + len(messages), active_at=at), tuple(messages)


def _next_question(
    knowledge: Knowledge, clues: Clues, evidence: Evidence, diagnosis: Diagnosis
) -> OpenQuestion | None:
    questioned = frozenset(evidence.questioned)
    question = questions.next_question(knowledge, clues, questioned, diagnosis=diagnosis)
    if question is None:
        return None
    return OpenQuestion(id=question.id, text=question.text, options=question.options, why=question.why)


def _light_findings(lights: Sequence[str]) -> Sequence[Finding]:
    return [Finding(light, present=True) for light in lights]


def _says_something(read: ReadComplaint) -> bool:
    return bool(read.findings or read.codes or read.hints or read.dangers)


def _reply(kind: Kind, text: str, at: datetime, detail: Detail | None = None) -> Message:
    return Message(speaker=Speaker.ASSISTANT, kind=kind, text=text, at=at, detail=detail or Detail())


def _suspects(evidence: Evidence, diagnosis: Diagnosis) -> tuple[tuple[Suspect, ...], bool]:
    """Return the likely repairs, and whether they are more than a first guess."""
    suspects = tuple(_suspect(candidate, evidence) for candidate in diagnosis.likely)
    return suspects, diagnosis.enough and evidence.outside is None


def _suspect(candidate: Candidate, evidence: Evidence) -> Suspect:
    problem = candidate.problem
    return Suspect(
        problem_id=problem.id,
        slug=problem.slug,
        display_name=problem.display_name,
        confidence=confidence_for(candidate, evidence.outside),
        urgency=problem.urgency.value,
        safe_to_drive=safe_to_drive(problem, evidence.concerns).value,
        why=candidate.reasons,
    )


def _summary(suspects: Sequence[Suspect], *, enough: bool) -> str:
    if not suspects:
        return "No repair in the book fits. A shop can inspect the vehicle."
    first = suspects[0]
    best = f"{first.display_name} ({first.confidence:g}%)"
    if enough:
        return f"Most likely needed: {best}."
    return f"This is a first guess: {best}. A shop can inspect the vehicle."
