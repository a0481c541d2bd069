"""Who waits for a refresh gets what it came to, at whatever moment between two looks it ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from attrs import define, evolve

from repaircore.connected_cars.access import TokenAccess
from repaircore.connected_cars.errors import AccessRefused, CarSourceUnavailable
from repaircore.connected_cars.model import Connection, ConnectionStatus, Tokens
from repaircore.kernel.callers import Environment

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OLD = Connection(
    id=UUID(int=1),
    environment=Environment.LIVE,
    owner_id=7,
    email="ada@example.com",
    standing=ConnectionStatus.ACTIVE,
    sealed="old",
    connected_at=NOW,
)


@define
class Others:
    """A database that shows each look what is kept then; whoever has the turn ends after so many looks."""

    looks: int
    fails: bool = False

    @contextmanager
    def opened(self) -> Iterator[Any]:
        yield self

    @property
    def car_connections(self) -> "Others":
        return self

    @property
    def refresh_leases(self) -> "Others":
        return self

    def acquire(self, *_: Any, **__: Any) -> bool:
        return False

    def is_held(self, *_: Any, **__: Any) -> bool:
        return not self._has_ended()

    def by_id(self, _: UUID) -> Connection:
        return (
            evolve(OLD, version=OLD.version + 1, sealed="new")
            if self._has_ended() and not self.fails
            else OLD
        )

    def _has_ended(self) -> bool:
        self.looks -= 1
        return self.looks < 0


class Vault:
    def unseal(self, sealed: str) -> Tokens:
        return Tokens(access=sealed, refresh=None, expires_at=None)


def asked(access: str) -> str:
    if access == "old":
        raise AccessRefused
    return access


def access_beside(others: Others) -> TokenAccess:
    result: Any = {"provider": None, "vault": Vault(), "clock": lambda: NOW, "wait": lambda _: None}
    return TokenAccess(transaction=others.opened, read=others.opened, **result)


@pytest.mark.parametrize("looks", range(6))
def test_call_uses_tokens_that_another_worker_refreshed(looks: int) -> None:
    assert access_beside(Others(looks)).call(OLD, asked) == "new"


@pytest.mark.parametrize("looks", range(3))
def test_call_fails_with_the_refresh_of_another_worker(looks: int) -> None:
    with pytest.raises(CarSourceUnavailable):
        access_beside(Others(looks, fails=True)).call(OLD, asked)
