"""The error responses of an operation, made by its own dialect.

Each failure that can occur is passed to the dialect, which returns the status and the body, as it does for a caller;
thus the documented statuses and examples are the actual ones. The shapes of the bodies are listed by status for each
dialect.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

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
from repaircore.kernel.views import UNSET, UnsetType, view
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.predictions.model import EstimatedProblem
from repaircore_http.document.descriptions import HEADERS
from repaircore_http.document.schemas import Schema, Schemas
from repaircore_http.errors import Dialect, coded, flagged, internal_error, plain, to_error_reply, versioned
from repaircore_http.guards import Auth
from repaircore_http.idempotency import REPLAYED
from repaircore_http.partner.dialect import partner
from repaircore_http.request_ids import HEADER
from repaircore_http.routes import GuardedRule

_REQUEST_ID: Final = "9f86d081884c7d65"


@view
class ErrorView:
    """Why the request failed."""

    message: str


@view
class ValidationErrorView:
    """Every invalid field by its dotted name, with sentences; ``message`` is the first of them."""

    message: str
    errors: dict[str, list[str]]


@view
class NotFoundErrorView:
    """Why nothing was found; ``error_code`` is for machines."""

    success: Literal[False] = False
    message: str
    error_code: str | UnsetType = UNSET


@view
class ConflictErrorView:
    """Why the stored state does not permit the request.

    ``version`` is the current version of a record that was changed meanwhile; ``status`` is the status of a record, and
    ``allowed`` the actions that it permits; ``transactions`` are those that were recorded from a draft.
    """

    success: Literal[False] = False
    message: str
    version: int | UnsetType = UNSET
    status: str | UnsetType = UNSET
    allowed: list[str] | UnsetType = UNSET
    transactions: list[int] | UnsetType = UNSET


@view
class ProblemDoesNotFitView:
    """The repair does not fit the vehicle; ``alternatives`` are the closest repairs that do.

    ``force`` estimates it anyway.
    """

    success: Literal[False] = False
    message: str
    error_code: Literal["PROBLEM_DOES_NOT_FIT"] = "PROBLEM_DOES_NOT_FIT"
    problem: ProblemSummaryView
    alternatives: list[ProblemSummaryView]


@view
class InternalErrorView:
    """Something went wrong on our side; ``error_details`` is the id of the request, to quote in a report."""

    success: Literal[False] = False
    message: str
    error_details: str


@view
class UnavailableErrorView:
    """A service that the request needs is not responding at the moment; ``error_code`` names it."""

    success: Literal[False] = False
    message: str
    error_code: str


@view
class PartnerErrorDetailView:
    """A sentence, a code for machines, and details."""

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


@view
class PartnerErrorView:
    """Why the request failed; for an invalid request, ``details`` maps each invalid field to its error messages."""

    error: PartnerErrorDetailView


@frozen(kw_only=True)
class ErrorShapes:
    """The shapes of a dialect's error bodies.

    ``by_status`` has the shapes that differ from ``usual``. ``name`` is the prefix of the names of its responses. With
    ``is_counted``, every request is counted, with or without a credential, and ``headers`` report the count;
    ``optional_headers`` are headers, by status, that only some responses have.
    """

    name: str
    is_counted: bool = False
    headers: tuple[str, ...] = ()
    optional_headers: Mapping[int, tuple[str, ...]] = field(factory=dict)
    usual: Any = ErrorView
    by_status: Mapping[int, Any] = field(factory=dict)

    def body(self, status: int) -> Any:
        """Return the shape of the body of a response with this status."""
        return self.by_status.get(status, self.usual)


_MAIN: Final[Mapping[int, Any]] = {
    422: ValidationErrorView,
    500: InternalErrorView,
    503: UnavailableErrorView,
}
ERROR_SHAPES: Final[Mapping[Dialect, ErrorShapes]] = {
    plain: ErrorShapes(name="Main", by_status=_MAIN),
    flagged: ErrorShapes(name="Flagged", by_status={**_MAIN, 404: NotFoundErrorView}),
    coded: ErrorShapes(name="Fleet", by_status={**_MAIN, 404: ErrorView | NotFoundErrorView}),
    versioned: ErrorShapes(name="Visit", by_status={**_MAIN, 404: NotFoundErrorView, 409: ConflictErrorView}),
    partner: ErrorShapes(
        name="Partner",
        usual=PartnerErrorView,
        is_counted=True,
        headers=("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
        optional_headers={
            400: (REPLAYED[0],),
            404: (REPLAYED[0],),
            409: (REPLAYED[0], "Retry-After"),
        },
    ),
}
"""Every dialect that routes use. New ones must be added here."""

_OF_PROVIDERS: Final = ErrorShapes(name="Provider", usual=PartnerErrorView)
"""Providers get the same bodies as partners, without the headers: their responses report no rate limit."""

_DESCRIPTIONS: Final[Mapping[int, str]] = {
    400: "The request could not be understood.",
    401: "There is no credential, or it is unknown, revoked or expired.",
    403: "The credential is valid, but does not permit this.",
    404: "There is no such record, or it belongs to someone else.",
    409: "The stored state does not permit it.",
    413: "The body is too large.",
    415: "The body has a media type that is not accepted here.",
    422: "The request was understood, but some of its content is invalid.",
    429: "Too many requests.",
    500: "Something went wrong on our side.",
    503: "A service that the request needs is not responding at the moment.",
}
_HEADERS: Final[Mapping[int, tuple[str, ...]]] = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}


def error_responses(rule: GuardedRule, schemas: Schemas, responses: dict[str, Schema]) -> dict[str, Schema]:
    """Return a route's error responses by status, as references to ``responses``, to which they are added."""
    dialect = rule.dialect or plain
    shapes = _shapes_of(rule)
    examples: dict[int, list[tuple[str, Any]]] = {}
    for failure in _possible_failures(rule, is_counted=shapes.is_counted):
        status, body = dialect(to_error_reply(failure, _REQUEST_ID) or internal_error(_REQUEST_ID))
        examples.setdefault(status, []).append((type(failure).__name__, body))
    references = {}
    for status, bodies in sorted(examples.items()):
        name = f"{shapes.name}{status}" + (_suffix_of_422(rule) if status == 422 else "")  # noqa: PLR2004 - a status code reads best as a number
        shape = error_body(
            shapes,
            status,
            is_unresolvable=Unresolvable in rule.spec.raises,
            may_not_fit=ProblemDoesNotFit in rule.spec.raises,
        )
        responses.setdefault(name, _response(status, schemas.of(shape), bodies, shapes))
        references[str(status)] = {"$ref": f"#/components/responses/{name}"}
    return references


