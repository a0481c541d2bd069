"""Client for a connected-car provider that speaks the protocol of docs/reference/car-provider-protocol.md.

Responses are not trusted: their shape, lengths and ranges are validated.
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
from repaircore.external_settings import CarProviderSettings
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.types import Clock
from repaircore.vehicles.vin import normalize, validate

T = TypeVar("T")

UNKNOWN: Final = "unknown_vehicle"
"""The ``error`` in a 404 for a car that the driver does not have; any other 404 means that the URL is wrong."""

SECONDS: Final = 5.0
"""Seconds until a request to the provider times out."""

_TOKEN_STATUSES: Final = frozenset(
    {HTTPStatus.OK.value, HTTPStatus.BAD_REQUEST.value, HTTPStatus.UNAUTHORIZED.value}
)
_API_STATUSES: Final = frozenset(
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
    """An invalid response; the message completes a sentence about the provider, such as "returned an invalid VIN"."""


@frozen(kw_only=True)
class RemoteCars(CarProvider):
    """The provider in the settings; drivers are redirected back to ``redirect``."""

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
        """Return a client for the provider in the settings."""
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
                url=settings.token_url or "", headers=headers, accepts=_TOKEN_STATUSES, most_bytes=_MOST_BYTES
            ),
            api=Outbound(url=settings.api_url or "", accepts=_API_STATUSES, most_bytes=_MOST_BYTES),
            revocations=revocations or None,
        )

    @override
    def authorization_url(self, request: Authorization) -> str:
        parts = urlsplit(self.settings.authorize_url or "")
        params = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": self.redirect,
            "scope": self.settings.scopes,
            "state": request.state,
            "code_challenge": request.challenge,
            "code_challenge_method": "S256",
            "login_hint": request.email,
        }
        query = urlencode({name: value for name, value in params.items() if value})
        return urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query))

    @override
    def exchange(self, code: str, verifier: str) -> Tokens:
        try:
            return self._request_tokens(
                grant_type="authorization_code", code=code, redirect_uri=self.redirect, code_verifier=verifier
            )
        except AccessRefused:
            raise CodeRefused from None

    @override
    def refresh(self, refresh_token: str) -> Tokens:
        return self._request_tokens(grant_type="refresh_token", refresh_token=refresh_token)

    @override
    def revoke(self, tokens: Tokens) -> bool:
        if self._revocations is None:
            return False
        form = self._form(token=tokens.refresh or tokens.access)
        with _translating_failures():
            self._revocations.post(content=form, content_type=_FORM, repeatable=True, seconds=self.seconds)
        return True

    @override
    def list_cars(self, access_token: str) -> GrantedCars:
        return self._get("/v1/vehicles", access_token, _granted_cars)

    @override
    def read(self, access_token: str, vin: str) -> CarReading:
        return self._get(f"/v1/vehicles/{vin}/status", access_token, lambda data: self._reading(data, vin))

    def _request_tokens(self, **params: str) -> Tokens:
        with _translating_failures():
            # Never retried: a code and, at many providers, a refresh token can be used only once.
            response = self._tokens.post(
                content=self._form(**params), content_type=_FORM, seconds=self.seconds
            )
            data = _object(response)
            if response.status != HTTPStatus.OK:
                raise _token_error(data)
            return self._parse_tokens(data)

    def _parse_tokens(self, data: Mapping[str, Any]) -> Tokens:
        if str(data.get("token_type", "")).casefold() != "bearer":
            raise _InvalidResponse("returned no bearer token")
        access = _token(data.get("access_token"))
        if access is None:
            raise _InvalidResponse("returned no bearer token")
        life = data.get("expires_in")
        if life is not None and (type(life) is not int or not 0 < life <= _LONGEST_LIFE):
            raise _InvalidResponse("returned a token with an invalid lifetime")
        expires_at = None if life is None else self.clock() + timedelta(seconds=life)
        return Tokens(access=access, refresh=_token(data.get("refresh_token")), expires_at=expires_at)

    def _get(self, path: str, token: str, parse: Callable[[Mapping[str, Any]], T]) -> T:
        with _translating_failures():
            response = self._api.get(path, headers={"authorization": f"Bearer {token}"}, seconds=self.seconds)
            if response.status == HTTPStatus.UNAUTHORIZED:
                raise AccessRefused
            data = _object(response)
            if response.status == HTTPStatus.NOT_FOUND:
                raise (CarGone if data.get("error") == UNKNOWN else _InvalidResponse("returned status 404"))
            return parse(data)

    def _reading(self, data: Mapping[str, Any], vin: str) -> CarReading:
        if data.get("vin") != vin:
            raise _InvalidResponse("returned data for a different car")
        odometer = _number("odometer_miles", data.get("odometer_miles"))
        return CarReading(
            vin=vin,
            measured_at=self._measured_at(data.get("measured_at")),
            odometer=None if odometer is None else int(odometer),
            battery_voltage=_number("battery_voltage", data.get("battery_voltage")),
            battery_percent=_number("battery_percent", data.get("battery_percent")),
            oil_life_percent=_number("oil_life_percent", data.get("oil_life_percent")),
            tire_pressures=_pressures(data.get("tire_pressures_psi")),
            dtc_codes=_trouble_codes(data.get("dtc_codes")),
        )

    def _measured_at(self, value: Any) -> datetime:
        """Return the time of measurement, or the current time if the car does not report it."""
        now = self.clock()
        if value is None:
            return now
        try:
            at = datetime.fromisoformat(value).astimezone(UTC)
        except (TypeError, ValueError, OverflowError):
            raise _InvalidResponse("returned an invalid time") from None
        if at > now + _SKEW or at.year < 1990:  # noqa: PLR2004 - no car was connected before
            raise _InvalidResponse("returned a time that is in the future or before 1990")
        return min(at, now)

    def _form(self, **params: str) -> bytes:
        # A client with a secret is identified by its Authorization header.
        client = {} if self.settings.client_secret else {"client_id": self.settings.client_id or ""}
        return urlencode({**params, **client}).encode()


def _client_headers(settings: CarProviderSettings) -> Mapping[str, str]:
    """Return the header for basic authentication, or no header if there is no secret.

    The client ID and secret are form-encoded first (RFC 6749, 2.3.1).
    """
    if not settings.client_secret:
        return {}
    credential = f"{quote_plus(settings.client_id or '')}:{quote_plus(settings.client_secret)}"
    return {"authorization": f"Basic {b64encode(credential.encode()).decode()}"}


@contextmanager
def _translating_failures() -> Iterator[None]:
    try:
        yield
    except NoAnswer as failure:
        raise CarSourceUnavailable(f"The connected-car provider failed: {failure.message}.") from None
    except _InvalidResponse as invalid:
        raise CarSourceUnavailable(f"The connected-car provider {invalid}.") from None


def _object(response: Response) -> Mapping[str, Any]:
    try:
        data = decode(response.body)
    except NotJsonError:
        raise _InvalidResponse("returned a response that is not JSON") from None
    if not isinstance(data, dict):
        raise _InvalidResponse("returned a response in an unknown format")
    return data


def _token_error(data: Mapping[str, Any]) -> Exception:
    """Return ``AccessRefused`` for an invalid code or refresh token; otherwise, return ``_InvalidResponse``."""
    if data.get("error") == "invalid_grant":
        return AccessRefused()
    if data.get("error") in {"invalid_client", "unauthorized_client"}:
        return _InvalidResponse("does not accept the client ID or secret")
    return _InvalidResponse("rejected the token request")


def _token(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value.isascii() or not value.isprintable() or " " in value:
        raise _InvalidResponse("returned an invalid token")
    if not 0 < len(value) <= _LONGEST_TOKEN:
        raise _InvalidResponse("returned an invalid token")
    return value


def _granted_cars(data: Mapping[str, Any]) -> GrantedCars:
    cars = data.get("vehicles")
    if not isinstance(cars, list) or len(cars) > _MOST_CARS:
        raise _InvalidResponse("returned a response in an unknown format")
    vins = tuple(dict.fromkeys(map(_vin, cars)))
    driver = data.get("driver")
    email = driver.get("email") if isinstance(driver, dict) else None
    return GrantedCars(vins=vins, email=email if isinstance(email, str) and _EMAIL.fullmatch(email) else None)


def _vin(car: Any) -> str:
    value = car.get("vin") if isinstance(car, dict) else None
    vin = normalize(value) if isinstance(value, str) else ""
    if len(vin) != _VIN_LENGTH or validate(vin):
        raise _InvalidResponse("returned an invalid VIN")
    return vin


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if type(value) not in {int, float} or not 0 <= value <= _RANGES[name]:
        raise _InvalidResponse(f"returned an invalid value for {name}")
    return float(value)


def _pressures(value: Any) -> Mapping[str, float]:
    if value is None:
        return {}
    if not isinstance(value, dict) or len(value) > _MOST_WHEELS or not all(map(_WHEEL.fullmatch, value)):
        raise _InvalidResponse("returned a response in an unknown format")
    pressures = {wheel: _number("tire_pressures_psi", pressure) for wheel, pressure in value.items()}
    return {wheel: pressure for wheel, pressure in pressures.items() if pressure is not None}


def _trouble_codes(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > _MOST_CODES:
        raise _InvalidResponse("returned a response in an unknown format")
    if not all(isinstance(code, str) and _CODE.fullmatch(code) for code in value):
        raise _InvalidResponse("returned an invalid trouble code")
    return tuple(dict.fromkeys(value))
