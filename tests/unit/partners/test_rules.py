"""The format of partners' keys, and when a session token is current."""

from datetime import UTC, datetime, timedelta

import pytest

from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.keys import KEY_BYTES
from repaircore.partners.model import SESSION_LIFETIME, Claims
from repaircore.partners.rules import (
    LEEWAY,
    LONGEST_STEP,
    is_current,
    is_public_key,
    is_secret_key,
    looks_secret,
    public_key,
    secret_key,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def claims(issued_at: datetime, lifetime: timedelta = SESSION_LIFETIME) -> Claims:
    return Claims(
        caller=PartnerCaller(partner_id=1, environment=Environment.TEST),
        token_id="1",
        issued_at=issued_at,
        expires_at=issued_at + lifetime,
        ended_before=0,
    )


@pytest.mark.parametrize(
    ("age", "lifetime", "valid"),
    [
        (timedelta(0), SESSION_LIFETIME, True),
        (timedelta(0), SESSION_LIFETIME + SECOND, False),
        (timedelta(0), SECOND, True),
        (SESSION_LIFETIME + LEEWAY - SECOND, SESSION_LIFETIME, True),
        (SESSION_LIFETIME + LEEWAY, SESSION_LIFETIME, False),
        (-(LONGEST_STEP + LEEWAY), SESSION_LIFETIME, True),
        (-(LONGEST_STEP + LEEWAY + SECOND), SESSION_LIFETIME, False),
    ],
)
def test_token_is_current_until_it_expires_unless_it_lives_too_long(
    age: timedelta, lifetime: timedelta, *, valid: bool
) -> None:
    assert is_current(claims(NOW - age, lifetime), NOW) is valid


@pytest.mark.parametrize("environment", Environment)
def test_public_and_secret_keys_are_told_apart(environment: Environment) -> None:
    random = bytes(range(KEY_BYTES))
    public, secret = public_key(environment, random), secret_key(environment, random)

    assert public.startswith(f"ppk_{environment}_")
    assert secret.startswith(f"psk_{environment}_")
    assert [is_public_key(public), is_secret_key(public), looks_secret(public)] == [True, False, False]
    assert [is_public_key(secret), is_secret_key(secret), looks_secret(secret)] == [False, True, True]


@pytest.mark.parametrize("kind", ["ppk", "psk"])
def test_malformed_keys_need_no_lookup(kind: str) -> None:
    key = (public_key if kind == "ppk" else secret_key)(Environment.LIVE, bytes(KEY_BYTES))

    for text in ("", f"{kind}_live_", key[:-1], f"{key[:-1]}!", key.replace("live", "dead"), f" {key}"):
        assert not is_public_key(text)
        assert not is_secret_key(text)
    assert looks_secret("psk_nonsense")
