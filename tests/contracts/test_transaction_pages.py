"""Pages and sums of filtered invoices match a plain count, on both databases."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import product
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contracts.conftest import NOW
from tests.contracts.test_lessons import rolled_back
from tests.contracts.test_transactions import invoice

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.facilities.model import FacilityFields
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import PageRequest
from repaircore.testing.builders import a_vehicle
from repaircore.transactions.listing import MonthTotals, TransactionFilter
from repaircore.transactions.model import Transaction
from repaircore.transactions.sums import sum_changes

LIVE, TEST = Environment.LIVE, Environment.TEST
FIRST = date(2024, 11, 1)
VEHICLES = (a_vehicle().id, UUID("01890000-0000-7000-8000-000000000002"))

_invoices = st.tuples(
    st.sampled_from([101, 102]),
    st.sampled_from(VEHICLES),
    st.booleans(),
    st.sampled_from(["honda", "acura"]),
    # Many on a few days, so that pages split a day, and months without any.
    st.one_of(st.integers(0, 120), st.sampled_from([0, 29, 30, 60])),
    st.integers(0, 10**6),
)


def add_invoices(unit: SqlWork, invoices: Sequence[tuple[Any, ...]]) -> list[Transaction]:
    for number, vehicle in enumerate(VEHICLES):
        unit.vehicles.add(a_vehicle(id=vehicle, vin=f"1HGCV1F34J{'AB'[number]}"))
    shop = unit.facilities.add(FacilityFields(name="FacilityFields"), point=None, at=NOW).id
    found = []
    for problem, vehicle, in_shop, make, day, parts in invoices:
        one = invoice(
            problem_id=problem,
            vehicle_id=vehicle,
            facility_id=shop if in_shop else None,
            make_key=make,
            performed_on=FIRST + timedelta(days=day),
            parts_total=parts,
            total=parts + 165_00,
        )
        for environment in (TEST, LIVE):
            added = unit.transactions.add(invoice_in(one, environment))
            unit.transaction_sums.add(environment, sum_changes(added, added.make_key))
        found.append(added)
    return found


def invoice_in(one: Transaction, environment: Environment) -> Transaction:
    fields = ("problem_id", "vehicle_id", "facility_id", "make_key", "performed_on", "parts_total", "total")
    return invoice(environment=environment, **{name: getattr(one, name) for name in fields})


def fits(one: Transaction, wanted: TransactionFilter) -> bool:
    result = {name: getattr(wanted, name) for name in ("problem_id", "vehicle_id", "facility_id", "make_key")}
    within = (wanted.first or date.min) <= one.performed_on <= (wanted.last or date.max)
    return within and all(value is None or getattr(one, name) == value for name, value in result.items())


def expected_ids(invoices: Sequence[Transaction], wanted: TransactionFilter) -> list[int]:
    fitting = [one for one in invoices if fits(one, wanted)]
    return [one.id for one in sorted(fitting, key=lambda one: (one.performed_on, one.id), reverse=True)]


def expected_months(invoices: Sequence[Transaction], wanted: TransactionFilter) -> list[MonthTotals]:
    months: dict[str, list[Transaction]] = defaultdict(list)
    for one in invoices:
        if fits(one, wanted):
            months[one.performed_on.strftime("%Y-%m")].append(one)
    return [
        MonthTotals(
            month=month,
            n=len(some),
            parts_total=sum(one.parts_total for one in some),
            labor_total=sum(one.labor_total for one in some),
        )
        for month, some in sorted(months.items(), reverse=True)
    ]


def every_filter(shop: int) -> list[dict[str, Any]]:
    """Return every combination of the four filters, each with one value or none."""
    values: dict[str, list[Any]] = {
        "problem_id": [None, 101],
        "vehicle_id": [None, VEHICLES[1]],
        "facility_id": [None, shop],
        "make_key": [None, "honda"],
    }
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


@given(
    invoices=st.lists(_invoices, max_size=40),
    per_page=st.integers(1, 9),
    days=st.lists(st.none() | st.integers(-3, 130), min_size=2, max_size=2),
)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_pages_and_months_match_a_plain_count(
    database: Database, invoices: list[tuple[Any, ...]], per_page: int, days: list[int | None]
) -> None:
    first, last = (None if day is None else FIRST + timedelta(days=day) for day in days)
    with rolled_back(database) as unit:
        there = add_invoices(unit, invoices)
        shop = next((one.facility_id for one in there if one.facility_id), 1)
        for chosen in every_filter(shop):
            wanted = TransactionFilter(**chosen, first=first, last=last)
            expected = expected_ids(there, wanted)
            for number in range(1, len(expected) // per_page + 3):
                page = unit.transactions.page(
                    wanted, environment=LIVE, request=PageRequest(number=number, per_page=per_page)
                )

                assert [one.id for one in page] == expected[(number - 1) * per_page : number * per_page]
                assert (page.total, page.number, page.per_page) == (len(expected), number, per_page)

            assert unit.transaction_sums.months(wanted, environment=LIVE) == expected_months(there, wanted)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2024, 11, 1), date(2024, 11, 30)),
        (date(2024, 11, 2), date(2024, 11, 30)),
        (date(2024, 11, 1), date(2024, 11, 29)),
        (date(2024, 11, 30), date(2024, 11, 30)),
        (date(2024, 11, 15), date(2024, 12, 14)),
        (date(2024, 11, 15), date(2025, 2, 14)),
        (date(2024, 12, 1), date(2024, 12, 31)),
        (date(2024, 12, 2), date(2024, 12, 1)),
        (date(2025, 3, 1), date(2024, 11, 1)),
        (date.min, date.max),
        (date.max, date.min),
        (date(2024, 12, 31), None),
        (None, date(2024, 12, 1)),
    ],
)
def test_dates_bound_both_ends_in_any_month(
    database: Database, first: date | None, last: date | None
) -> None:
    with rolled_back(database) as unit:
        there = add_invoices(unit, [(101, VEHICLES[0], False, "honda", day, day) for day in range(0, 121, 2)])
        wanted = TransactionFilter(first=first, last=last)
        expected = expected_ids(there, wanted)
        page = unit.transactions.page(wanted, environment=LIVE, request=PageRequest(number=1, per_page=100))

        assert [one.id for one in page] == expected
        assert unit.transaction_sums.months(wanted, environment=LIVE) == expected_months(there, wanted)


def test_page_has_whole_invoices(database: Database) -> None:
    with rolled_back(database) as unit:
        (one,) = add_invoices(unit, [(101, VEHICLES[0], True, "honda", 3, 5)])
        page = unit.transactions.page(
            TransactionFilter(), environment=LIVE, request=PageRequest(number=1, per_page=15)
        )

        assert page.items == (one,)
        assert unit.transactions.by_id(one.id, environment=LIVE) == one


def test_makes_are_those_of_the_invoices(database: Database) -> None:
    with rolled_back(database) as unit:
        assert unit.transaction_sums.makes(LIVE) == []
        add_invoices(
            unit, [(101, VEHICLES[0], False, make, day, 0) for make in ("honda", "acura") for day in (3, 60)]
        )

        assert unit.transaction_sums.makes(LIVE) == ["acura", "honda"]
