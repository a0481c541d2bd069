"""Gauges: the lengths and delays of the queues, the state of the jobs, and whether the database responds."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from threading import Lock
from typing import Final

from attrs import define, field

from repaircore.checkup.model import Gauge, Queues
from repaircore.checkup.ports import QueueReader
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.metrics import Metric
from repaircore.kernel.types import Clock, Timer

CACHE_SECONDS: Final = 5.0
"""How long gauges are cached, however often they are read."""

_BUILD: Final = Metric("build_info", "The running version; the value is always 1.", ("version",))
_DATABASE: Final = Metric("database_up", "1 when the database responds, else 0.")
_PENDING: Final = Metric("webhook_deliveries_pending", "Webhook deliveries that are pending, due or not.")
_DUE: Final = Metric("webhook_deliveries_due", "Webhook deliveries that are due.")
_LAG: Final = Metric("webhook_lag_seconds", "How long the oldest due webhook delivery has waited.")
_MESSAGES: Final = Metric("messages_pending", "Messages that are pending, by channel.", ("channel",))
_MESSAGE_LAG: Final = Metric(
    "message_lag_seconds", "How long the oldest due message has waited, by channel.", ("channel",)
)
_PAYMENTS: Final = Metric("payments_under_way", "Payments with an operation in progress.")
_PAYMENT_LAG: Final = Metric("payment_lag_seconds", "How long the oldest payment in progress has taken.")
_JOBS: Final = Metric("job_last_done_seconds", "How long ago the last run of a job ended.", ("job",))
_PROCESSES: Final = Metric("job_processes", "Processes that run background jobs now.")
_FAILED: Final = Metric("job_failed", "1 when the last run of a job failed, else 0.", ("job",))


@define(kw_only=True)
class Gauges:
    """Reads gauges, and caches them for a few seconds to spare the database."""

    reader: QueueReader
    version: str
    clock: Clock
    timer: Timer
    _lock: Lock = field(init=False, factory=Lock, repr=False)
    _cached: tuple[float, Sequence[Gauge]] | None = field(init=False, default=None, repr=False)

    def read(self) -> Sequence[Gauge]:
        """Return every gauge, or only the version and ``database_up`` if the database is not responding."""
        with self._lock:  # one thread reads, the others wait for its result
            if self._cached is None or self.timer() - self._cached[0] >= CACHE_SECONDS:
                gauges = self._read()
                self._cached = self.timer(), gauges
            return self._cached[1]

    def _read(self) -> Sequence[Gauge]:
        try:
            gauges = _queue_gauges(self.reader.queues(now=self.clock()), self.clock())
        except Unavailable:
            return [_gauge(_DATABASE, 0), self._build()]
        return [_gauge(_DATABASE, 1), self._build(), *gauges]

    def _build(self) -> Gauge:
        return _BUILD, [((self.version,), 1.0)]


def _queue_gauges(queues: Queues, now: datetime) -> Sequence[Gauge]:
    ended = {name: at for name, at in queues.jobs.items() if at is not None}
    return [
        _gauge(_PENDING, queues.webhooks.pending),
        _gauge(_DUE, queues.webhooks.due),
        _gauge(_LAG, _since(queues.webhooks.oldest, now)),
        _by_name(_MESSAGES, {name: queue.number for name, queue in queues.messages.items()}),
        _by_name(_MESSAGE_LAG, {name: _since(queue.oldest, now) for name, queue in queues.messages.items()}),
        _gauge(_PAYMENTS, queues.payments.number),
        _gauge(_PAYMENT_LAG, _since(queues.payments.oldest, now)),
        _by_name(_JOBS, {name: _since(at, now) for name, at in ended.items()}),
        _gauge(_PROCESSES, queues.job_processes),
        _by_name(_FAILED, {name: float(name in queues.failed) for name in queues.jobs}),
    ]


def _gauge(metric: Metric, figure: float) -> Gauge:
    return metric, [((), float(figure))]


def _by_name(metric: Metric, figures: Mapping[str, float]) -> Gauge:
    return metric, [((name,), figure) for name, figure in figures.items()]


def _since(at: datetime | None, now: datetime) -> float:
    return 0.0 if at is None else max(0.0, (now - at).total_seconds())
