"""What the ports of partner accounts promise, on both databases."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.accounts.model import User
from repaircore.adapters.fast_path.driver import Driver
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.partners import SqlPartnerStatuses
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden
from repaircore.kernel.keys import digest
from repaircore.partners.model import Partner, PartnerKey

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
TEST, LIVE = Environment.TEST, Environment.LIVE


def add(database: Database, name: str = "Roadside Inc") -> Partner:
    with work.open_work(database, write=True) as unit:
        return unit.partners.find_or_add(name, at=NOW)


def add_key(database: Database, partner: Partner, public: str, where: Environment = TEST) -> PartnerKey:
    with work.open_work(database, write=True) as unit:
        return unit.partner_keys.add(
            partner_id=partner.id,
            environment=where,
            public_key=public,
            secret_hash=digest("secret of " + public),
            secret_last4="last",
            at=NOW,
        )


def suspend(database: Database, partner: Partner, at: datetime | None) -> bool:
    with work.open_work(database, write=True) as unit:
        return unit.partners.set_suspended(partner.id, at)


def test_find_or_add_stores_a_name_once(database: Database) -> None:
    first, again, other = add(database), add(database), add(database, "roadside inc")

    assert first == again == Partner(id=first.id, name="Roadside Inc", created_at=NOW)
    assert other.id != first.id
    with work.open_work(database, write=False) as unit:
        assert unit.partners.list_all() == [first, other]
        assert unit.partners.find("Nobody") is None


def test_list_all_has_the_keys_of_each_partner_oldest_first(database: Database) -> None:
    first, second = add(database), add(database, "Another Inc")
    keys = [
        add_key(database, first, "a"),
        add_key(database, second, "b"),
        add_key(database, first, "c", LIVE),
    ]
    with work.open_work(database, write=False) as unit:
        assert [partner.keys for partner in unit.partners.list_all()] == [(keys[0], keys[2]), (keys[1],)]
        known = unit.partners.find("Roadside Inc")

    assert known is not None
    assert known.keys == (keys[0], keys[2])
    assert known.keys_of(LIVE) == (keys[2],)
    assert add(database).keys == known.keys


def test_set_suspended_keeps_the_first_time(database: Database) -> None:
    partner = add(database)

    assert not suspend(database, partner, None)
    assert suspend(database, partner, NOW)
    assert not suspend(database, partner, NOW + timedelta(days=1))
    with work.open_work(database, write=False) as unit:
        (known,) = unit.partners.list_all()

    assert known.suspended_at == NOW
    assert suspend(database, partner, None)


def test_find_owner_returns_the_partner_and_the_revocation(database: Database) -> None:
    partner = add(database)
    add_key(database, partner, "a")
    add_key(database, partner, "l", LIVE)
    with work.open_work(database, write=True) as unit:
        assert unit.partner_keys.find_owner(digest("nothing")) is None
        owner = unit.partner_keys.find_owner(digest("a"))
        assert owner is not None
        assert (owner.caller.partner_id, owner.caller.environment) == (partner.id, TEST)
        assert (owner.revoked_at, owner.is_suspended) == (None, False)
        assert unit.partner_keys.revoke(partner.id, TEST, at=NOW + timedelta(hours=2)) == 1
        assert unit.partner_keys.revoke(partner.id, TEST, at=NOW + timedelta(hours=3)) == 0
        assert unit.partner_keys.revoke(partner.id, TEST, at=NOW + timedelta(hours=1)) == 1
        revoked, live = unit.partner_keys.find_owner(digest("a")), unit.partner_keys.find_owner(digest("l"))

    assert revoked is not None
    assert revoked.revoked_at == NOW + timedelta(hours=1)
    assert live is not None
    assert live.revoked_at is None
    suspend(database, partner, NOW)
    with work.open_work(database, write=False) as unit:
        suspended = unit.partner_keys.find_owner(digest("l"))

    assert suspended is not None
    assert suspended.is_suspended


def test_add_refuses_a_key_of_another_partner(database: Database) -> None:
    partner = add(database)
    add_key(database, partner, "a")
    with pytest.raises(sa.exc.IntegrityError):
        add_key(database, add(database, "Another Inc"), "a")


def test_is_active_reads_the_committed_status(database: Database, driver: Driver) -> None:
    partner, other = add(database), add(database, "Another Inc")
    statuses = SqlPartnerStatuses(driver)

    assert not statuses.is_active(987_654_321)
    for _ in range(3):
        for at in (NOW, None):
            assert statuses.is_active(partner.id) is (at is not None)
            suspend(database, partner, at)
            assert statuses.is_active(partner.id) is (at is None)
            assert statuses.is_active(other.id)


def test_partners_requires_an_admin(core: Core, ada: User) -> None:
    somebody = evolve(LOCAL, user_id=ada.id, role=Role.USER, credential=Credential.SESSION)
    core.partners.create("Towify", "test")
    calls: list[Callable[[], object]] = [
        lambda: core.partners.list_all(somebody),
        lambda: core.partners.create("Others", "test", somebody),
        lambda: core.partners.suspend("Towify", somebody),
        lambda: core.partners.resume("Towify", somebody),
        lambda: core.partners.rotate_keys("Towify", "test", somebody),
    ]
    for call in calls:
        with pytest.raises(Forbidden):
            call()

    assert core.partners.list_all() == core.partners.list_all(evolve(somebody, role=Role.ADMIN))
    (partner,) = core.partners.list_all()

    assert (partner.name, partner.suspended_at, len(partner.keys)) == ("Towify", None, 1)
