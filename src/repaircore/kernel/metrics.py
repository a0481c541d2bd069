"""What is counted and timed while the service works, by name, whoever keeps the figures."""

from abc import abstractmethod
from typing import Protocol

from attrs import frozen
from typing_extensions import override


@frozen
class Metric:
    """Something that is counted, or timed: its name without a prefix, one sentence of it, and its labels' names.

    A label takes few values, whoever asks and however often: never an address, an id or what somebody sent.
    """

    name: str
    says: str
    labels: tuple[str, ...] = ()


class Meter(Protocol):
    """Keeps figures of what happens. No method raises: nobody fails because somebody counts."""

    @abstractmethod
    def count(self, measure: Metric, *labels: str) -> None:
        """Count one more; ``labels`` are the values, in the order of their names."""

    @abstractmethod
    def time(self, measure: Metric, seconds: float, *labels: str) -> None:
        """Note that something took so many seconds."""


class NullMeter(Meter):
    """Keeps nothing: what an installation has that nobody measures."""

    @override
    def count(self, measure: Metric, *labels: str) -> None:
        pass

    @override
    def time(self, measure: Metric, seconds: float, *labels: str) -> None:
        pass
