"""Jobs that await a decision."""

from collections.abc import Mapping
from datetime import datetime

from attrs import field, frozen

from repaircore.job_matching.model import Outcome
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents


@frozen(kw_only=True)
class WaitingLine:
    """A job that awaits a decision; ``row`` maps the columns of our own format to its cells, without the repair.

    ``text_key`` is the key of its text (see ``key_of``). ``fingerprint`` identifies the job in its environment,
    whichever file it is in.
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
    """Return the key of a line's text, which ignores case, extra spaces, and punctuation at both ends."""
    return " ".join(text.casefold().split()).strip(" .;,")[:500]


@frozen(kw_only=True)
class WaitingText:
    """A source's waiting lines with the same text: their number, and the range of their totals in cents."""

    text: str
    text_key: str
    source: str
    outcome: Outcome
    reason: str | None
    suggestions: tuple[str, ...]
    lines: int
    low: Cents
    high: Cents
