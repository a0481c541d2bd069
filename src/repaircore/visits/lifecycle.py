"""The statuses of a visit, and the actions that change them."""

from enum import StrEnum
from typing import Final

from repaircore.kernel.lifecycle import Lifecycle


class Status(StrEnum):
    """The status of a visit, from draft to invoiced or canceled."""

    DRAFT = "draft"
    SENT = "sent"
    APPROVED = "approved"
    PARTLY_APPROVED = "partly_approved"
    DECLINED = "declined"
    IN_PROGRESS = "in_progress"
    INVOICED = "invoiced"
    CANCELLED = "cancelled"


class Action(StrEnum):
    """An action on a visit, by its shop or its customer."""

    UPDATE = "update"
    SEND = "send"
    APPROVE = "approve"
    APPROVE_PARTLY = "approve_partly"
    DECLINE = "decline"
    ASK = "ask"
    BEGIN = "begin"
    INVOICE = "invoice"
    CANCEL = "cancel"
    REOPEN = "reopen"


_DECISIONS: Final = {
    Action.APPROVE: Status.APPROVED,
    Action.APPROVE_PARTLY: Status.PARTLY_APPROVED,
    Action.DECLINE: Status.DECLINED,
    Action.ASK: Status.SENT,
}
"""The customer's decisions, which may be made and changed until the work begins."""

LIFECYCLE: Final = Lifecycle[Status, Action](
    {
        Status.DRAFT: {
            Action.UPDATE: Status.DRAFT,
            Action.SEND: Status.SENT,
            **_DECISIONS,
            Action.ASK: Status.DRAFT,
            Action.CANCEL: Status.CANCELLED,
        },
        Status.SENT: {
            Action.UPDATE: Status.DRAFT,
            Action.SEND: Status.SENT,
            **_DECISIONS,
            Action.CANCEL: Status.CANCELLED,
        },
        Status.APPROVED: {
            Action.UPDATE: Status.DRAFT,
            Action.SEND: Status.APPROVED,
            **_DECISIONS,
            Action.BEGIN: Status.IN_PROGRESS,
            Action.INVOICE: Status.INVOICED,
            Action.CANCEL: Status.CANCELLED,
        },
        Status.PARTLY_APPROVED: {
            Action.UPDATE: Status.DRAFT,
            Action.SEND: Status.PARTLY_APPROVED,
            **_DECISIONS,
            Action.BEGIN: Status.IN_PROGRESS,
            Action.INVOICE: Status.INVOICED,
            Action.CANCEL: Status.CANCELLED,
        },
        Status.DECLINED: {
            Action.UPDATE: Status.DRAFT,
            Action.SEND: Status.SENT,
            **_DECISIONS,
            Action.CANCEL: Status.CANCELLED,
        },
        Status.IN_PROGRESS: {
            Action.INVOICE: Status.INVOICED,
            Action.CANCEL: Status.CANCELLED,
        },
        Status.INVOICED: {},
        Status.CANCELLED: {Action.REOPEN: Status.DRAFT},
    },
    noun="visit",
    phrases={Action.APPROVE_PARTLY: "approve parts of {}", Action.ASK: "ask about {}"},
)
"""The lifecycle of a visit; see docs/lifecycles/visit.md."""

DELETABLE: Final = frozenset({Status.DRAFT, Status.SENT, Status.DECLINED, Status.CANCELLED})
"""The statuses in which a visit may be deleted.

Visits that were approved, worked on or invoiced belong to the shop's books; cancel them first if that is still
possible.
"""
