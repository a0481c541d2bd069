"""Results of checks, and the state of queues."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.kernel.metrics import Metric
from repaircore.messages.model import Channel
from repaircore.webhooks.model import Backlog

_ANY: Final = ()


@frozen
class CheckResult:
    """The result of a check; ``wrong`` says what is wrong and what to do about it, or is None."""

    name: str
    value: str
    wrong: str | None = None


@frozen(kw_only=True)
class CheckupReport:
    """The results of all checks."""

    findings: tuple[CheckResult, ...]

    @property
    def wrong(self) -> tuple[CheckResult, ...]:
        """Return the failed checks."""
        return tuple(finding for finding in self.findings if finding.wrong)


@frozen
class DurabilitySetting:
    """A database setting, and its acceptable values; if there are none, any value is acceptable."""

    name: str
    value: str
    accepted: tuple[str, ...] = _ANY

    @property
    def is_ok(self) -> bool:
        """Return whether the value is acceptable."""
        return not self.accepted or self.value in self.accepted


@frozen
class WindowStore:
    """A store for rate limits; ``ping`` fails if the store is not responding or its client is not installed."""

    name: str
    location: str
    ping: Callable[[], object]
    remedy: str = "Check that it is running and reachable"


@frozen(kw_only=True)
class QueueLength:
    """The length of a queue, and when its oldest due item became due, or None if none is due."""

    number: int
    oldest: datetime | None


@frozen(kw_only=True)
class DeadMessages:
    """How many messages of a channel could not be delivered, and why the newest one failed."""

    number: int
    reason: str


@frozen(kw_only=True)
class ServerConnections:
    """The connections to a database server: how many are in use by all clients, and how many it allows.

    Of ``most``, the last ``reserved`` are for superusers only.
    """

    used: int
    most: int
    reserved: int

    @property
    def are_nearly_used_up(self) -> bool:
        """Return whether at least nine in ten of the connections for ordinary users are in use."""
        return self.used >= (self.most - self.reserved) * 9 / 10


@frozen(kw_only=True)
class RunningJobs:
    """How many processes are running jobs, and when each process that ended unexpectedly went missing."""

    processes: int
    missing: Sequence[datetime] = ()

    @property
    def have_stopped(self) -> bool:
        """Return whether no process is running jobs because one was killed, crashed or got stuck."""
        return not self.processes and bool(self.missing)


@frozen(kw_only=True)
class Queues:
    """The queues, when each job last ended (None if never), which of them failed, and how many processes run jobs."""

    webhooks: Backlog
    messages: Mapping[Channel, QueueLength]
    payments: QueueLength
    jobs: Mapping[str, datetime | None]
    failed: frozenset[str]
    job_processes: int


class SettingSource(StrEnum):
    """The origin of a setting's value: an environment variable, the program that uses the library, or the default."""

    ENVIRONMENT = "environment"
    PROGRAM = "program"
    DEFAULT = "default"


@frozen(kw_only=True)
class SettingValue:
    """A setting in force. ``value`` is for display, with secrets hidden; None means that the setting is not set."""

    variable: str
    value: str | None
    source: SettingSource
    help: str


@frozen(kw_only=True)
class Sample:
    """A value of a metric: its name without the prefix, its labels, and the value."""

    name: str
    labels: Mapping[str, str]
    value: float


Gauge: TypeAlias = tuple[Metric, Sequence[tuple[tuple[str, ...], float]]]
"""A metric, and its value for each combination of labels."""
