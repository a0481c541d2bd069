"""Many deliveries at once, in a bounded number of threads, so that no subscriber waits for another."""

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
from repaircore.webhooks.fairness import MOST, InFlight, shares
from repaircore.webhooks.model import DeliveryState, LeasedDelivery

_LOOKS_AGAIN: Final = 0.25
_RESTS: Final = 2.0
_FREES_EVERY: Final = 5.0
_SLOW: Final = 0.5
"""Seconds after which a delivery takes long."""

_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Dispatcher:
    """A worker that delivers what is due. ``seconds`` is a clock that never goes back."""

    deliveries: Deliveries
    seconds: Callable[[], float]

    def run(self, stop: Event) -> None:
        """Deliver whatever becomes due until ``stop`` is set; what is being tried then is finished."""
        with _Flight(self.deliveries, self.seconds) as flight:
            freed_at = -_FREES_EVERY
            while not stop.is_set():
                try:
                    if self.seconds() - freed_at >= _FREES_EVERY:
                        self.deliveries.free()
                        freed_at = self.seconds()
                    started = flight.start()
                except Failure as failure:  # the database is away; it comes back
                    _log.warning("No webhook can be delivered: %s", failure.message)
                    stop.wait(_RESTS)
                    continue
                if not started:
                    flight.landed.wait(_LOOKS_AGAIN)

    def run_once(self, landed: Callable[[int], None] = lambda _: None) -> Counter[DeliveryState]:
        """Deliver until nothing is due any more, and count what became of the attempts.

        ``landed`` is told how many were made, now and then. What fails waits for its time.
        """
        self.deliveries.free()
        with _Flight(self.deliveries, self.seconds) as flight:
            while flight.start() or flight.flying:
                flight.wait_for_one()
                landed(flight.results.total())
        return flight.results


@frozen(eq=False)
class _Flight:
    """What is being delivered."""

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
        return ThreadPoolExecutor(MOST, thread_name_prefix="repaircore-webhook")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True)

    @property
    def flying(self) -> bool:
        """Tell whether something is being delivered."""
        with self._lock:
            return bool(self._flying)

    def start(self) -> bool:
        """Begin to deliver what there is room for; tell whether anything was begun."""
        self.landed.clear()
        busy = self._busy()
        if busy.total >= MOST:
            return False
        waiting = sorted(
            self._deliveries.waiting(), key=lambda one: self._served.get(one.subscription_id, -1)
        )
        claimed = self._deliveries.claim(shares(waiting, busy)) if waiting else ()
        for due in claimed:
            self._served[due.subscription_id] = next(self._turns)
            future = self._pool.submit(self._deliver, due)
            with self._lock:
                self._flying[future] = (due, self._seconds())
            future.add_done_callback(self._land)
        return bool(claimed)

    def wait_for_one(self) -> None:
        """Wait until a delivery has ended."""
        with self._lock:
            futures = list(self._flying)
        if futures:
            wait(futures, return_when=FIRST_COMPLETED)

    def _busy(self) -> InFlight:
        now = self._seconds()
        with self._lock:
            flying = [*self._flying.values()]
        return InFlight.of((due for due, _ in flying), slow=sum(now - began >= _SLOW for _, began in flying))

    def _deliver(self, due: LeasedDelivery) -> None:
        try:
            _, state = self._deliveries.deliver(due)
        except Failure as failure:  # its lease ends, and somebody tries again
            _log.warning("An attempt could not be kept: %s", failure.message)
        except Exception:  # noqa: BLE001 - one delivery that fails oddly ends no other
            _log.exception("A delivery failed for no reason of its subscriber")
        else:
            with self._lock:
                self.results[state] += 1

    def _land(self, future: "Future[None]") -> None:
        with self._lock:
            del self._flying[future]
        self.landed.set()
