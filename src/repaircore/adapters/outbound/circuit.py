"""A circuit breaker for failing services."""

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
"""Consecutive failures that open the circuit."""

REST_SECONDS = 30.0
"""How long the circuit stays open before one request probes the service."""


@frozen(kw_only=True)
class Circuit:
    """The state of a circuit: closed, open or half open.

    ``failures`` counts consecutive failures. Below ``OPENS_AFTER`` the circuit is closed and admits every request.
    After that it is open until ``probe_at``, in seconds of a monotonic clock; then it admits one request, and the next
    one only after another ``REST_SECONDS``, unless the first succeeds.
    """

    failures: int = 0
    probe_at: float = -math.inf

    def admits(self, now: float) -> bool:
        """Return whether a request may be made."""
        return self.failures < OPENS_AFTER or now >= self.probe_at

    def admitted(self, now: float) -> "Circuit":
        """Return the state after a request was admitted: a probe of an open circuit excludes others.

        So a probe that never ends delays the next one only by ``REST_SECONDS``.
        """
        return self if self.failures < OPENS_AFTER else evolve(self, probe_at=now + REST_SECONDS)

    def failed(self, now: float) -> "Circuit":
        """Return the state after a failure."""
        return Circuit(failures=self.failures + 1, probe_at=now + REST_SECONDS)

    def succeeded(self) -> "Circuit":
        """Return the state after a success: closed, with no failures."""
        return Circuit()


class Breaker:
    """The circuit breaker of one service, which threads may share.

    Each process counts separately, so that workers cannot block one another.
    """

    def __init__(self, clock: Seconds = monotonic) -> None:
        self._clock = clock
        self._states = PerProcess(_BreakerState)

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Record the outcome of the request in the block; ``NoAnswer`` is a failure.

        Raises:
            CircuitOpen: the circuit is open; the block was not entered.
        """
        state = self._states()
        with state.lock:
            now = self._clock()
            if not state.circuit.admits(now):
                raise CircuitOpen
            state.circuit = state.circuit.admitted(now)
        try:
            yield
        except NoAnswer:
            with state.lock:
                state.circuit = state.circuit.failed(self._clock())
            raise
        with state.lock:
            state.circuit = state.circuit.succeeded()


class _BreakerState:
    def __init__(self) -> None:
        self.lock = Lock()
        self.circuit = Circuit()
