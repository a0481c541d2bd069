"""Rides in each state, made through the door."""

from itertools import count
from typing import Any

from tests.http.partners import PartnerApp

TRIP = {
    "pickup_latitude": 34.05,
    "pickup_longitude": -118.25,
    "dropoff_latitude": 34.15,
    "dropoff_longitude": -118.15,
}
PRICE = {**TRIP, "service_type": "battery_jump_start"}
TOW_PRICE = {**TRIP, "ride_type": "Flatbed"}

_numbers = count()


def customer_of(app: PartnerApp) -> dict[str, Any]:
    number = next(_numbers)
    told = {"first_name": "Ada", "last_name": "Byron", "email": f"ada{number}@example.com"}
    answer = app.post("/customers", {**told, "phone": f"+1202555{number:04}"})
    assert answer.status_code == 201, answer.get_json()
    made: dict[str, Any] = answer.get_json()["data"]
    return made


class Maker:
    """Makes rides of one kind: ``pending``, ``accepted``, ``arrived``, ``in_progress``, ``completed``."""

    def __init__(self, path: str, price: dict[str, Any]) -> None:
        self.path = path
        self.price = price

    def pending(self, app: PartnerApp, **told: Any) -> dict[str, Any]:
        who = customer_of(app)
        passenger = (
            {"passenger_ref": who["external_ref"]}
            if self.path == "/mobile-rides"
            else {"passenger_id": who["id"]}
        )
        paid = {"payment_method": "pm_card_visa"} if app.environment == "live" else {}
        return self._done(app.post(self.path, {**self.price, **passenger, **paid, **told}), 201)

    def first_offer(self, app: PartnerApp, ref: str) -> str:
        """Give the path and the body by which the first offer is accepted."""
        what = "interested-drivers" if self.path == "/mobile-rides" else "business-offers"
        offer: dict[str, Any] = app.get(f"{self.path}/{ref}/{what}").get_json()["data"][0]
        return str(offer["driver_ref"] if self.path == "/mobile-rides" else offer["business_ref"])

    def accepting(self, app: PartnerApp, ref: str) -> tuple[str, dict[str, Any] | None]:
        provider = self.first_offer(app, ref)
        if self.path == "/mobile-rides":
            return f"{self.path}/{ref}/accept-offer", {"driver_ref": provider}
        return f"{self.path}/{ref}/business-offers/{provider}/accept", None

    def accepted(self, app: PartnerApp, **told: Any) -> dict[str, Any]:
        path, body = self.accepting(app, self.pending(app, **told)["ref"])
        return self._done(app.post(path, body))

    def arrived(self, app: PartnerApp, **told: Any) -> dict[str, Any]:
        return self._done(app.post(f"{self.path}/{self.accepted(app, **told)['ref']}/driver-arrived"))

    def in_progress(self, app: PartnerApp, **told: Any) -> dict[str, Any]:
        return self._done(app.post(f"{self.path}/{self.arrived(app, **told)['ref']}/start"))

    def completed(self, app: PartnerApp, **told: Any) -> dict[str, Any]:
        return self._done(app.post(f"{self.path}/{self.in_progress(app, **told)['ref']}/complete"))

    def _done(self, answer: Any, status: int = 200) -> dict[str, Any]:
        assert answer.status_code == status, answer.get_json()
        made: dict[str, Any] = answer.get_json()["data"]
        return made


mobile = Maker("/mobile-rides", PRICE)
tow = Maker("/tow-rides", TOW_PRICE)
