"""Gauges of the queues, the jobs and the database."""

from datetime import UTC, datetime, timedelta

from attrs import define
from typing_extensions import override

from repaircore.checkup.gauges import CACHE_SECONDS, Gauges
from repaircore.checkup.model import QueueLength, Queues
from repaircore.checkup.ports import QueueReader
from repaircore.kernel.errors import Unavailable
from repaircore.messages.model import Channel
from repaircore.webhooks.model import Backlog

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


QUEUES = Queues(
    webhooks=Backlog(pending=5, due=3, oldest=ago(20)),
    messages={
        Channel.EMAIL: QueueLength(number=2, oldest=None),
        Channel.SMS: QueueLength(number=1, oldest=ago(30)),
    },
    payments=QueueLength(number=1, oldest=ago(-1)),
    jobs={"estimates.refit": ago(60), "never.yet": None},
    failed=frozenset({"estimates.refit"}),
    job_processes=2,
)


@define
class Reader(QueueReader):
    """Return the given queues, and count the calls."""

    result: Queues | None = QUEUES
    calls: int = 0

    @override
    def queues(self, *, now: datetime) -> Queues:
        self.calls += 1
        if self.result is None:
            raise Unavailable("The database is not responding.")
        return self.result


def values(gauges: Gauges) -> dict[tuple[str, ...], float]:
    return {
        (measure.name, *labels): figure for measure, samples in gauges.read() for labels, figure in samples
    }


def test_gauges_cover_every_queue() -> None:
    gauges = Gauges(reader=Reader(), version="1.2", clock=lambda: NOW, timer=lambda: 0.0)

    assert values(gauges) == {
        ("database_up",): 1,
        ("build_info", "1.2"): 1,
        ("webhook_deliveries_pending",): 5,
        ("webhook_deliveries_due",): 3,
        ("webhook_lag_seconds",): 20,
        ("messages_pending", "email"): 2,
        ("messages_pending", "sms"): 1,
        ("message_lag_seconds", "email"): 0,
        ("message_lag_seconds", "sms"): 30,
        ("payments_under_way",): 1,
        ("payment_lag_seconds",): 0,
        ("job_last_done_seconds", "estimates.refit"): 60,
        ("job_processes",): 2,
        ("job_failed", "estimates.refit"): 1,
        ("job_failed", "never.yet"): 0,
    }


def test_gauges_report_only_an_unavailable_database() -> None:
    gauges = Gauges(reader=Reader(None), version="1.2", clock=lambda: NOW, timer=lambda: 0.0)

    assert values(gauges) == {("database_up",): 0, ("build_info", "1.2"): 1}


def test_gauges_are_cached() -> None:
    seconds, reader = [7.0], Reader()
    gauges = Gauges(reader=reader, version="1.2", clock=lambda: NOW, timer=lambda: seconds[0])
    for _ in range(3):
        gauges.read()
    assert reader.calls == 1
    seconds[0] += CACHE_SECONDS
    gauges.read()

    assert reader.calls == 2
