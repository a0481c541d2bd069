"""Those who change what is learned in an environment take turns."""

from sqlalchemy.engine import Connection

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.learning import calibrations
from repaircore.kernel.callers import Environment
from repaircore.transactions.tally import START_ALPHA


def take_turns(connection: Connection, environment: Environment) -> None:
    """Wait for whoever changes the environment's sums; others wait until this transaction ends.

    Touching the calibration's row locks it on PostgreSQL; SQLite has one writer anyhow.
    """
    step_alpha(connection, environment, 0)


def step_alpha(connection: Connection, environment: Environment, step: int) -> None:
    """Move the share of invoices that ranges leave out."""
    insert = upsert(connection, calibrations).values(environment=environment, alpha=START_ALPHA + step)
    moved = {"alpha": calibrations.c.alpha + step}
    connection.execute(insert.on_conflict_do_update(index_elements=["environment"], set_=moved))
