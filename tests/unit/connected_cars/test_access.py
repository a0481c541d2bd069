"""Callers that wait for another worker's refresh get its outcome, whenever it ends."""

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
class OtherWorker:
    """A database where another worker holds the refresh lease for a number of reads."""

    reads: int
    fails: bool = False

    @contextmanager
    def open_work(self) -> Iterator[Any]:
        yield self

    @property
    def car_connections(self) -> "OtherWorker":
        return self

    @property
    def refresh_leases(self) -> "OtherWorker":
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
        self.reads -= 1
        return self.reads < 0


class Vault:
    def unseal(self, sealed: str) -> Tokens:
        return Tokens(access=sealed, refresh=None, expires_at=None)


def call_api(access: str) -> str:
    if access == "old":
        raise AccessRefused
    return access


def token_access(worker: OtherWorker) -> TokenAccess:
    ports: Any = {"provider": None, "vault": Vault(), "clock": lambda: NOW, "wait": lambda _: None}
    return TokenAccess(transaction=worker.open_work, read=worker.open_work, **ports)


@pytest.mark.parametrize("reads", range(6))
def test_call_uses_tokens_that_another_worker_refreshed(reads: int) -> None:
    assert token_access(OtherWorker(reads)).call(OLD, call_api) == "new"


@pytest.mark.parametrize("reads", range(3))
def test_call_fails_when_another_workers_refresh_fails(reads: int) -> None:
    with pytest.raises(CarSourceUnavailable):
        token_access(OtherWorker(reads, fails=True)).call(OLD, call_api)
