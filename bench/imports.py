"""P5: invoices imported from a file, with evidence, sums and indexes, against the databases' own bulk loads.

Run from the root of the repository: ``python -m bench imports``. ``REPAIRCORE_BENCH_INVOICES`` says how many (100,000).
The yardstick loads the rows as they are kept in the end, ready-made, into a table of the same columns, and then makes the same
indexes: it checks nothing, learns nothing and derives nothing.
"""

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.schema import CreateIndex

from bench.installation import postgres_database
from bench.table import Row, ratio_of, tell
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.wiring.learning import sample_of_invoices

_ROUNDS = 2
_NAMES = [column.name for column in transactions.columns]
_COLUMNS = ", ".join(_NAMES)
_ALL = f"SELECT {_COLUMNS} FROM transactions"  # noqa: S608 - our own names


def invoices() -> int:
    """Say how many invoices are to be measured with."""
    return int(os.environ.get("REPAIRCORE_BENCH_INVOICES", "100000"))


def write_sample(path: Path, count: int, seed: int = 1) -> None:
    """Write made-up invoices."""
    sample = sample_of_invoices()
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(sample.head)
        table.writerows(sample.rows(count, seed))


def rows() -> list[Row]:
    count = invoices()
    with tempfile.TemporaryDirectory() as made, postgres_database() as server:
        folder = Path(made)
        source, kept = folder / "invoices.csv", folder / "kept.csv"
        tell(f"import: making {count:,} invoices up")
        write_sample(source, count)
        found = [_on_sqlite(folder, source, kept, count)]
        if server:
            found.append(_on_postgres(server, folder, source, count))
    return found


def _on_sqlite(folder: Path, source: Path, kept: Path, count: int) -> Row:
    ours, theirs = folder / "ours.db", folder / "theirs.db"
    url = f"sqlite:///{ours}"

    def load() -> None:
        table = ", ".join(f"{column.name} {_affinity(column)}" for column in transactions.columns)
        _sqlite(
            theirs,
            "PRAGMA journal_mode=WAL;",
            "PRAGMA synchronous=FULL;",
            f"CREATE TABLE transactions ({table});",
            ".mode csv",
            f".import {kept} transactions",
            *_indexes(sa.create_engine("sqlite://")),
        )

    def fresh() -> None:
        for path in (*folder.glob("ours.db*"), *folder.glob("theirs.db*")):
            path.unlink()
        upgraded(url)

    fresh()
    tell("import: once, for the rows that the yardstick loads")
    taken(url, source)
    _sqlite(ours, ".mode csv", f".once {kept}", _ALL + ";")
    return _measured("SQLite", "sqlite3 .import", count, lambda: taken(url, source), load, fresh)


def _on_postgres(server: str, folder: Path, source: Path, count: int) -> Row:
    engine = sa.create_engine(server)
    plain = sa.make_url(server).set(drivername="postgresql").render_as_string(hide_password=False)

    def load() -> None:
        copied = folder / "copied.csv"
        with engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE TABLE theirs AS {_ALL} WITH NO DATA")
        _psql(plain, f"\\copy theirs ({_COLUMNS}) FROM '{copied}' (FORMAT csv)")
        with engine.begin() as connection:
            for index in _indexes(engine, "theirs"):
                connection.exec_driver_sql(index.rstrip(";"))

    def fresh() -> None:
        with engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE IF EXISTS theirs")
            connection.exec_driver_sql(
                "TRUNCATE transactions, cells, tallies, calibrations, transaction_sums, imports, vehicles CASCADE"
            )

    tell("import: the same on PostgreSQL")
    upgraded(server)
    taken(server, source)
    _psql(plain, f"\\copy ({_ALL}) TO '{folder / 'copied.csv'}' (FORMAT csv)")
    try:
        return _measured("PostgreSQL", "COPY", count, lambda: taken(server, source), load, fresh)
    finally:
        engine.dispose()


def _measured(  # noqa: PLR0917 - what is compared with what
    where: str,
    by: str,
    count: int,
    take: Callable[[], None],
    load: Callable[[], None],
    fresh: Callable[[], None],
) -> Row:
    mine: list[float] = []
    theirs: list[float] = []
    for number in range(_ROUNDS):
        fresh()
        mine.append(_seconds(take))
        theirs.append(_seconds(load))
        tell(
            f"import: {where}, round {number + 1}: {mine[-1]:.1f} s, {by} and the indexes {theirs[-1]:.1f} s"
        )
    return Row(f"P5 {count:,} invoices imported, {where}", f"{by} + indexes", ratio_of(mine, theirs), 2)


def taken(url: str, source: Path) -> None:
    """Take invoices over, as an operator does."""
    _run(url, "import", "transactions", str(source))


def upgraded(url: str) -> None:
    """Make a database ready."""
    _run(url, "db", "upgrade")


def _run(url: str, *command: str) -> None:
    with tempfile.TemporaryDirectory() as state:
        environ = {
            **os.environ,
            "REPAIRCORE_DATABASE_URL": url,
            "REPAIRCORE_STATE_FOLDER": state,
            "REPAIRCORE_SECRET_KEY": "0" * 64,
        }
        subprocess.run(
            [sys.executable, "-m", "repaircore_cli", *command],
            env=environ,
            check=True,
            stdout=subprocess.DEVNULL,
        )


def _seconds(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _indexes(engine: sa.Engine, table: str = "transactions") -> Iterator[str]:
    yield f"CREATE UNIQUE INDEX pk_{table} ON {table} (id);"
    for index in sorted(transactions.indexes, key=lambda one: str(one.name)):
        made = str(CreateIndex(index).compile(engine)).replace(" ON transactions ", f" ON {table} ")
        yield made.replace(str(index.name), f"{table}_{index.name}").replace("\n", " ") + ";"


def _affinity(column: "sa.Column[object]") -> str:
    return {"TEXT": "TEXT", "FLOAT": "REAL"}.get(str(column.type), "INTEGER")


def _sqlite(path: Path, *commands: str) -> None:
    subprocess.run(
        ["sqlite3", "-bail", str(path)],
        input="\n".join(commands) + "\n",
        text=True,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _psql(url: str, command: str) -> None:
    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", command, url], check=True)
