"""The contract of the port ``IdempotentReplies``, on both databases, and of the service that uses it."""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.schema.partners import idempotent_replies
from repaircore.core import Core
from repaircore.idempotency.errors import InProgress, KeyReused
from repaircore.idempotency.model import REPLY_LIFETIME, Claim, Reply, fingerprint
from repaircore.idempotency.service import Idempotency
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Unavailable
from repaircore.testing.clock import EPOCH, FrozenClock

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
STALE = NOW - REPLY_LIFETIME
REPLY = Reply(status=201, body=b'{"\xc3\xa9": 1}\x00\xff')
OTHER_REPLY = Reply(status=202, body=b"{}")


@pytest.fixture
def claim(database: Database) -> Claim:
    with work.open_work(database, write=True) as unit:
        partner = unit.partners.find_or_add("Roadside Inc", at=NOW)
    caller = PartnerCaller(partner_id=partner.id, environment=Environment.TEST)
    return Claim(caller=caller, key="k", fingerprint=fingerprint("POST", "/x", b"{}"))


def store(database: Database, claim: Claim, *, at: datetime = NOW) -> bool:
    with work.open_work(database, write=True) as unit:
        claimed = unit.idempotent_replies.claim(claim, at=at, stale=at - REPLY_LIFETIME)
        if claimed:
            unit.idempotent_replies.save(claim, REPLY)
        return claimed


def find(database: Database, claim: Claim, *, at: datetime = NOW) -> Reply | None:
    with work.open_work(database, write=False) as unit:
        return unit.idempotent_replies.find(claim, stale=at - REPLY_LIFETIME)


def test_claim_rejects_a_taken_key(database: Database, claim: Claim) -> None:
    assert store(database, claim)
    assert not store(database, claim)
    assert find(database, claim) == REPLY


def test_claim_separates_partners_and_environments(database: Database, claim: Claim) -> None:
    assert store(database, claim)
    with work.open_work(database, write=True) as unit:
        other = unit.partners.find_or_add("Another Inc", at=NOW)
    for caller in (
        evolve(claim.caller, environment=Environment.LIVE),
        evolve(claim.caller, partner_id=other.id),
    ):
        others_claim = evolve(claim, caller=caller)
        assert find(database, others_claim) is None
        assert store(database, others_claim)


def test_find_rejects_a_key_of_another_request(database: Database, claim: Claim) -> None:
    store(database, claim)
    with pytest.raises(KeyReused):
        find(database, evolve(claim, fingerprint=fingerprint("POST", "/x", b"[]")))


def test_claim_is_rolled_back_with_its_transaction(database: Database, claim: Claim) -> None:
    with suppress(ZeroDivisionError), work.open_work(database, write=True) as unit:
        assert unit.idempotent_replies.claim(claim, at=NOW, stale=STALE)
        _ = 1 / 0

    assert store(database, claim)


def test_claim_accepts_a_key_without_a_stored_reply(database: Database, claim: Claim) -> None:
    with work.open_work(database, write=True) as unit:
        assert unit.idempotent_replies.claim(claim, at=NOW, stale=STALE)

    assert find(database, claim) is None
    assert find(database, evolve(claim, fingerprint=b"other")) is None
    assert store(database, evolve(claim, fingerprint=b"other"))
    assert find(database, evolve(claim, fingerprint=b"other")) == REPLY


def test_claim_accepts_an_expired_key(database: Database, claim: Claim) -> None:
    store(database, claim)
    other = evolve(claim, fingerprint=b"other")
    later = NOW + REPLY_LIFETIME

    assert not store(database, other, at=later - timedelta(microseconds=1))
    assert find(database, claim, at=later - timedelta(microseconds=1)) == REPLY
    assert find(database, claim, at=later) is None
    assert store(database, other, at=later)
    assert find(database, other, at=later) == REPLY


def test_reclaimed_expired_key_has_no_reply_until_saved(database: Database, claim: Claim) -> None:
    store(database, claim)
    later = NOW + REPLY_LIFETIME

    with work.open_work(database, write=True) as unit:
        assert unit.idempotent_replies.claim(claim, at=later, stale=later - REPLY_LIFETIME)
    assert find(database, claim, at=later) is None

    with work.open_work(database, write=True) as unit:
        unit.idempotent_replies.save(claim, OTHER_REPLY)
    assert find(database, claim, at=later) == OTHER_REPLY


def test_prune_deletes_only_expired_replies(database: Database, claim: Claim) -> None:
    for number in range(5):
        store(database, evolve(claim, key=str(number)), at=NOW + timedelta(seconds=number))
    with work.open_work(database, write=True) as unit:
        assert unit.idempotent_replies.prune(stale=NOW + timedelta(seconds=2), most=2) == 2
        assert unit.idempotent_replies.prune(stale=NOW + timedelta(seconds=2), most=2) == 1
    with database.transaction(write=False) as connection:
        assert set(connection.execute(sa.select(idempotent_replies.c.key)).scalars()) == {"3", "4"}


