"""The vault of tokens: encryption, decryption and key rotation."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.crypto.vault import FernetVault
from repaircore.connected_cars.errors import Unreadable
from repaircore.connected_cars.model import Tokens

OLD, NEW = "old-" * 8, "new-" * 8
TOKENS = Tokens(access="hush-a", refresh="hush-r", expires_at=datetime(2026, 1, 2, 3, 4, 5, 678901, UTC))

tokens = st.builds(
    Tokens,
    access=st.text(min_size=1),
    refresh=st.none() | st.text(min_size=1),
    expires_at=st.none() | st.datetimes(timezones=st.just(UTC)),
)


@given(tokens)
def test_sealed_text_is_opened_unchanged(tokens: Tokens) -> None:
    vault = FernetVault.of([NEW])

    assert vault.unseal(vault.seal(tokens)) == tokens


def test_sealed_text_reveals_nothing_and_is_never_the_same_twice() -> None:
    vault = FernetVault.of([NEW])
    sealed = {vault.seal(TOKENS) for _ in range(3)}

    assert len(sealed) == 3
    assert not any("hush" in one for one in sealed)
    assert "hush" not in repr(TOKENS)
    assert "new-" not in repr(vault)


def test_older_keys_open_and_the_newest_seals() -> None:
    sealed = FernetVault.of([OLD]).seal(TOKENS)
    both = FernetVault.of([NEW, OLD])
    assert both.unseal(sealed) == TOKENS
    rotated = both.reseal(sealed)

    assert FernetVault.of([NEW]).unseal(rotated) == TOKENS
    with pytest.raises(Unreadable):
        FernetVault.of([OLD]).unseal(rotated)


@pytest.mark.parametrize(
    "spoil", [lambda text: text[:-2], lambda text: "A" + text[1:], lambda _: "", lambda _: "é"]
)
def test_changed_text_or_unknown_key_is_unreadable(spoil: "object") -> None:
    assert callable(spoil)
    sealed = spoil(FernetVault.of([NEW]).seal(TOKENS))
    for vault in (FernetVault.of([NEW]), FernetVault.of([OLD])):
        with pytest.raises(Unreadable):
            vault.unseal(sealed)
        with pytest.raises(Unreadable):
            vault.reseal(sealed)
