"""The whole service on one core: authentication, rate limits, and every blueprint."""

from collections.abc import Iterator
from typing import Final

from flask_cors import CORS
from werkzeug.middleware.proxy_fix import ProxyFix

from repaircore.core import Core
from repaircore.kernel.callers import Caller, ProviderCaller
from repaircore.kernel.errors import Unauthenticated
from repaircore.settings import MACHINE
from repaircore.shared_services import now
from repaircore_http import main, partner, provider
from repaircore_http.access_log import log_requests
from repaircore_http.app import Api, create_app
from repaircore_http.console.site import Mounted, make_console
from repaircore_http.fast_path.lane import Admission
from repaircore_http.metrics import metrics
from repaircore_http.observations import ObservedApp, RequestObserver, count_requests
from repaircore_http.partner import dialect
from repaircore_http.partner_auth import PartnerAuth

BLUEPRINTS: Final = (*main.BLUEPRINTS, *partner.BLUEPRINTS, *provider.BLUEPRINTS)
"""The blueprints of all areas."""

_EXPOSED_HEADERS: Final = (
    "X-Request-Id",
    "Retry-After",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "Idempotent-Replayed",
)


def serve_core(served: Core, *, has_fast_lane: bool = True) -> Api:
    """Return the WSGI application for a core."""
    authenticate, count = served.accounts.authenticate, served.limits.count_request

    def authenticate_and_count(token: str) -> Caller:
        caller = authenticate(token)
        count(caller)
        return caller

    partner_auth = PartnerAuth(
        prefix=dialect.PREFIX,
        dialect=dialect.partner,
        authenticate=served.partner_sessions.authenticate,
        limits=served.limits,
    )
    app = create_app(
        served,
        authenticate=authenticate_and_count,
        blueprints=(*BLUEPRINTS, metrics) if served.settings.metrics else BLUEPRINTS,
        partner_auth=partner_auth,
        authenticate_provider=lambda key, address: _authenticate_provider(served, key, address),
        has_fast_lane=has_fast_lane,
        admission=Admission(authenticate, count) if _answers_without_waiting(served) else None,
    )
    if served.settings.cors_origins:
        CORS(app, origins=list(served.settings.cors_origins), expose_headers=list(_EXPOSED_HEADERS))
    if served.settings.console:
        console = make_console(served, authenticate=authenticate_and_count)
        app.wsgi_app = Mounted(app.wsgi_app, console, app.url_map)  # type: ignore[method-assign]
    trusted = served.settings.trusted_proxies
    if trusted:
        # Only what the outermost trusted proxy says about the client is used; without one, no such header is.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=trusted, x_proto=trusted)  # type: ignore[method-assign]
    if observers := [*_observers(served)]:
        app.wsgi_app = ObservedApp(app.wsgi_app, observers)  # type: ignore[method-assign]
    return app


def _answers_without_waiting(served: Core) -> bool:
    """Return whether credentials, cached answers and rate windows are in files of this machine, not on a server."""
    settings = served.settings
    return settings.is_embedded and settings.main_windows == MACHINE and settings.redis_url is None


def _authenticate_provider(served: Core, key: str, address: str) -> ProviderCaller:
    """Return the provider with this key; an invalid key is counted per IP address, a valid one per provider."""
    try:
        caller = served.provider_keys.authenticate(key)
    except Unauthenticated:
        served.limits.count_bad_provider_key(address)
        raise
    served.limits.count_provider(caller)
    return caller


def _observers(served: Core) -> Iterator[RequestObserver]:
    if served.settings.metrics:
        yield count_requests(served.meter)
    if served.settings.access_log:
        yield log_requests(served.settings.log_format, clock=now, meter=served.meter)
