"""Rides in each status, created over HTTP."""

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


def create_customer(app: PartnerApp) -> dict[str, Any]:
    number = next(_numbers)
    person = {"first_name": "Ada", "last_name": "Byron", "email": f"ada{number}@example.com"}
    response = app.post("/customers", {**person, "phone": f"+1202555{number:04}"})
    assert response.status_code == 201, response.get_json()
    customer: dict[str, Any] = response.get_json()["data"]
    return customer


class Maker:
    """Creates rides of one kind: ``pending``, ``accepted``, ``arrived``, ``in_progress``, ``completed``."""

    def __init__(self, path: str, price: dict[str, Any]) -> None:
        self.path = path
        self.price = price

    def pending(self, app: PartnerApp, **fields: Any) -> dict[str, Any]:
        customer = create_customer(app)
        passenger = (
            {"passenger_ref": customer["external_ref"]}
            if self.path == "/mobile-rides"
            else {"passenger_id": customer["id"]}
        )
        payment = {"payment_method": "pm_card_visa"} if app.environment == "live" else {}
        return self._data(app.post(self.path, {**self.price, **passenger, **payment, **fields}), 201)

    def first_offer(self, app: PartnerApp, ref: str) -> str:
        """Return the provider of the first offer."""
        offers = "interested-drivers" if self.path == "/mobile-rides" else "business-offers"
        offer: dict[str, Any] = app.get(f"{self.path}/{ref}/{offers}").get_json()["data"][0]
        return str(offer["driver_ref"] if self.path == "/mobile-rides" else offer["business_ref"])

    def acceptance(self, app: PartnerApp, ref: str) -> tuple[str, dict[str, Any] | None]:
        """Return the path and the body that accept the first offer."""
        provider = self.first_offer(app, ref)
        if self.path == "/mobile-rides":
            return f"{self.path}/{ref}/accept-offer", {"driver_ref": provider}
        return f"{self.path}/{ref}/business-offers/{provider}/accept", None

    def accepted(self, app: PartnerApp, **fields: Any) -> dict[str, Any]:
        path, body = self.acceptance(app, self.pending(app, **fields)["ref"])
        return self._data(app.post(path, body))

    def arrived(self, app: PartnerApp, **fields: Any) -> dict[str, Any]:
        return self._data(app.post(f"{self.path}/{self.accepted(app, **fields)['ref']}/driver-arrived"))

    def in_progress(self, app: PartnerApp, **fields: Any) -> dict[str, Any]:
        return self._data(app.post(f"{self.path}/{self.arrived(app, **fields)['ref']}/start"))

    def completed(self, app: PartnerApp, **fields: Any) -> dict[str, Any]:
        return self._data(app.post(f"{self.path}/{self.in_progress(app, **fields)['ref']}/complete"))

    def _data(self, response: Any, status: int = 200) -> dict[str, Any]:
        assert response.status_code == status, response.get_json()
        data: dict[str, Any] = response.get_json()["data"]
        return data


mobile = Maker("/mobile-rides", PRICE)
tow = Maker("/tow-rides", TOW_PRICE)
