"""Blueprints whose routes declare their credential, error dialect, request shapes and responses.

    keys = Routes("keys", url_prefix="/api/v1/keys", auth=Auth.SESSION, tag="keys")

    @keys.post("", accepts=CreateKey, returns=Data[KeyView], status=201, raises=(Conflict,))

A route takes ``auth``, ``dialect``, ``max_bytes`` and ``tag`` from its blueprint unless it states its own. The
application does not start if a route has no ``auth`` from either. HEAD is only supported if a GET is declared ``safe``.

The OpenAPI document is built from these declarations. ``read_body`` and ``read_query`` compare the shape that a view
reads with the declared one, so that the document cannot be wrong.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

import attrs
from attrs import field, frozen
from flask import Blueprint
from flask.typing import RouteCallable
from typing_extensions import override
from werkzeug.routing import Rule

from repaircore.kernel.callers import Caller, PartnerCaller
from repaircore.kernel.errors import Failure
from repaircore_http.errors import Dialect, plain
from repaircore_http.fast_path.lazy_builders import LazyRule
from repaircore_http.guards import Auth

MAX_BODY_BYTES: Final = 1024 * 1024
"""The maximum size of a body, in bytes, unless a route says otherwise."""

FastView: TypeAlias = Callable[[Any, Caller, dict[str, Any]], bytes]
"""Return the JSON for a POST, given the served core, the caller and the body: see ``fast_path.lane``."""

FastRead: TypeAlias = Callable[[Any, PartnerCaller, str], bytes]
"""Return the JSON for a partner's GET, given the served core, the partner and the record's reference."""


@frozen(kw_only=True)
class FormFile:
    """A file in a form. Unless it is ``required``, the other fields may also be sent as JSON.

    ``instead_of`` is the field that it replaces.
    """

    field: str
    media_types: str
    required: bool = True
    instead_of: str | None = None


@frozen(kw_only=True)
class RawResponse:
    """A response that is not JSON; several media types are separated by commas."""

    media_type: str
    description: str


@frozen(kw_only=True)
class RouteSpec:
    """The request shapes and the responses of a route.

    ``accepts`` is the shape of the JSON body, and ``query`` that of the query string; one shape may be both. With
    ``partial``, no field of the body is required. ``returns`` is the shape of the response with ``status``, and
    ``responses`` has those of other responses. ``raises`` has the kinds of failures beyond those that follow from the
    rest (a credential, a body, a path). ``headers`` are request headers, described in ``document.descriptions``.
    """

    accepts: type[Any] | None = None
    partial: bool = False
    query: type[Any] | None = None
    file: FormFile | None = None
    returns: Any = None
    status: int = 200
    responses: Mapping[int, Any] = field(factory=dict)
    raises: tuple[type[Failure], ...] = ()
    headers: tuple[str, ...] = ()
    tag: str | None = None

    @property
    def is_declared(self) -> bool:
        """Return whether the route declares its response."""
        return self.returns is not None

    def require(self, shape: type[Any], *, query: bool = False) -> None:
        """Check that a view reads the shape that its route declares.

        Raises:
            RuntimeError: it reads another shape.
        """
        declared = self.query if query else self.accepts
        if self.is_declared and declared is not shape:
            msg = f"A view reads {shape.__name__}, but its route declares {declared!r}."
            raise RuntimeError(msg)


UNDECLARED: Final = RouteSpec()


class UndeclaredAuth(RuntimeError):
    """Some routes declare no credential, or one that they must not require."""


_SPEC_FIELDS = frozenset(field.name for field in attrs.fields(RouteSpec))


class GuardedRule(LazyRule):
    """A route with its credential, dialect, body limit and ``RouteSpec``.

    ``idempotent`` means that idempotency keys are supported, and that the view runs in the unit of work that stores its
    response. ``prepare`` runs before that unit of work, with the view's arguments: calls to outside services belong
    there.
    """

    def __init__(
        self,
        string: str,
        *,
        auth: Auth | None = None,
        dialect: Dialect | None = None,
        max_bytes: int = MAX_BODY_BYTES,
        safe: bool = False,
        fast: FastView | None = None,
        fast_read: FastRead | None = None,
        idempotent: bool = False,
        prepare: Callable[..., None] | None = None,
        **options: Any,
    ) -> None:
        spec = {name: options.pop(name) for name in _SPEC_FIELDS & options.keys()}
        super().__init__(string, **options)
        self.spec = RouteSpec(**spec) if spec else UNDECLARED
        self.fast = fast
        self.fast_read = fast_read
        self.idempotent = idempotent
        self.prepare = prepare
        self.auth = auth
        self.dialect = dialect
        self.max_bytes = max_bytes
        self.provide_automatic_options = False  # Flask sets this when it adds the rule.
        if not safe and self.methods is not None:
            # Werkzeug runs every GET for HEAD, too; a GET with an effect would then have it for HEAD.
            self.methods.discard("HEAD")


class Routes(Blueprint):
    """A blueprint whose routes share a credential, an error dialect, a body limit and a tag.

    If ``auth`` is None, each route declares its own. ``dialect`` also applies to unknown URLs under ``area``,
    which defaults to ``url_prefix``. ``tag`` is the group of operations in the OpenAPI document; a route may have
    another.
    """

    def __init__(
        self,
        name: str,
        *,
        auth: Auth | None,
        url_prefix: str | None = None,
        dialect: Dialect = plain,
        max_bytes: int = MAX_BODY_BYTES,
        tag: str | None = None,
        area: str | None = None,
    ) -> None:
        super().__init__(name, __name__, url_prefix=url_prefix)
        self.dialect = dialect
        self.area = area or url_prefix
        self._defaults = {"auth": auth, "dialect": dialect, "max_bytes": max_bytes, "tag": tag}

    @override
    def add_url_rule(
        self,
        rule: str,
        endpoint: str | None = None,
        view_func: RouteCallable | None = None,
        provide_automatic_options: bool | None = None,
        **options: Any,
    ) -> None:
        super().add_url_rule(
            rule, endpoint, view_func, provide_automatic_options, **{**self._defaults, **options}
        )


def require_auth(rules: Iterable[Rule]) -> None:
    """Check that every route declares its credential.

    Raises:
        UndeclaredAuth: with each route that does not.
    """
    undeclared = [rule for rule in rules if not isinstance(rule, GuardedRule) or rule.auth is None]
    if undeclared:
        routes = "; ".join(
            f"{'|'.join(sorted(rule.methods or ()))} {rule.rule} ({rule.endpoint})" for rule in undeclared
        )
        msg = f"Routes without a declared credential (auth=Auth.…): {routes}"
        raise UndeclaredAuth(msg)
