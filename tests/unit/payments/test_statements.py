from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from typing_extensions import override

from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Invalid
from repaircore.payments.model import EntryKind
from repaircore.payments.statements import StatementLine, StatementRecords, Statements, StatementsWork

CALLER = PartnerCaller(partner_id=1, environment=Environment.LIVE)


class Earnings(StatementRecords):
    """The same amounts in every month, and the times that were asked for."""

    def __init__(self, *amounts: int) -> None:
        self.amounts = amounts
        self.times: list[tuple[datetime, datetime]] = []

    @property
    def statements(self) -> StatementRecords:
        return self

    @override
    def list_earnings(
        self, caller: PartnerCaller, *, since: datetime, until: datetime
    ) -> Sequence[StatementLine]:
        self.times.append((since, until))
        return [
            StatementLine(
                at=since,
                kind=EntryKind.CAPTURE if amount > 0 else EntryKind.REFUND,
                subject="ride_1",
                partner_reference=None,
                payment_id="pay_1",
                currency="USD",
                amount=amount,
            )
            for amount in self.amounts
        ]

    @contextmanager
    def read(self) -> Iterator[StatementsWork]:
        yield self


@pytest.mark.parametrize(
    ("month", "since", "until"),
    [
        ("2026-01", (2026, 1), (2026, 2)),
        ("2026-11", (2026, 11), (2026, 12)),
        ("2026-12", (2026, 12), (2027, 1)),
    ],
)
def test_statement_is_of_one_month(month: str, since: tuple[int, int], until: tuple[int, int]) -> None:
    earnings = Earnings()
    statement = Statements(read=earnings.read).of_month(month, CALLER)

    assert (statement.month, statement.lines) == (month, ())
    assert earnings.times == [(datetime(*since, 1, tzinfo=UTC), datetime(*until, 1, tzinfo=UTC))]


def test_statement_sums_what_was_captured_and_refunded() -> None:
    statement = Statements(read=Earnings(100_00, -20_00, 50_00, -1).read).of_month("2026-11", CALLER)

    assert [line.amount for line in statement.lines] == [100_00, -20_00, 50_00, -1]
    assert (statement.captured, statement.refunded) == (150_00, 20_01)


@pytest.mark.parametrize("month", ["", "2026", "2026-00", "2026-13", "2026-1", "1999-12", "2026-11-01"])
def test_statement_of_anything_else_is_refused(month: str) -> None:
    with pytest.raises(Invalid) as refused:
        Statements(read=Earnings().read).of_month(month, CALLER)

    assert set(refused.value.fields) == {"month"}
