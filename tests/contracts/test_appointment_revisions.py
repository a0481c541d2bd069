"""The revisions of late moves and masked numbers, with appointments: down and up again on both databases."""

from datetime import timedelta

import sqlalchemy as sa
from attrs import evolve
from tests.contracts.appointments import a_booking, a_customer, a_mechanic
from tests.contracts.partners import add_partner

from repaircore.adapters.sql.engine.storage import HEAD
from repaircore.core import Core


def test_downgrade_keeps_appointments_and_forgets_late_moves(core: Core) -> None:
    caller = add_partner(core.storage.database)
    booking = a_booking(a_mechanic(core), a_customer(core, caller))
    booked = evolve(core.appointments, masks_phones=True).book(booking, caller)
    with core.storage.transaction() as work:
        moved = work.appointments.replace(booked, evolve(booked, late_start=booked.starts_at))
    core.storage.downgrade("0024")
    with core.storage.database.transaction(write=False) as connection:
        indexes = {index["name"] for index in sa.inspect(connection).get_indexes("appointments")}
    core.storage.upgrade()
    with core.storage.read() as work:
        found = work.appointments.find(booked.ref, caller)
        day = timedelta(days=1)
        unmasked = work.appointments.list_unmasked(
            booked.starts_at - day, until=booked.starts_at + day, limit=9
        )

    assert "ix_appointments_unanswered" in indexes
    assert "ix_appointments_unmasked" not in indexes
    assert core.storage.revision() == HEAD
    assert found == evolve(moved, late_start=None)
    assert [each.ref for each in unmasked] == [booked.ref]
