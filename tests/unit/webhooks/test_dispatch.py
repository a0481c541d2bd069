"""How a worker makes deliveries, on a clock that advances only as the test says."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from threading import Event
from time import sleep
from typing import Any

import pytest
from attrs import define, evolve, field
from tests.unit.webhooks.made import DUE
from typing_extensions import override

from repaircore.kernel.errors import Unavailable
from repaircore.webhooks.dispatch import Dispatcher
from repaircore.webhooks.model import AttemptResult, DeliveryState, LeasedDelivery, PendingSubscription

_DELIVERED = (AttemptResult(status=200), DeliveryState.DELIVERED)
_UNSENT = (AttemptResult(error="No secret.", was_sent=False), DeliveryState.PENDING)


@define
class FakeDeliveries:
    """Deliveries in memory; ``deliver`` is called with the number of each."""

    due: list[LeasedDelivery]
    answer: Callable[[int], tuple[AttemptResult, DeliveryState]] = lambda _: _DELIVERED
    failing: bool = True
    seconds: float = 0.0
    looks: int = 0
    served: list[list[int]] = field(factory=list)
    released: list[float] = field(factory=list)
    expedited: list[float] = field(factory=list)

    def release_dead(self) -> None:
        self.released.append(self.seconds)

    def expedite_late(self) -> None:
        self.expedited.append(self.seconds)

    def list_pending(self) -> Sequence[PendingSubscription]:
        self.looks += 1
        numbers = dict.fromkeys(each.subscription_id for each in self.due)
        return [
            PendingSubscription(subscription_id=n, owner=f"partner {n}", failing=self.failing)
            for n in numbers
        ]

    def claim(self, shares: Mapping[int, int]) -> Sequence[LeasedDelivery]:
        claimed = []
        for number, most in shares.items():
            claimed += [each for each in self.due if each.subscription_id == number][:most]
        self.due = [each for each in self.due if each not in claimed]
        if claimed:
            self.served.append([each.subscription_id for each in claimed])
        return claimed

    def deliver(self, delivery: LeasedDelivery) -> tuple[AttemptResult, DeliveryState]:
        return self.answer(delivery.id)

    def dispatcher(self) -> Dispatcher:
        deliveries: Any = self
        return Dispatcher(deliveries=deliveries, seconds=lambda: self.seconds)


def due(*numbers: tuple[int, int]) -> list[LeasedDelivery]:
    """Return deliveries, each by its number and that of its subscription, which is failing: it gets one at a time."""
    one = evolve(DUE, failing=True)
    return [
        evolve(one, id=number, subscription_id=of, owner=f"partner {of}", event_id=f"evt_{number}")
        for number, of in numbers
    ]


def test_worker_sleeps_while_a_delivery_is_in_flight() -> None:
    meanwhile: list[int] = []

    def slowly(_: int) -> tuple[AttemptResult, DeliveryState]:
        before = deliveries.looks
        sleep(0.05)
        meanwhile.append(deliveries.looks - before)
        return _DELIVERED

    deliveries, landed = FakeDeliveries(due((1, 1), (2, 1)), slowly), list[int]()
    results = deliveries.dispatcher().run_once(landed.append)

    assert results == Counter({DeliveryState.DELIVERED: 2})
    assert (deliveries.released, deliveries.expedited) == ([0.0], [0.0])
    assert max(meanwhile) <= 1
    assert landed[-1] == 2


def test_failed_delivery_is_logged_and_others_are_made(caplog: pytest.LogCaptureFixture) -> None:
    failures = {1: Unavailable("The database is busy."), 2: ZeroDivisionError("x")}

    def fail(number: int) -> tuple[AttemptResult, DeliveryState]:
        if number in failures:
            raise failures[number]
        return _DELIVERED

    with caplog.at_level(logging.INFO):
        results = FakeDeliveries(due((1, 1), (2, 2), (3, 3)), fail).dispatcher().run_once()

    assert results == Counter({DeliveryState.DELIVERED: 1})
    assert sorted((entry.levelname, entry.getMessage()) for entry in caplog.records) == [
        ("ERROR", "A delivery failed unexpectedly"),
        ("INFO", "Cannot record an attempt: The database is busy."),
    ]


def test_what_cannot_be_sent_is_logged_every_ten_minutes(caplog: pytest.LogCaptureFixture) -> None:
    times = {1: 0.0, 2: 599.9, 3: 600.0, 4: 600.1}
    deliveries = FakeDeliveries(due(*((number, 1) for number in times)))

    def unsent(number: int) -> tuple[AttemptResult, DeliveryState]:
        deliveries.seconds = times[number]
        return _UNSENT

    deliveries.answer = unsent
    results = deliveries.dispatcher().run_once()

    assert results == Counter({DeliveryState.PENDING: 4})
    assert [entry.getMessage() for entry in caplog.records] == [
        "Webhooks cannot be sent, and stay queued: No secret."
    ] * 2


def test_subscriptions_that_were_served_least_recently_come_first() -> None:
    deliveries = FakeDeliveries(due((1, 1), (2, 2)), failing=False)

    def add_more(number: int) -> tuple[AttemptResult, DeliveryState]:
        if number == 2:
            deliveries.due = due((3, 2), (4, 1), (5, 3))
        return _DELIVERED

    deliveries.answer = add_more
    deliveries.dispatcher().run_once()

    assert deliveries.served == [[1, 2], [3, 1, 2]]


class Wakes(Event):
    """Wakes after a second of the fake clock, and stops the worker in the end."""

    def __init__(self, deliveries: FakeDeliveries, stop: Event, until: float) -> None:
        super().__init__()
        self._deliveries, self._stop, self._until = deliveries, stop, until
        self.timeouts: list[float | None] = []

    @override
    def wait(self, timeout: float | None = None) -> bool:
        self.timeouts.append(timeout)
        self._deliveries.seconds += 1
        if self._deliveries.seconds > self._until:
            self._stop.set()
        return True


def test_idle_worker_looks_after_dead_ones_every_few_seconds() -> None:
    deliveries, stop = FakeDeliveries([]), Event()
    wake = Wakes(deliveries, stop, until=600)
    deliveries.dispatcher().run(stop, wake)

    assert deliveries.released == [5.0 * n for n in range(121)]
    assert deliveries.expedited == [0.0, 300.0, 600.0]
    assert set(wake.timeouts) == {60.0}


def test_delivery_that_ends_wakes_the_worker() -> None:
    over, stop = Event(), Event()

    def hang(_: int) -> tuple[AttemptResult, DeliveryState]:
        assert over.wait(10)
        return _DELIVERED

    class Waits(Event):
        @override
        def wait(self, timeout: float | None = None) -> bool:
            over.set()
            woken.append(super().wait(10))
            stop.set()
            return True

    woken: list[bool] = []
    FakeDeliveries(due((1, 1)), hang).dispatcher().run(stop, Waits())

    assert woken == [True]


def test_worker_with_a_delivery_in_flight_looks_often() -> None:
    over, stop = Event(), Event()

    def hang(_: int) -> tuple[AttemptResult, DeliveryState]:
        assert over.wait(10)
        return _DELIVERED

    deliveries = FakeDeliveries(due((1, 1)), hang)
    wake = Wakes(deliveries, stop, until=3)

    class EndsIt(Event):
        @override
        def is_set(self) -> bool:
            if stop.is_set():
                over.set()
            return stop.is_set()

    deliveries.dispatcher().run(EndsIt(), wake)

    assert set(wake.timeouts) == {0.25}
