"""Mixed concurrent load of a partner's applications, which record the responses.

Each has its own records and sends one request after the other, each with an idempotency key. A request without an answer
is sent again with its key, to whatever server runs then.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event
from time import monotonic
from typing import Any, Final

import httpx
from attrs import Factory, define, frozen
from tests.soak.history import Call, History

_PREFIX: Final = "/api/v1/partner"
_RIDES: Final = "/mobile-rides"
_PRICE: Final = {
    "pickup_latitude": 34.05,
    "pickup_longitude": -118.25,
    "dropoff_latitude": 34.15,
    "dropoff_longitude": -118.15,
    "service_type": "battery_jump_start",
}
_WEIGHTED_KINDS: Final = (
    *["customer"] * 3,
    *["book"] * 4,
    *["reschedule"] * 3,
    *["cancel_appointment"] * 2,
    *["ride"] * 4,
    *["accept"] * 3,
    *["cancel"],
    *["cancel_accepted"],
    *["arrive", "start", "complete"],
)
_STEPS: Final = {
    "arrive": ("accepted", "driver-arrived"),
    "start": ("driver_arrived", "start"),
    "complete": ("in_progress", "complete"),
}
_OK: Final = 300
_CONFLICT: Final = 409
_UNAVAILABLE: Final = 503
_TRIES: Final = 200
_MAX_PENDING: Final = 10
_MAY_CONFLICT: Final = frozenset({"book", "reschedule"})
"""Requests that may be refused because another application has the seat."""


@frozen
class Place:
    """A bookable time of a mechanic."""

    mechanic_ref: str
    date: str
    time: str


@frozen(kw_only=True)
class Request:
    """A request, and its idempotency key."""

    what: str
    key: str
    method: str
    path: str
    begun: float
    body: dict[str, Any] | None = None


@define
class Acknowledged:
    """Everything acknowledged: customers, statuses of rides and appointments, and counts of requests."""

    customers: set[str] = Factory(set)
    rides: dict[str, str] = Factory(dict)
    appointments: dict[str, tuple[str, Place]] = Factory(dict)
    done: Counter[str] = Factory(Counter)
    refused: int = 0
    retried: int = 0
    postponed: int = 0


@define
class Session:
    """The session shared by a partner's applications; its token is replaced before it expires."""

    token: str


