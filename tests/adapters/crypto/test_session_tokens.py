"""Session tokens: which are accepted, and which are not."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from attrs import evolve

from repaircore.adapters.crypto.session_tokens import JwtSessionTokens
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.partners.model import SESSION_LIFETIME, Claims

KEY, OLD = b"k" * 32, b"o" * 40
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
CLAIMS = Claims(
    caller=PartnerCaller(partner_id=7, environment=Environment.TEST),
    token_id="0190",
    issued_at=AT,
    expires_at=AT + timedelta(minutes=15),
)
PAYLOAD: dict[str, Any] = {
    "iss": "repaircore",
    "aud": "repaircore-partner-test",
    "sub": "7",
    "jti": "0190",
    "iat": int(AT.timestamp()),
    "exp": int(AT.timestamp()) + 900,
    "env": "test",
}


@pytest.fixture
def tokens() -> JwtSessionTokens:
    return JwtSessionTokens([KEY, OLD])


def kid(tokens: JwtSessionTokens) -> str:
    name: str = jwt.get_unverified_header(tokens.sign(CLAIMS, sdk_version="1.0.0"))["kid"]
    return name


def forge(
    tokens: JwtSessionTokens, changes: dict[str, Any], *, key: bytes = KEY, algorithm: str = "HS256"
) -> str:
    payload = {name: value for name, value in {**PAYLOAD, **changes}.items() if value is not None}
    # PyJWT creates no token with claims of the wrong type; other libraries would.
    import json  # noqa: PLC0415 - here alone

    return jwt.PyJWS().encode(
        json.dumps(payload).encode(), key, algorithm=algorithm, headers={"kid": kid(tokens), "typ": "JWT"}
    )


def test_signed_token_is_read(tokens: JwtSessionTokens) -> None:
    token = tokens.sign(CLAIMS, sdk_version="2.3.4")

    assert tokens.read(token) == CLAIMS
    assert tokens.read(token) == CLAIMS  # cached by now
    assert jwt.decode(token, options={"verify_signature": False}) == {**PAYLOAD, "sdk": "2.3.4"}
    assert jwt.get_unverified_header(token)["alg"] == "HS256"


def test_token_forged_with_our_key_is_accepted(tokens: JwtSessionTokens) -> None:
    assert tokens.read(forge(tokens, {})) == CLAIMS  # otherwise the cases below would prove nothing


@pytest.mark.parametrize(
    "changes",
    [
        *({name: None} for name in ("iss", "aud", "sub", "jti", "iat", "exp", "env")),
        {"iss": "another"},
        {"aud": "repaircore-partner-live"},
        {"env": "live"},
        {"env": "TEST"},
        {"env": ["test"]},
        {"aud": ["repaircore-partner-test"]},
        {"sub": 7},
        {"sub": "-7"},
        {"sub": "٧"},
        {"sub": "9" * 19},
        {"jti": 5},
        {"iat": "1767323045"},
        {"iat": 1767323045.5},
        {"exp": True},
        {"exp": 10**30},
        {"exp": -1},
    ],
    ids=str,
)
def test_invalid_claims_are_refused_even_when_signed(
    tokens: JwtSessionTokens, changes: dict[str, Any]
) -> None:
    assert tokens.read(forge(tokens, changes)) is None


def test_only_our_keys_and_algorithm_are_accepted(tokens: JwtSessionTokens) -> None:
    assert tokens.read(forge(tokens, {}, key=b"x" * 32)) is None
    assert tokens.read(forge(tokens, {}, key=KEY * 2, algorithm="HS512")) is None
    assert tokens.read(jwt.encode(PAYLOAD, "", algorithm="none", headers={"kid": kid(tokens)})) is None
    assert tokens.read(jwt.encode(PAYLOAD, KEY, algorithm="HS256", headers={"kid": "another"})) is None
    assert tokens.read(jwt.encode(PAYLOAD, KEY, algorithm="HS256")) is None


def test_tampered_token_is_refused(tokens: JwtSessionTokens) -> None:
    header, payload, signature = tokens.sign(CLAIMS, sdk_version="1.0.0").split(".")
    other = tokens.sign(Claims(**{**_fields(CLAIMS), "token_id": "0191"}), sdk_version="1.0.0").split(".")[1]

    assert tokens.read(f"{header}.{other}.{signature}") is None
    assert tokens.read(f"{header}.{payload}.") is None


def _fields(claims: Claims) -> dict[str, Any]:
    return {name: getattr(claims, name) for name in ("caller", "token_id", "issued_at", "expires_at")}


@pytest.mark.parametrize("text", ["", "a", "a.b.c", "....", "mst_" + "0" * 43, "é", "x" * 5000, "\ud800"])
def test_any_other_text_is_refused(tokens: JwtSessionTokens, text: str) -> None:
    assert tokens.read(text) is None


def test_deep_json_is_refused(tokens: JwtSessionTokens) -> None:
    deep = urlsafe_b64encode(b"[" * 1200).decode().rstrip("=")

    assert tokens.read(f"{deep}.{deep}.x") is None


def test_keys_are_replaced_without_ending_sessions(tokens: JwtSessionTokens) -> None:
    before = JwtSessionTokens([OLD]).sign(CLAIMS, sdk_version="1.0.0")

    assert tokens.read(before) == CLAIMS
    assert JwtSessionTokens([KEY]).read(before) is None
    assert JwtSessionTokens([OLD]).read(tokens.sign(CLAIMS, sdk_version="1.0.0")) is None


def test_full_token_cache_still_reads_every_token() -> None:
    tokens = JwtSessionTokens([KEY], most=2)
    signed = [
        tokens.sign(Claims(**{**_fields(CLAIMS), "token_id": str(number)}), sdk_version="1.0.0")
        for number in range(5)
    ]
    read = [tokens.read(token) for token in (*signed, *signed)]

    assert [one.token_id for one in read if one is not None] == [str(number) for number in range(5)] * 2


@pytest.mark.parametrize("keys", [[], [b"short"], [KEY, b"k" * 31]])
def test_short_key_is_refused(keys: list[bytes]) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        JwtSessionTokens(keys)


def test_former_key_is_accepted_for_the_lifetime_of_a_session() -> None:
    now = 100.0
    tokens = JwtSessionTokens([KEY], former=OLD, clock=lambda: now)
    first, second = (
        JwtSessionTokens([OLD]).sign(evolve(CLAIMS, token_id=name), sdk_version="1.0.0") for name in "ab"
    )

    assert tokens.read(first) == evolve(CLAIMS, token_id="a")
    now += SESSION_LIFETIME.total_seconds()
    assert tokens.read(second) is None


@pytest.mark.parametrize("number", [0, 1, 1767323045678901])
def test_ended_before_claim_survives_signing(tokens: JwtSessionTokens, number: int) -> None:
    claims = evolve(CLAIMS, ended_before=number)

    assert tokens.read(tokens.sign(claims, sdk_version="1.0.0")) == claims
    assert tokens.read(forge(tokens, {"end": str(number)})) is None
