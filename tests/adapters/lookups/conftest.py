"""A scripted service on the loopback, and the shipped data."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from repaircore.adapters.lookups.vin_catalog import VinCatalog, shipped_catalog
from repaircore.testing.upstream import Body, MisbehavingUpstream


def clock() -> datetime:
    return datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="session")
def vin_catalog() -> VinCatalog:
    return VinCatalog(shipped_catalog())


@pytest.fixture
def service() -> Iterator[MisbehavingUpstream]:
    """Return a service that knows no VIN by default."""
    with MisbehavingUpstream(answer(Make="", Model="", ModelYear="", ErrorCode="7,11")) as server:
        yield server


def answer(**row: Any) -> Body:
    return Body(json.dumps({"Count": 1, "Message": "ok", "Results": [row]}).encode())
