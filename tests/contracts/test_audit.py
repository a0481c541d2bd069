"""The contract of the port ``AuditLog``, on both databases."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve

from repaircore.accounts.model import User
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.audit.model import AuditFilter
from repaircore.audit.service import Audit
from repaircore.kernel.audit import AuditEntry
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid
from repaircore.kernel.paging import PageRequest

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def entries(database: Database, **which: int) -> list[AuditEntry]:
    with work.open_work(database, write=False) as unit:
        return list(unit.audit.list_newest(**{"limit": 10, **which}))


def add(database: Database, caller: Caller, subject: str) -> None:
    with work.open_work(database, write=True) as unit:
        unit.audit.add(caller, "thing.change", subject, before=None, after={"ä": [1, None]}, at=NOW)


def test_entry_is_loaded_as_stored(database: Database, ada: User) -> None:
    caller = Caller(
        user_id=ada.id,
        role=Role.ADMIN,
        environment=Environment.TEST,
        credential=Credential.SECRET,
        key_id=7,
    )
    add(database, caller, "things/1")
    (entry,) = entries(database)
    assert entry == AuditEntry(
        id=entry.id,
        at=NOW,
        environment=Environment.TEST,
        user_id=ada.id,
        key_id=7,
        email=ada.email,
        action="thing.change",
        subject="things/1",
        before=None,
        after={"ä": [1, None]},
    )


def test_list_is_newest_first_and_continues_before_an_id(database: Database) -> None:
    for number in range(5):
        add(database, LOCAL, f"things/{number}")
    first = entries(database, limit=2)
    rest = entries(database, before_id=first[-1].id)
    assert [one.subject for one in (*first, *rest)] == [f"things/{number}" for number in (4, 3, 2, 1, 0)]


def test_entry_of_a_deleted_user_keeps_the_user_id(database: Database) -> None:
    add(database, evolve(LOCAL, user_id=987), "things/1")
    (entry,) = entries(database)
    assert (entry.user_id, entry.email) == (987, None)


def test_rolled_back_change_leaves_no_entry(database: Database) -> None:
    def change() -> None:
        with work.open_work(database, write=True) as unit:
            unit.audit.add(LOCAL, "thing.change", "things/1", before={}, after=None, at=NOW)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change()
    assert entries(database) == []


def test_page_has_only_filtered_entries(database: Database, ada: User) -> None:
    audit = Audit(read=lambda: work.open_work(database, write=False))
    caller = Caller(
        user_id=ada.id, role=Role.ADMIN, environment=Environment.LIVE, credential=Credential.SESSION
    )
    for days, who, action in ((0, LOCAL, "thing.add"), (1, caller, "thing.add"), (2, caller, "thing.drop")):
        with work.open_work(database, write=True) as unit:
            at = NOW + timedelta(days=days)
            unit.audit.add(who, action, f"things/{days}", before=None, after=None, at=at)

    def subjects(**wanted: Any) -> list[str]:
        found = audit.page(AuditFilter(**wanted), request=PageRequest(per_page=10))
        assert found.total == len(found.items)
        assert list(audit.list_each(AuditFilter(**wanted))) == list(found.items)
        assert list(audit.list_newest(AuditFilter(**wanted))) == list(found.items)
        return [entry.subject for entry in found]

    assert subjects() == ["things/2", "things/1", "things/0"]
    assert subjects(who=f" {ada.email.upper()} ") == ["things/2", "things/1"]
    assert subjects(who="installation") == ["things/0"]
    assert subjects(action="thing.add") == ["things/1", "things/0"]
    assert subjects(date_from=date(2026, 1, 3)) == ["things/2", "things/1"]
    assert subjects(date_to=date(2026, 1, 3)) == ["things/1", "things/0"]
    assert subjects(date_from=date(2026, 1, 3), date_to=date(2026, 1, 3)) == ["things/1"]
    assert subjects(who="", action="") == ["things/2", "things/1", "things/0"]
    assert audit.list_actions() == ["thing.add", "thing.drop"]
    assert [entry.subject for entry in audit.page(request=PageRequest(number=2, per_page=2))] == ["things/0"]


def test_days_of_a_filter_begin_and_end_at_midnight(database: Database) -> None:
    audit = Audit(read=lambda: work.open_work(database, write=False))
    midnight, moment = datetime(2026, 1, 3, tzinfo=UTC), timedelta(microseconds=1)
    for number, at in enumerate(
        (midnight - moment, midnight, midnight + timedelta(days=1) - moment, midnight + timedelta(days=1))
    ):
        with work.open_work(database, write=True) as unit:
            unit.audit.add(LOCAL, "thing.add", f"things/{number}", before=None, after=None, at=at)
    day = AuditFilter(date_from=date(2026, 1, 3), date_to=date(2026, 1, 3))

    assert [entry.subject for entry in audit.list_newest(day)] == ["things/2", "things/1"]


def test_filter_by_unknown_values_is_an_error(database: Database) -> None:
    audit = Audit(read=lambda: work.open_work(database, write=False))
    wanted = AuditFilter(
        who="nobody@example.org",
        action="thing.fly",
        date_from=date(2026, 1, 2),
        date_to=date(2026, 1, 1),
    )
    for ask in (
        audit.list_newest,
        audit.list_each,
        lambda wanted: audit.page(wanted, request=PageRequest(per_page=1)),
    ):
        with pytest.raises(Invalid) as wrong:
            ask(wanted)
        assert set(wrong.value.fields) == {"who", "action", "date_to"}


def test_list_each_yields_a_long_log(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        for number in range(1001):
            unit.audit.add(LOCAL, "thing.change", f"things/{number}", before=None, after=None, at=NOW)
    audit = Audit(read=lambda: work.open_work(database, write=False))
    assert len({entry.id for entry in audit.list_each()}) == 1001


def test_reading_requires_an_admin_and_a_valid_limit(database: Database) -> None:
    audit = Audit(read=lambda: work.open_work(database, write=False))
    add(database, LOCAL, "things/1")
    assert len(audit.list_newest()) == 1
    with pytest.raises(Forbidden):
        audit.list_newest(caller=evolve(LOCAL, role=Role.USER))
    with pytest.raises(Forbidden):
        audit.page(request=PageRequest(per_page=1), caller=evolve(LOCAL, role=Role.USER))
    with pytest.raises(Forbidden):
        audit.list_each(caller=evolve(LOCAL, role=Role.USER))
    with pytest.raises(Forbidden):
        audit.list_actions(evolve(LOCAL, role=Role.USER))
    for limit in (0, 1001):
        with pytest.raises(Invalid):
            audit.list_newest(limit=limit)
