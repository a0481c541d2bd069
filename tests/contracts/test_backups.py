"""Backups restore completely, within and across both databases, even when made under load."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests import next_version
from tests.conftest import SECRET_KEY, OpenCore
from tests.installations import discrepancies, filled, postgres_database, sale
from tests.writes import rows

from repaircore.adapters.sql.engine.backup import SqlVault
from repaircore.adapters.sql.engine.storage import HEAD, Storage
from repaircore.backups.errors import BadBackup, DatabaseInUse, HoldsData
from repaircore.backups.model import Manifest
from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Unavailable
from repaircore.settings import Settings

EmptyUrl = Callable[[], str]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def another_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yield the URL of an empty database, on SQLite and on PostgreSQL."""
    with ExitStack() as stack:
        if request.param == "sqlite":
            yield f"sqlite:///{tmp_path / 'another' / 'shop.db'}"
            return
        url = stack.enter_context(postgres_database("restored"))
        if url is None:
            pytest.skip("REPAIRCORE_TEST_POSTGRES_URL names no PostgreSQL server")
        yield url


@pytest.fixture
def another(another_url: str, tmp_path: Path) -> Iterator[Core]:
    core = Core(Settings(database_url=another_url, state_folder=tmp_path / "state"))
    yield core
    core.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "shop.zip"


FIXED_TIME = datetime(2026, 1, 2, tzinfo=UTC)


def without_date(manifest: Manifest) -> Manifest:
    return evolve(manifest, created_at=FIXED_TIME)


def test_restore_reproduces_the_same_backup(core: Core, another: Core, file: Path, tmp_path: Path) -> None:
    filled(core)
    created = core.backups.make(file)
    assert another.backups.restore(file) == created
    again = another.backups.make(tmp_path / "again.zip")

    assert without_date(again) == without_date(created)
    assert created.rows == sum(rows(core.settings.url).values())
    assert rows(another.settings.url) == rows(core.settings.url)
    assert discrepancies(another.settings.url) == []


def test_restored_installation_works_and_reuses_no_id(core: Core, another: Core, file: Path) -> None:
    caller = filled(core, invoices=3)
    last = core.transactions.record(sale(core))
    core.transactions.delete(last.id)
    core.backups.make(file)
    another.backups.restore(file)

    assert another.ready() == []
    assert another.transactions.record(sale(another)).id == last.id + 1
    assert another.accounts.caller_for("ada@example.com") == caller
    assert another.accounts.create_user(name="Eve", email="eve@example.com", password="correct horse").id == 2


def test_backup_file_is_private_and_replaces_an_older_one(core: Core, file: Path) -> None:
    file.write_text("older")
    core.backups.make(file)

    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.glob("*zip*")] == [file.name]
    assert core.backups.verify(file).revision == HEAD


def test_progress_is_reported_after_each_table_of_few_rows(core: Core, file: Path) -> None:
    filled(core)
    total = core.backups.make(file).rows
    reported: list[tuple[int, int]] = []
    manifest = core.backups.verify(file, on_progress=lambda done, rows: reported.append((done, rows)))
    sizes = [table.weight.rows for table in manifest.tables]

    assert reported == [(sum(sizes[: number + 1]), total) for number in range(len(sizes))]


def test_restore_replaces_data_only_with_replace(core: Core, file: Path) -> None:
    empty = core.backups.make(file)
    filled(core)
    before = rows(core.settings.url)
    with pytest.raises(HoldsData):
        core.backups.restore(file)
    assert rows(core.settings.url) == before
    core.backups.restore(file, replace=True)

    assert sum(rows(core.settings.url).values()) == empty.rows
    assert not core.backups.holds_data()


def _colors(url: str) -> list[str]:
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        colors = list(connection.execute(sa.text("SELECT color FROM vehicles")).scalars())
    engine.dispose()
    return colors


@pytest.mark.long
def test_next_version_upgrades_an_older_backup(
    core: Core, another_url: str, file: Path, tmp_path: Path
) -> None:
    filled(core)
    core.backups.make(file)
    next_release = next_version.copied_to(tmp_path / "next")
    before = rows(core.settings.url)

    next_release.run(another_url, "restore", str(file))

    assert rows(another_url) == before
    assert _colors(another_url) == ["unknown"] * before["vehicles"]


@pytest.mark.long
def test_next_version_upgrades_the_database_and_this_one_refuses_it(core: Core, tmp_path: Path) -> None:
    filled(core)
    before = rows(core.settings.url)
    next_release = next_version.copied_to(tmp_path / "next")

    next_release.run(core.settings.url, "db", "upgrade")

    assert rows(core.settings.url) == before
    assert _colors(core.settings.url) == ["unknown"] * before["vehicles"]
    assert core.storage.upgrade_blocker() is not None
    next_release.run(core.settings.url, "db", "downgrade", HEAD, "--yes")

    assert core.storage.upgrade_blocker() is None
    assert rows(core.settings.url) == before


