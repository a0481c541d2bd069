"""A ride with its payments and its timeline, read in one statement for partners' most frequent request.

The lists are JSON within the row: that takes one round trip to a server, and one snapshot covers all three
(docs/decisions/hot-reads.md).
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from attrs import frozen
from sqlalchemy import Table
from typing_extensions import override

from repaircore.adapters.fast_path.driver import Row
from repaircore.adapters.sql.payments import payment_codec
from repaircore.adapters.sql.rides import ride_codec
from repaircore.adapters.sql.schema.operations import timeline
from repaircore.adapters.sql.schema.payments import payments
from repaircore.adapters.sql.schema.rides import rides
from repaircore.adapters.sql.timelines import step_codec
from repaircore.json_text import decoder_of
from repaircore.kernel.callers import ProviderCaller
from repaircore.rides.model import RideDetail, RideKind
from repaircore.rides.ports import RideCaller, RideDetails

if TYPE_CHECKING:
    from repaircore.adapters.sql.engine.codec import RowCodec
    from repaircore.adapters.sql.engine.storage import Storage

T = TypeVar("T")

_SQLITE: Final = ("json_group_array(json_array({}))", "")
_POSTGRES: Final = ("json_agg(json_build_array({}))", "::text")
_lists: Final = decoder_of(list[list[Any]])


def _quoted(alias: str, columns: Sequence[str]) -> str:
    return ", ".join(f'{alias}."{column}"' for column in columns)


@frozen
class _Listed:
    """The rows of another table that belong to a ride, as JSON in one column."""

    table: Table
    where: str
    read: Callable[[Sequence[Any]], Any]

    @classmethod
    def of(cls, table: Table, codec: "RowCodec[Any]", where: str) -> "_Listed":
        return cls(table, where, codec.reader(table.columns.keys()))

    def sql(self, form: tuple[str, str]) -> str:
        gather, as_text = form
        columns = gather.format(_quoted("l", self.table.columns.keys()))
        return f"(SELECT {columns}{as_text} FROM {self.table.name} l WHERE {self.where})"  # noqa: S608 - of constants

    def parse(self, stored: str | None) -> tuple[Any, ...]:
        """Return the rows ordered by id, the first column of both tables."""
        if stored is None:
            return ()
        return tuple(map(self.read, sorted(_lists(stored), key=itemgetter(0))))


_PAYMENTS: Final = _Listed.of(payments, payment_codec, "l.environment = r.environment AND l.subject = r.ref")
_STEPS: Final = _Listed.of(timeline, step_codec, "l.subject = r.ref")
_COLUMNS: Final = rides.columns.keys()
_read_ride: Final = ride_codec.reader([*_COLUMNS, "customer_ref"])


def _select(form: tuple[str, str]) -> str:
    return (
        f"SELECT {_quoted('r', _COLUMNS)}, c.ref, {_PAYMENTS.sql(form)}, {_STEPS.sql(form)}"  # noqa: S608 - of constants
        " FROM rides r JOIN customers c ON c.id = r.customer_id WHERE r.ref = ? AND r.kind = ?"
    )


class SqlRideDetails(RideDetails):
    """Rides with their payments and timelines."""

    def __init__(self, storage: "Storage") -> None:
        self._storage = storage
        self._select = _select(_POSTGRES if storage.path is None else _SQLITE)
        self._of_partner = f"{self._select} AND r.partner_id = ? AND r.environment = ?"
        self._of_provider = f"{self._select} AND r.provider_ref = ? AND r.environment = ?"

    @override
    def find(self, ref: str, kind: RideKind, caller: RideCaller) -> RideDetail | None:
        row = self._row(ref, str(kind), caller)
        if row is None:
            return None
        return RideDetail(
            ride=_read_ride(row), payments=_PAYMENTS.parse(row[-2]), steps=_STEPS.parse(row[-1])
        )

    def _row(self, ref: str, kind: str, caller: RideCaller) -> Row | None:
        if caller is None:
            return self._storage.fetch_one(self._select, (ref, kind))
        environment = str(caller.environment)
        if isinstance(caller, ProviderCaller):
            return self._storage.fetch_one(self._of_provider, (ref, kind, caller.provider_ref, environment))
        return self._storage.fetch_one(self._of_partner, (ref, kind, caller.partner_id, environment))
