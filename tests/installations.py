"""Installations with something of everything in them, for tests of what touches every table."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from itertools import count
from pathlib import Path

import sqlalchemy as sa

from repaircore.adapters.sql.engine import consistency
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.snapshot import consistent_read
from repaircore.core import Core, build
from repaircore.kernel.callers import Caller
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.predictions.model import PredictByVin
from repaircore.predictions.past_predictions import Rating
from repaircore.settings import Settings
from repaircore.transactions.model import TransactionPart

VIN = "1HGCM82633A004352"
_numbers = count(1)


def core_of(url: str, folder: Path) -> Core:
    """Open an installation that is migrated, whatever its database is."""
    core = build(Settings(database_url=url, state_folder=folder / "state"))
    core.upgrade()
    return core


def ask(*, vin: str = VIN, problem_identifier: str = "brake-pads-front") -> PredictByVin:
    """Ask what a repair costs in Beverly Hills."""
    return PredictByVin(vin=vin, zip_code="90210", problem_identifier=problem_identifier)


def sale(core: Core, *, notes: str | None = None, part: str = "Pads") -> CreateTransaction:
    """Give an invoice of a brake job that no other is like."""
    number = next(_numbers)
    return CreateTransaction(
        vehicle_id=core.vehicles.resolve(VIN).id,
        problem_id=core.problems.get("brake-pads-front").id,
        performed_on=date(2025, 1 + number % 6, 1 + number % 28),
        labor_hours=1.0 + number % 7 / 10,
        labor_rate=120_00,
        parts=(TransactionPart(name=part, unit_price=50_00 + number, quantity=1),),
        notes=notes,
    )


def filled(core: Core, *, email: str = "ada@example.com", invoices: int = 3) -> Caller:
    """Put an account with everything that an account can have, and invoices, into an installation."""
    core.accounts.create_user(name="Ada Byron", email=email, password="correct horse")
    caller = core.accounts.caller_for(email)
    core.accounts.create_key(name="Ada's shop", environment="live", caller=caller)
    core.accounts.login(email=email, password="correct horse", address="127.0.0.1")
    answer = core.predictions.predict(ask(), caller)
    core.ratings.rate(answer.session_id, Rating.WRONG, "Too dear for Ada.", caller)
    core.ratings.rate(answer.session_id, Rating.GOOD, "Ada changed her mind.", caller)
    core.past_predictions.link_email(answer.session_id, email, caller)
    for _ in range(invoices):
        core.transactions.record(sale(core))
    core.predictions.adjust_prices(2.5)
    return caller


def discrepancies(url: str) -> list[str]:
    """Add every row up and compare every sum."""
    database = Database(url)
    try:
        with consistent_read(database) as connection:
            return [*consistency.quick_discrepancies(connection), *consistency.deep_discrepancies(connection)]
    finally:
        database.close()


@contextmanager
def postgres_database(label: str) -> Iterator[str | None]:
    """Make an empty database on the server for tests; None where there is none."""
    server = os.environ.get("REPAIRCORE_TEST_POSTGRES_URL")
    if not server:
        yield None
        return
    name = f"repaircore_{label}_{os.getpid()}_{next(_numbers)}"
    admin = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    try:
        yield sa.make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        with admin.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        admin.dispose()
