"""Partner accounts for tests."""

import sqlalchemy as sa

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.partners import partners
from repaircore.kernel.callers import Environment, PartnerCaller


def add_partner(
    database: Database, name: str = "Towify", environment: Environment = Environment.TEST
) -> PartnerCaller:
    """Add a partner, and return it as a caller."""
    insert = sa.insert(partners).values(name=name, created_at=1).returning(partners.c.id)
    with database.transaction() as connection:
        return PartnerCaller(partner_id=connection.execute(insert).scalar_one(), environment=environment)
