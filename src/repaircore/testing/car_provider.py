"""A connected-car provider that follows docs/reference/car-provider-protocol.md, for tests and developers.

    with CarServer() as provider:
        ... Settings(car_provider=provider.settings) ...
        provider.behave("status", Mishap.HANG)       # from now on
        provider.behave("status", None)              # back to normal
        provider.withdraw()                          # as if every driver had withdrawn consent
        assert provider.requests("token") == 1

``repaircore connectedcar sandbox`` runs it. Drivers consent immediately. It is as strict as a real provider: codes and
refresh tokens work once, and the redirect URI and the PKCE verifier must match.
"""

from base64 import b64decode, urlsafe_b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from http import HTTPStatus
from secrets import token_urlsafe
from threading import Lock
from typing import Any, Final
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.lookups.cars_remote import UNKNOWN
from repaircore.external_settings import CarProviderSettings
from repaircore.kernel.types import Clock
from repaircore.settings import PREFIX
from repaircore.testing.loopback import Handler, Loopback

ACCORD: Final = "1HGCM82633A004352"
MODEL_3: Final = "5YJ3E1EA8KF000001"

CARS: Final[Mapping[str, Mapping[str, Any]]] = {
    ACCORD: {
        "odometer_miles": 128_412,
        "battery_voltage": 12.4,
        "oil_life_percent": 38,
        "tire_pressures_psi": {"front_left": 31, "front_right": 32, "rear_left": 30, "rear_right": 31},
        "dtc_codes": ["P0420"],
    },
    MODEL_3: {
        "odometer_miles": 41_870,
        "battery_voltage": 12.9,
        "battery_percent": 81,
        "tire_pressures_psi": {"front_left": 42, "front_right": 42, "rear_left": 41, "rear_right": 42},
        "dtc_codes": [],
    },
}
"""A sedan and an electric car; the serial numbers are made up."""

_LIFE: Final = 3600
_STEPS: Final = {
    "/authorize": "authorize",
    "/token": "token",
    "/revoke": "revoke",
    "/v1/vehicles": "vehicles",
}


def _now() -> datetime:
    return datetime.now(UTC)


class Mishap(StrEnum):
    """A failure that a test can script."""

    HANG = "hang"
    """Never respond."""
    FAIL = "fail"
    """Respond with status 500."""
    GARBAGE = "garbage"
    """Respond with something that is not JSON."""
    DECLINE = "decline"
    """At ``authorize``, the driver does not consent."""
    WRONG_STATE = "wrong_state"
    """At ``authorize``, the driver comes back with a state that was never issued."""


@frozen(kw_only=True)
class Reply:
    """A response: a status, and a JSON document, bytes or a redirect URL."""

    status: HTTPStatus
    body: Any = None
    location: str | None = None


_BROKEN: Final[Mapping[Mishap | None, Reply]] = {
    Mishap.FAIL: Reply(status=HTTPStatus.INTERNAL_SERVER_ERROR, body={"error": "server_error"}),
    Mishap.GARBAGE: Reply(status=HTTPStatus.OK, body=b"<!doctype html><title>Welcome</title>"),
}


@frozen(kw_only=True)
class _Code:
    challenge: str
    redirect: str


