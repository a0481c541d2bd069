"""Deliver concurrently in a bounded pool of threads, so that no subscriber waits for another."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from threading import Event, Lock
from typing import Final, Self

from attrs import define, field, frozen

from repaircore.kernel.errors import Failure
from repaircore.webhooks.delivery import Deliveries
from repaircore.webhooks.fairness import MOST_IN_FLIGHT, InFlight, shares
from repaircore.webhooks.model import DeliveryState, LeasedDelivery

_POLL_SECONDS: Final = 0.25
_LONGEST_SECONDS: Final = 60.0
_RELEASE_EVERY_SECONDS: Final = 5.0
_EXPEDITE_EVERY_SECONDS: Final = 300.0
"""The interval between scans for deliveries that were scheduled too late by a fast clock."""
_LOG_UNSENT_EVERY_SECONDS: Final = 600.0
_SLOW_SECONDS: Final = 0.5
"""The time after which a delivery counts as slow."""

_QUICK_SECONDS: Final = 2.0
"""The maximum time that a quick delivery takes, including recording it in a busy database."""

_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Dispatcher:
    """A worker that makes due deliveries; ``seconds`` is a monotonic clock."""

    deliveries: Deliveries
    seconds: Callable[[], float]

    def run(self, stop: Event, wake: Event) -> None:
        """Deliver until ``stop`` is set, then finish the attempts in flight.

        When nothing is due, wait for ``wake``, but at most ``_LONGEST_SECONDS``.

        Raises:
            Unavailable: the database is not responding.
        """
        with _Flight(self.deliveries, self.seconds, landed=wake) as flight:
            released_at, expedited_at = -_RELEASE_EVERY_SECONDS, -_EXPEDITE_EVERY_SECONDS
            while not stop.is_set():
                wake.clear()
                if self.seconds() - released_at >= _RELEASE_EVERY_SECONDS:
                    self.deliveries.release_dead()
                    released_at = self.seconds()
                if self.seconds() - expedited_at >= _EXPEDITE_EVERY_SECONDS:
                    self.deliveries.expedite_late()
                    expedited_at = self.seconds()
                if not flight.start() and not stop.is_set():
                    # A delivery that becomes slow gives up its slot without setting ``wake``, so poll.
                    wake.wait(_POLL_SECONDS if flight.flying else _LONGEST_SECONDS)

    def run_once(self, landed: Callable[[int], None] = lambda _: None) -> Counter[DeliveryState]:
        """Deliver until nothing is due, and return the number of attempts by the resulting state.

        ``landed`` is called repeatedly with the number of attempts so far. Failed deliveries are left to be retried
        later.
        """
        self.deliveries.release_dead()
        self.deliveries.expedite_late()
        with _Flight(self.deliveries, self.seconds) as flight:
            while True:
                was_flying = (
                    flight.flying
                )  # read this first: deliveries that end in between make room for due ones
                if not flight.start() and not was_flying:
                    break
                flight.wait_for_one()
                landed(flight.results.total())
        return flight.results


@define(eq=False)
class _Flight:
    """The deliveries that a worker has in flight, and the results of those that have ended."""

    _deliveries: Deliveries
    _seconds: Callable[[], float]
    results: Counter[DeliveryState] = field(init=False, factory=Counter)
    landed: Event = field(factory=Event, kw_only=True)
    _flying: dict["Future[None]", tuple[LeasedDelivery, float]] = field(init=False, factory=dict)
    _lock: Lock = field(init=False, factory=Lock)
    _served: dict[int, int] = field(init=False, factory=dict)
    _quick: set[int] = field(init=False, factory=set)
    _turns: Iterator[int] = field(init=False, factory=count)
    _unsent_logged_at: float | None = field(init=False, default=None)
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
        """Return whether any delivery is in flight."""
        with self._lock:
            return bool(self._flying)

    def start(self) -> bool:
        """Start as many due deliveries as there are slots for, and return whether any was started."""
        busy = self._busy()
        if busy.total >= MOST_IN_FLIGHT:
            return False
        # Serve the least recently served subscription first.
        pending = sorted(
            self._deliveries.list_pending(), key=lambda each: self._served.get(each.subscription_id, -1)
        )
        claimed = (
            self._deliveries.claim(shares(pending, busy, self._quick_subscriptions())) if pending else ()
        )
        for delivery in claimed:
            self._served[delivery.subscription_id] = next(self._turns)
            future = self._pool.submit(self._deliver, delivery)
            with self._lock:
                self._flying[future] = (delivery, self._seconds())
            future.add_done_callback(self._finish)
        return bool(claimed)

    def wait_for_one(self) -> None:
        """Wait until a delivery in flight ends; return immediately if there is none."""
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

    def _quick_subscriptions(self) -> frozenset[int]:
        """Return the subscriptions whose last delivery was quick and that have no slow delivery in flight."""
        now = self._seconds()
        with self._lock:
            slow = {
                delivery.subscription_id
                for delivery, began in self._flying.values()
                if now - began >= _QUICK_SECONDS
            }
            return frozenset(self._quick - slow)

    def _deliver(self, delivery: LeasedDelivery) -> None:
        began = self._seconds()
        try:
            result, state = self._deliveries.deliver(delivery)
        except Failure as failure:  # its lease expires, and it is retried
            _log.info("Cannot record an attempt: %s", failure.message)
        except Exception:  # noqa: BLE001 - a defect in one delivery must not end the others
            _log.exception("A delivery failed unexpectedly")
        else:
            is_quick = state is DeliveryState.DELIVERED and self._seconds() - began < _QUICK_SECONDS
            with self._lock:
                self.results[state] += 1
                (self._quick.add if is_quick else self._quick.discard)(delivery.subscription_id)
            if not result.was_sent:
                self._log_unsent(result.error)

    def _log_unsent(self, error: str | None) -> None:
        """Log why nothing can be sent, at most once per ``_LOG_UNSENT_EVERY_SECONDS``."""
        now = self._seconds()
        with self._lock:
            is_news = (
                self._unsent_logged_at is None or now - self._unsent_logged_at >= _LOG_UNSENT_EVERY_SECONDS
            )
            if is_news:
                self._unsent_logged_at = now
        if is_news:
            _log.error("Webhooks cannot be sent, and stay queued: %s", error)

    def _finish(self, future: "Future[None]") -> None:
        with self._lock:
            del self._flying[future]
        self.landed.set()
