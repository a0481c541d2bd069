"""Serialize changes to the learned sums of an environment."""

from sqlalchemy.engine import Connection

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.learning import calibrations
from repaircore.kernel.callers import Environment
from repaircore.transactions.tally import START_ALPHA


def lock_learning(connection: Connection, environment: Environment) -> None:
    """Lock the environment's sums until the transaction ends.

    Updating the calibration's row locks it on PostgreSQL; SQLite has one writer at a time anyway.
    """
    step_alpha(connection, environment, 0)


def step_alpha(connection: Connection, environment: Environment, step: int) -> None:
    """Add ``step`` grains to the share of invoices that the price ranges leave out."""
    insert = upsert(connection, calibrations).values(environment=environment, alpha=START_ALPHA + step)
    moved = {"alpha": calibrations.c.alpha + step}
    connection.execute(insert.on_conflict_do_update(index_elements=["environment"], set_=moved))