def error_body(
    shapes: ErrorShapes, status: int, *, is_unresolvable: bool = False, may_not_fit: bool = False
) -> Any:
    """Return the shape of an error's body; a 422 may have other shapes besides the one for invalid fields."""
    shape = shapes.body(status)
    if status != 422:  # noqa: PLR2004 - a status code reads best as a number
        return shape
    if may_not_fit:
        return shape | ProblemDoesNotFitView
    return shape | NotFoundErrorView if is_unresolvable else shape


def success_headers(rule: GuardedRule) -> dict[str, Schema]:
    """Return the headers of a route's successful response."""
    headers = _headers(*_shapes_of(rule).headers)
    if rule.idempotent:
        headers[REPLAYED[0]] = _header(REPLAYED[0], is_required=False)
    return headers


def _suffix_of_422(rule: GuardedRule) -> str:
    if ProblemDoesNotFit in rule.spec.raises:
        return "Misfit"
    return "Unresolvable" if Unresolvable in rule.spec.raises else ""


def _shapes_of(rule: GuardedRule) -> ErrorShapes:
    if rule.auth is Auth.PROVIDER:
        return _OF_PROVIDERS
    dialect = rule.dialect or plain
    if dialect not in ERROR_SHAPES:
        msg = f"The dialect {dialect!r} has no error shapes. Add them to repaircore_http.document.error_responses.ERROR_SHAPES."
        raise LookupError(msg)
    return ERROR_SHAPES[dialect]


