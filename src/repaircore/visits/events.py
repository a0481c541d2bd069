"""Events about visits, which are sent to their owners' webhooks."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, TypeAlias

from attrs import frozen

from repaircore.json_text import plain
from repaircore.kernel.callers import INSTALLATION
from repaircore.kernel.events import Event
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.types import NewId
from repaircore.visits.lifecycle import Action
from repaircore.visits.model import Visit
from repaircore.visits.ports import EventsWork
from repaircore.visits.views import VisitView

Change: TypeAlias = Literal["sent", "answered", "work_begun", "invoiced"]

CHANGES: Final[Mapping[Action, Change]] = {
    Action.SEND: "sent",
    Action.APPROVE: "answered",
    Action.APPROVE_PARTLY: "answered",
    Action.DECLINE: "answered",
    Action.ASK: "answered",
    Action.BEGIN: "work_begun",
    Action.INVOICE: "invoiced",
}
"""The actions that owners are notified of, and their names in events."""


@frozen(kw_only=True)
class VisitEvents:
    """Stores the events about visits, each in the unit of work that makes the change."""

    new_id: NewId

    def add(self, work: EventsWork, visit: Visit, change: Change, at: datetime) -> None:
        """Store the event for a change; save the change and its timeline step first.

        Visits that no account owns have no events, because nobody could subscribe to them.
        """
        if visit.owner_id == INSTALLATION:
            return
        work.outbox.add(
            Event(
                id=reference(Kind.EVENT, self.new_id()),
                type=f"visit.{change}",
                user_id=visit.owner_id,
                environment=visit.environment,
                subject=visit.number,
                data=plain(VisitView.of_visit(visit, work.timelines.list_for(visit.number))),
                created_at=at,
            )
        )
