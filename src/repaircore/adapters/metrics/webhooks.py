"""Metrics for webhook deliveries."""

from time import perf_counter
from typing import Final

from typing_extensions import override

from repaircore.kernel.metrics import Meter, Metric
from repaircore.webhooks.model import AttemptResult, Message
from repaircore.webhooks.ports import Sender

WEBHOOK_SECONDS: Final = Metric(
    "webhook_seconds", "Duration of an attempt to deliver a webhook, by its response.", ("answer",)
)


class MeasuredSender(Sender):
    """A sender whose attempts are timed."""

    def __init__(self, sender: Sender, meter: Meter) -> None:
        self._sender = sender
        self._meter = meter

    @override
    def send(self, message: Message) -> AttemptResult:
        started = perf_counter()
        result = self._sender.send(message)
        response = "none" if result.status is None else f"{result.status // 100}xx"
        self._meter.time(WEBHOOK_SECONDS, perf_counter() - started, response)
        return result
