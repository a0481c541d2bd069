"""A small application over the HTTP ground, with one route of every kind."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from attrs import field, frozen
from flask import Response
from typing_extensions import override

from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import (
    Conflict,
    Failure,
    Invalid,
    NotFound,
    TooMany,
    Unauthenticated,
    Unavailable,
    Unresolvable,
)
from repaircore.kernel.rules import Length, OneOf, Pattern, Range
from repaircore.kernel.views import view
from repaircore.structuring import structure_partially
from repaircore_http.app import Api, create_app
from repaircore_http.core import Probed
from repaircore_http.errors import ErrorReply, flagged
from repaircore_http.guards import Auth, caller, caller_if_any
from repaircore_http.json_io import read_body, read_json, read_query, reply
from repaircore_http.routes import Routes


class Mood(StrEnum):
    GOOD = "good"
    WRONG = "wrong"


@frozen(kw_only=True)
class Answer:
    question_id: int
    answer: Annotated[str, Length(1, 20)]


@frozen(kw_only=True)
class Ask:
    """Every kind of field that requests have."""

    vin: Annotated[str, Length(11, 17)]
    zip_code: Annotated[str, Pattern(r"\d{5}(-\d{4})?", "must be a ZIP code")]
    mileage: Annotated[int, Range(0, 2_000_000)] | None = None
    rate: Annotated[float, Range(0)] | None = None
    urgent: bool = False
    rating: Mood = Mood.GOOD
    color: Annotated[str, OneOf("red", "blue")] = "red"
    session_id: UUID | None = None
    performed_on: date | None = None
    answers: Annotated[list[Answer], Length(0, 500)] = field(factory=list)
    pressures: dict[str, float] = field(factory=dict)


@frozen(kw_only=True)
class Filter:
    page: Annotated[int, Range(1)] = 1
    make: Annotated[str, Length(1, 100)] | None = None
    most: float | None = None
    active: bool | None = None
    years: tuple[int, ...] = ()


@view
class Values:
    at: datetime
    utc: datetime
    id: UUID
    price: float
    who: Caller


class VehicleUnknown(NotFound):
    code = "VEHICLE_NOT_FOUND"


class SourceSilent(Unavailable):
    code = "RECALL_SOURCE_UNAVAILABLE"


class Odd(Failure):
    """Of no kind that doors know."""


FAILURES: dict[str, Exception] = {
    "unauthenticated": Unauthenticated("These credentials do not match our records."),
    "vehicle": VehicleUnknown("No such vehicle."),
    "record": NotFound("No such record."),
    "conflict": Conflict("Others refer to it."),
    "invalid": Invalid({"a.0.b": ["First.", "Second."], "c": ["Third."]}),
    "unresolvable": Unresolvable("No VIN in that image."),
    "many": TooMany(17),
    "silent": SourceSilent("The source is not responding."),
    "down": Unavailable("Nothing answers."),
    "bug": ZeroDivisionError("SELECT secret FROM users"),
    "odd": Odd("nothing foresaw it"),
}

USER = Caller(user_id=1, role=Role.USER, environment=Environment.TEST, credential=Credential.SECRET)


def callers() -> dict[str, Caller]:
    """Give a caller for each credential and role, under the token ``<credential>-<role>``."""
    return {
        f"{credential}-{role}": Caller(
            user_id=1, role=role, environment=Environment.TEST, credential=credential
        )
        for credential in Credential
        for role in Role
    }


def authenticate(token: str) -> Caller:
    known = callers().get(token)
    if known is None:
        raise Unauthenticated
    return known


@frozen
class ExampleCore(Probed):
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @override
    def obstacles(self) -> Sequence[str]:
        return self.problems

    @override
    def warnings(self) -> Sequence[str]:
        return self.remarks


def partner(refusal: ErrorReply) -> tuple[int, dict[str, Any]]:
    """Word errors as a third area does, with a status of its own for broken rules."""
    status = 400 if refusal.status == 422 else refusal.status
    return status, {
        "error": {"message": refusal.message, "code": f"E{status}", "details": refusal.fields or {}}
    }


def routes_under(name: str, prefix: str, **options: Any) -> Routes:
    """Make the same routes under a prefix, so that dialects can be compared."""
    routes = Routes(name, url_prefix=prefix, auth=Auth.NONE, **options)

    @routes.post("/fail/<how>")
    def fail(how: str) -> Response:
        raise FAILURES[how]

    @routes.post("/ask")
    def ask() -> Response:
        return reply(read_body(Ask))

    return routes


def guarded() -> Routes:
    routes = Routes("guarded", url_prefix="/guarded", auth=Auth.KEY)

    @routes.post("/ask")
    def ask() -> Response:
        return reply({"asked": read_body(Ask), "by": caller().credential})

    for need in Auth:

        @routes.post(f"/{need}", endpoint=f"needs_{need}", auth=need)
        def who() -> Response:
            known = caller_if_any()
            return reply({"credential": known and known.credential})

    return routes


def reading() -> Routes:
    routes = Routes("reading", url_prefix="/plain", auth=Auth.NONE)

    @routes.post("/raw")
    def raw() -> Response:
        return reply({"read": read_json()})

    @routes.post("/partial")
    def partial() -> Response:
        good, faults = structure_partially(Ask, read_json())
        if "zip_code" in good and good["zip_code"] == "00000":
            faults.setdefault("zip_code", []).append("The zip code does not exist.")
        if faults:
            raise Invalid(faults)
        return reply(Ask(**good))

    @routes.get("/filter", safe=True)
    def filtered() -> Response:
        return reply(read_query(Filter, body_too=True))

    @routes.post("/big", max_bytes=4 * 1024 * 1024)
    def big() -> Response:
        return reply({"size": len(read_json()["text"])})

    return routes


def giving(acted: list[str]) -> Routes:
    routes = Routes("giving", url_prefix="/plain", auth=Auth.NONE)

    @routes.get("/notify")
    def notify() -> Response:
        acted.append("notified")
        return reply({})

    @routes.get("/numbers/<int:number>", safe=True)
    def numbers(number: int) -> Response:
        return reply({"number": number})

    @routes.get("/words/<word>", safe=True)
    def words(word: str) -> Response:
        return reply({"word": word})

    @routes.get("/values", safe=True)
    def values() -> Response:
        at = datetime(2026, 1, 31, 12, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=-5)))
        return reply(Values(at=at, utc=at.astimezone(UTC), id=UUID(int=5), price=12.5, who=USER), 201)

    @routes.get("/dict", safe=True)
    def bare_dict() -> dict[str, Any]:
        return {"at": datetime(2026, 1, 31, tzinfo=UTC)}

    @routes.get("/kept", safe=True)
    def kept() -> Response:
        return reply({}, headers={"Cache-Control": "max-age=60"})

    return routes


def example_app(*, acted: list[str] | None = None, problems: tuple[str, ...] = ()) -> Api:
    """Make the application; ``acted`` collects what acting views did."""
    return create_app(
        ExampleCore(problems),
        authenticate=authenticate,
        blueprints=[
            reading(),
            giving([] if acted is None else acted),
            guarded(),
            routes_under("flat", "/flat"),
            routes_under("flags", "/flags", dialect=flagged),
            routes_under("partner", "/flags/partner", dialect=partner),
        ],
    )