def test_service_prunes_all_expired_replies(database: Database, claim: Claim) -> None:
    clock = FrozenClock(NOW)
    begin = partial(work.open_work, database, write=True)
    once = Idempotency(transaction=begin, read=begin, outer_transaction=begin, clock=clock)
    with work.open_work(database, write=True) as unit:
        for number in range(1001):
            unit.idempotent_replies.claim(evolve(claim, key=str(number)), at=NOW, stale=STALE)
    assert once.prune() == 0
    clock.advance(REPLY_LIFETIME)

    assert once.prune() == 1001


@pytest.mark.postgres
def test_claim_times_out_with_retry_after(postgres_url: str) -> None:
    first, second = Database(postgres_url), Database(postgres_url)
    with work.open_work(first, write=True) as unit:
        partner = unit.partners.find_or_add("Roadside Inc", at=NOW)
    caller = PartnerCaller(partner_id=partner.id, environment=Environment.TEST)
    claim = Claim(caller=caller, key="k", fingerprint=b"1")
    with work.open_work(first, write=True) as unit:
        assert unit.idempotent_replies.claim(claim, at=NOW, stale=STALE)
        with pytest.raises(InProgress) as raised, work.open_work(second, write=True) as other:
            other.idempotent_replies.claim(claim, at=NOW, stale=STALE)
        assert raised.value.retry_after == 1
    first.close()
    second.close()


@pytest.mark.postgres
@pytest.mark.parametrize(
    "lock",
    [
        "SELECT 1 FROM partners FOR UPDATE",
        "LOCK TABLE partners IN ACCESS EXCLUSIVE MODE",
        "LOCK TABLE idempotent_replies IN ACCESS EXCLUSIVE MODE",
    ],
)
def test_claim_blocked_by_other_locks_is_an_outage(postgres_url: str, lock: str) -> None:
    first, second = Database(postgres_url), Database(postgres_url)
    with work.open_work(first, write=True) as unit:
        partner = unit.partners.find_or_add("Roadside Inc", at=NOW)
    caller = PartnerCaller(partner_id=partner.id, environment=Environment.TEST)
    claim = Claim(caller=caller, key="k", fingerprint=b"1")
    with first.transaction() as connection:
        connection.exec_driver_sql(lock)
        with (  # noqa: PT012 - the whole unit fails
            pytest.raises(Unavailable, match="The database is busy: another operation holds a lock"),
            work.open_work(second, write=True) as other,
        ):
            other.connection.exec_driver_sql("SET LOCAL lock_timeout = '20ms'")
            other.idempotent_replies.claim(claim, at=NOW, stale=STALE)
    first.close()
    second.close()


def test_outer_transaction_commits_or_rolls_back_inner_ones(database_url: str) -> None:
    storage = Storage(database_url)
    with suppress(ZeroDivisionError), storage.outer_transaction(), storage.transaction() as unit:
        unit.partners.find_or_add("Lost Inc", at=EPOCH)
        _ = 1 / 0
    with suppress(ZeroDivisionError), storage.outer_transaction():
        with storage.transaction() as unit:
            unit.partners.find_or_add("Lost Inc", at=EPOCH)
        _ = 1 / 0
    with storage.outer_transaction():
        with storage.transaction() as unit:
            unit.partners.find_or_add("Kept Inc", at=EPOCH)
        with storage.read() as unit:
            assert [one.name for one in unit.partners.list_page(number=1, per_page=50).items] == ["Kept Inc"]
    with storage.transaction() as unit:  # a unit of work of its own again
        assert [one.name for one in unit.partners.list_page(number=1, per_page=50).items] == ["Kept Inc"]
    storage.close()


def test_outer_transaction_rolls_back_only_a_failed_savepoint(database_url: str) -> None:
    storage = Storage(database_url)
    with storage.outer_transaction():
        with storage.transaction() as unit:
            unit.partners.find_or_add("Before Inc", at=EPOCH)
        with suppress(sa.exc.IntegrityError), storage.transaction() as unit:
            unit.partners.find_or_add("Failed Inc", at=EPOCH)
            _violate_a_constraint(unit)
        with storage.transaction() as unit:
            unit.partners.find_or_add("After Inc", at=EPOCH)
    with storage.read() as unit:
        assert [one.name for one in unit.partners.list_page(number=1, per_page=50).items] == [
            "Before Inc",
            "After Inc",
        ]
    storage.close()


def _violate_a_constraint(unit: work.SqlWork) -> None:
    unit.partner_keys.add(
        partner_id=987_654_321,
        environment=Environment.TEST,
        public_key="ppk_test_x",
        secret_hash=b"x",
        secret_last4="xxxx",
        at=EPOCH,
    )


def test_erasure_deletes_replies_that_mention_the_person(core: Core) -> None:
    partner = core.partners.create("Roadside Inc", "test").partner
    caller = PartnerCaller(partner_id=partner.id, environment=Environment.TEST)
    bodies = {"hers": "josé@example.org", "his": "bo@example.org"}
    for key, email in bodies.items():
        claim = Claim(caller=caller, key=key, fingerprint=b"1")
        reply = Reply(status=201, body=json.dumps({"data": {"email": email}}, ensure_ascii=False).encode())
        core.idempotency.run(claim, partial(_return, reply))
    core.persons.erase("josé@example.org")
    with core.storage.database.transaction(write=False) as connection:
        assert list(connection.execute(sa.select(idempotent_replies.c.key)).scalars()) == ["his"]


def _return(reply: Reply) -> Reply:
    return reply
