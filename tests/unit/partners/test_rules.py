"""The format of partners' keys."""

import pytest

from repaircore.kernel.callers import Environment
from repaircore.kernel.keys import KEY_BYTES
from repaircore.partners.rules import (
    is_public_key,
    is_secret_key,
    looks_secret,
    public_key,
    secret_key,
)


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
