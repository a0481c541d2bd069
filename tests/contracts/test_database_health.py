"""Database health, and what the checkup reports about it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.conftest import OpenCore
from tests.installations import filled, sale

from repaircore.adapters.sql.engine.health import SqlDatabaseHealth
from repaircore.adapters.sql.schema.learning import calibrations, cells, tallies
from repaircore.adapters.sql.schema.operations import imports
from repaircore.adapters.sql.schema.predictions import opinions, predictions
from repaircore.adapters.sql.schema.transactions import transaction_sums, transactions
from repaircore.core import Core
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.settings import Settings
from repaircore.shared_services import now
from repaircore.testing.clock import EPOCH

pytestmark = pytest.mark.usefixtures("durable")


@pytest.fixture
def filled_core(core: Core) -> Core:
    filled(core)
    return core


@pytest.fixture
def health(filled_core: Core) -> SqlDatabaseHealth:
    return SqlDatabaseHealth(filled_core.storage)


def findings(core: Core, *, deep: bool = False) -> dict[str, str]:
    # PostgreSQL has a clock of its own, which a frozen one would differ from.
    report = evolve(core.checkup, clock=now).examine(deep=deep)
    return {finding.name: finding.wrong for finding in report.wrong if finding.wrong}


def test_healthy_installation_has_no_findings(filled_core: Core) -> None:
    assert findings(filled_core) == {}
    assert findings(filled_core, deep=True) == {}


def _plus_one(column: sa.Column[int]) -> sa.Update:
    return sa.update(column.table).values({column: column + 1})


@pytest.mark.parametrize(
    ("change", "sentence", "deep"),
    [
        (_plus_one(cells.c.s), "The stored cells (live", True),
        (_plus_one(cells.c.w), "The stored counts of invoices learned from (live)", False),
        (sa.delete(cells), "The stored counts of invoices learned from (live)", False),
        (_plus_one(transaction_sums.c.n), "The stored sums of all invoices (live)", False),
        (_plus_one(transactions.c.parts_total), "The stored sums of all invoices (live)", False),
        (
            sa.update(transaction_sums)
            .values(month="2024-01")
            .where(transaction_sums.c.dimension == "all", transaction_sums.c.month == "2025-01"),
            "The stored sums of invoices (live all 2024-01)",
            True,
        ),
        (sa.delete(tallies), "The stored error tallies (live", True),
        (_plus_one(calibrations.c.alpha), "The stored counts of prices outside the range (live)", True),
        (_plus_one(opinions.c.good), "The stored opinions (live", True),
    ],
)
def test_sum_that_differs_from_its_rows_is_reported(
    filled_core: Core,
    health: SqlDatabaseHealth,
    change: sa.Executable,
    sentence: str,
    deep: bool,  # noqa: FBT001 - of a table of cases
) -> None:
    for _ in range(3):
        filled_core.transactions.record(sale(filled_core))
    with filled_core.storage.database.transaction() as connection:
        connection.execute(change)

    assert (health.discrepancies(deep=False) != []) is not deep
    assert any(one.startswith(sentence) for one in health.discrepancies(deep=True))
    assert "restore the latest backup" in findings(filled_core, deep=True)["sums"]


def test_interrupted_import_is_reported(filled_core: Core) -> None:
    counts = {c.name: 0 for c in imports.c if isinstance(c.type, sa.Integer) and not c.nullable}
    begun = {
        **{name: count for name, count in counts.items() if name != "id"},
        "kind": "transactions",
        "environment": "live",
        "digest": "x",
        "file": "2025.csv",
        "read": 1200,
        "started_at": 10**15,
    }
    with filled_core.storage.database.transaction() as connection:
        connection.execute(sa.insert(imports), begun)
    assert "run the same import again" in findings(filled_core)["import of 2025.csv"]
    with filled_core.storage.database.transaction() as connection:
        connection.execute(sa.update(imports).values(finished_at=10**15))

    assert findings(filled_core) == {}


def test_newest_write_is_the_latest_time_of_any_row(filled_core: Core, health: SqlDatabaseHealth) -> None:
    assert health.newest_write() is not None
    ahead = datetime.now(UTC) + timedelta(days=1)
    with filled_core.storage.database.transaction() as connection:
        connection.execute(sa.update(predictions).values(created_at=int(ahead.timestamp() * 1_000_000)))
    newest = health.newest_write()

    assert newest is not None
    assert abs(newest - ahead) < timedelta(seconds=1)
    assert "in the future: set the clock" in findings(filled_core)["clock"]


def test_database_clock_is_compared(filled_core: Core, health: SqlDatabaseHealth) -> None:
    if health.file is not None:
        assert health.clock() is None
        return
    late = evolve(filled_core.checkup, clock=lambda: EPOCH + timedelta(days=3000))
    (finding,) = (one for one in late.examine().wrong if one.name == "clock")

    assert finding.wrong is not None
    assert finding.wrong.startswith("the database's clock shows ")


def test_world_readable_file_is_reported(sqlite_url: str, tmp_path: Path) -> None:
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    core = Core(Settings(database_url=sqlite_url, state_folder=tmp_path / "state"))
    assert findings(core) == {}
    path.chmod(0o644)

    assert findings(core) == {str(path): f"other users of this machine can read it: run `chmod 600 {path}`"}
    core.close()


def test_leftover_of_a_killed_restore_is_reported(sqlite_url: str, tmp_path: Path) -> None:
    core = Core(Settings(database_url=sqlite_url, state_folder=tmp_path / "state"))
    left = tmp_path / "repaircore.db.restoring"
    left.touch()

    assert findings(core) == {str(left): "a command was interrupted: if none is running, delete it"}
    core.close()


def test_missing_table_is_reported(sqlite_url: str, tmp_path: Path) -> None:
    core = Core(Settings(database_url=sqlite_url, state_folder=tmp_path / "state"))
    with core.storage.database.transaction() as connection:
        transaction_sums.drop(connection)

    assert findings(core) == {"tables": "restore the latest backup that passes `repaircore backup --verify`"}
    core.close()


def test_damaged_file_is_reported(sqlite_url: str, tmp_path: Path) -> None:
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    core = Core(Settings(database_url=sqlite_url, state_folder=tmp_path / "state"))
    data = bytearray(path.read_bytes())
    data[8192 : len(data) // 2] = b"\xa5" * (len(data) // 2 - 8192)
    path.write_bytes(data)

    assert findings(core)
    core.close()


@pytest.mark.parametrize(
    "error",
    [
        Invalid({"model_a": ["The model has no name."]}),
        Unavailable("The model has no name."),
        ModuleNotFoundError("The model has no name."),
    ],
)
def test_model_that_cannot_be_created_is_reported(open_core: OpenCore, error: Exception) -> None:
    def prepare() -> None:
        raise error

    report = evolve(open_core().checkup, prepare=prepare, clock=now).examine()

    assert {finding.name: finding.wrong for finding in report.wrong} == {"models": "The model has no name."}


def test_installed_extras_are_reported(open_core: OpenCore) -> None:
    found = {finding.name: finding.value for finding in open_core().checkup.examine().findings}

    assert "images" in found["extras"]
    assert found["models"] == "A offline, B offline"
    assert found["VIN decoder"] == "shipped data"
