import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.accounts import tokens
from repaircore.kernel.callers import Credential, Environment
from repaircore.kernel.keys import KEY_BYTES, digest

KEY = st.builds(
    tokens.api_key,
    st.sampled_from([Credential.PUBLISHABLE, Credential.SECRET]),
    st.sampled_from(Environment),
    st.binary(min_size=KEY_BYTES, max_size=KEY_BYTES),
)
SESSION = st.builds(
    tokens.session_token, st.binary(min_size=tokens.SESSION_BYTES, max_size=tokens.SESSION_BYTES)
)
BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"


@pytest.mark.parametrize("environment", Environment)
@pytest.mark.parametrize(
    ("credential", "prefix"), [(Credential.PUBLISHABLE, "pk"), (Credential.SECRET, "sk")]
)
def test_parse_token_recognizes_a_key(credential: Credential, prefix: str, environment: Environment) -> None:
    token = tokens.api_key(credential, environment, bytes(24))
    presented = tokens.parse_token(token)
    assert token.startswith(f"{prefix}_{environment}_")
    assert presented is not None
    assert (presented.credential, presented.digest) == (credential, digest(token))


@given(SESSION)
def test_parse_token_recognizes_a_session(token: str) -> None:
    presented = tokens.parse_token(token)
    assert presented is not None
    assert (presented.credential, presented.digest) == (Credential.SESSION, digest(token))


@pytest.mark.parametrize("environment", Environment)
def test_checksum_rejects_every_change_of_one_character(environment: Environment) -> None:
    token = tokens.api_key(Credential.SECRET, environment, bytes(range(24)))
    for place, right in enumerate(token):
        for wrong in set(BASE62_DIGITS) - {right}:
            assert tokens.parse_token(token[:place] + wrong + token[place + 1 :]) is None


@given(KEY, st.integers(min_value=0, max_value=45))
def test_checksum_rejects_swapped_neighbors(token: str, place: int) -> None:
    swapped = token[:place] + token[place + 1] + token[place] + token[place + 2 :]
    assert (tokens.parse_token(swapped) is None) == (swapped != token)


@given(KEY | SESSION, st.integers(min_value=0, max_value=60))
def test_parse_token_rejects_a_shortened_token(token: str, length: int) -> None:
    assert tokens.parse_token(token[: min(length, len(token) - 1)]) is None


@given(KEY | SESSION, st.text(min_size=1, max_size=5))
def test_parse_token_rejects_a_lengthened_token(token: str, tail: str) -> None:
    assert tokens.parse_token(token + tail) is None


@given(KEY)
def test_parse_token_rejects_another_kinds_prefix(token: str) -> None:
    for prefix in {"pk_test_", "pk_live_", "sk_test_", "sk_live_", "mst_"} - {token[:8]}:
        assert tokens.parse_token(prefix + token[8:]) is None


@given(SESSION)
def test_session_token_with_a_key_prefix_is_rejected(token: str) -> None:
    assert all(
        tokens.parse_token(prefix + token[4:]) is None
        for prefix in ("pk_test_", "pk_live_", "sk_test_", "sk_live_")
    )


@given(st.text(st.characters(codec=None), max_size=60))
def test_parse_token_rejects_any_other_text(text: str) -> None:
    for prefix in ("", "sk_live_", "mst_"):
        assert tokens.parse_token(prefix + text) is None


@pytest.mark.parametrize("foreign", ["é", "٣", "\ud800", "\x00", "０"])
def test_parse_token_rejects_letters_outside_the_alphabet(foreign: str) -> None:
    key = tokens.api_key(Credential.SECRET, Environment.LIVE, bytes(24))
    session = tokens.session_token(bytes(32))
    for token in (key, session):
        assert tokens.parse_token(token[:-1] + foreign) is None
        assert tokens.parse_token(token[:10] + foreign + token[11:]) is None


@given(st.data())
def test_different_bytes_make_different_tokens(data: st.DataObject) -> None:
    first, second = (data.draw(st.binary(min_size=24, max_size=24)) for _ in range(2))
    created = {tokens.api_key(Credential.SECRET, Environment.TEST, random) for random in (first, second)}
    assert len(created) == len({first, second})
