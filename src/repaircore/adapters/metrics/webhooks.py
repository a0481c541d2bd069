"""Deliveries of webhooks, timed and counted."""

from time import perf_counter
from typing import Final

from typing_extensions import override

from repaircore.kernel.metrics import Meter, Metric
from repaircore.webhooks.model import AttemptResult, Message
from repaircore.webhooks.ports import Sender

WEBHOOK_SECONDS: Final = Metric(
    "webhook_seconds",
    "How long an attempt to deliver a webhook took, by what it was answered with.",
    ("answer",),
)


class MeasuredSender(Sender):
    """A sender as it is, and a meter that is told of each attempt."""

    def __init__(self, sender: Sender, meter: Meter) -> None:
        self._sender = sender
        self._meter = meter

    @override
    def send(self, message: Message) -> AttemptResult:
        began = perf_counter()
        sent = self._sender.send(message)
        answer = "none" if sent.status is None else f"{sent.status // 100}xx"
        self._meter.time(WEBHOOK_SECONDS, perf_counter() - began, answer)
        return sent
