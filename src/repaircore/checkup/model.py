"""What a check-up finds."""

from collections.abc import Callable
from typing import Final

from attrs import frozen

__all__ = ["Durable", "Finding", "Report", "WindowPlace"]

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


@frozen
class WindowPlace:
    """Where rate windows of some kind are kept; ``ask`` raises Unavailable when the place does not answer."""

    name: str
    place: str
    ask: Callable[[], object]
