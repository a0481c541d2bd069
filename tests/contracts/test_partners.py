"""The contract of the ports of partner accounts, on both databases."""

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
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, PartnerCaller, Role
from repaircore.kernel.errors import Failure, Forbidden, Invalid
from repaircore.kernel.keys import digest
from repaircore.kernel.views import iso_utc
from repaircore.partners.errors import MemberElsewhere, MemberNotFound, Suspended
from repaircore.partners.model import SESSION_LIFETIME, Claims, Partner, PartnerKey, PartnerMember
from repaircore.partners.rules import LEEWAY, LONGEST_STEP, is_current
from repaircore.testing.clock import FrozenClock

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


def session(partner: Partner, environment: Environment = TEST) -> Claims:
    return Claims(
        caller=PartnerCaller(partner_id=partner.id, environment=environment),
        token_id="t",
        issued_at=NOW.replace(microsecond=0),
        expires_at=NOW + SESSION_LIFETIME,
    )


def test_find_or_add_stores_a_name_once(database: Database) -> None:
    first, again, other = add(database), add(database), add(database, "roadside inc")

    assert first == again == Partner(id=first.id, name="Roadside Inc", created_at=NOW)
    assert other.id != first.id
    with work.open_work(database, write=False) as unit:
        assert unit.partners.list_page(number=1, per_page=50).items == (first, other)
        assert unit.partners.find("Nobody") is None


def test_list_page_has_each_partners_keys_oldest_first(database: Database) -> None:
    first, second = add(database), add(database, "Another Inc")
    keys = [
        add_key(database, first, "a"),
        add_key(database, second, "b"),
        add_key(database, first, "c", LIVE),
    ]
    with work.open_work(database, write=False) as unit:
        assert [partner.keys for partner in unit.partners.list_page(number=1, per_page=50).items] == [
            (keys[0], keys[2]),
            (keys[1],),
        ]
        known = unit.partners.find("Roadside Inc")

    assert known is not None
    assert known.keys == (keys[0], keys[2])
    assert known.keys_of(LIVE) == (keys[2],)
    assert add(database).keys == known.keys


def test_pages_have_the_keys_of_their_partners(database: Database) -> None:
    created = [add(database, f"Partner {number}") for number in range(5)]
    key = add_key(database, created[3], "a")
    with work.open_work(database, write=False) as unit:
        page = unit.partners.list_page(number=2, per_page=2)
        beyond = unit.partners.list_page(number=4, per_page=2)
        names = unit.partners.list_names([created[4].id, created[0].id, 987_654])

    assert (page.number, page.total, page.last) == (2, 5, 3)
    assert page.items == (created[2], evolve(created[3], keys=(key,)))
    assert (beyond.items, beyond.total) == ((), 5)
    assert names == {created[0].id: "Partner 0", created[4].id: "Partner 4"}


def test_pages_are_searched_by_name_and_key_and_sorted(database: Database) -> None:
    created = [add(database, name) for name in ("Towify", "Assist24", "Tow 100%")]
    key, _ = add_key(database, created[1], "ppk_1"), add_key(database, created[2], "ppk_2")
    with work.open_work(database, write=False) as unit:

        def found(**wanted: str) -> list[str]:
            return [each.name for each in unit.partners.list_page(number=1, per_page=5, **wanted)]

        assert found(search="TOW") == ["Towify", "Tow 100%"]
        assert found(search="100% tow") == ["Tow 100%"]
        assert found(search="% w", sort="name") == ["Tow 100%"]
        assert found(search=key.public_key) == ["Assist24"]
        assert found(search="assist PPK_1") == ["Assist24"]
        assert found(search="assist ppk_2") == []
        assert found(search="assist tow") == []
        assert found(sort="name") == ["Assist24", "Tow 100%", "Towify"]
        assert found(sort="-created_at") == ["Tow 100%", "Assist24", "Towify"]
        with pytest.raises(Invalid, match="sort"):
            found(sort="price")


def test_set_suspended_keeps_the_first_time(database: Database) -> None:
    partner = add(database)

    assert not suspend(database, partner, None)
    assert suspend(database, partner, NOW)
    assert not suspend(database, partner, NOW + timedelta(days=1))
    with work.open_work(database, write=False) as unit:
        (known,) = unit.partners.list_page(number=1, per_page=50).items

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


def test_is_open_reads_the_committed_status(database: Database, driver: Driver) -> None:
    partner, other = (session(add(database, name)) for name in ("Roadside Inc", "Another Inc"))
    statuses = SqlPartnerStatuses(driver)

    assert not statuses.is_open(evolve(partner, caller=evolve(partner.caller, partner_id=987_654_321)))
    for _ in range(3):
        for at in (NOW, None):
            assert statuses.is_open(partner) is (at is not None)
            suspend(database, add(database), at)
            assert statuses.is_open(partner) is (at is None)
            assert statuses.is_open(other)


