"""Concurrent deliveries in a bounded pool of threads, so that no subscriber waits for another."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from threading import Event, Lock
from typing import Final, Self

from attrs import field, frozen

from repaircore.kernel.errors import Failure
from repaircore.webhooks.delivery import Deliveries
from repaircore.webhooks.fairness import MOST_IN_FLIGHT, InFlight, shares
from repaircore.webhooks.model import DeliveryState, LeasedDelivery

_POLL_SECONDS: Final = 0.25
_OUTAGE_PAUSE_SECONDS: Final = 2.0
_RELEASE_EVERY_SECONDS: Final = 5.0
_SLOW_SECONDS: Final = 0.5
"""After how long a delivery counts as slow."""

_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Dispatcher:
    """A worker that makes the due deliveries. ``seconds`` is a monotonic clock."""

    deliveries: Deliveries
    seconds: Callable[[], float]

    def run(self, stop: Event) -> None:
        """Deliver until ``stop`` is set, and then finish the attempts in flight."""
        with _Flight(self.deliveries, self.seconds) as flight:
            released_at = -_RELEASE_EVERY_SECONDS
            while not stop.is_set():
                try:
                    if self.seconds() - released_at >= _RELEASE_EVERY_SECONDS:
                        self.deliveries.release_dead()
                        released_at = self.seconds()
                    started = flight.start()
                except Failure as failure:  # an outage of the database; try again
                    _log.warning("Cannot deliver webhooks: %s", failure.message)
                    stop.wait(_OUTAGE_PAUSE_SECONDS)
                    continue
                if not started:
                    flight.landed.wait(_POLL_SECONDS)

    def run_once(self, landed: Callable[[int], None] = lambda _: None) -> Counter[DeliveryState]:
        """Deliver until nothing is due, and count the results.

        ``landed`` is called with the number of attempts so far. Failed deliveries are retried later.
        """
        self.deliveries.release_dead()
        with _Flight(self.deliveries, self.seconds) as flight:
            while flight.start() or flight.flying:
                flight.wait_for_one()
                landed(flight.results.total())
        return flight.results


@frozen(eq=False)
class _Flight:
    """The deliveries in flight."""

    _deliveries: Deliveries
    _seconds: Callable[[], float]
    results: Counter[DeliveryState] = field(init=False, factory=Counter)
    landed: Event = field(init=False, factory=Event)
    _flying: dict["Future[None]", tuple[LeasedDelivery, float]] = field(init=False, factory=dict)
    _lock: Lock = field(init=False, factory=Lock)
    _served: dict[int, int] = field(init=False, factory=dict)
    _turns: Iterator[int] = field(init=False, factory=count)
    _pool: ThreadPoolExecutor = field(init=False)

    @_pool.default
    def _make_pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(MOST_IN_FLIGHT, thread_name_prefix="repaircore-webhook")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True)

    @property
    def flying(self) -> bool:
        """Return whether something is in flight."""
        with self._lock:
            return bool(self._flying)

    def start(self) -> bool:
        """Start as many deliveries as there are slots for; return whether any was started."""
        self.landed.clear()
        busy = self._busy()
        if busy.total >= MOST_IN_FLIGHT:
            return False
        # Those that were served longest ago first.
        pending = sorted(
            self._deliveries.list_pending(), key=lambda each: self._served.get(each.subscription_id, -1)
        )
        claimed = self._deliveries.claim(shares(pending, busy)) if pending else ()
        for delivery in claimed:
            self._served[delivery.subscription_id] = next(self._turns)
            future = self._pool.submit(self._deliver, delivery)
            with self._lock:
                self._flying[future] = (delivery, self._seconds())
            future.add_done_callback(self._land)
        return bool(claimed)

    def wait_for_one(self) -> None:
        """Wait until a delivery ends."""
        with self._lock:
            futures = list(self._flying)
        if futures:
            wait(futures, return_when=FIRST_COMPLETED)

    def _busy(self) -> InFlight:
        now = self._seconds()
        with self._lock:
            flying = [*self._flying.values()]
        return InFlight.of(
            (delivery for delivery, _ in flying),
            slow=sum(now - began >= _SLOW_SECONDS for _, began in flying),
        )

    def _deliver(self, delivery: LeasedDelivery) -> None:
        try:
            _, state = self._deliveries.deliver(delivery)
        except Failure as failure:  # its lease expires, and it is retried
            _log.warning("Cannot record an attempt: %s", failure.message)
        except Exception:  # noqa: BLE001 - a defect in one delivery must not end the others
            _log.exception("A delivery failed unexpectedly")
        else:
            with self._lock:
                self.results[state] += 1

    def _land(self, future: "Future[None]") -> None:
        with self._lock:
            del self._flying[future]
        self.landed.set()
