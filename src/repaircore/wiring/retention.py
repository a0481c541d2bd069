"""Wiring of retention: the deletion of old records."""

import time
from typing import TYPE_CHECKING, Final

from repaircore.retention.model import RecordKind, RetentionPolicy
from repaircore.retention.service import Retention

if TYPE_CHECKING:
    from repaircore.core import Core

_REST_SECONDS: Final = 0.02
"""The pause between batches; waiting writers to a SQLite file retry every few milliseconds."""


def retention(core: "Core") -> Retention:
    """Wire the deletion of old records."""
    keep = core.settings.keep
    return Retention(
        transaction=core.storage.transaction,
        policy=RetentionPolicy(
            days={
                RecordKind.PREDICTIONS: keep.predictions,
                RecordKind.FORECASTS: keep.predictions,
                RecordKind.CHATS: keep.chats,
                RecordKind.AUDIT: keep.audit,
                RecordKind.IMPORTS: keep.imports,
                RecordKind.PROVIDER_REQUESTS: keep.provider_requests,
                RecordKind.ANSWERS: keep.answers,
                RecordKind.SESSIONS: keep.sessions,
            }
        ),
        clock=core.clock,
        timer=time.monotonic,
        rest=lambda: time.sleep(_REST_SECONDS),
    )
