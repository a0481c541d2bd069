"""Serialize changes to an environment's learned sums."""

from sqlalchemy.engine import Connection

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.learning import calibrations
from repaircore.kernel.callers import Environment
from repaircore.transactions.tally import START_ALPHA


def lock_learning(connection: Connection, environment: Environment) -> None:
    """Lock an environment's sums until the transaction ends.

    On PostgreSQL, updating the calibration row locks it; SQLite has one writer at a time anyway.
    """
    step_alpha(connection, environment, 0)


def step_alpha(connection: Connection, environment: Environment, step: int) -> None:
    """Add ``step``, in grains, to alpha, which tracks the share of invoices outside their price ranges."""
    insert = upsert(connection, calibrations).values(environment=environment, alpha=START_ALPHA + step)
    moved = {"alpha": calibrations.c.alpha + step}
    connection.execute(insert.on_conflict_do_update(index_elements=["environment"], set_=moved))