def test_end_sessions_ends_those_of_one_environment_that_were_opened_before(
    database: Database, driver: Driver
) -> None:
    partner = add(database)
    statuses, first, live = SqlPartnerStatuses(driver), session(partner), session(partner, Environment.LIVE)
    with work.open_work(database, write=True) as unit:
        unit.partner_keys.end_sessions(partner.id, Environment.TEST, at=NOW)

    assert [statuses.is_open(each) for each in (first, live)] == [False, True]
    assert statuses.is_open(evolve(first, issued_at=NOW + timedelta(seconds=1)))


def test_partners_requires_an_admin(core: Core, ada: User) -> None:
    user = evolve(LOCAL, user_id=ada.id, role=Role.USER, credential=Credential.SESSION)
    core.partners.create("Towify", "test")
    calls: list[Callable[[], object]] = [
        lambda: core.partners.list_page(operator=user),
        lambda: core.partners.create("Others", "test", user),
        lambda: core.partners.suspend("Towify", user),
        lambda: core.partners.resume("Towify", user),
        lambda: core.partners.rotate_keys("Towify", "test", user),
    ]
    for call in calls:
        with pytest.raises(Forbidden):
            call()

    assert core.partners.list_page() == core.partners.list_page(operator=evolve(user, role=Role.ADMIN))
    (partner,) = core.partners.list_page().items

    assert (partner.name, partner.suspended_at, len(partner.keys)) == ("Towify", None, 1)


def test_end_sessions_does_not_depend_on_the_clock(database: Database, driver: Driver) -> None:
    partner = add(database)
    statuses = SqlPartnerStatuses(driver)
    first = evolve(session(partner), ended_before=statuses.last_end(session(partner).caller))
    assert statuses.is_open(first)
    with work.open_work(database, write=True) as unit:
        unit.partner_keys.end_sessions(partner.id, Environment.TEST, at=NOW - timedelta(hours=1))
    second = evolve(first, ended_before=statuses.last_end(first.caller))

    assert [statuses.is_open(each) for each in (first, second)] == [False, True]


def test_revoke_counts_the_keys_that_would_have_worked_longer(database: Database) -> None:
    partner = add(database)
    add_key(database, partner, "one")
    add_key(database, partner, "live", LIVE)

    with work.open_work(database, write=True) as unit:
        counts = [
            unit.partner_keys.revoke(partner.id, TEST, at=NOW + timedelta(hours=hours))
            for hours in (2, 2, 3, 1)
        ]
    assert counts == [1, 0, 0, 1]


@pytest.mark.parametrize(
    ("overlap", "is_valid"),
    [
        (timedelta(seconds=-1), False),
        (timedelta(0), True),
        (timedelta(days=30), True),
        (timedelta(days=30, seconds=1), False),
    ],
)
def test_keys_overlap_for_at_most_thirty_days(core: Core, *, overlap: timedelta, is_valid: bool) -> None:
    core.partners.create("Roadside Inc", "test")
    if not is_valid:
        with pytest.raises(Invalid) as caught:
            core.partners.rotate_keys("Roadside Inc", "test", overlap=overlap)
        assert caught.value.fields.keys() == {"overlap"}
        return
    rotated = core.partners.rotate_keys(" Roadside Inc ", "test", overlap=overlap)

    assert [key.revoked_at for key in rotated.partner.keys] == [core.clock() + overlap, None]


@pytest.mark.parametrize("kind", ["public", "secret"])
def test_rotated_key_works_until_the_end_of_the_overlap(core: Core, clock: FrozenClock, kind: str) -> None:
    first = core.partners.create("Roadside Inc", "test")
    core.partners.rotate_keys("Roadside Inc", "test", overlap=timedelta(hours=1))

    def use() -> PartnerCaller:
        if kind == "public":
            return core.partner_sessions.find_partner(first.key.public_key)
        return core.partner_sessions.authenticate(first.secret_key)

    clock.advance(timedelta(hours=1) - timedelta(microseconds=1))

    assert use().partner_id == first.partner.id
    clock.advance(timedelta(microseconds=1))
    with pytest.raises(Failure):
        use()


def test_only_changes_of_a_suspension_are_audited(core: Core, clock: FrozenClock) -> None:
    core.partners.create("Roadside Inc", "test")
    since = clock.now
    for act in (core.partners.resume, core.partners.suspend, core.partners.suspend, core.partners.resume):
        shown = act("Roadside Inc")
        clock.advance(timedelta(minutes=1))
    resumed, suspended, created = core.audit.list_newest()

    assert shown.suspended_at is None
    assert [entry.action for entry in (created, suspended, resumed)] == [
        "partner.create",
        "partner.suspend",
        "partner.resume",
    ]
    at = {"suspended_at": iso_utc(since + timedelta(minutes=1))}
    assert (suspended.before, suspended.after) == ({"suspended_at": None}, at)
    assert (resumed.before, resumed.after) == (at, {"suspended_at": None})


