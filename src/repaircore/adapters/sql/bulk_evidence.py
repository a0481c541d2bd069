"""Repair history for many vehicles in one read transaction; rows that they share are read only once."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.evidence import SqlEvidence
from repaircore.kernel.callers import Environment
from repaircore.pricing.variances import Variances
from repaircore.transactions.evidence import Cell, Kind
from repaircore.transactions.tally import Tally

T = TypeVar("T")


class SqlBulkEvidence(SqlEvidence):
    """The sums of the repair history; those that vehicles share are cached, so they must not change meanwhile."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._known: dict[Hashable, object] = {}

    @override
    def get_variances(self, environment: Environment, problem_id: int, *, spread: float) -> Variances:
        key = "variances", environment, problem_id, spread
        return self._once(
            key, lambda: super(SqlBulkEvidence, self).get_variances(environment, problem_id, spread=spread)
        )

    @override
    def _tally(self, environment: Environment, problem_id: int) -> Tally:
        key = "tally", environment, problem_id
        return self._once(key, lambda: super(SqlBulkEvidence, self)._tally(environment, problem_id))

    @override
    def _opinions(self, environment: Environment, problem_id: int) -> tuple[int, int]:
        key = "opinions", environment, problem_id
        return self._once(key, lambda: super(SqlBulkEvidence, self)._opinions(environment, problem_id))

    @override
    def _alpha(self, environment: Environment) -> int:
        return self._once(("alpha", environment), lambda: super(SqlBulkEvidence, self)._alpha(environment))

    @override
    def _months(self, environment: Environment, kind: Kind) -> Sequence[tuple[str, Cell]]:
        key = "months", environment, kind
        return self._once(key, lambda: super(SqlBulkEvidence, self)._months(environment, kind))

    def _once(self, key: Hashable, read: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = read()
        return self._known[key]  # type: ignore[return-value] # read by a function of this type
