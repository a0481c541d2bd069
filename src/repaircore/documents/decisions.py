"""Store what a customer answered to the lines of a visit, by whoever sent it."""

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve

from repaircore.documents.answers import AnswerVisit, action_of, changed_decisions
from repaircore.documents.ports import DocumentsWork
from repaircore.documents.steps import answer_step
from repaircore.kernel.timeline import Actor
from repaircore.visits.events import VisitEvents
from repaircore.visits.model import Decision, Visit


def store_answers(
    work: DocumentsWork, visit: Visit, data: AnswerVisit, events: VisitEvents, *, actor: Actor, at: datetime
) -> tuple[Visit, Sequence[tuple[int, Decision]]]:
    """Store answers, and return the visit with those that are new; without any it stays as it is.

    Raises:
        VisitChanged: it was changed at the same time.
    """
    decisions = changed_decisions(visit, data, at)
    if not decisions:
        return visit, ()
    decided = evolve(visit.with_decisions(decisions), updated_at=at)
    action = action_of(decided)
    if action is not None:
        decided = decided.apply(action, at=at)
    saved = work.visits.update(visit, decided)
    work.timelines.add(saved.number, answer_step(visit.status, saved, decisions, at, actor=actor))
    events.add(work, saved, "answered", at)
    return saved, decisions
