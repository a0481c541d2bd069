"""The limits of an invoice's fields, each at its bound and just beyond it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from tests.unit.learning.test_service import NEW_TRANSACTION, TEST, new_transaction

from repaircore.core import Core
from repaircore.kernel.errors import Invalid
from repaircore.learning.transaction_rows import changed_fields, next_version, with_changes
from repaircore.predictions.model import PredictByVin
from repaircore.transactions.limits import DEAREST, DEAREST_HOUR, FIRST_DAY, MOST_HOURS, MOST_MILES
from repaircore.transactions.model import TransactionPart

VIN = "1HGCM82633A004352"


def _part(price: int, quantity: int = 1) -> TransactionPart:
    return TransactionPart(name="Pads", unit_price=price, quantity=quantity)


def test_fields_are_accepted_up_to_their_bounds(core: Core) -> None:
    tomorrow = core.clock().date() + timedelta(days=1)
    for values in (
        {"performed_on": FIRST_DAY},
        {"performed_on": tomorrow},
        {"labor_hours": 0},
        {"labor_hours": float(MOST_HOURS)},
        {"labor_rate": DEAREST_HOUR},
        {"mileage": 0},
        {"mileage": MOST_MILES},
        {"parts_total": DEAREST},
        {"parts": (_part(DEAREST // 2, 2),)},
        {"parts": (_part(10_00, 3),), "parts_total": 30_00},
        {"parts": (), "parts_total": 1},
        {"labor_hours": 1.5, "labor_rate": 100_01, "labor_total": 150_02},
        {"labor_hours": 1.5, "labor_rate": 100_00, "parts": (_part(10_00),), "total": 160_00},
    ):
        assert core.transactions.validate(**values) == {}


def test_fields_beyond_their_bounds_are_refused(core: Core) -> None:
    later = core.clock().date() + timedelta(days=2)
    cases: tuple[tuple[dict[str, Any], str, str], ...] = (
        ({"performed_on": FIRST_DAY - timedelta(days=1)}, "performed_on", "must be a date from 1950-01-01"),
        ({"performed_on": later}, "performed_on", "must be a date from 1950-01-01"),
        ({"labor_hours": 1_000.01}, "labor_hours", "must not be greater than 1,000"),
        ({"labor_rate": DEAREST_HOUR + 1}, "labor_rate", "must be between"),
        ({"mileage": MOST_MILES + 1}, "mileage", "must not be greater than 2,000,000"),
        ({"parts_total": DEAREST + 1}, "parts_total", "must be between"),
        ({"parts": (_part(DEAREST // 2, 2), _part(1))}, "parts", "must total at most $1,000,000"),
        ({"parts": (_part(10_00, 3),), "parts_total": 29_99}, "parts_total", "must be the sum of the parts, $30.00"),
        ({"labor_hours": 1.5, "labor_rate": 100_00, "labor_total": 150_01}, "labor_total", "the labor hours times the labor rate, $150.00"),
        ({"parts_total": 10_00, "total": 10_01}, "total", "the parts and the labor together, $10.00"),
    )  # fmt: skip
    for values, field, text in cases:
        found = core.transactions.validate(**values)

        assert [*found] == [field]
        assert text in found[field][0]


def test_totals_are_not_compared_with_amounts_that_are_themselves_invalid(core: Core) -> None:
    for bad in ({"labor_hours": -1.0}, {"labor_rate": -1}, {"parts_total": -1}):
        assert [*core.transactions.validate(**bad, total=5)] == [*bad]
    parts = core.transactions.validate(parts=(_part(-1),), parts_total=7, total=5)

    assert [*parts] == ["parts.0.unit_price"]


def test_vehicle_may_be_repaired_from_the_year_before_its_model_year(core: Core) -> None:
    vehicle_id = core.vehicles.resolve(VIN[:11]).id  # of 2003
    day = NEW_TRANSACTION.performed_on
    core.transactions.record(new_transaction(vehicle_id, performed_on=day.replace(year=2002, month=1, day=1)))
    with pytest.raises(Invalid) as caught:
        core.transactions.record(
            new_transaction(vehicle_id, performed_on=day.replace(year=2001, month=12, day=31))
        )

    assert caught.value.fields == {
        "performed_on": ("The performed on field must not be before 2002: the vehicle's model year is 2003.",)
    }


def test_prediction_of_an_invoice_must_be_for_its_repair(core: Core) -> None:
    session_id = core.predictions.predict(
        PredictByVin(vin=VIN, zip_code="90210", problem_identifier="101")
    ).session_id
    vehicle_id = core.vehicles.resolve(VIN[:11]).id

    assert (
        core.transactions.record(new_transaction(vehicle_id, session_id=session_id)).session_id == session_id
    )
    for changes, caller, text in (
        ({"problem_id": 102}, None, "belongs to a prediction for another repair"),
        ({}, TEST, "is invalid"),
        ({"session_id": UUID(int=5)}, None, "is invalid"),
    ):
        data = evolve(new_transaction(vehicle_id, session_id=session_id), **changes)
        with pytest.raises(Invalid, match=text) as caught:
            core.transactions.record(data, *(() if caller is None else (caller,)))

        assert [*caught.value.fields] == ["session_id"]


def test_only_what_differs_counts_as_a_change(core: Core) -> None:
    vehicle_id = core.vehicles.resolve(VIN[:11]).id
    old = core.transactions.record(new_transaction(vehicle_id, mileage=50_000))

    assert changed_fields(old, {"mileage": 50_000, "labor_hours": 2.0}) == {"labor_hours": 2.0}
    assert changed_fields(old, {"vin": None}) == {"vin": None}
    assert with_changes(old, {}).parts_total is None
    bare = evolve(old, parts=(), parts_total=70_00)

    assert with_changes(bare, {}).parts_total == 70_00
    assert with_changes(bare, {"parts": (_part(1),)}).parts_total is None


def test_next_version_keeps_what_the_change_does_not_touch(core: Core) -> None:
    vehicle_id = core.vehicles.resolve(VIN[:11]).id
    old = evolve(
        core.transactions.record(new_transaction(vehicle_id, vin=VIN)), parts_total=1, labor_total=2, total=3
    )
    new = evolve(old, id=0, parts_total=100, labor_total=200, total=300, car=None, lesson=None)

    for changes, parts, labor in (
        ({}, 1, 2),
        ({"parts": ()}, 100, 2),
        ({"parts_total": 5}, 100, 2),
        ({"labor_hours": 1.0}, 1, 200),
        ({"labor_rate": 1}, 1, 200),
        ({"labor_rate": 1, "parts": ()}, 100, 200),
    ):
        found = next_version(old, new, changes)

        assert (found.parts_total, found.labor_total, found.total) == (parts, labor, parts + labor)
        assert (found.id, found.car, found.lesson) == (old.id, old.car, old.lesson)
    moved = evolve(new, vehicle_id=UUID(int=3))

    assert next_version(old, moved, {"vehicle_id": UUID(int=3)}).car is None
    assert next_version(old, new, {"vin": None}).car is None
