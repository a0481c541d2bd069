"""Steps that documents add to the timeline of a visit."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from repaircore.documents.wording import DECISIONS
from repaircore.kernel.timeline import Actor, Step
from repaircore.visits.lifecycle import Status
from repaircore.visits.model import Decision, Visit

_MOST_NAMED: Final = 20


def answer_step(
    before: Status,
    visit: Visit,
    decisions: Sequence[tuple[int, Decision]],
    at: datetime,
    *,
    actor: Actor = "customer",
) -> Step:
    """Return the step for a customer's answers: who answered, and what they decided on which lines."""
    titles = {line.id: line.name for line in visit.lines}
    named = [
        f"{titles[line_id]}: {DECISIONS[decision.choice].lower()}"
        for line_id, decision in decisions[:_MOST_NAMED]
    ]
    rest = len(decisions) - len(named)
    return Step(
        at=at,
        action="answer",
        before=before.value,
        after=visit.status.value,
        actor=actor,
        detail={
            "name": decisions[0][1].name,
            "answers": "; ".join([*named, *([f"and {rest} more"] if rest else [])]),
        },
    )
