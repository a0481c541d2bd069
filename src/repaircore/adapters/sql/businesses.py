"""Towing businesses in the database."""

from typing import ClassVar

import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql import tables
from repaircore.adapters.sql.providers import SqlProviders
from repaircore.businesses.model import BUSINESS, Business
from repaircore.businesses.ports import Businesses
from repaircore.kernel.callers import Environment
from repaircore.kernel.ids import may_be_id
from repaircore.kernel.named import Kind, is_reference
from repaircore.providers.trade import Trade

__all__ = ["SqlBusinesses"]

_LONGEST = 18


class SqlBusinesses(SqlProviders[Business], Businesses):
    """The kept towing businesses."""

    table: ClassVar[sa.Table] = tables.businesses
    trade: ClassVar[Trade[Business]] = BUSINESS

    @override
    def called(self, name: str, environment: Environment) -> Business | None:
        if is_reference(Kind.BUSINESS, name):
            return self.by_ref(name, environment)
        if name.isascii() and name.isdecimal() and len(name) <= _LONGEST and may_be_id(int(name)):
            return self.by_id(int(name), environment)
        return None
