"""When to leave a failing party alone: a circuit breaker's rules, and the breaker that keeps them."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

from attrs import evolve, frozen

from repaircore.adapters.forks import PerProcess
from repaircore.adapters.outbound.deadline import Seconds
from repaircore.adapters.outbound.failures import CircuitOpen, NoAnswer

OPENS_AFTER = 5
"""Failures in a row after which a party is left alone."""

REST_SECONDS = 30.0
"""How long it is left alone before one request is let through to see whether it is back."""


@frozen(kw_only=True)
class Circuit:
    """Closed, open or half open, as its two figures say.

    ``failures`` counts those in a row. While they are fewer than ``OPENS_AFTER`` the circuit is closed and
    everything passes. After that it is open until ``probe_at``, in seconds of a monotonic clock; then one
    request passes, and the next one not before another rest, unless the first succeeds.
    """

    failures: int = 0
    probe_at: float = -math.inf

    def lets_pass(self, now: float) -> bool:
        """Return whether a request may be made."""
        return self.failures < OPENS_AFTER or now >= self.probe_at

    def asked(self, now: float) -> "Circuit":
        """Return the state after a request passed: a probe of an open circuit keeps others out.

        A probe that never reports back thus bars the next one for a rest, not for ever.
        """
        return self if self.failures < OPENS_AFTER else evolve(self, probe_at=now + REST_SECONDS)

    def failed(self, now: float) -> "Circuit":
        """Return the state after a failure."""
        return Circuit(failures=self.failures + 1, probe_at=now + REST_SECONDS)

    def succeeded(self) -> "Circuit":
        """Return the state after a success: closed, and nothing counted."""
        return Circuit()


class Breaker:
    """Keep the circuit of one party. Threads may share it.

    Each process counts for itself: workers that share nothing cannot block one another.
    """

    def __init__(self, clock: Seconds = monotonic) -> None:
        self._clock = clock
        self._kept = PerProcess(_BreakerState)

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Note how the request within ends.

        Raises:
            Resting: the party is left alone; nothing within was done.
        """
        kept = self._kept()
        with kept.lock:
            now = self._clock()
            if not kept.circuit.lets_pass(now):
                raise CircuitOpen
            kept.circuit = kept.circuit.asked(now)
        try:
            yield
        except NoAnswer:
            with kept.lock:
                kept.circuit = kept.circuit.failed(self._clock())
            raise
        with kept.lock:
            kept.circuit = kept.circuit.succeeded()


class _BreakerState:
    def __init__(self) -> None:
        self.lock = Lock()
        self.circuit = Circuit()
