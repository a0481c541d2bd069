"""The secret of an installation: a setting, or generated once and stored where only its owner can read it."""

from pathlib import Path

import pytest
from tests.threads import at_once

from repaircore.adapters.crypto.installation import derived, installation_secret
from repaircore.kernel.errors import Invalid, Unavailable

TOLD = "t" * 32


def test_secret_that_is_told_counts_and_no_file_is_made(tmp_path: Path) -> None:
    file = tmp_path / "shop.db.key"

    assert installation_secret(TOLD, file) == TOLD
    assert not file.exists()


def test_secret_is_made_once_and_read_from_then_on(tmp_path: Path) -> None:
    file = tmp_path / "new" / "shop.db.key"
    made = installation_secret(None, file)

    assert len(made) >= 32
    assert installation_secret(None, file) == made
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_all_who_start_at_once_get_the_same_secret(tmp_path: Path) -> None:
    file = tmp_path / "shop.db.key"

    assert len(set(at_once(12, lambda: installation_secret(None, file)))) == 1
    assert list(tmp_path.iterdir()) == [file]


def test_each_installation_has_a_secret_of_its_own(tmp_path: Path) -> None:
    made = {installation_secret(None, tmp_path / name) for name in "abc"}

    assert len(made) == 3


def test_where_there_is_neither_the_setting_is_named() -> None:
    with pytest.raises(Invalid) as raised:
        installation_secret(None, None)

    assert set(raised.value.fields) == {"secret_key"}


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff" * 40])
def test_damaged_file_is_told_of_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "shop.db.key"
    file.write_bytes(content)
    with pytest.raises(Unavailable, match=r"shop\.db\.key"):
        installation_secret(None, file)

    assert file.read_bytes() == content


def test_file_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file in the place of the folder")
    with pytest.raises(Unavailable, match="cannot be stored"):
        installation_secret(None, tmp_path / "folder" / "shop.db.key")


def test_keys_of_different_purposes_and_secrets_differ() -> None:
    made = {derived(secret, purpose) for secret in (TOLD, "u" * 32) for purpose in ("states", "tokens")}

    assert len(made) == 4
    assert {len(key) for key in made} == {32}
