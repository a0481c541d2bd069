"""What a check-up finds."""

from datetime import datetime
from typing import Final

from attrs import frozen

__all__ = ["Durable", "Finding", "Report", "Unfinished"]

_ANY: Final = ()


@frozen
class Finding:
    """One thing that was looked at; ``wrong`` says what is wrong with it, and what to do."""

    name: str
    value: str
    wrong: str | None = None


@frozen(kw_only=True)
class Report:
    """All that was looked at."""

    findings: tuple[Finding, ...]

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """Give what is not as it should be."""
        return tuple(finding for finding in self.findings if finding.wrong)


@frozen
class Durable:
    """A setting of the database, and the values that are fine (empty: any)."""

    name: str
    value: str
    fine: tuple[str, ...] = _ANY

    @property
    def holds(self) -> bool:
        """Tell whether the value is fine."""
        return not self.fine or self.value in self.fine


@frozen(kw_only=True)
class Unfinished:
    """A file whose rows are not all taken over."""

    kind: str
    file: str
    read: int
    started_at: datetime
