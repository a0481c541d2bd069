"""Shared quotes on both databases: unguessable, expiring links without personal data."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.reports import report

from repaircore.adapters.sql.schema.quotes import shared_quotes
from repaircore.core import Core
from repaircore.kernel.callers import ANONYMOUS, LOCAL, Caller, Credential
from repaircore.kernel.errors import NotFound
from repaircore.shared_quotes.model import LIFETIME
from repaircore.testing.clock import FrozenClock

VIN = "1HGCM82633A004352"


def _register(core: Core, name: str) -> Caller:
    core.accounts.register(name=name, email=f"{name}@example.org", password="correct horse")
    return evolve(core.accounts.caller_for(f"{name}@example.org"), credential=Credential.SESSION)


def _rows(core: Core) -> list[sa.Row[tuple[object, ...]]]:
    with core.storage.database.transaction(write=False) as connection:
        return list(connection.execute(sa.select(shared_quotes)).all())


def test_shared_quote_is_found_only_by_its_token(core: Core) -> None:
    link = core.shared_quotes.share(report(), ANONYMOUS)

    assert core.shared_quotes.get(link.token).report == report()
    for other in (
        link.deletion_secret,
        link.token[:-1] + "~",
        link.token[:-1],
        link.token + "0",
        "",
        "é" * 33,
    ):
        with pytest.raises(NotFound):
            core.shared_quotes.get(other)


def test_tokens_have_at_least_128_random_bits_and_differ(core: Core) -> None:
    links = [core.shared_quotes.share(report(), ANONYMOUS) for _ in range(20)]

    secrets = {secret for link in links for secret in (link.token, link.deletion_secret)}
    assert len(secrets) == 40
    assert all(len(secret) == 33 and secret.isalnum() for secret in secrets)


def test_secrets_are_stored_as_hashes(core: Core) -> None:
    link = core.shared_quotes.share(report(), ANONYMOUS)

    stored = repr(_rows(core))
    assert link.token not in stored
    assert link.deletion_secret not in stored


def test_no_vehicle_or_personal_data_is_stored(core: Core) -> None:
    words = f"Brake pads VIN {VIN} plate: 8ABC123, ask ada@example.org or (555) 010-0123"
    plain = report()
    spoken = evolve(plain, lines=(evolve(plain.lines[0], words=words, text=words),), questions=(words,))

    link = core.shared_quotes.share(spoken, ANONYMOUS)

    stored = repr(_rows(core))
    assert "Brake pads" in core.shared_quotes.get(link.token).report.lines[0].words
    for secret in (VIN, "8ABC123", "ada@", "010-0123"):
        assert secret not in stored


def test_link_expires_after_thirty_days_and_is_pruned(core: Core, clock: FrozenClock) -> None:
    link = core.shared_quotes.share(report(), ANONYMOUS)
    clock.advance(LIFETIME - timedelta(seconds=1))
    core.shared_quotes.get(link.token)
    assert core.shared_quotes.prune() == 0

    clock.advance(timedelta(seconds=1))

    with pytest.raises(NotFound):
        core.shared_quotes.get(link.token)
    with pytest.raises(NotFound):
        core.shared_quotes.delete_by_secret(link.deletion_secret)
    assert core.shared_quotes.prune() == 1
    assert _rows(core) == []


def test_link_is_deleted_once_by_its_secret(core: Core) -> None:
    link, other = (core.shared_quotes.share(report(), ANONYMOUS) for _ in range(2))

    core.shared_quotes.delete_by_secret(link.deletion_secret)

    for attempt in (
        lambda: core.shared_quotes.get(link.token),
        lambda: core.shared_quotes.delete_by_secret(link.deletion_secret),
        lambda: core.shared_quotes.delete_by_secret(other.token),
    ):
        with pytest.raises(NotFound):
            attempt()
    core.shared_quotes.get(other.token)


@pytest.fixture
def ada(core: Core) -> Caller:
    return _register(core, "ada")


def test_account_deletes_only_its_own_link(core: Core, ada: Caller) -> None:
    eve = _register(core, "eve")
    links = [core.shared_quotes.share(report(), caller) for caller in (ada, eve, ANONYMOUS)]

    core.shared_quotes.delete(links[0].token, ada)

    for link in links:
        with pytest.raises(NotFound):
            core.shared_quotes.delete(link.token, ada)
    with pytest.raises(NotFound):
        core.shared_quotes.delete(links[2].token, ANONYMOUS)
    assert len(_rows(core)) == 2


def test_erasure_deletes_shared_quotes(core: Core, ada: Caller) -> None:
    mine = core.shared_quotes.share(report(), ada)
    other = core.shared_quotes.share(report(), ANONYMOUS)

    core.persons.erase("ada@example.org")

    with pytest.raises(NotFound):
        core.shared_quotes.get(mine.token)
    core.shared_quotes.get(other.token)


def test_installation_owns_its_links(core: Core) -> None:
    link = core.shared_quotes.share(report(), LOCAL)

    core.shared_quotes.delete(link.token, LOCAL)

    assert _rows(core) == []
