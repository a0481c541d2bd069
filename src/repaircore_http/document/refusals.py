"""How an operation may refuse, worded by its own dialect.

Each failure that can occur is put to the dialect, which gives status and body, as it does for a caller; so the statuses and
examples cannot differ from what is answered. The shapes are each dialect's, by status.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NotRequired, TypedDict

from attrs import field, frozen
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnsupportedMediaType

from repaircore.book.views import ProblemSummaryView
from repaircore.idempotency.errors import InProgress
from repaircore.kernel.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    TooMany,
    Unauthenticated,
    Unavailable,
    Unresolvable,
)
from repaircore.predictions import model as estimated
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore_http.document.schemas import Schema, Schemas
from repaircore_http.document.words import HEADERS
from repaircore_http.errors import Dialect, coded, flagged, plain, refusal_of, unforeseen
from repaircore_http.guards import Auth
from repaircore_http.idempotency import REPLAYED
from repaircore_http.partner.dialect import partner
from repaircore_http.request_ids import HEADER
from repaircore_http.routes import GuardedRule

_ID: Final = "9f86d081884c7d65"


class Refused(TypedDict):
    """Why it was not done."""

    message: str


class ValidationFailed(TypedDict):
    """Every bad field by its dotted name, with sentences; ``message`` is the first of them."""

    message: str
    errors: dict[str, list[str]]


class Unsuccessful(TypedDict):
    """Why nothing was found; ``error_code`` is for machines."""

    success: Literal[False]
    message: str
    error_code: NotRequired[str]


class Misfit(TypedDict):
    """The vehicle cannot have the repair; ``alternatives`` are the nearest that it can have. ``force`` prices it anyway."""

    success: Literal[False]
    message: str
    error_code: Literal["PROBLEM_DOES_NOT_FIT"]
    problem: ProblemSummaryView
    alternatives: list[ProblemSummaryView]


class Failed(TypedDict):
    """Something went wrong on our side; ``error_details`` is the id of the request, to be quoted."""

    success: Literal[False]
    message: str
    error_details: str


class SourceUnavailable(TypedDict):
    """What is needed does not answer at the moment; ``error_code`` says what."""

    success: Literal[False]
    message: str
    error_code: str


class PartnerError(TypedDict):
    """What went wrong: a sentence, a code for machines, and what else there is to know."""

    message: str
    code: Literal[
        "INVALID_REQUEST",
        "INVALID_TOKEN",
        "FORBIDDEN",
        "NOT_FOUND",
        "METHOD_NOT_ALLOWED",
        "CONFLICT",
        "RATE_LIMIT_EXCEEDED",
        "SERVICE_UNAVAILABLE",
        "INTERNAL_ERROR",
    ]
    details: dict[str, Any]


class PartnerRefused(TypedDict):
    """Why it was not done; of a broken rule, ``details`` has every bad field with its sentences."""

    error: PartnerError


@frozen(kw_only=True)
class Wording:
    """The shapes of a dialect's bodies, by status; ``usual`` are those of the rest.

    ``name`` is what components are called after. ``counted`` says that everybody is counted, with a credential or
    without, and told so in ``headers``; ``at_times`` are headers, by status, that some answers have.
    """

    name: str
    counted: bool = False
    headers: tuple[str, ...] = ()
    at_times: Mapping[int, tuple[str, ...]] = field(factory=dict)
    usual: Any = Refused
    shapes: Mapping[int, Any] = field(factory=dict)

    def shape(self, status: int) -> Any:
        """Give the shape of the body with a status."""
        return self.shapes.get(status, self.usual)


_MAIN: Final[Mapping[int, Any]] = {
    422: ValidationFailed,
    500: Failed,
    503: SourceUnavailable,
}
WORDINGS: Final[Mapping[Dialect, Wording]] = {
    plain: Wording(name="Main", shapes=_MAIN),
    flagged: Wording(name="Flagged", shapes={**_MAIN, 404: Unsuccessful}),
    coded: Wording(name="Fleet", shapes={**_MAIN, 404: Refused | Unsuccessful}),
    partner: Wording(
        name="Partner",
        usual=PartnerRefused,
        counted=True,
        headers=("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
        at_times={
            400: (REPLAYED[0],),
            404: (REPLAYED[0],),
            409: (REPLAYED[0], "Retry-After"),
        },
    ),
}
"""Each dialect that routes have. A new one is entered here."""

_WORDS: Final[Mapping[int, str]] = {
    400: "The request could not be understood.",
    401: "No credential, or one that is unknown, revoked or expired.",
    403: "The credential is known, but not allowed to do this.",
    404: "There is no such thing, or it is somebody else's.",
    409: "What is stored does not allow it.",
    413: "The body is too large.",
    415: "The body is not of the kind that is taken here.",
    422: "The request is understood, and something in it is wrong.",
    429: "Too many requests.",
    500: "Something went wrong on our side.",
    503: "Something that is needed does not answer at the moment.",
}
_HEADERS: Final[Mapping[int, tuple[str, ...]]] = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After",),
}


def refusals(rule: GuardedRule, schemas: Schemas, responses: dict[str, Schema]) -> dict[str, Schema]:
    """Give the responses by which a route refuses, as references to ``responses``, which is added to."""
    dialect = rule.dialect or plain
    wording = _wording(dialect)
    told: dict[int, list[tuple[str, Any]]] = {}
    resolves = Unresolvable not in rule.spec.raises
    for failure in _failures(rule, counted=wording.counted):
        status, body = dialect(refusal_of(failure, _ID) or unforeseen(_ID))
        told.setdefault(status, []).append((type(failure).__name__, body))
    made = {}
    for status, examples in sorted(told.items()):
        name = f"{wording.name}{status}" + (_kind(rule) if status == 422 else "")  # noqa: PLR2004 - a status reads best as itself
        shape = shape_of_refusal(wording, status, unresolvable=not resolves, misfit=_may_misfit(rule))
        responses.setdefault(name, _response(status, schemas.of(shape), examples, wording))
        made[str(status)] = {"$ref": f"#/components/responses/{name}"}
    return made


def _may_misfit(rule: GuardedRule) -> bool:
    return ProblemDoesNotFit in rule.spec.raises


def _kind(rule: GuardedRule) -> str:
    """Return what the name of a 422 that tells more than bad fields ends in."""
    if _may_misfit(rule):
        return "Misfit"
    return "Unresolvable" if Unresolvable in rule.spec.raises else ""


def _wording(dialect: Dialect) -> Wording:
    if dialect not in WORDINGS:
        msg = f"The dialect {dialect!r} has no shapes: enter them in repaircore_http.document.refusals.WORDINGS."
        raise LookupError(msg)
    return WORDINGS[dialect]


def shape_of_refusal(
    wording: Wording, status: int, *, unresolvable: bool = False, misfit: bool = False
) -> Any:
    """Give the shape of a refusal's body."""
    shape = wording.shape(status)
    if misfit and status == 422:  # noqa: PLR2004 - a status reads best as itself
        return shape | Misfit
    return shape | Unsuccessful if unresolvable and status == 422 else shape  # noqa: PLR2004 - a status reads best as itself


