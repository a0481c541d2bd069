"""The contract of the port ``LinkRecords``, on both databases."""

from datetime import UTC, datetime

import pytest
from attrs import evolve
from tests.unit.documents.test_billing import VISIT

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.documents.links import Link, SharedKey
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.visits.model import Visit

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def visit(database: Database) -> Visit:
    with work.open_work(database, write=True) as unit:
        unit.visits.add(VISIT)
        found = unit.visits.find(VISIT.number, environment=Environment.LIVE, owner_id=None)
    assert found is not None
    return found


def link(visit: Visit, number: int = 1) -> Link:
    return Link(visit_id=visit.id, token_hash=bytes([number] * 32), seed=b"\0seed", created_at=AT)


def add(database: Database, data: Link) -> Link:
    with work.open_work(database, write=True) as unit:
        return unit.visit_links.add(data)


def test_link_leads_to_its_visit(database: Database, visit: Visit) -> None:
    added = add(database, link(visit))

    with work.open_work(database, write=False) as unit:
        assert unit.visit_links.find(visit.id) == added == link(visit)
        key = unit.visit_links.find_visit(link(visit).token_hash)
        assert key == SharedKey(number=visit.number, environment=Environment.LIVE)
        assert unit.visit_links.find_visit(bytes(32)) is None


def test_visit_keeps_its_first_link(database: Database, visit: Visit) -> None:
    add(database, link(visit))

    assert add(database, link(visit, 2)) == link(visit)


def test_deleted_link_is_gone_and_can_be_replaced(database: Database, visit: Visit) -> None:
    add(database, link(visit))
    with work.open_work(database, write=True) as unit:
        unit.visit_links.delete(visit.id)

    with work.open_work(database, write=True) as unit:
        assert unit.visit_links.find_visit(link(visit).token_hash) is None
        assert unit.visit_links.add(link(visit, 2)) == link(visit, 2)


def test_link_is_deleted_with_its_visit(database: Database, visit: Visit) -> None:
    add(database, link(visit))
    with work.open_work(database, write=True) as unit:
        unit.visits.delete(visit)

    with work.open_work(database, write=False) as unit:
        assert unit.visit_links.find(visit.id) is None


def test_link_requires_a_visit(database: Database, visit: Visit) -> None:
    with pytest.raises(Conflict):
        add(database, evolve(link(visit), visit_id=999_999))
