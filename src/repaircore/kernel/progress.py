"""A single progress indicator for work in several phases, whose number and length are not known in advance."""

from collections.abc import Mapping
from typing import Final

PHASE_SHARES: Final[Mapping[str, float]] = {"reading": 0.25, "matching": 0.65, "checking": 0.3}
"""Each phase's estimated share of what is left when it begins; a phase that is not listed takes all of it."""


class OverallProgress:
    """The progress over all phases, from 0 to 1, which never decreases."""

    def __init__(self, shares: Mapping[str, float] = PHASE_SHARES) -> None:
        self._shares = shares
        self._phase: str | None = None
        self._start = 0.0
        self._end = 0.0
        self._reached = 0.0

    def advance(self, phase: str, done: int, total: int | None) -> float:
        """Return the progress after ``done`` of a phase's ``total``; a phase without a total stays at its start."""
        if phase != self._phase:
            self._phase, self._start = phase, self._end
            self._end = self._start + (1 - self._start) * self._shares.get(phase, 1.0)
        within = min(1.0, done / total) if total else 0.0
        self._reached = max(self._reached, self._start + (self._end - self._start) * within)
        return self._reached