@pytest.mark.parametrize(
    ("issued", "lasts", "after", "expected"),
    [
        (timedelta(0), SESSION_LIFETIME, timedelta(0), True),
        (timedelta(0), SESSION_LIFETIME, SESSION_LIFETIME + LEEWAY, False),
        (timedelta(0), SESSION_LIFETIME, SESSION_LIFETIME + LEEWAY - timedelta(seconds=1), True),
        (LONGEST_STEP + LEEWAY, SESSION_LIFETIME, timedelta(0), True),
        (LONGEST_STEP + LEEWAY + timedelta(seconds=1), SESSION_LIFETIME, timedelta(0), False),
        (timedelta(0), SESSION_LIFETIME + timedelta(seconds=1), timedelta(0), False),
    ],
    ids=["new", "expired", "nearly expired", "clock set back", "far future", "too long"],
)
def test_session_is_current_within_its_life(
    *, issued: timedelta, lasts: timedelta, after: timedelta, expected: bool
) -> None:
    partner = Partner(id=1, name="Roadside Inc", created_at=NOW)
    claims = evolve(session(partner), issued_at=NOW + issued, expires_at=NOW + issued + lasts)

    assert is_current(claims, NOW + after) is expected


# Members


def add_user(database: Database, email: str) -> int:
    with work.open_work(database, write=True) as unit:
        return unit.users.add(name="Ada", email=email, password_hash="x", at=NOW).id


def test_member_belongs_to_one_partner_until_removed(database: Database) -> None:
    first, second = add(database), add(database, "Towify")
    user_id = add_user(database, "ada@example.com")
    with work.open_work(database, write=True) as unit:
        created = unit.partner_members.add(first.id, "ada@example.com", at=NOW)
        elsewhere = unit.partner_members.add(second.id, "ada@example.com", at=NOW)
        nobody = unit.partner_members.add(first.id, "bo@example.com", at=NOW)

    assert (
        created
        == elsewhere
        == PartnerMember(
            user_id=user_id, partner_id=first.id, name="Ada", email="ada@example.com", created_at=NOW
        )
    )
    assert nobody is None
    with work.open_work(database, write=True) as unit:
        assert unit.partner_members.find(user_id) == created
        assert unit.partner_members.list_for(first.id) == [created]
        assert not unit.partner_members.remove(second.id, "ada@example.com")
        assert unit.partner_members.remove(first.id, "ada@example.com")
        assert unit.partner_members.find(user_id) is None


def test_changes_of_members_are_audited_once(core: Core, database: Database) -> None:
    partner, other = add(database), add(database, "Towify")
    user_id = add_user(database, "ada@example.com")
    for _ in range(2):
        core.partner_members.add(partner.name, "ada@example.com")
    with pytest.raises(MemberNotFound):
        core.partner_members.remove(other.name, "ada@example.com")
    core.partner_members.remove(partner.name, " Ada@Example.com ")
    with pytest.raises(MemberNotFound):
        core.partner_members.remove(partner.name, "ada@example.com")
    removed, added = core.audit.list_newest()

    assert (added.action, added.before, added.after) == ("partner.add_member", None, {"user_id": user_id})
    assert (removed.action, removed.before, removed.after) == (
        "partner.remove_member",
        {"user_id": user_id},
        None,
    )
    assert added.subject == removed.subject == f"partners/{partner.id}"


def test_members_of_several_partners_are_listed_by_partner(core: Core, database: Database) -> None:
    first, second, empty = (add(database, name) for name in ("Roadside Inc", "Towify", "Nobody"))
    for email, partner in (
        ("bo@example.com", first),
        ("ada@example.com", first),
        ("eve@example.com", second),
    ):
        add_user(database, email)
        core.partner_members.add(partner.name, email)
    by_partner = core.partner_members.list_by_partner([first, second, empty])

    assert {key: [member.email for member in members] for key, members in by_partner.items()} == {
        first.id: ["ada@example.com", "bo@example.com"],
        second.id: ["eve@example.com"],
        empty.id: [],
    }


def test_member_of_a_suspended_partner_has_no_access(core: Core, database: Database) -> None:
    partner = add(database)
    user = Caller(
        user_id=add_user(database, "ada@example.com"),
        role=Role.USER,
        environment=TEST,
        credential=Credential.SESSION,
    )
    before = core.partner_members.is_member(user)
    core.partner_members.add(partner.name, "ada@example.com")
    suspend(database, partner, NOW)

    assert (before, core.partner_members.is_member(user)) == (False, True)
    assert not core.partner_members.is_member(LOCAL)
    with pytest.raises(Suspended):
        core.partner_members.get(user)
    with pytest.raises(MemberNotFound):
        core.partner_members.get(LOCAL)


def test_members_are_managed_by_admins_only(core: Core, database: Database) -> None:
    name = add(database).name
    user = Caller(
        user_id=add_user(database, "ada@example.com"),
        role=Role.USER,
        environment=TEST,
        credential=Credential.SESSION,
    )

    for act in (core.partner_members.add, core.partner_members.remove):
        with pytest.raises(Forbidden):
            act(name, "ada@example.com", user)
    with pytest.raises(MemberNotFound):
        core.partner_members.get(user)
    core.partner_members.add(name, " Ada@Example.com ")
    assert core.partner_members.get(user)[1].environment is TEST
    with pytest.raises(MemberElsewhere):
        core.partner_members.add(add(database, "Towify").name, "ada@example.com")