class CarServer(Loopback):
    """The provider as a context manager, listening on the loopback interface.

    ``cars`` has the fields of each car's status other than ``vin``; every driver has all of the cars. A ``port`` of 0
    picks a free port.
    """

    client_id: Final = "repaircore-sandbox"
    client_secret: Final = "sandbox-only"  # noqa: S105 - opens nothing

    def __init__(
        self, cars: Mapping[str, Mapping[str, Any]] = CARS, *, port: int = 0, clock: Clock = _now
    ) -> None:
        super().__init__(_Handler, port=port)
        self._clock = clock
        self.cars = dict(cars)
        self.life = _LIFE
        self.email: str | None = None
        self._mishaps: dict[str, Mishap] = {}
        self._requests: list[str] = []
        self._codes: dict[str, _Code] = {}
        self._access: set[str] = set()
        self._refresh: set[str] = set()
        self._lock = Lock()

    @property
    def settings(self) -> CarProviderSettings:
        """Return the settings for using this provider."""
        return CarProviderSettings(
            authorize_url=f"{self.url}/authorize",
            token_url=f"{self.url}/token",
            api_url=self.url,
            revoke_url=f"{self.url}/revoke",
            client_id=self.client_id,
            client_secret=self.client_secret,
            scopes="read_vehicles",
        )

    @property
    def environ(self) -> dict[str, str]:
        """Return the environment variables for using this provider."""
        settings = self.settings
        return {
            f"{PREFIX}CONNECTEDCAR_AUTHORIZE_URL": settings.authorize_url or "",
            f"{PREFIX}CONNECTEDCAR_TOKEN_URL": settings.token_url or "",
            f"{PREFIX}CONNECTEDCAR_API_URL": settings.api_url or "",
            f"{PREFIX}CONNECTEDCAR_REVOKE_URL": settings.revoke_url or "",
            f"{PREFIX}CONNECTEDCAR_CLIENT_ID": self.client_id,
            f"{PREFIX}CONNECTEDCAR_CLIENT_SECRET": self.client_secret,
            f"{PREFIX}CONNECTEDCAR_SCOPES": settings.scopes or "",
        }

    def behave(self, step: str, mishap: Mishap | None) -> None:
        """Make ``authorize``, ``token``, ``revoke``, ``vehicles`` or ``status`` fail from now on; None clears it."""
        with self._lock:
            if mishap is None:
                self._mishaps.pop(step, None)
            else:
                self._mishaps[step] = mishap

    def expire(self) -> None:
        """Expire every access token; refresh tokens stay valid."""
        with self._lock:
            self._access.clear()

    def withdraw(self) -> None:
        """Revoke every consent, as drivers can at the provider."""
        with self._lock:
            self._access.clear()
            self._refresh.clear()

    @property
    def agreements(self) -> int:
        """Count the consents that can still be refreshed."""
        with self._lock:
            return len(self._refresh)

    @property
    def tokens(self) -> frozenset[str]:
        """Return the valid access and refresh tokens."""
        with self._lock:
            return frozenset(self._access | self._refresh)

    def requests(self, step: str) -> int:
        """Count the requests to a step so far."""
        with self._lock:
            return self._requests.count(step)

    def answer(
        self, path: str, query: Mapping[str, str], form: Mapping[str, str], credential: str
    ) -> Reply | None:
        """Return the response to a request, or None to hang up without a response once the server closes."""
        step = _STEPS.get(path, "status" if path.startswith("/v1/vehicles/") else "")
        with self._lock:
            self._requests.append(step)
            mishap = self._mishaps.get(step)
        if mishap is Mishap.HANG:
            self.closing.wait()
            return None
        if mishap in _BROKEN:
            return _BROKEN[mishap]
        with self._lock:
            return self._served(step, path, query, form, credential, mishap)

    def _served(  # noqa: PLR0917 - the parts of one request
        self,
        step: str,
        path: str,
        query: Mapping[str, str],
        form: Mapping[str, str],
        credential: str,
        mishap: Mishap | None,
    ) -> Reply:
        match step:
            case "authorize":
                return self._authorize(query, mishap)
            case "token":
                return self._grant(form, credential)
            case "revoke":
                self._refresh.discard(form.get("token", ""))
                return Reply(status=HTTPStatus.OK)
            case "vehicles" | "status":
                return self._report(path, credential)
        return Reply(status=HTTPStatus.NOT_FOUND, body={"error": "unknown_address"})

    def _authorize(self, query: Mapping[str, str], mishap: Mishap | None) -> Reply:
        redirect, challenge = query.get("redirect_uri", ""), query.get("code_challenge", "")
        sound = query.get("response_type") == "code" and query.get("code_challenge_method") == "S256"
        if query.get("client_id") != self.client_id or not (sound and redirect and challenge):
            return Reply(status=HTTPStatus.BAD_REQUEST, body={"error": "invalid_request"})
        state = "nobody-gave-this-out" if mishap is Mishap.WRONG_STATE else query.get("state", "")
        if mishap is Mishap.DECLINE:
            result = {"state": state, "error": "access_denied"}
        else:
            code = token_urlsafe(16)
            self._codes[code] = _Code(challenge=challenge, redirect=redirect)
            self.email = query.get("login_hint", self.email)
            result = {"state": state, "code": code}
        return Reply(status=HTTPStatus.FOUND, location=f"{redirect}?{urlencode(result)}")

    def _grant(self, form: Mapping[str, str], credential: str) -> Reply:
        if not self._is_client(credential):
            return Reply(status=HTTPStatus.UNAUTHORIZED, body={"error": "invalid_client"})
        if form.get("grant_type") == "authorization_code":
            code = self._codes.pop(form.get("code", ""), None)
            redirect, verifier = form.get("redirect_uri"), form.get("code_verifier", "")
            good = code is not None and (code.redirect, code.challenge) == (redirect, _challenge(verifier))
        else:
            good = form.get("refresh_token", "") in self._refresh
            self._refresh.discard(form.get("refresh_token", ""))
        if not good:
            return Reply(status=HTTPStatus.BAD_REQUEST, body={"error": "invalid_grant"})
        access, refresh = token_urlsafe(24), token_urlsafe(24)
        self._access.add(access)
        self._refresh.add(refresh)
        tokens = {
            "access_token": access,
            "refresh_token": refresh,
            "token_type": "Bearer",
            "expires_in": self.life,
        }
        return Reply(status=HTTPStatus.OK, body=tokens)

    def _report(self, path: str, credential: str) -> Reply:
        if credential.removeprefix("Bearer ") not in self._access:
            return Reply(status=HTTPStatus.UNAUTHORIZED, body={"error": "invalid_token"})
        if path == "/v1/vehicles":
            listed = [{"vin": vin} for vin in self.cars]
            return Reply(status=HTTPStatus.OK, body={"vehicles": listed, "driver": {"email": self.email}})
        vin, _, what = path.removeprefix("/v1/vehicles/").partition("/")
        if what != "status" or vin not in self.cars:
            return Reply(status=HTTPStatus.NOT_FOUND, body={"error": UNKNOWN})
        at = self._clock().isoformat(timespec="seconds")
        return Reply(status=HTTPStatus.OK, body={"vin": vin, "measured_at": at, **self.cars[vin]})

    def _is_client(self, credential: str) -> bool:
        try:
            client = b64decode(credential.removeprefix("Basic ")).decode()
        except ValueError:
            return False
        return unquote_plus(client) == f"{self.client_id}:{self.client_secret}"


def _challenge(verifier: str) -> str:
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()


class _Handler(Handler[CarServer]):
    @override
    def answer(self) -> None:
        url, credential = urlsplit(self.path), self.headers.get("authorization", "")
        reply = self.party.answer(url.path, dict(parse_qsl(url.query)), self.form(), credential)
        if reply is None:
            self.close_connection = True
            return
        headers = {} if reply.location is None else {"location": reply.location}
        self.reply(reply.status, reply.body or {}, headers)
