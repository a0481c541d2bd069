"""Metrics: counters and timers of the running service."""

from typing import Protocol

from attrs import frozen
from typing_extensions import override


@frozen
class Metric:
    """A counter or a timer: its name without a prefix, a sentence of help, and the names of its labels.

    A label has few values: never an IP address, an id or anything from a request.
    """

    name: str
    help: str
    labels: tuple[str, ...] = ()


class Meter(Protocol):
    """Records metrics. No method raises: a request never fails because of a metric."""

    def count(self, metric: Metric, *labels: str) -> None:
        """Increment a counter; ``labels`` are the values, in the order of their names."""

    def time(self, metric: Metric, seconds: float, *labels: str) -> None:
        """Record a duration."""


class NullMeter(Meter):
    """Records nothing; used when metrics are off."""

    @override
    def count(self, metric: Metric, *labels: str) -> None:
        pass

    @override
    def time(self, metric: Metric, seconds: float, *labels: str) -> None:
        pass
