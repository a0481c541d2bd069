"""Past repairs through their use cases, over both databases: recorded, learned from, taken out without a trace."""

import math
from datetime import date
from random import Random
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.threads import at_once

from repaircore.adapters.sql.tables import calibrations, cells, tallies, transaction_sums, transactions
from repaircore.bootstrap import Core
from repaircore.estimates.learning import Sale
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.transactions.model import PartSold
from repaircore.transactions.tally import NO_ERRORS, START_ALPHA

TEST = evolve(LOCAL, environment=Environment.TEST)
SALE = Sale(
    vehicle_id=UUID(int=0),
    problem_id=101,
    performed_on=date(2025, 12, 1),
    labor_hours=1.1,
    labor_rate=150_00,
    parts=(
        PartSold(name="Front brake pad set", unit_price=66_00, quantity=1),
        PartSold(name="Brake hardware kit", unit_price=14_00, quantity=1),
    ),
)


@pytest.fixture
def vehicle_id(core: Core) -> UUID:
    return core.vehicles.resolve("1HGCM82633A").id


def sale(vehicle_id: UUID, **changes: Any) -> Sale:
    return evolve(SALE, vehicle_id=vehicle_id, **changes)


def learned(core: Core) -> list[Any]:
    """Give everything that invoices leave behind, but for what is empty."""
    with core.storage.database.begin(write=False) as connection:
        sums = connection.execute(sa.select(cells).order_by(*cells.primary_key.columns)).all()
        counts = connection.execute(
            sa.select(tallies)
            .where(tallies.c.counts != NO_ERRORS.packed())
            .order_by(*tallies.primary_key.columns)
        ).all()
        alphas = connection.execute(
            sa.select(calibrations)
            .where(calibrations.c.alpha != START_ALPHA)
            .order_by(calibrations.c.environment)
        ).all()
        months = connection.execute(
            sa.select(transaction_sums).order_by(*transaction_sums.primary_key.columns)
        ).all()
        kept = connection.execute(sa.select(transactions).order_by(transactions.c.id)).all()
    return [*sums, *counts, *alphas, *months, *kept]


def test_a_recorded_invoice_adds_up_and_comes_back(core: Core, vehicle_id: UUID) -> None:
    kept = core.transactions.record(sale(vehicle_id))
    assert (kept.parts_total, kept.labor_total, kept.total) == (80_00, 165_00, 245_00)
    assert kept.lesson is not None
    assert core.transactions.show(kept.id) == kept


def test_the_other_environment_neither_sees_nor_removes_it(core: Core, vehicle_id: UUID) -> None:
    kept = core.transactions.record(sale(vehicle_id))
    with pytest.raises(NotFound):
        core.transactions.show(kept.id, TEST)
    with pytest.raises(NotFound):
        core.transactions.remove(kept.id, TEST)
    assert core.transactions.show(kept.id) == kept


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"vehicle_id": UUID(int=7), "problem_id": 2**70}, {"vehicle_id", "problem_id"}),
        ({"facility_id": 99}, {"facility_id"}),
        ({"facility_id": 2**63, "labor_hours": -1.0}, {"facility_id", "labor_hours"}),
        ({"labor_hours": math.nan, "labor_rate": -100}, {"labor_hours", "labor_rate"}),
        ({"labor_hours": math.inf, "parts_total": -50_00}, {"labor_hours", "parts_total"}),
        ({"labor_rate": 10**17, "parts_total": 10**17}, {"labor_rate", "parts_total"}),
        ({"performed_on": date(2999, 1, 1), "notes": "a\0b"}, {"performed_on", "notes"}),
        ({"performed_on": date(1900, 1, 1), "mileage": -1}, {"performed_on", "mileage"}),
        (
            {"parts": (PartSold(name=" ", unit_price=-1, quantity=0),)},
            {"parts.0.name", "parts.0.unit_price", "parts.0.quantity"},
        ),
        (
            {"parts": (PartSold(name="a\0b", unit_price=1, quantity=2**70),)},
            {"parts.0.name", "parts.0.quantity"},
        ),
        ({"parts": SALE.parts * 101}, {"parts"}),
    ],
)
def test_every_bad_field_of_an_invoice_is_named_and_nothing_is_learned(
    core: Core, vehicle_id: UUID, changes: dict[str, Any], wrong: set[str]
) -> None:
    with pytest.raises(Invalid) as told:
        core.transactions.record(evolve(sale(vehicle_id), **changes))
    assert set(told.value.fields) == wrong
    assert learned(core) == []


def test_a_repair_on_warranty_is_kept_and_teaches_nothing(core: Core, vehicle_id: UUID) -> None:
    kept = core.transactions.record(sale(vehicle_id, parts=(), labor_hours=0.0))
    assert (kept.total, kept.lesson) == (0, None)
    core.transactions.remove(kept.id)
    assert learned(core) == []


def test_what_does_not_exist_is_named_and_nothing_is_kept(core: Core) -> None:
    with pytest.raises(Invalid) as refused:
        core.transactions.record(sale(UUID(int=5), problem_id=1))
    assert list(refused.value.fields) == ["vehicle_id", "problem_id"]
    assert learned(core) == []


def test_an_invoice_that_many_remove_at_once_is_taken_out_once(core: Core, vehicle_id: UUID) -> None:
    stays = core.transactions.record(sale(vehicle_id))
    before = learned(core)
    goes = core.transactions.record(sale(vehicle_id, labor_hours=2.0))

    def remove() -> bool:
        try:
            core.transactions.remove(goes.id)
        except NotFound:
            return False
        return True

    assert sum(at_once(6, remove)) == 1
    assert learned(core) == before
    assert core.transactions.show(stays.id) == stays


_sales = st.fixed_dictionaries(
    {
        "labor_hours": st.floats(0, 40).map(lambda hours: round(hours, 2)),
        "labor_rate": st.integers(0, 400_00),
        "problem_id": st.sampled_from([101, 102]),
        "performed_on": st.dates(date(2015, 1, 1), date(2026, 1, 1)),
        "parts": st.lists(
            st.builds(
                PartSold,
                name=st.sampled_from(["Front brake pad set", "BRAKE  hardware kit", "Something else"]),
                unit_price=st.integers(0, 10_000_00),
                quantity=st.integers(1, 4),
            ),
            max_size=3,
        ).map(tuple),
    }
)


@given(
    told=st.lists(st.tuples(_sales, st.sampled_from([LOCAL, TEST])), min_size=1, max_size=6),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_invoices_that_came_and_went_leave_no_trace(
    core: Core, vehicle_id: UUID, told: list[tuple[dict[str, Any], Caller]], order: Random
) -> None:
    kept = [
        (core.transactions.record(sale(vehicle_id, **changes), caller).id, caller) for changes, caller in told
    ]
    order.shuffle(kept)
    for number, caller in kept:
        core.transactions.remove(number, caller)
    assert learned(core) == []