class Application:
    """An application of the partner; all compete for the same ``places``."""

    def __init__(self, number: int, session: Session, places: Sequence[Place]) -> None:
        self.acknowledged = Acknowledged()
        self.pending: Request | None = None
        self.fault: str | None = None
        self._number = number
        self._session = session
        self._places = places
        self._sent = 0
        self._random = random.Random(number)  # noqa: S311 - no secret
        self._builders: dict[str, Callable[[httpx.Client], Request | None]] = {
            "customer": self._customer,
            "book": self._book,
            "reschedule": self._reschedule,
            "cancel_appointment": self._cancel_appointment,
            "ride": self._ride,
            "accept": self._accept,
            "cancel": lambda _: self._ride_request("cancel", "pending", "POST", "cancel", {}),
            "cancel_accepted": lambda _: self._ride_request(
                "cancel_accepted", "accepted", "PATCH", "cancel-accepted", {}
            ),
        }

        self.history: History | None = None
        """The log of requests and answers, if any."""

    def work(self, client: httpx.Client, acknowledged: Callable[[], None], stop: Event) -> None:
        """Send one request after the other until stopped, or until the server is gone."""
        try:
            with suppress(httpx.TransportError):
                if self.pending is not None:
                    self.acknowledged.retried += 1
                    self._complete(client)
                    acknowledged()
                while not stop.is_set():
                    self.pending = self._next(client)
                    if self.pending is not None:
                        self._complete(client)
                        acknowledged()
        except Exception as error:  # noqa: BLE001 - the waiting thread reports it
            self.fault = f"application {self._number}: {error!r}"

    def _next(self, client: httpx.Client) -> Request | None:
        what = self._random.choice(_WEIGHTED_KINDS)
        if what in _STEPS:
            before, step = _STEPS[what]
            return self._ride_request(what, before, "POST", step, None)
        return self._builders[what](client)

    def _complete(self, client: httpx.Client) -> None:
        """Send the pending request until it has a final answer; a 409 with Retry-After is retried."""
        request = self.pending
        assert request is not None
        headers = {"Authorization": f"Bearer {self._session.token}", "Idempotency-Key": request.key}
        for _ in range(_TRIES):
            answer = client.request(
                request.method, _PREFIX + request.path, json=request.body, headers=headers
            )
            self._log(request, answer)
            # A key stays free when the database is not responding in time.
            if "Retry-After" not in answer.headers and answer.status_code != _UNAVAILABLE:
                break
            self.acknowledged.postponed += 1
            Event().wait(0.1)
        if answer.status_code < _OK:
            self._acknowledge(request, answer.json()["data"])
        elif answer.status_code == _CONFLICT and request.what in _MAY_CONFLICT:
            self.acknowledged.refused += 1
        else:
            raise AssertionError(f"{request} was answered {answer.status_code}: {answer.text}")
        self.pending = None

    def _log(self, request: Request, answer: httpx.Response) -> None:
        if self.history is None:
            return
        data = answer.json()["data"] if answer.status_code < _OK else {}
        self.history.add(
            Call(
                what=request.what,
                key=request.key,
                status=answer.status_code,
                subject=data["ref"] if "status" in data else None,
                state=data.get("status"),
                begun=request.begun,
                ended=monotonic(),
                is_retry_said="Retry-After" in answer.headers,
            )
        )

    def _acknowledge(self, request: Request, data: dict[str, Any]) -> None:
        self.acknowledged.done[request.what] += 1
        if request.what == "customer":
            self.acknowledged.customers.add(data["external_ref"])
        elif request.path.startswith(_RIDES):
            self.acknowledged.rides[data["ref"]] = data["status"]
        else:
            place = Place(data["mechanic_ref"], data["date"], data["time"])
            self.acknowledged.appointments[data["ref"]] = (data["status"], place)

    def _new_request(self, what: str, method: str, path: str, body: dict[str, Any] | None) -> Request:
        self._sent += 1
        key = f"application {self._number}, request {self._sent}"
        return Request(what=what, key=key, method=method, path=path, begun=monotonic(), body=body)

    def _customer(self, _: httpx.Client) -> Request:
        number = self._number * 100_000 + self._sent
        person = {"first_name": "Bo", "last_name": "Díaz", "email": f"bo{number}@example.org"}
        return self._new_request(
            "customer", "POST", "/customers", {**person, "phone": f"+1212{2_000_000 + number}"}
        )

    def _random_customer(self) -> str | None:
        return (
            self._random.choice(sorted(self.acknowledged.customers)) if self.acknowledged.customers else None
        )

    def _book(self, _: httpx.Client) -> Request | None:
        customer_ref, place = self._random_customer(), self._random.choice(self._places)
        if customer_ref is None:
            return None
        when = {"date": place.date, "time": place.time}
        return self._new_request(
            "book",
            "POST",
            "/appointments",
            {"mechanic_ref": place.mechanic_ref, "customer_ref": customer_ref, **when},
        )

    def _random_appointment(self) -> str | None:
        found = [ref for ref, (status, _) in self.acknowledged.appointments.items() if status == "scheduled"]
        return self._random.choice(found) if found else None

    def _reschedule(self, _: httpx.Client) -> Request | None:
        ref = self._random_appointment()
        if ref is None:
            return None
        now = self.acknowledged.appointments[ref][1]
        others = [one for one in self._places if one.mechanic_ref == now.mechanic_ref and one != now]
        place = self._random.choice(others)
        path = f"/appointments/{ref}/reschedule"
        return self._new_request("reschedule", "POST", path, {"date": place.date, "time": place.time})

    def _cancel_appointment(self, _: httpx.Client) -> Request | None:
        ref = self._random_appointment()
        if ref is None:
            return None
        return self._new_request("cancel_appointment", "POST", f"/appointments/{ref}/cancel", {})

    def _ride(self, _: httpx.Client) -> Request | None:
        customer_ref, pending = self._random_customer(), [*self.acknowledged.rides.values()].count("pending")
        if customer_ref is None or pending >= _MAX_PENDING:  # or offers would expire before they are accepted
            return None
        return self._new_request("ride", "POST", _RIDES, {**_PRICE, "passenger_ref": customer_ref})

    def _random_ride(self, status: str) -> str | None:
        found = [ref for ref, now in self.acknowledged.rides.items() if now == status]
        return self._random.choice(found) if found else None

    def _accept(self, client: httpx.Client) -> Request | None:
        ref = self._random_ride("pending")
        if ref is None:
            return None
        headers = {"Authorization": f"Bearer {self._session.token}"}
        answer = client.get(f"{_PREFIX}{_RIDES}/{ref}/interested-drivers", headers=headers)
        if answer.status_code == _UNAVAILABLE:  # the database was cut off: another request is next
            return None
        assert answer.status_code == 200, answer.text
        driver = answer.json()["data"][0]["driver_ref"]
        return self._new_request("accept", "POST", f"{_RIDES}/{ref}/accept-offer", {"driver_ref": driver})

    def _ride_request(
        self, what: str, status: str, method: str, step: str, body: dict[str, Any] | None
    ) -> Request | None:
        ref = self._random_ride(status)
        return None if ref is None else self._new_request(what, method, f"{_RIDES}/{ref}/{step}", body)
