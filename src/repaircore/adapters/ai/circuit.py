"""When to leave a failing model alone: a circuit breaker's rules, without clock or lock."""

import math

from attrs import evolve, frozen

__all__ = ["OPENS_AFTER", "REST_SECONDS", "Circuit"]

OPENS_AFTER = 5
"""Failures in a row after which a model is left alone."""

REST_SECONDS = 30.0
"""How long it is left alone before one question is let through to see whether it is back."""


@frozen(kw_only=True)
class Circuit:
    """Closed, open or half open, as its two figures say.

    ``failures`` counts those in a row. While they are fewer than ``OPENS_AFTER`` the circuit is closed and
    everything passes. After that it is open until ``probe_at``, in seconds of a monotonic clock; then one
    question passes, and the next one not before another rest, unless the first succeeds.
    """

    failures: int = 0
    probe_at: float = -math.inf

    def lets_pass(self, now: float) -> bool:
        """Tell whether a question may be asked."""
        return self.failures < OPENS_AFTER or now >= self.probe_at

    def asked(self, now: float) -> "Circuit":
        """Give the state after a question passed: a probe of an open circuit keeps others out.

        A probe that never reports back thus bars the next one for a rest, not for ever.
        """
        return self if self.failures < OPENS_AFTER else evolve(self, probe_at=now + REST_SECONDS)

    def failed(self, now: float) -> "Circuit":
        """Give the state after a failure."""
        return Circuit(failures=self.failures + 1, probe_at=now + REST_SECONDS)

    def succeeded(self) -> "Circuit":
        """Give the state after a success: closed, and nothing counted."""
        return Circuit()