@pytest.mark.long
@pytest.mark.parametrize(
    ("database_url", "another_url"),
    [("sqlite", "sqlite"), pytest.param("postgres", "postgres", marks=pytest.mark.postgres)],
    indirect=True,
)
def test_backup_under_load_is_consistent(open_core: OpenCore, another: Core, tmp_path: Path) -> None:
    core, writers = open_core(), [open_core() for _ in range(3)]
    filled(core)
    done, wrote = threading.Event(), threading.Event()

    def write(writer: Core) -> None:
        while not done.is_set():
            with suppress(Unavailable):  # the other writers held the lock for too long
                stored = writer.transactions.record(sale(writer))
                if stored.id % 3 == 0:
                    writer.transactions.delete(stored.id)
                wrote.set()

    def backup(number: int) -> Manifest:
        wrote.clear()
        assert wrote.wait(60), "nobody writes"
        return core.backups.make(tmp_path / f"{number}.zip")

    threads = [threading.Thread(target=write, args=(writer,)) for writer in writers]
    for thread in threads:
        thread.start()
    try:
        created = [backup(number) for number in range(4)]
    finally:
        done.set()
        for thread in threads:
            thread.join()

    assert created[-1].rows > created[0].rows, "nobody wrote meanwhile"
    for number, manifest in enumerate(created):
        another.backups.restore(tmp_path / f"{number}.zip", replace=True)
        counted = rows(another.settings.url)
        assert {one.shape.name: one.weight.rows for one in manifest.tables}.items() <= counted.items()
        assert discrepancies(another.settings.url) == []


def test_restore_of_a_damaged_backup_changes_nothing(core: Core, file: Path) -> None:
    filled(core)
    core.backups.make(file)
    before = rows(core.settings.url)
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 0xFF
    file.write_bytes(data)
    with pytest.raises(BadBackup):
        core.backups.restore(file, replace=True)
    assert rows(core.settings.url) == before
    assert discrepancies(core.settings.url) == []
    stored = core.transactions.record(sale(core))

    assert stored.id == 4  # the counters are as they were, too


def test_restore_reports_other_users_of_the_database(core: Core, file: Path) -> None:
    if core.settings.is_embedded:
        pytest.skip("SQLite lets readers go on with what they see")
    filled(core)
    core.backups.make(file)
    reader = Storage(core.settings.url)
    with reader.read() as work:
        work.users.list_all()
        hasty = evolve(core.backups, vault=SqlVault(lambda: core.storage.database, patience=0.1))
        with pytest.raises(DatabaseInUse):
            hasty.restore(file, replace=True)
    reader.close()


_RESTORE = "import sys; from repaircore_cli.main import run; run(sys.argv[1:])"


@pytest.mark.long
def test_killed_restore_leaves_the_old_or_the_new_data(
    core: Core, database_url: str, file: Path, tmp_path: Path
) -> None:
    filled(core, invoices=40)
    core.backups.make(file)
    for _ in range(20):
        core.transactions.record(sale(core))
    states = [manifest_counts(core, tmp_path)]
    core.close()
    command = ["--database", database_url, "restore", str(file), "--replace", "--yes", "--json"]
    killed = []
    # Kills come ever later, until the restore ends by itself.
    for patience in (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 60.0):
        with subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-c", _RESTORE, *command],
            stdout=subprocess.PIPE,
            env={
                "PYTHONPATH": ":".join(sys.path),
                "HOME": str(tmp_path),
                "REPAIRCORE_SECRET_KEY": SECRET_KEY,
            },
        ) as process:
            try:
                process.wait(patience)
            except subprocess.TimeoutExpired:
                process.kill()
                killed.append(patience)
        states.append(manifest_counts(core, tmp_path))
        assert discrepancies(database_url) == []

    assert killed
    assert {json.dumps(state) for state in states} == {json.dumps(states[0]), json.dumps(states[-1])}
    assert (states[0]["transactions"], states[-1]["transactions"]) == (60, 40)


def manifest_counts(core: Core, folder: Path) -> dict[str, Any]:
    created = core.backups.make(folder / "state.zip")
    return {one.shape.name: one.weight.rows for one in created.tables}


def test_restore_moves_a_corrupt_file_aside(tmp_path: Path, file: Path, core: Core) -> None:
    filled(core)
    core.backups.make(file)
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"no database at all" * 1000)
    other = Core(Settings(database_url=f"sqlite:///{damaged}", state_folder=tmp_path / "state"))
    with pytest.raises(HoldsData):
        other.backups.restore(file)
    other.backups.restore(file, replace=True)

    assert rows(other.settings.url) == rows(core.settings.url)
    assert (tmp_path / "damaged.db.damaged").read_bytes().startswith(b"no database")
    other.close()


@pytest.mark.long
def test_open_server_sees_the_restored_data(sqlite_url: str, file: Path, tmp_path: Path) -> None:
    core = Core(Settings(database_url=sqlite_url, state_folder=tmp_path / "state"))
    filled(core, invoices=2)
    core.backups.make(file)
    server = Storage(sqlite_url)
    extra = core.transactions.record(sale(core))
    with server.read() as work:
        assert work.transactions.by_id(extra.id, environment=Environment.LIVE) is not None
        core.backups.restore(file, replace=True)
        with server.read() as later:
            assert later.transactions.by_id(extra.id, environment=Environment.LIVE) is None
    server.close()
    core.close()


def test_restore_rejects_another_programs_database(
    another_url: str, another: Core, core: Core, file: Path
) -> None:
    core.backups.make(file)
    engine = sa.create_engine(another_url) if not another_url.startswith("sqlite") else None
    if engine is None:
        Path(another_url.removeprefix("sqlite:///")).parent.mkdir()
        engine = sa.create_engine(another_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE users (theirs INTEGER)")
    with pytest.raises(Exception, match="belongs to another program"):
        another.backups.restore(file, replace=True)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(theirs) FROM users").scalar_one() == 0
    engine.dispose()
