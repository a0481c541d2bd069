"""What became of a record, step by step."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NotRequired, Protocol, TypeAlias, TypedDict

from attrs import frozen

from repaircore.kernel.views import in_utc

Actor: TypeAlias = Literal["partner", "system", "sandbox", "operator"]
OPERATOR: Final = "operator"
"""The actor of what whoever runs the installation does."""


@frozen(kw_only=True)
class Step:
    """One step in the life of a record.

    ``action`` is what was done (``book``), ``before`` the state that it was done in (None: the record was made),
    ``after`` the state since then; ``actor`` is ``partner``, ``system``, ``sandbox`` or ``operator``; ``detail`` holds
    what else is worth telling, in strings, numbers and booleans.
    """

    at: datetime
    action: str
    before: str | None
    after: str
    actor: Actor = "partner"
    detail: Mapping[str, Any] | None = None


class Timelines(Protocol):
    """The kept steps of every record, by its reference. A unit of work offers it."""

    @abstractmethod
    def add(self, subject: str, step: Step) -> None:
        """Keep a step behind the subject's earlier ones."""

    @abstractmethod
    def of(self, subject: str) -> Sequence[Step]:
        """List the subject's steps, in the order in which they were kept; none when nothing is known."""


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
"""A step as clients see it; no view, as no field of a class can be called ``from``."""


def timeline_of(steps: Sequence[Step]) -> list[TimelineStep]:
    """Return steps as clients see them."""
    return [_step(step) for step in steps]


def _step(step: Step) -> TimelineStep:
    shown = TimelineStep(
        {
            "at": in_utc(step.at),
            "action": step.action,
            "from": step.before,
            "to": step.after,
            "actor": step.actor,
        }
    )
    if step.detail is not None:
        shown["detail"] = dict(step.detail)
    return shown
