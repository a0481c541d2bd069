"""How a customer changed a job that a provider knows of: the destination and the pay before the change."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from attrs import frozen

from repaircore.dispatch.model import DispatchRequest, RequestStatus
from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents, cents
from repaircore.kernel.timeline import Step
from repaircore.rides.lifecycles import Action

_REPLACED: Final = frozenset({"previous_total", "previous_latitude", "previous_longitude"})
"""The details of a step that changes a trip; steps that earlier versions stored lack some."""


@frozen(kw_only=True)
class EarlierTrip:
    """The destination and the pay that a provider knew, until the customer changed them at a time.

    ``pay`` is None if it is the price of another provider, which this one does not know.
    """

    dropoff: Point
    pay: Cents | None
    changed_at: datetime

    def other_pay(self, pay: Cents) -> Cents | None:
        """Return the earlier pay if it is known and differs from the present ``pay``."""
        return None if self.pay == pay else self.pay


def earlier_trip(
    request: DispatchRequest, requests: Iterable[DispatchRequest], steps: Iterable[Step]
) -> EarlierTrip | None:
    """Return the trip that the provider of a request knew before; None if the customer has changed nothing since.

    ``requests`` are all of the ride and ``steps`` its timeline, both oldest first. A provider who was chosen knows the trip before
    the last change of the destination; one who is asked again knows the trip of their last request.
    """
    changes = [step for step in steps if (step.detail or {}).keys() >= _REPLACED]
    if request.status is RequestStatus.CHOSEN:
        since = request.answered_at or request.sent_at
        own = [step for step in changes if step.at >= since and step.action == Action.CHANGE_DESTINATION]
        return _replaced(own[-1], is_own=True) if own else None
    last = _last_before(request, requests)
    if last is None or last.terms == request.terms:
        return None
    first = next((step for step in changes if step.at >= last.sent_at), None)
    return None if first is None else _replaced(first, is_own=first.action == Action.UPDATE)


def _last_before(request: DispatchRequest, requests: Iterable[DispatchRequest]) -> DispatchRequest | None:
    own = [each for each in requests if each.provider_ref == request.provider_ref and each.id < request.id]
    return own[-1] if own else None


def _replaced(step: Step, *, is_own: bool) -> EarlierTrip:
    """Return the trip that a step replaced; ``is_own`` is whether the provider knew its price."""
    detail = step.detail or {}
    return EarlierTrip(
        dropoff=Point(detail["previous_latitude"], detail["previous_longitude"]),
        pay=cents(detail["previous_total"]) if is_own else None,
        changed_at=step.at,
    )
