"""The turns of a conversation: from what the user said to the next question, or to the diagnosis."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from attrs import evolve, frozen

from repaircore.chat.model import MOST_STEPS, Chat, Detail, Kind, Message, Speaker, Status, Suspect
from repaircore.complaints.answers import Verdict
from repaircore.diagnosis import engine, questions
from repaircore.diagnosis.danger import safe_to_drive
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Candidate, Clues, Diagnosis, Evidence, Finding, OpenQuestion
from repaircore.diagnosis.reading import ReadComplaint
from repaircore.kernel.traits import Traits

_NOT_UNDERSTOOD: Final = "No symptom, trouble code or repair was recognized in what you wrote."
_NOTHING_YET: Final = f"{_NOT_UNDERSTOOD} Answer the question, or say in other words what you notice."
_AGAIN: Final = 'Please answer "yes", "no" or "unsure", or describe in other words what you notice.'
_PASSED_OVER: Final = "The question is passed over."

_NOTHING_KNOWN: Final = Traits()


@frozen(kw_only=True)
class UserTurn:
    """What comes of what the user said: evidence, what is noted about it, and the same question again, or none."""

    evidence: Evidence
    notes: tuple[str, ...] = ()
    again: OpenQuestion | None = None


@frozen(kw_only=True)
class Decision:
    """What the engine makes of the evidence: ``question`` is None when nothing more is worth asking."""

    question: OpenQuestion | None
    diagnosis: Diagnosis


def after_symptom(evidence: Evidence, read: ReadComplaint, lights: Sequence[str]) -> UserTurn:
    """Take in what a conversation begins with."""
    known = _taken_in(evidence, read, [*read.findings, *_lit(lights)], answered=lights)
    return UserTurn(evidence=known, notes=() if lights or _says_something(read) else (_NOTHING_YET,))


def after_answer(
    evidence: Evidence,
    question: OpenQuestion,
    verdict: Verdict | None,
    read: ReadComplaint,
    lights: Sequence[str],
) -> UserTurn:
    """Take in the answer to a question: a verdict, or anything else that was said or shown instead.

    An answer that says nothing has the question asked once more, and then passed over.
    """
    found, answered = [*read.findings, *_lit(lights)], [*lights]
    if verdict in (Verdict.YES, Verdict.NO):
        found.append(Finding(question.id, verdict is Verdict.YES))
        answered.append(question.id)
    known = _taken_in(evidence, read, found, answered=answered)
    if verdict is not None or lights or _says_something(read):
        return UserTurn(evidence=known.having_asked(question.id))
    if question.id in evidence.asked:
        return UserTurn(evidence=evidence, notes=(f"{_NOT_UNDERSTOOD} {_PASSED_OVER}",))
    return UserTurn(
        evidence=evidence.having_asked(question.id),
        notes=(f"{_NOT_UNDERSTOOD} {_AGAIN}",),
        again=question,
    )


def decided(knowledge: Knowledge, chat: Chat, *, again: OpenQuestion | None = None) -> Decision:
    """Ask the engine what to make of the evidence; the same evidence always gives the same decision.

    A question that is to be asked ``again`` is, as long as one more may be asked.
    """
    traits = _NOTHING_KNOWN if chat.vehicle is None else chat.vehicle.specs.traits
    clues = chat.evidence.clues(traits, None if chat.vehicle is None else chat.vehicle.specs.make)
    question = None
    if chat.step < MOST_STEPS:
        question = again or _next(knowledge, clues, chat.evidence)
    return Decision(question=question, diagnosis=engine.diagnose(knowledge, clues))


def concluded(
    chat: Chat, decision: Decision, said: Message, notes: Sequence[str]
) -> tuple[Chat, tuple[Message, ...]]:
    """Give the conversation after a turn, and the messages that it adds."""
    at = said.at
    told = [said, *(_told(Kind.NOTE, note, at) for note in notes)]
    question = decision.question
    if question is not None:
        told.append(_told(Kind.QUESTION, question.text, at, Detail(question=question)))
        after = evolve(chat, stored_status=Status.AWAITING_ANSWER, question=question)
    else:
        suspects, enough = _suspects(chat.evidence, decision.diagnosis)
        detail = Detail(diagnosis=suspects, enough=enough)
        told.append(_told(Kind.DIAGNOSIS, _summary(suspects, enough=enough), at, detail))
        after = evolve(chat, stored_status=Status.DIAGNOSED, question=None, diagnosis=suspects, enough=enough)
    return evolve(after, messages=chat.messages + len(told), active_at=at), tuple(told)


def _next(knowledge: Knowledge, clues: Clues, evidence: Evidence) -> OpenQuestion | None:
    asked = questions.next_question(knowledge, clues, frozenset(evidence.asked))
    return (
        None
        if asked is None
        else OpenQuestion(id=asked.id, text=asked.text, options=asked.options, why=asked.why)
    )


def _taken_in(
    evidence: Evidence, read: ReadComplaint, findings: Sequence[Finding], *, answered: Sequence[str]
) -> Evidence:
    return (
        evolve(evidence, trust=min(evidence.trust, read.trust))
        .having(findings, read.codes, read.hints, read.dangers)
        .having_mentioned(
            read.mentions.powertrain,
            read.mentions.mileage,
            concerns=read.concerns,
            make=read.mentions.make,
            topics=read.topics,
        )
        .having_answered(answered)
    )


def _lit(lights: Sequence[str]) -> Sequence[Finding]:
    return [Finding(light, present=True) for light in lights]


def _says_something(read: ReadComplaint) -> bool:
    return bool(read.findings or read.codes or read.hints or read.dangers)


def _told(kind: Kind, text: str, at: datetime, detail: Detail | None = None) -> Message:
    return Message(speaker=Speaker.ASSISTANT, kind=kind, text=text, at=at, detail=detail or Detail())


def _suspects(evidence: Evidence, diagnosis: Diagnosis) -> tuple[tuple[Suspect, ...], bool]:
    """Return the repairs worth telling, and whether they are more than a first guess."""
    suspects = tuple(_suspect(one, evidence.concerns) for one in diagnosis.likely)
    return suspects, diagnosis.enough


def _suspect(candidate: Candidate, concerns: Sequence[str]) -> Suspect:
    problem = candidate.problem
    return Suspect(
        problem_id=problem.id,
        slug=problem.slug,
        display_name=problem.display_name,
        confidence=candidate.confidence,
        urgency=problem.urgency.value,
        safe_to_drive=safe_to_drive(problem, concerns).value,
        why=candidate.reasons,
    )


def _summary(suspects: Sequence[Suspect], *, enough: bool) -> str:
    if not suspects:
        return "No repair of the book fits. A shop can look at the vehicle itself."
    first = suspects[0]
    named = f"{first.display_name} ({first.confidence:g} %)"
    if enough:
        return f"Most likely needed: {named}."
    return f"This is a first guess: {named}. A shop can look at the vehicle itself."