def answer_headers(rule: GuardedRule) -> dict[str, Schema]:
    """Describe the headers of what a route answers when it does what was asked."""
    told = headers_of(*_wording(rule.dialect or plain).headers)
    if rule.idempotent:
        told[REPLAYED[0]] = _header(REPLAYED[0], required=False)
    return told


def headers_of(*names: str) -> dict[str, Schema]:
    """Describe the headers of an answer; the name of the request is always one of them."""
    return {name: _header(name, required=True) for name in (HEADER, *names)}


def _header(name: str, *, required: bool) -> Schema:
    return {"description": HEADERS[name], "schema": {"type": "string"}, "required": required}


def _response(status: int, schema: Schema, examples: list[tuple[str, Any]], wording: Wording) -> Schema:
    content: Schema = {"schema": schema, "examples": {name: {"value": body} for name, body in examples}}
    return {
        "description": _WORDS[status],
        "headers": {
            **headers_of(*_HEADERS.get(status, ()), *wording.headers),
            **{name: _header(name, required=False) for name in wording.at_times.get(status, ())},
        },
        "content": {"application/json": content},
    }


_CONFLICTS: Final = {
    False: Conflict("Others refer to it."),
    True: Conflict(
        "Cannot cancel a completed ride. Allowed: rate_driver.",
        details={"status": "completed", "allowed": ["rate_driver"]},
    ),
}
"""What a conflict says, by whether its area counts everybody: there, it tells a program more."""


_MISFIT: Final = ProblemDoesNotFit(
    estimated.ProblemNamed(id=601, slug="oil-change", display_name="Maintenance > Conventional Oil Change"),
    "A 2020 Tesla Model 3 is electric: it has no gasoline-engine oil to change.",
    [
        estimated.ProblemNamed(
            id=614, slug="ev-annual-service", display_name="Maintenance > Electric Vehicle Annual Service"
        )
    ],
)
"""What is said of an oil change for an electric car."""


def _failures(rule: GuardedRule, *, counted: bool) -> Iterable[Exception]:
    """Give one failure of each kind that can occur on a route, with texts that occur."""
    spec, auth = rule.spec, rule.auth
    guarded = auth is not Auth.NONE
    own = set(spec.raises)
    # A request with a key is told apart from others by its body, whether or not that says anything.
    reads = spec.accepts is not None or spec.file is not None or rule.idempotent
    asks = reads or spec.query is not None
    kinds = auth in {Auth.SESSION, Auth.SECRET, Auth.ADMIN}
    possible: tuple[tuple[bool, Exception], ...] = (
        (reads, BadRequest("The body is not valid JSON.")),
        (asks and not reads, BadRequest("The query holds a NUL character.")),
        (guarded or Unauthenticated in own, Unauthenticated()),
        (kinds or Forbidden in own, Forbidden()),
        (bool(rule.arguments) or NotFound in own, NotFound("There is no such thing.")),
        (Conflict in own or (rule.idempotent and bool(rule.arguments)), _CONFLICTS[counted]),
        (rule.idempotent, InProgress()),
        (reads, RequestEntityTooLarge()),
        (reads, UnsupportedMediaType()),
        (asks or Invalid in own, Invalid({"zip_code": ["The zip code field is required."]})),
        (Unresolvable in own, Unresolvable("No VIN was found.")),
        (ProblemDoesNotFit in own, _MISFIT),
        (counted or guarded or TooMany in own, TooMany(17)),
        (counted or guarded or Unavailable in own, Unavailable("It does not answer at the moment.")),
    )
    yield from (failure for occurs, failure in possible if occurs)
    yield RuntimeError()
