"""Links that share a visit: anyone with the token can see the estimate and answer it, without an account."""

from datetime import date, datetime
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.visits.lifecycle import Status
from repaircore.visits.model import Visit

PATH: Final = "/v/"
"""The path of the links, below the public URL."""

_HIDDEN: Final = frozenset({Status.DRAFT, Status.CANCELLED})
"""The statuses in which the link does not work: only the shop sees an estimate while it is being changed."""

_ANSWERABLE: Final = frozenset({Status.SENT, Status.APPROVED, Status.PARTLY_APPROVED, Status.DECLINED})


@frozen(kw_only=True)
class Link:
    """A stored link. Its token is derived from ``seed``; the token itself is stored only as a hash."""

    visit_id: int
    token_hash: bytes
    seed: bytes
    created_at: datetime


@frozen(kw_only=True)
class SharedKey:
    """The visit that a link leads to."""

    number: str
    environment: Environment


def is_open(visit: Visit, today: date) -> bool:
    """Return whether a visit is shown to anyone with its link: not a draft, not canceled and not expired."""
    return visit.status not in _HIDDEN and not visit.is_expired(today)


def is_answerable(visit: Visit) -> bool:
    """Return whether the customer may answer, which is until the work begins."""
    return visit.status in _ANSWERABLE
