"""The sums of the invoices of each repair and of each month."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.schema.transactions import transaction_sums as sums
from repaircore.adapters.sql.transaction_sums import SqlTransactionSums
from repaircore.kernel.callers import Environment
from repaircore.problems.ports import ProblemInvoices
from repaircore.transactions.sums import Dimension, SumOf


class SqlProblemInvoices(ProblemInvoices):
    """Sums of the invoices of an environment."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def sum_by_problem(self, environment: Environment) -> Mapping[int, SumOf]:
        return SqlTransactionSums(self._connection).by_problem(environment)

    @override
    def sum_by_month(self, environment: Environment) -> Mapping[str, SumOf]:
        query = (
            sa.select(sums.c.month, sums.c.n, (sums.c.parts_total + sums.c.labor_total).label("total"))
            .where(sums.c.environment == environment, sums.c.dimension == Dimension.ALL)
            .order_by(sums.c.month)
        )
        return {row.month: SumOf(n=row.n, total=row.total) for row in self._connection.execute(query)}
