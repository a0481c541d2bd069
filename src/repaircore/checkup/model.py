"""What a check-up finds."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.kernel.metrics import Metric
from repaircore.webhooks.model import Backlog

_ANY: Final = ()


@frozen
class CheckResult:
    """One thing that was looked at; ``wrong`` says what is wrong with it, and what to do."""

    name: str
    value: str
    wrong: str | None = None


@frozen(kw_only=True)
class CheckupReport:
    """All that was looked at."""

    findings: tuple[CheckResult, ...]

    @property
    def wrong(self) -> tuple[CheckResult, ...]:
        """Return what is not as it should be."""
        return tuple(finding for finding in self.findings if finding.wrong)


@frozen
class DurabilitySetting:
    """A setting of the database, and the values that are fine (empty: any)."""

    name: str
    value: str
    fine: tuple[str, ...] = _ANY

    @property
    def holds(self) -> bool:
        """Return whether the value is fine."""
        return not self.fine or self.value in self.fine


@frozen
class WindowPlace:
    """Where rate windows of some kind are kept; ``ask`` raises Unavailable when the place does not answer."""

    name: str
    place: str
    ask: Callable[[], object]


@frozen(kw_only=True)
class QueueLength:
    """How many of something wait, and since when the one that is due longest is; None when none is."""

    number: int
    oldest: datetime | None


@frozen(kw_only=True)
class Queues:
    """What waits to be done beside requests; when each job was done last (None: never yet), and which failed then."""

    webhooks: Backlog
    mails: QueueLength
    payments: QueueLength
    jobs: Mapping[str, datetime | None]
    failed: frozenset[str]


Gauge: TypeAlias = tuple[Metric, Sequence[tuple[tuple[str, ...], float]]]
"""What something stands at now: for the values of its labels, the figure."""
