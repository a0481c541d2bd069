"""What became of a record, step by step."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Protocol

from attrs import frozen

from repaircore.kernel.views import iso_utc

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
    actor: str = "partner"
    detail: Mapping[str, Any] | None = None


class Timelines(Protocol):
    """The kept steps of every record, by its reference. A unit of work offers it."""

    @abstractmethod
    def add(self, subject: str, step: Step) -> None:
        """Keep a step behind the subject's earlier ones."""

    @abstractmethod
    def of(self, subject: str) -> Sequence[Step]:
        """List the subject's steps, in the order in which they were kept; none when nothing is known."""


def told(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Tell steps as the API shows them."""
    return [
        {
            "at": iso_utc(step.at),
            "action": step.action,
            "from": step.before,
            "to": step.after,
            "actor": step.actor,
            **({} if step.detail is None else {"detail": dict(step.detail)}),
        }
        for step in steps
    ]
