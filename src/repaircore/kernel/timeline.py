"""Timelines: the steps in the life of a record."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NotRequired, Protocol, Self, TypeAlias, TypedDict

from attrs import frozen

from repaircore.kernel.views import in_utc

Actor: TypeAlias = Literal[
    "partner", "system", "sandbox", "operator", "owner", "customer", "provider", "mechanic"
]
PARTNER: Final = "partner"
"""The actor of steps by a partner."""
MECHANIC: Final = "mechanic"
"""The actor of a mechanic's answers through a link."""
OPERATOR: Final = "operator"
"""The actor of steps by the installation's operator."""
PROVIDER: Final = "provider"
"""The actor of steps by a driver or a towing business."""


@frozen(kw_only=True)
class Step:
    """One step in the life of a record.

    ``action`` is what was done (``book``), ``before`` the state until then (None: the record was created), ``after``
    the state since then; ``detail`` has further facts as strings, numbers and booleans.
    """

    at: datetime
    action: str
    before: str | None
    after: str
    actor: Actor = "partner"
    detail: Mapping[str, Any] | None = None

    @classmethod
    def within(
        cls, status: str, action: str, *, at: datetime, actor: Actor, detail: Mapping[str, Any] | None = None
    ) -> Self:
        """Return a step that leaves the state unchanged."""
        return cls(at=at, action=action, before=status, after=status, actor=actor, detail=detail)


class Timelines(Protocol):
    """The stored steps of every record, by its reference; part of a unit of work."""

    def add(self, subject: str, step: Step) -> None:
        """Append a step to the subject's timeline."""

    def list_for(self, subject: str) -> Sequence[Step]:
        """List the subject's steps, oldest first; none for an unknown subject."""


TimelineStep = TypedDict(
    "TimelineStep",
    {
        "at": datetime,
        "action": str,
        "from": str | None,
        "to": str,
        "actor": Actor,
        "detail": NotRequired[dict[str, Any]],
    },
)
"""A step as clients see it; not a view, because ``from`` cannot be the name of a field."""


def timeline_view(steps: Sequence[Step]) -> list[TimelineStep]:
    """Return steps as clients see them."""
    return [_step_view(step) for step in steps]


def _step_view(step: Step) -> TimelineStep:
    view = TimelineStep(
        {
            "at": in_utc(step.at),
            "action": step.action,
            "from": step.before,
            "to": step.after,
            "actor": step.actor,
        }
    )
    if step.detail is not None:
        view["detail"] = dict(step.detail)
    return view
