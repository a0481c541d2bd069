"""Every action on a ride in every status over HTTP: it succeeds, or the error has the status and the allowed actions."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import tzinfo
from typing import Any, Final

import pytest
from attrs import evolve
from tests.contracts.rides import create_ride
from tests.http.partners import PartnerApp
from tests.http.rides import PRICE, TOW_PRICE, create_customer
from tests.http.watched import serve_core

from repaircore.core import Core
from repaircore.kernel.geo import Point
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.service import Rides
from repaircore.testing.clock import FrozenClock

_PENDING: Final = {"accept_offer": "accepted", "cancel": "cancelled", "update": "pending"}
_ON_THE_WAY: Final = {"cancel_accepted": "cancelled", "update": "accepted"}
_WITHOUT_SERVICE: Final = {"unsuccessful": "completed", "convert_to_tow": "completed"}
_ENDED: Final[dict[str, str]] = {}
ALLOWED: Final = {
    "pending": {**_PENDING, "decline_offer": "pending"},
    "accepted": {**_ON_THE_WAY, "change_destination": "accepted", "driver_arrived": "driver_arrived"},
    "driver_arrived": {
        **_ON_THE_WAY,
        **_WITHOUT_SERVICE,
        "update": "driver_arrived",
        "change_destination": "driver_arrived",
        "start": "in_progress",
        "gone_on_arrival": "completed",
    },
    "in_progress": {
        **_WITHOUT_SERVICE,
        "update": "in_progress",
        "change_destination": "in_progress",
        "complete": "completed",
    },
    "completed": {"rate_driver": "completed", "rate_business": "completed"},
    "cancelled": _ENDED,
    "expired": _ENDED,
}
"""The actions that each status of a mobile ride allows, and the next status."""
_ONLY_MOBILE: Final = {"decline_offer", "convert_to_tow", "rate_driver"}
_ONLY_TOWS: Final = {"rate_business"}
ACTIONS: Final = sorted({action for allowed in ALLOWED.values() for action in allowed})
OUTCOMES: Final = {"gone_on_arrival", "unsuccessful", "convert_to_tow"}


def allowed_actions(kind: RideKind, state: str) -> dict[str, str]:
    if kind is RideKind.MOBILE:
        return {action: after for action, after in ALLOWED[state].items() if action not in _ONLY_TOWS}
    return {
        action: next_status.replace("driver_arrived", "provider_arrived")
        for action, next_status in ALLOWED[state].items()
        if action not in _ONLY_MOBILE
    }


class RideDriver:
    """Brings rides to a status through the service, and acts on them over HTTP."""

    def __init__(self, core: Core, app: PartnerApp, kind: RideKind, clock: FrozenClock) -> None:
        self.core, self.app, self.kind, self.clock = core, app, kind, clock
        self.rides: Rides = core.rides if kind is RideKind.MOBILE else core.tows
        self.path = "/mobile-rides" if kind is RideKind.MOBILE else "/tow-rides"

    def bring_to(self, state: str) -> tuple[Ride, str]:
        """Return a ride with a status, and a provider who made an offer."""
        caller, rides = self.app.caller, self.rides
        ride = create_ride(self.core, rides, caller)
        provider = rides.list_acceptable_offers(ride.ref, caller)[0].provider_ref
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
            opened = self.core.partner_sessions.open(self.app.public_key)  # the session has expired
            self.app = evolve(self.app, token=opened.token)
        elif state != "pending":
            for name, step in steps.items():
                step()
                if name == state:
                    break
        return ride, provider

    def act(self, ride: Ride, provider: str, action: str) -> Any:
        """Request an action."""
        path, app = f"{self.path}/{ride.ref}", self.app
        match action:
            case "update":
                return app.patch(path, {"notes": "blue door"})
            case "accept_offer" if self.kind is RideKind.TOW:
                return app.post(f"{path}/business-offers/{provider}/accept")
            case "cancel_accepted":
                return app.patch(f"{path}/cancel-accepted")
            case "change_destination":
                return self._change_destination(path)
        if action in OUTCOMES:
            return app.post(f"{path}/complete", {"outcome": action.replace("convert_to", "converted_to")})
        bodies = {
            "accept_offer": {"driver_ref": provider},
            "rate_driver": {"rating": 4},
            "rate_business": {"rating": 4},
        }
        return app.post(f"{path}/{action.replace('_', '-')}", bodies.get(action))

    def _change_destination(self, path: str) -> Any:
        """Accept the price of another destination, or return the error of its preview."""
        elsewhere = {"dropoff_latitude": 34.2, "dropoff_longitude": -118.2}
        quoted = self.app.post(f"{path}/destination-preview", elsewhere)
        if quoted.status_code != 200:
            return quoted
        estimate = quoted.get_json()["data"]["estimate_id"]
        return self.app.post(f"{path}/change-destination", {"estimate_id": estimate})


@pytest.mark.parametrize("kind", RideKind)
@pytest.mark.parametrize("state", ALLOWED)
def test_every_ride_action_succeeds_or_lists_the_allowed_ones(
    core: Core, partner: PartnerApp, clock: FrozenClock, kind: RideKind, state: str
) -> None:
    driver = RideDriver(core, partner, kind, clock)
    allowed = allowed_actions(kind, state)
    status = state if kind is RideKind.MOBILE else state.replace("driver_", "provider_")
    ride, provider = driver.bring_to(state)
    detail = driver.app.get(f"{driver.path}/{ride.ref}").get_json()["data"]

    assert (detail["status"], sorted(detail["allowed_actions"])) == (status, sorted(allowed))

    for action in ACTIONS:
        if action in ({"decline_offer", "rate_driver"} if kind is RideKind.TOW else _ONLY_TOWS):
            continue  # there is no such operation
        if action in allowed:
            other_ride, other_provider = driver.bring_to(state)
            response = driver.act(other_ride, other_provider, action)
            assert (response.status_code, response.get_json()["data"]["status"]) == (200, allowed[action]), (
                action
            )
        else:
            response = driver.act(ride, provider, action)
            assert response.status_code == 409, action
            error = response.get_json()["error"]
            assert (error["code"], error["details"]["status"]) == ("CONFLICT", status)
            assert sorted(error["details"]["allowed"]) == sorted(allowed), action

    assert driver.app.get(f"{driver.path}/{ride.ref}").get_json()["data"] == detail


@pytest.mark.parametrize("path", ["mobile-rides", "tow-rides"])
def test_ride_prices_are_prepared_before_the_unit_of_work(core: Core, partner: PartnerApp, path: str) -> None:
    customer, order = create_customer(partner), list[str]()
    name, body = {
        "mobile-rides": ("rides", {**PRICE, "passenger_ref": customer["external_ref"]}),
        "tow-rides": ("tows", {**TOW_PRICE, "passenger_id": customer["id"]}),
    }[path]
    rides: Rides = getattr(core, name)

    def zone_at(place: Point) -> tzinfo:
        order.append("zone")
        return rides.zone_at(place)

    def outer_transaction() -> AbstractContextManager[Any]:
        order.append("unit of work")
        return core.idempotency.outer_transaction()

    watched = {
        name: evolve(rides, zone_at=zone_at),
        "idempotency": evolve(core.idempotency, outer_transaction=outer_transaction),
    }
    app = evolve(partner, client=serve_core(core.replacing(**watched)).test_client())
    response = app.post(f"/{path}", body, key="new")

    assert response.status_code == 201
    assert order[:2] == ["zone", "unit of work"]

    order.clear()
    ref = response.get_json()["data"]["ref"]

    assert app.patch(f"/{path}/{ref}", {"pickup_latitude": 34.06}, key="change").status_code == 200
    assert order[:2] == ["zone", "unit of work"]