def _headers(*names: str) -> dict[str, Schema]:
    return {name: _header(name, is_required=True) for name in (HEADER, *names)}


def _header(name: str, *, is_required: bool) -> Schema:
    return {"description": HEADERS[name], "schema": {"type": "string"}, "required": is_required}


def _response(status: int, schema: Schema, examples: list[tuple[str, Any]], shapes: ErrorShapes) -> Schema:
    content: Schema = {"schema": schema, "examples": {name: {"value": body} for name, body in examples}}
    return {
        "description": _DESCRIPTIONS[status],
        "headers": {
            **_headers(*_HEADERS.get(status, ()), *shapes.headers),
            **{name: _header(name, is_required=False) for name in shapes.optional_headers.get(status, ())},
        },
        "content": {"application/json": content},
    }


_CONFLICT: Final = Conflict("Others refer to it.")
_PARTNER_CONFLICT: Final = Conflict(
    "Cannot cancel a completed ride. Allowed: rate_driver.",
    details={"status": "completed", "allowed": ["rate_driver"]},
)
_DOES_NOT_FIT: Final = ProblemDoesNotFit(
    EstimatedProblem(id=601, slug="oil-change", display_name="Maintenance > Conventional Oil Change"),
    "A 2020 Tesla Model 3 is electric: it has no gasoline-engine oil to change.",
    [
        EstimatedProblem(
            id=614, slug="ev-annual-service", display_name="Maintenance > Electric Vehicle Annual Service"
        )
    ],
)


def _possible_failures(rule: GuardedRule, *, is_counted: bool) -> Iterable[Exception]:
    """Yield one failure of each kind that can occur on a route, with a real message."""
    spec, auth, raises = rule.spec, rule.auth, set(rule.spec.raises)
    is_guarded = auth is not Auth.NONE
    has_kinds_of_credentials = auth in {Auth.SESSION, Auth.SECRET, Auth.ADMIN}
    # With an idempotency key, the body is read for the fingerprint, whether or not the route takes a body.
    reads_body = spec.accepts is not None or spec.file is not None or rule.idempotent
    has_input = reads_body or spec.query is not None
    may_conflict = Conflict in raises or (rule.idempotent and bool(rule.arguments))
    possible: tuple[tuple[bool, Exception], ...] = (
        (reads_body, BadRequest("The body is not valid JSON.")),
        (has_input and not reads_body, BadRequest("The query string contains a NUL character.")),
        (is_guarded or Unauthenticated in raises, Unauthenticated()),
        (has_kinds_of_credentials or Forbidden in raises, Forbidden()),
        (bool(rule.arguments) or NotFound in raises, NotFound("There is no such record.")),
        (may_conflict, _PARTNER_CONFLICT if is_counted else _CONFLICT),
        (rule.idempotent, InProgress()),
        (reads_body, RequestEntityTooLarge()),
        (reads_body, UnsupportedMediaType()),
        (has_input or Invalid in raises, Invalid({"zip_code": ["The zip code field is required."]})),
        (Unresolvable in raises, Unresolvable("No VIN was found.")),
        (ProblemDoesNotFit in raises, _DOES_NOT_FIT),
        (is_counted or is_guarded or TooMany in raises, TooMany(17)),
        (
            is_counted or is_guarded or Unavailable in raises,
            Unavailable("The source is not responding at the moment."),
        ),
    )
    yield from (failure for occurs, failure in possible if occurs)
    yield RuntimeError()
