"""How things stand now, in figures: what waits, since when, and whether the database answers."""

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

REMEMBERED: Final = 5.0
"""For so many seconds nothing is asked again, however often somebody looks."""

_BUILD: Final = Metric("build_info", "The version that runs; the figure is always 1.", ("version",))
_DATABASE: Final = Metric("database_up", "1 when the database answered just now, else 0.")
_PENDING: Final = Metric("webhook_deliveries_pending", "Deliveries of webhooks that wait, due or not yet.")
_DUE: Final = Metric("webhook_deliveries_due", "Deliveries of webhooks whose time has come.")
_LAG: Final = Metric("webhook_lag_seconds", "How long the delivery that is due longest has waited.")
_MAILS: Final = Metric("mails_pending", "Mails that wait to be sent.")
_MAIL_LAG: Final = Metric("mail_lag_seconds", "How long the mail that is due longest has waited.")
_PAYMENTS: Final = Metric("payments_under_way", "Payments with a step that is begun and not ended.")
_PAYMENT_LAG: Final = Metric(
    "payment_lag_seconds", "How long the payment that is under way longest has been."
)
_JOBS: Final = Metric("job_last_done_seconds", "How long ago a job was ended last.", ("job",))
_FAILED: Final = Metric("job_failed", "1 when a job failed when it was done last, else 0.", ("job",))


@define(kw_only=True)
class Figures:
    """The use case; what was found is remembered for some seconds, so that looking costs the database little."""

    reader: QueueReader
    version: str
    clock: Clock
    timer: Timer
    _lock: Lock = field(init=False, factory=Lock, repr=False)
    _found: tuple[float, Sequence[Gauge]] | None = field(init=False, default=None, repr=False)

    def gauges(self) -> Sequence[Gauge]:
        """Tell every figure; without the database, that it does not answer."""
        with self._lock:  # one asks, the others wait for what it finds
            if self._found is None or self.timer() - self._found[0] >= REMEMBERED:
                found = self._asked()
                self._found = self.timer(), found
            return self._found[1]

    def _asked(self) -> Sequence[Gauge]:
        try:
            found = _gauges(self.reader.queues(now=self.clock()), self.clock())
        except Unavailable:
            return [_one(_DATABASE, 0), self._build()]
        return [_one(_DATABASE, 1), self._build(), *found]

    def _build(self) -> Gauge:
        return _BUILD, [((self.version,), 1.0)]


def _gauges(queues: Queues, now: datetime) -> Sequence[Gauge]:
    done = {name: at for name, at in queues.jobs.items() if at is not None}
    return [
        _one(_PENDING, queues.webhooks.pending),
        _one(_DUE, queues.webhooks.due),
        _one(_LAG, _since(queues.webhooks.oldest, now)),
        _one(_MAILS, queues.mails.number),
        _one(_MAIL_LAG, _since(queues.mails.oldest, now)),
        _one(_PAYMENTS, queues.payments.number),
        _one(_PAYMENT_LAG, _since(queues.payments.oldest, now)),
        _by_name(_JOBS, {name: _since(at, now) for name, at in done.items()}),
        _by_name(_FAILED, {name: float(name in queues.failed) for name in queues.jobs}),
    ]


def _one(metric: Metric, figure: float) -> Gauge:
    return metric, [((), float(figure))]


def _by_name(metric: Metric, figures: Mapping[str, float]) -> Gauge:
    return metric, [((name,), figure) for name, figure in figures.items()]


def _since(at: datetime | None, now: datetime) -> float:
    return 0.0 if at is None else max(0.0, (now - at).total_seconds())
