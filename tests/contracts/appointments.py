"""Mechanics, customers and appointments for contract tests."""

from datetime import UTC, datetime
from itertools import count
from typing import Any

from attrs import evolve

from repaircore.appointments.model import Appointment
from repaircore.appointments.validation import CreateAppointment
from repaircore.core import Core
from repaircore.customers.model import ResolveCustomer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.mechanics.free_times import find_next_slots
from repaircore.mechanics.model import Mechanic

MONDAY = datetime(2026, 3, 2, 5, 0, tzinfo=UTC)
"""Midnight in New York; the next day can be booked from 08:00 on."""

_numbers = count(1)


def a_mechanic(core: Core, environment: Environment = Environment.TEST, **cells: str) -> Mechanic:
    usual = {"name": "Garage", "state": "OH", "time_zone": "America/New_York"}
    return core.mechanics.add(environment, **{**usual, **cells})


def a_customer(core: Core, caller: PartnerCaller, email: str | None = None) -> str:
    number = next(_numbers)
    person = ResolveCustomer(
        first_name="Ada",
        last_name="Byron",
        email=email or f"ada{number}@example.org",
        phone=f"+1310555{number:04}",
    )
    return core.customers.resolve(person, caller).customer.ref


def a_booking(
    mechanic: Mechanic, customer_ref: str, time: str = "09:00", date: str = "2026-03-03"
) -> CreateAppointment:
    return CreateAppointment(mechanic_ref=mechanic.ref, customer_ref=customer_ref, date=date, time=time)


def book_next_slot(core: Core, caller: PartnerCaller, mechanic: Mechanic, **fields: Any) -> Appointment:
    """Book the next slot of a mechanic that is long enough for the service, for a new customer."""
    now, service = core.mechanics.clock(), fields.get("service")
    with core.mechanics.read() as work:
        slot = find_next_slots(work.seats, [mechanic], service=service, now=now)[mechanic.id]
    assert slot is not None
    wanted = a_booking(mechanic, a_customer(core, caller), slot.time, slot.day.isoformat())
    return core.appointments.book(evolve(wanted, **fields), caller)
