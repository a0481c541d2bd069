"""Cars asked at a provider over HTTP: the protocol of docs/reference/car-provider-protocol.md.

Nothing in an answer is trusted: its shape, its lengths and its ranges are checked.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final, TypeVar
from urllib.parse import quote_plus, urlencode, urlsplit, urlunsplit

from attrs import field, frozen
from typing_extensions import override

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.exchange import Response
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.connected_cars.errors import AccessRefused, CarGone, CarSourceUnavailable, CodeRefused
from repaircore.connected_cars.model import Authorization, CarReading, GrantedCars, Tokens
from repaircore.connected_cars.ports import CarProvider
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.types import Clock
from repaircore.settings import CarProviderSettings
from repaircore.vehicles import vin as vins

T = TypeVar("T")

UNKNOWN: Final = "unknown_vehicle"
"""The ``error`` of a 404 that says that the driver has no such car; any other 404 is a wrong address."""

SECONDS: Final = 5.0
"""How long each request to the provider may take."""

_TOKEN_ANSWERS: Final = frozenset(
    {HTTPStatus.OK.value, HTTPStatus.BAD_REQUEST.value, HTTPStatus.UNAUTHORIZED.value}
)
_API_ANSWERS: Final = frozenset(
    {HTTPStatus.OK.value, HTTPStatus.UNAUTHORIZED.value, HTTPStatus.NOT_FOUND.value}
)
_MOST_BYTES: Final = 64 * 1024
_MOST_CARS: Final = 100
_MOST_CODES: Final = 100
_MOST_WHEELS: Final = 20
_LONGEST_TOKEN: Final = 8192
_LONGEST_LIFE: Final = 10 * 366 * 86_400
_VIN_LENGTH: Final = 17
_SKEW: Final = timedelta(minutes=5)
_FORM: Final = "application/x-www-form-urlencoded"
_CODE: Final = re.compile(r"[PCBU][0-3][0-9A-F]{3}")
_WHEEL: Final = re.compile(r"[a-z][a-z0-9_]{0,29}")
_EMAIL: Final = re.compile(r"[^\s@]{1,64}@[^\s@]{1,190}")
_RANGES: Final = {
    "odometer_miles": 2_000_000,
    "battery_voltage": 20,
    "battery_percent": 100,
    "oil_life_percent": 100,
    "tire_pressures_psi": 150,
}


class _InvalidResponse(Exception):
    """An answer that is of no use, with the reason why."""


@frozen(kw_only=True)
class RemoteCars(CarProvider):
    """Ask the provider that the settings name; drivers come back to ``redirect``."""

    settings: CarProviderSettings
    redirect: str
    clock: Clock
    seconds: float
    _tokens: Outbound = field(repr=False)
    _api: Outbound = field(repr=False)
    _revocations: Outbound | None = field(repr=False)

    @classmethod
    def at(
        cls, settings: CarProviderSettings, *, redirect: str, clock: Clock, seconds: float = SECONDS
    ) -> "RemoteCars":
        """Build the client of a provider; the settings name one."""
        headers = _client_headers(settings)
        revocations = settings.revoke_url and Outbound(
            url=settings.revoke_url, headers=headers, most_bytes=_MOST_BYTES
        )
        return cls(
            settings=settings,
            redirect=redirect,
            clock=clock,
            seconds=seconds,
            tokens=Outbound(
                url=settings.token_url or "", headers=headers, accepts=_TOKEN_ANSWERS, most_bytes=_MOST_BYTES
            ),
            api=Outbound(url=settings.api_url or "", accepts=_API_ANSWERS, most_bytes=_MOST_BYTES),
            revocations=revocations or None,
        )

    @override
    def authorization_url(self, request: Authorization) -> str:
        parts = urlsplit(self.settings.authorize_url or "")
        told = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": self.redirect,
            "scope": self.settings.scopes,
            "state": request.state,
            "code_challenge": request.challenge,
            "code_challenge_method": "S256",
            "login_hint": request.email,
        }
        query = urlencode({name: value for name, value in told.items() if value})
        return urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query))

    @override
    def exchange(self, code: str, verifier: str) -> Tokens:
        try:
            return self._granted(
                grant_type="authorization_code", code=code, redirect_uri=self.redirect, code_verifier=verifier
            )
        except AccessRefused:
            raise CodeRefused from None

    @override
    def refresh(self, refresh_token: str) -> Tokens:
        return self._granted(grant_type="refresh_token", refresh_token=refresh_token)

    @override
    def revoke(self, tokens: Tokens) -> bool:
        if self._revocations is None:
            return False
        form = self._form(token=tokens.refresh or tokens.access)
        with _told():
            self._revocations.post(content=form, content_type=_FORM, repeatable=True, seconds=self.seconds)
        return True

    @override
    def list_cars(self, access_token: str) -> GrantedCars:
        return self._asked("/v1/vehicles", access_token, _garage)

    @override
    def read(self, access_token: str, vin: str) -> CarReading:
        return self._asked(f"/v1/vehicles/{vin}/status", access_token, lambda told: self._reading(told, vin))

    def _granted(self, **told: str) -> Tokens:
        with _told():
            # Never twice: a code and, at many providers, a refresh token count once.
            reply = self._tokens.post(content=self._form(**told), content_type=_FORM, seconds=self.seconds)
            answer = _document(reply)
            if reply.status != HTTPStatus.OK:
                raise _no_grant(answer)
            return self._read_tokens(answer)

    def _read_tokens(self, told: Mapping[str, Any]) -> Tokens:
        if str(told.get("token_type", "")).casefold() != "bearer":
            raise _InvalidResponse("gave no bearer token")
        access = _token(told.get("access_token"))
        if access is None:
            raise _InvalidResponse("gave no bearer token")
        life = told.get("expires_in")
        if life is not None and (type(life) is not int or not 0 < life <= _LONGEST_LIFE):
            raise _InvalidResponse("gave a token with an impossible end")
        ends = None if life is None else self.clock() + timedelta(seconds=life)
        return Tokens(access=access, refresh=_token(told.get("refresh_token")), expires_at=ends)

    def _asked(self, path: str, token: str, read: Callable[[Mapping[str, Any]], T]) -> T:
        with _told():
            reply = self._api.get(path, headers={"authorization": f"Bearer {token}"}, seconds=self.seconds)
            if reply.status == HTTPStatus.UNAUTHORIZED:
                raise AccessRefused
            told = _document(reply)
            if reply.status == HTTPStatus.NOT_FOUND:
                raise (
                    CarGone if told.get("error") == UNKNOWN else _InvalidResponse("answered with status 404")
                )
            return read(told)

    def _reading(self, told: Mapping[str, Any], vin: str) -> CarReading:
        if told.get("vin") != vin:
            raise _InvalidResponse("answered about another car")
        odometer = _number("odometer_miles", told.get("odometer_miles"))
        return CarReading(
            vin=vin,
            measured_at=self._moment(told.get("measured_at")),
            odometer=None if odometer is None else int(odometer),
            battery_voltage=_number("battery_voltage", told.get("battery_voltage")),
            battery_percent=_number("battery_percent", told.get("battery_percent")),
            oil_life_percent=_number("oil_life_percent", told.get("oil_life_percent")),
            tire_pressures=_pressures(told.get("tire_pressures_psi")),
            dtc_codes=_trouble_codes(told.get("dtc_codes")),
        )

    def _moment(self, told: Any) -> datetime:
        """Read when it was measured; a car that does not say so is taken to speak of now."""
        now = self.clock()
        if told is None:
            return now
        try:
            at = datetime.fromisoformat(told).astimezone(UTC)
        except (TypeError, ValueError, OverflowError):
            raise _InvalidResponse("answered with an impossible time") from None
        if at > now + _SKEW or at.year < 1990:  # noqa: PLR2004 - no car told anything before
            raise _InvalidResponse("answered with an impossible time")
        return min(at, now)

    def _form(self, **told: str) -> bytes:
        # Who has a secret shows it in a header, and is named there.
        named = {} if self.settings.client_secret else {"client_id": self.settings.client_id or ""}
        return urlencode({**told, **named}).encode()


def _client_headers(settings: CarProviderSettings) -> Mapping[str, str]:
    """Show id and secret as RFC 6749, 2.3.1 has it: form-encoded, then as basic authentication."""
    if not settings.client_secret:
        return {}
    told = f"{quote_plus(settings.client_id or '')}:{quote_plus(settings.client_secret)}"
    return {"authorization": f"Basic {b64encode(told.encode()).decode()}"}


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except NoAnswer as failure:
        raise CarSourceUnavailable(f"The connected-car provider failed: {failure.message}.") from None
    except _InvalidResponse as refused:
        raise CarSourceUnavailable(f"The connected-car provider {refused}.") from None


def _document(reply: Response) -> Mapping[str, Any]:
    try:
        told = decode(reply.body)
    except NotJsonError:
        raise _InvalidResponse("answered with something that is not JSON") from None
    if not isinstance(told, dict):
        raise _InvalidResponse("answered in an unknown shape")
    return told


def _no_grant(answer: Mapping[str, Any]) -> Exception:
    """Tell a code or refresh token that does not count from whatever else is wrong, which is no fault of the driver."""
    if answer.get("error") == "invalid_grant":
        return AccessRefused()
    if answer.get("error") in {"invalid_client", "unauthorized_client"}:
        return _InvalidResponse("does not accept the client id or secret")
    return _InvalidResponse("refused the request for a token")


def _token(told: Any) -> str | None:
    if told is None:
        return None
    if not isinstance(told, str) or not told.isascii() or not told.isprintable() or " " in told:
        raise _InvalidResponse("gave an impossible token")
    if not 0 < len(told) <= _LONGEST_TOKEN:
        raise _InvalidResponse("gave an impossible token")
    return told


def _garage(told: Mapping[str, Any]) -> GrantedCars:
    listed = told.get("vehicles")
    if not isinstance(listed, list) or len(listed) > _MOST_CARS:
        raise _InvalidResponse("answered in an unknown shape")
    found = tuple(dict.fromkeys(_vin(one) for one in listed))
    driver = told.get("driver")
    email = driver.get("email") if isinstance(driver, dict) else None
    return GrantedCars(
        vins=found, email=email if isinstance(email, str) and _EMAIL.fullmatch(email) else None
    )


def _vin(car: Any) -> str:
    told = car.get("vin") if isinstance(car, dict) else None
    vin = vins.normalize(told) if isinstance(told, str) else ""
    if len(vin) != _VIN_LENGTH or vins.validate(vin):
        raise _InvalidResponse("answered with an impossible VIN")
    return vin


def _number(name: str, told: Any) -> float | None:
    if told is None:
        return None
    if type(told) not in {int, float} or not 0 <= told <= _RANGES[name]:
        raise _InvalidResponse("answered with an impossible figure")
    return float(told)


def _pressures(told: Any) -> Mapping[str, float]:
    if told is None:
        return {}
    if not isinstance(told, dict) or len(told) > _MOST_WHEELS or not all(map(_WHEEL.fullmatch, told)):
        raise _InvalidResponse("answered in an unknown shape")
    read = {wheel: _number("tire_pressures_psi", pressure) for wheel, pressure in told.items()}
    return {wheel: pressure for wheel, pressure in read.items() if pressure is not None}


def _trouble_codes(told: Any) -> tuple[str, ...] | None:
    if told is None:
        return None
    if not isinstance(told, list) or len(told) > _MOST_CODES:
        raise _InvalidResponse("answered in an unknown shape")
    if not all(isinstance(code, str) and _CODE.fullmatch(code) for code in told):
        raise _InvalidResponse("answered with an impossible trouble code")
    return tuple(dict.fromkeys(told))
