"""Act as the provider of a ride in the test environment whenever the partner asks for it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

from attrs import frozen

from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.rules import Length, Range, require_valid
from repaircore.kernel.texts import stripped
from repaircore.kernel.timeline import Actor
from repaircore.rides.lifecycles import allowed
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.service import Rides

_SANDBOX: Final[Actor] = "sandbox"


class SandboxAction(StrEnum):
    """What the provider does."""

    DECLINE = "decline"
    """Withdraw an offer."""
    DROP_OUT = "drop_out"
    """Drop out of an accepted ride."""
    EN_ROUTE = "en_route"
    """Report that they are on the way, and in how many minutes they arrive."""
    LATE = "late"
    """Report a late arrival: by default, one so far in the past that canceling is free."""


@frozen(kw_only=True)
class ActAsProvider:
    """What the provider of a test ride is to do.

    ``provider_ref`` names the provider whose offer is withdrawn; the default is the one with the soonest arrival.
    """

    action: SandboxAction
    provider_ref: Annotated[str | None, Length(1, 64)] = None
    eta_minutes: Annotated[int | None, Range(0, 600)] = None
    reason: Annotated[str | None, Length(0, 500)] = None


@frozen(kw_only=True)
class Sandbox:
    """Lets partners make the providers of their test rides act."""

    rides: Mapping[RideKind, Rides]

    def act(self, kind: RideKind, ref: str, data: ActAsProvider, caller: PartnerCaller) -> Ride:
        """Act as a provider of the caller's ride, and return the ride.

        Raises:
            NoRide: the caller has no ride with this reference.
            Invalid: with every bad field.
            OfferGone: there is no such open offer.
            Conflict: the status does not allow it, or the ride is in the live environment, where providers act
                themselves.
        """
        require_valid(data)
        rides = self.rides[kind]
        if caller.environment is not Environment.TEST:
            ride = rides.get(ref, caller).ride
            details = {"status": str(ride.status), "allowed": allowed(ride)}
            raise Conflict("Providers can only be simulated in the test environment.", details=details)
        match data.action:
            case SandboxAction.DECLINE:
                return rides.take_back_offer(ref, data.provider_ref, caller, actor=_SANDBOX)
            case SandboxAction.DROP_OUT:
                return rides.drop_out(ref, caller, actor=_SANDBOX, reason=stripped(data.reason))
            case SandboxAction.EN_ROUTE:
                return rides.en_route(ref, caller, eta_minutes=data.eta_minutes, actor=_SANDBOX)
            case SandboxAction.LATE:
                too_late = -1 - round(rides.fares.cancellation.late_minutes)
                eta_minutes = too_late if data.eta_minutes is None else data.eta_minutes
                return rides.en_route(ref, caller, eta_minutes=eta_minutes, actor=_SANDBOX)
