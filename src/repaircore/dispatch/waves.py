"""Waves: the providers to ask next, nearest first, in a widening circle."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import inf
from typing import Final

from attrs import frozen

from repaircore.dispatch.model import DispatchRequest, RequestStatus
from repaircore.rides.offering import AskedProvider

_RADII: Final = (10.0, 25.0)
"""The most miles to the pickup in the first and second waves; in later ones, only the provider's own radius counts."""

_NOT_AGAIN: Final = frozenset({RequestStatus.DECLINED, RequestStatus.EXPIRED, RequestStatus.DROPPED_OUT})


@frozen(kw_only=True)
class WavePlan:
    """How many providers each wave asks (the last number applies to all later waves), and how long it waits."""

    sizes: tuple[int, ...] = (3, 5, 8)
    wait: timedelta = timedelta(minutes=2)

    def size(self, wave: int) -> int:
        """Return how many providers a wave asks; the first wave is 1."""
        return self.sizes[min(wave, len(self.sizes)) - 1]


def is_waiting(requests: Iterable[DispatchRequest], *, at: datetime) -> bool:
    """Return whether a provider who was asked may still answer in time."""
    return any(request.status is RequestStatus.SENT and at < request.expires_at for request in requests)


def not_again(requests: Iterable[DispatchRequest], terms: str) -> frozenset[str]:
    """Return the references of providers not to ask.

    These have an active request, have dropped out, or have declined the same terms.
    """
    return frozenset(
        request.provider_ref
        for request in requests
        if request.is_active
        or request.status is RequestStatus.DROPPED_OUT
        or (request.status in _NOT_AGAIN and request.terms == terms)
    )


def choose_wave(
    candidates: Sequence[AskedProvider], excluded: frozenset[str], wave: int, plan: WavePlan
) -> Sequence[AskedProvider]:
    """Return the providers that a wave asks: the nearest within its circle, which widens until it contains any.

    ``candidates`` are sorted by distance. The wave is empty if nobody is left.
    """
    left = [each for each in candidates if each.candidate.ref not in excluded]
    for radius in (*_RADII[min(wave, len(_RADII) + 1) - 1 :], inf):
        near = [each for each in left if each.candidate.distance_miles <= radius]
        if near:
            return near[: plan.size(wave)]
    return ()
