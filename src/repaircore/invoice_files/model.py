"""Jobs that wait for a decision."""

from collections.abc import Mapping
from datetime import datetime

from attrs import field, frozen

from repaircore.job_matching.model import Outcome
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents


@frozen(kw_only=True)
class WaitingLine:
    """A job that waits for a decision: ``row`` has its cells by the names of our own format, without the repair.

    ``text_key`` is equal for texts that differ only in case and spaces. ``fingerprint`` identifies the job in its
    environment, whichever file it is in.
    """

    import_id: int
    environment: Environment
    source: str
    line: int
    text: str
    text_key: str
    outcome: Outcome
    reason: str | None
    suggestions: tuple[str, ...]
    row: Mapping[str, str] = field(factory=dict)
    total: Cents
    fingerprint: int
    created_at: datetime


def key_of(text: str) -> str:
    """Return the key of a text, equal for texts that differ only in case, spaces and trailing periods."""
    return " ".join(text.casefold().split()).strip(" .;,")[:500]


@frozen(kw_only=True)
class WaitingText:
    """A text that waits for a decision: its lines, and the least and greatest of their totals in cents."""

    text: str
    text_key: str
    source: str
    outcome: Outcome
    reason: str | None
    suggestions: tuple[str, ...]
    lines: int
    low: Cents
    high: Cents
