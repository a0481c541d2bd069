"""Every action on a ride or a tow, in every state, through the door: done, or refused with the state and what it allows."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import tzinfo
from typing import Any, Final

import pytest
from attrs import evolve
from tests.contracts.rides import asked
from tests.http.partners import PartnerApp
from tests.http.rides import PRICE, TOW_PRICE, customer_of
from tests.http.watched import serve_core

from repaircore.bootstrap import Core
from repaircore.kernel.geo import Point
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock

_PENDING: Final = {"accept_offer": "accepted", "cancel": "cancelled", "update": "pending"}
_ON_THE_WAY: Final = {"cancel_accepted": "cancelled", "update": "accepted"}
_WITHOUT_SERVICE: Final = {"unsuccessful": "completed", "convert_to_tow": "completed"}
_ENDED: Final[dict[str, str]] = {}
LEGAL: Final = {
    "pending": {**_PENDING, "decline_offer": "pending"},
    "accepted": {**_ON_THE_WAY, "driver_arrived": "driver_arrived"},
    "driver_arrived": {
        **_ON_THE_WAY,
        **_WITHOUT_SERVICE,
        "update": "driver_arrived",
        "start": "in_progress",
        "gone_on_arrival": "completed",
    },
    "in_progress": {**_WITHOUT_SERVICE, "update": "in_progress", "complete": "completed"},
    "completed": {"rate_driver": "completed"},
    "cancelled": _ENDED,
    "expired": _ENDED,
}
"""What a mobile ride's state allows, and where that leads."""
_ONLY_RIDES: Final = {"decline_offer", "convert_to_tow", "rate_driver"}
ACTIONS: Final = sorted({action for allowed in LEGAL.values() for action in allowed})
OUTCOMES: Final = {"gone_on_arrival", "unsuccessful", "convert_to_tow"}


def legal(kind: RideKind, state: str) -> dict[str, str]:
    if kind is RideKind.MOBILE:
        return LEGAL[state]
    return {
        action: led_to.replace("driver_arrived", "provider_arrived")
        for action, led_to in LEGAL[state].items()
        if action not in _ONLY_RIDES
    }


class Road:
    """Brings rides into states, by the service, and asks the door to act on them."""

    def __init__(self, core: Core, app: PartnerApp, kind: RideKind, clock: FrozenClock) -> None:
        self.core, self.app, self.kind, self.clock = core, app, kind, clock
        self.rides: Rides = core.rides if kind is RideKind.MOBILE else core.tows
        self.path = "/mobile-rides" if kind is RideKind.MOBILE else "/tow-rides"

    def brought(self, state: str) -> tuple[Ride, str]:
        """Give a ride in a state, and somebody who offered to do it."""
        caller, rides = self.app.caller, self.rides
        ride = asked(self.core, rides, caller)
        provider = rides.offers(ride.ref, caller)[0].provider_ref
        steps: dict[str, Callable[[], Any]] = {
            "accepted": lambda: rides.accept_offer(ride.ref, provider, caller),
            "driver_arrived": lambda: rides.arrive(ride.ref, caller),
            "in_progress": lambda: rides.start(ride.ref, caller),
            "completed": lambda: rides.complete(ride.ref, caller),
        }
        if state == "cancelled":
            rides.cancel(ride.ref, caller)
        elif state == "expired":
            self.clock.advance(ride.expires_at - self.clock())
            rides.expire_due()
            opened = self.core.partner_sessions.open(self.app.public_key)  # the session has ended meanwhile
            self.app = evolve(self.app, token=opened.token)
        elif state != "pending":
            for name, step in steps.items():
                step()
                if name == state:
                    break
        return ride, provider

    def act(self, ride: Ride, provider: str, action: str) -> Any:
        """Ask the door for an action."""
        one, app = f"{self.path}/{ride.ref}", self.app
        if action == "update":
            return app.patch(one, {"notes": "blue door"})
        if action == "accept_offer":
            if self.kind is RideKind.TOW:
                return app.post(f"{one}/business-offers/{provider}/accept")
            return app.post(f"{one}/accept-offer", {"driver_ref": provider})
        if action == "cancel_accepted":
            return app.patch(f"{one}/cancel-accepted")
        if action in OUTCOMES:
            named = action.replace("convert_to", "converted_to")
            return app.post(f"{one}/complete", {"outcome": named})
        body = {"rating": 4} if action == "rate_driver" else None
        return app.post(f"{one}/{action.replace('_', '-')}", body)


@pytest.mark.parametrize("kind", RideKind)
@pytest.mark.parametrize("state", LEGAL)
def test_every_action_is_done_or_refused_with_what_is_allowed(
    core: Core, partner: PartnerApp, clock: FrozenClock, kind: RideKind, state: str
) -> None:
    road = Road(core, partner, kind, clock)
    allowed = legal(kind, state)
    stands = state if kind is RideKind.MOBILE else state.replace("driver_", "provider_")
    ride, provider = road.brought(state)
    shown = road.app.get(f"{road.path}/{ride.ref}").get_json()["data"]
    assert (shown["status"], sorted(shown["allowed_actions"])) == (stands, sorted(allowed))
    for action in ACTIONS:
        if kind is RideKind.TOW and action in {"decline_offer", "rate_driver"}:
            continue  # there is no such operation
        if action in allowed:
            another, who = road.brought(state)
            done = road.act(another, who, action)
            assert (done.status_code, done.get_json()["data"]["status"]) == (200, allowed[action]), action
        else:
            refused = road.act(ride, provider, action)
            assert refused.status_code == 409, action
            error = refused.get_json()["error"]
            assert (error["code"], error["details"]["status"]) == ("CONFLICT", stands)
            assert sorted(error["details"]["allowed"]) == sorted(allowed), action
    assert road.app.get(f"{road.path}/{ride.ref}").get_json()["data"] == shown


@pytest.mark.parametrize("path", ["mobile-rides", "tow-rides"])
def test_what_a_price_follows_from_is_read_before_others_have_to_wait(
    core: Core, partner: PartnerApp, path: str
) -> None:
    who, seen = customer_of(partner), list[str]()
    name, body = {
        "mobile-rides": ("rides", {**PRICE, "passenger_ref": who["external_ref"]}),
        "tow-rides": ("tows", {**TOW_PRICE, "passenger_id": who["id"]}),
    }[path]
    served: Rides = getattr(core, name)

    def zone_at(place: Point) -> tzinfo:
        seen.append("zone")
        return served.zone_at(place)

    def together() -> AbstractContextManager[Any]:
        seen.append("unit of work")
        return core.idempotency.together()

    watched = {
        name: evolve(served, zone_at=zone_at),
        "idempotency": evolve(core.idempotency, together=together),
    }
    app = evolve(partner, client=serve_core(core.replacing(**watched)).test_client())
    made = app.post(f"/{path}", body, key="new")
    assert made.status_code == 201
    assert seen[:2] == ["zone", "unit of work"]
    seen.clear()
    ref = made.get_json()["data"]["ref"]
    assert app.patch(f"/{path}/{ref}", {"pickup_latitude": 34.06}, key="change").status_code == 200
    assert seen[:2] == ["zone", "unit of work"]
