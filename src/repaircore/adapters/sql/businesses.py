"""Towing businesses in the database."""

from typing import ClassVar

import sqlalchemy as sa

from repaircore.adapters.sql.providers import SqlProviders
from repaircore.adapters.sql.schema.rides import businesses
from repaircore.providers.businesses import BUSINESS, Business
from repaircore.providers.trade import Trade


class SqlBusinesses(SqlProviders[Business]):
    """The stored towing businesses."""

    table: ClassVar[sa.Table] = businesses
    trade: ClassVar[Trade[Business]] = BUSINESS
