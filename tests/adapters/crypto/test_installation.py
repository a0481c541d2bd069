"""The secret of an installation: a setting, or generated once and stored where only its owner can read it."""

from pathlib import Path

import pytest
from tests.threads import at_once

from repaircore.adapters.crypto.installation import derived, installation_secret
from repaircore.kernel.errors import Invalid, Unavailable

CONFIGURED = "t" * 32


def test_configured_secret_is_used_and_no_file_is_created(tmp_path: Path) -> None:
    file = tmp_path / "shop.db.key"

    assert installation_secret(CONFIGURED, file) == CONFIGURED
    assert not file.exists()


def test_secret_is_generated_once_and_then_read(tmp_path: Path) -> None:
    file = tmp_path / "new" / "shop.db.key"
    generated = installation_secret(None, file)

    assert len(generated) >= 32
    assert installation_secret(None, file) == generated
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_concurrent_starts_get_the_same_secret(tmp_path: Path) -> None:
    file = tmp_path / "shop.db.key"

    assert len(set(at_once(12, lambda: installation_secret(None, file)))) == 1
    assert list(tmp_path.iterdir()) == [file]


def test_each_installation_has_its_own_secret(tmp_path: Path) -> None:
    generated = {installation_secret(None, tmp_path / name) for name in "abc"}

    assert len(generated) == 3


def test_missing_secret_and_file_reports_the_setting() -> None:
    with pytest.raises(Invalid) as raised:
        installation_secret(None, None)

    assert set(raised.value.fields) == {"secret_key"}


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff" * 40])
def test_damaged_file_is_reported_and_left_alone(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "shop.db.key"
    file.write_bytes(content)
    with pytest.raises(Unavailable, match=r"shop\.db\.key"):
        installation_secret(None, file)

    assert file.read_bytes() == content


def test_file_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file in the place of the folder")
    with pytest.raises(Unavailable, match="cannot be stored"):
        installation_secret(None, tmp_path / "folder" / "shop.db.key")


def test_keys_of_different_purposes_and_secrets_differ() -> None:
    generated = {
        derived(secret, purpose) for secret in (CONFIGURED, "u" * 32) for purpose in ("states", "tokens")
    }

    assert len(generated) == 4
    assert {len(key) for key in generated} == {32}
