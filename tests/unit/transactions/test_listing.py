"""Date ranges split into whole months and edges, and parsed filters."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.errors import Invalid
from repaircore.transactions.listing import (
    ListTransactions,
    MonthTotals,
    Span,
    Statistics,
    TransactionFilter,
    days_of,
    months_and_edges,
)
from repaircore.transactions.sums import Dimension

_days = st.dates(date(2023, 12, 1), date(2024, 4, 30))


def _in(span: Span) -> set[date]:
    assert span.first is not None
    assert span.last is not None
    return {span.first + timedelta(days=n) for n in range((span.last - span.first).days + 1)}


@given(_days, _days)
def test_whole_months_and_edges_cover_every_day_once(first: date, last: date) -> None:
    whole, edges = months_and_edges(first, last)
    parts = [_in(span) for span in (whole, *edges)]

    assert sum(map(len, parts)) == len(set().union(*parts))
    assert set().union(*parts) == _in(Span(first, last))
    for edge in edges:
        assert len({day.replace(day=1) for day in _in(edge)}) == 1
    for day in _in(whole):
        assert _in(days_of(day.isoformat()[:7])) <= _in(whole)


@given(st.none() | _days, st.none() | _days)
def test_open_end_stays_open(first: date | None, last: date | None) -> None:
    whole, _ = months_and_edges(first, last)

    assert (whole.first is None, whole.last is None) == (first is None, last is None)


@given(st.dates(), st.dates())
def test_any_dates_can_be_filtered_by(first: date, last: date) -> None:
    query = TransactionFilter(first=first, last=last)
    months_and_edges(query.first, query.last)


def test_filters_are_parsed_and_validated() -> None:
    result = ListTransactions(
        make="Chevy", problem_id=7, date_from=date(2026, 1, 1), date_to=date(2026, 1, 1)
    ).parse()

    assert (result.make_key, result.first, result.last) == ("chevrolet", date(2026, 1, 1), date(2026, 1, 1))
    assert result.dimensions == {Dimension.PROBLEM: "7", Dimension.MAKE: "chevrolet"}
    assert ListTransactions().parse() == TransactionFilter()
    with pytest.raises(Invalid) as caught:
        ListTransactions(date_from=date(2026, 1, 2), date_to=date(2026, 1, 1)).parse()

    assert set(caught.value.fields) == {"date_to"}


def test_statistics_add_up_months() -> None:
    result = Statistics(
        months=(
            MonthTotals(month="2025-12", n=2, parts_total=3, labor_total=4),
            MonthTotals(month="2026-01", n=1, parts_total=5, labor_total=6),
        )
    )

    assert (result.n, result.parts_total, result.labor_total, result.total) == (3, 8, 10, 18)
