"""A partner's applications that do all sorts of things at once, and remember the responses.

Each has records of its own and asks for one thing after the other, each under an idempotency key. A request that got no
answer is sent again under its key, whatever server is there then.
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
_LIKELY: Final = (
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
_MOST_PENDING: Final = 10
_REFUSED: Final = frozenset({"book", "reschedule"})
"""Requests that may be refused for good, because another application has the seat."""


@frozen
class Place:
    """A time at which a mechanic takes an appointment."""

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
class Books:
    """Everything that was acknowledged: customers, statuses of rides and appointments, and counts."""

    customers: set[str] = Factory(set)
    rides: dict[str, str] = Factory(dict)
    appointments: dict[str, tuple[str, Place]] = Factory(dict)
    done: Counter[str] = Factory(Counter)
    refused: int = 0
    retried: int = 0
    put_off: int = 0


@define
class Session:
    """The session that a partner's applications share; its token is replaced before it expires."""

    token: str


class Application:
    """An application of the partner's; ``places`` are what it competes with others for."""

    def __init__(self, number: int, session: Session, places: Sequence[Place]) -> None:
        self.books = Books()
        self.pending: Request | None = None
        self.fault: str | None = None
        self._number = number
        self._session = session
        self._places = places
        self._sent = 0
        self._random = random.Random(number)  # noqa: S311 - no secret
        self._asking: dict[str, Callable[[httpx.Client], Request | None]] = {
            "customer": self._customer,
            "book": self._book,
            "reschedule": self._reschedule,
            "cancel_appointment": self._cancel_appointment,
            "ride": self._ride,
            "accept": self._accept,
            "cancel": lambda _: self._of_ride("cancel", "pending", "POST", "cancel", {}),
            "cancel_accepted": lambda _: self._of_ride(
                "cancel_accepted", "accepted", "PATCH", "cancel-accepted", {}
            ),
        }

        self.history: History | None = None
        """Where requests and answers are written down, if anywhere."""

    def work(self, client: httpx.Client, acknowledged: Callable[[], None], stop: Event) -> None:
        """Ask for one thing after the other until stopped, or the server is gone."""
        try:
            with suppress(httpx.TransportError):
                if self.pending is not None:
                    self.books.retried += 1
                    self._settle(client)
                    acknowledged()
                while not stop.is_set():
                    self.pending = self._next(client)
                    if self.pending is not None:
                        self._settle(client)
                        acknowledged()
        except Exception as error:  # noqa: BLE001 - raised again by the thread that waits for this one
            self.fault = f"application {self._number}: {error!r}"

    def _next(self, client: httpx.Client) -> Request | None:
        what = self._random.choice(_LIKELY)
        if what in _STEPS:
            before, step = _STEPS[what]
            return self._of_ride(what, before, "POST", step, None)
        return self._asking[what](client)

    def _settle(self, client: httpx.Client) -> None:
        """Ask until there is an answer that is one; a 409 with Retry-After is retried."""
        request = self.pending
        assert request is not None
        headers = {"Authorization": f"Bearer {self._session.token}", "Idempotency-Key": request.key}
        for _ in range(_TRIES):
            answer = client.request(
                request.method, _PREFIX + request.path, json=request.body, headers=headers
            )
            self._write_down(request, answer)
            # The key of what the database did not answer in time is as free as it was.
            if "Retry-After" not in answer.headers and answer.status_code != _UNAVAILABLE:
                break
            self.books.put_off += 1
            Event().wait(0.1)
        if answer.status_code < _OK:
            self._acknowledge(request, answer.json()["data"])
        elif answer.status_code == _CONFLICT and request.what in _REFUSED:
            self.books.refused += 1
        else:
            raise AssertionError(f"{request} was answered {answer.status_code}: {answer.text}")
        self.pending = None

    def _write_down(self, request: Request, answer: httpx.Response) -> None:
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
        self.books.done[request.what] += 1
        if request.what == "customer":
            self.books.customers.add(data["external_ref"])
        elif request.path.startswith(_RIDES):
            self.books.rides[data["ref"]] = data["status"]
        else:
            place = Place(data["mechanic_ref"], data["date"], data["time"])
            self.books.appointments[data["ref"]] = (data["status"], place)

    def _to_ask(self, what: str, method: str, path: str, body: dict[str, Any] | None) -> Request:
        self._sent += 1
        key = f"application {self._number}, request {self._sent}"
        return Request(what=what, key=key, method=method, path=path, begun=monotonic(), body=body)

    def _customer(self, _: httpx.Client) -> Request:
        number = self._number * 100_000 + self._sent
        person = {"first_name": "Bo", "last_name": "Díaz", "email": f"bo{number}@example.org"}
        return self._to_ask(
            "customer", "POST", "/customers", {**person, "phone": f"+1212{2_000_000 + number}"}
        )

    def _somebody(self) -> str | None:
        return self._random.choice(sorted(self.books.customers)) if self.books.customers else None

    def _book(self, _: httpx.Client) -> Request | None:
        somebody, place = self._somebody(), self._random.choice(self._places)
        if somebody is None:
            return None
        when = {"date": place.date, "time": place.time}
        return self._to_ask(
            "book",
            "POST",
            "/appointments",
            {"mechanic_ref": place.mechanic_ref, "customer_ref": somebody, **when},
        )

    def _scheduled(self) -> str | None:
        found = [ref for ref, (status, _) in self.books.appointments.items() if status == "scheduled"]
        return self._random.choice(found) if found else None

    def _reschedule(self, _: httpx.Client) -> Request | None:
        ref = self._scheduled()
        if ref is None:
            return None
        now = self.books.appointments[ref][1]
        others = [one for one in self._places if one.mechanic_ref == now.mechanic_ref and one != now]
        place = self._random.choice(others)
        path = f"/appointments/{ref}/reschedule"
        return self._to_ask("reschedule", "POST", path, {"date": place.date, "time": place.time})

    def _cancel_appointment(self, _: httpx.Client) -> Request | None:
        ref = self._scheduled()
        if ref is None:
            return None
        return self._to_ask("cancel_appointment", "POST", f"/appointments/{ref}/cancel", {})

    def _ride(self, _: httpx.Client) -> Request | None:
        somebody, pending = self._somebody(), [*self.books.rides.values()].count("pending")
        if somebody is None or pending >= _MOST_PENDING:  # or offers would expire before they are accepted
            return None
        return self._to_ask("ride", "POST", _RIDES, {**_PRICE, "passenger_ref": somebody})

    def _ride_that_is(self, status: str) -> str | None:
        found = [ref for ref, now in self.books.rides.items() if now == status]
        return self._random.choice(found) if found else None

    def _accept(self, client: httpx.Client) -> Request | None:
        ref = self._ride_that_is("pending")
        if ref is None:
            return None
        headers = {"Authorization": f"Bearer {self._session.token}"}
        answer = client.get(f"{_PREFIX}{_RIDES}/{ref}/interested-drivers", headers=headers)
        assert answer.status_code == 200, answer.text
        driver = answer.json()["data"][0]["driver_ref"]
        return self._to_ask("accept", "POST", f"{_RIDES}/{ref}/accept-offer", {"driver_ref": driver})

    def _of_ride(
        self, what: str, status: str, method: str, step: str, body: dict[str, Any] | None
    ) -> Request | None:
        ref = self._ride_that_is(status)
        return None if ref is None else self._to_ask(what, method, f"{_RIDES}/{ref}/{step}", body)
