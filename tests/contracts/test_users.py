"""What the port ``Users`` promises, on both databases."""

import contextlib
from datetime import UTC, datetime

import pytest

from repaircore.accounts.errors import EmailTaken
from repaircore.adapters.sql import work
from repaircore.adapters.sql.database import Database
from repaircore.kernel.callers import Role

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def test_a_kept_user_comes_back_as_they_were(database: Database) -> None:
    with work.begin(database, write=True) as unit:
        kept = unit.users.add(name="Ada", email="ada@example.org", password_hash="x", at=NOW)
    with work.begin(database, write=False) as unit:
        assert unit.users.by_email("ada@example.org") == kept
        assert unit.users.by_id(kept.id) == kept
    assert (kept.role, kept.created_at) == (Role.USER, NOW)


def test_an_email_is_taken_once(database: Database) -> None:
    with work.begin(database, write=True) as unit:
        unit.users.add(name="Ada", email="ada@example.org", password_hash="x", at=NOW)
    with pytest.raises(EmailTaken), work.begin(database, write=True) as unit:
        unit.users.add(name="Eve", email="ada@example.org", password_hash="y", at=NOW)


def test_a_failed_unit_leaves_nothing(database: Database) -> None:
    with contextlib.suppress(RuntimeError), work.begin(database, write=True) as unit:
        unit.users.add(name="Ada", email="ada@example.org", password_hash="x", at=NOW)
        raise RuntimeError("stop")
    with work.begin(database, write=False) as unit:
        assert unit.users.all() == []
