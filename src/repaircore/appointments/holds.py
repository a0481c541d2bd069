"""Hold an appointment time for ten minutes, so that it can be booked."""

from datetime import timedelta
from math import ceil
from typing import Final

from attrs import frozen

from repaircore.appointments.errors import HoldNotFound
from repaircore.appointments.model import Hold
from repaircore.appointments.ports import AppointmentsWork, OpenWork
from repaircore.appointments.seating import find_offer, find_requested_slot, require_free, take_seats
from repaircore.appointments.validation import CreateHold, unknown_reference
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Invalid, TooMany
from repaircore.kernel.references import Kind, is_reference, reference
from repaircore.kernel.rules import require_valid
from repaircore.kernel.types import Clock, NewId
from repaircore.mechanics.model import Mechanic, Offer
from repaircore.mechanics.ports import SeatHolder
from repaircore.mechanics.slots import Slot

HOLD_MINUTES: Final = 10
MOST_HOLDS: Final = 10
"""The maximum number of holds that a partner may have with a mechanic: see docs/decisions/calendar.md."""


@frozen(kw_only=True)
class Holds:
    """Use cases for holds."""

    transaction: OpenWork
    new_id: NewId
    clock: Clock

    def hold(self, data: CreateHold, caller: PartnerCaller) -> Hold:
        """Hold a time, so that no one else can hold or book it until the hold expires.

        Raises:
            Invalid: with every bad field, including unknown references.
            SlotFull: the slot is taken.
            TooMany: the partner already has the maximum number of holds with this mechanic.
        """
        require_valid(data)
        now = self.clock()
        with self.transaction() as work:
            mechanic, offer, slot = self._resolve(work, data, caller)
            open_holds = work.holds.list_open(mechanic.id, caller, at=now)
            if len(open_holds) >= MOST_HOLDS:
                wait = ceil((open_holds[0].expires_at - now).total_seconds())
                raise TooMany(
                    wait,
                    f"You already hold {MOST_HOLDS} time slots with this mechanic. Book or release one of them.",
                )
            require_free(work.seats, mechanic, slot, now=now)
            held = work.holds.add(
                Hold(
                    ref=reference(Kind.HOLD, self.new_id()),
                    caller=caller,
                    mechanic_id=mechanic.id,
                    mechanic_ref=mechanic.ref,
                    time_zone=mechanic.profile.schedule.time_zone,
                    service=None if offer is None else offer.service,
                    day=slot.day,
                    minute=slot.minute,
                    starts_at=slot.starts_at,
                    ends_at=slot.ends_at,
                    created_at=now,
                    expires_at=now + timedelta(minutes=HOLD_MINUTES),
                )
            )
            holder = SeatHolder(hold_id=held.id, held_until=held.expires_at)
            take_seats(work.seats, mechanic, holder, slot, now=now)
        return held

    def release(self, ref: str, caller: PartnerCaller) -> None:
        """Release a hold before it expires.

        Raises:
            HoldNotFound: the partner has no such hold, or it has expired.
        """
        with self.transaction() as work:
            found = work.holds.find(ref, caller, at=self.clock()) if is_reference(Kind.HOLD, ref) else None
            if found is None or not work.holds.delete(found.id):
                raise HoldNotFound

    def prune(self) -> int:
        """Delete expired holds, whose times are already free; return how many were deleted."""
        with self.transaction() as work:
            return work.holds.prune(self.clock())

    def _resolve(
        self, work: AppointmentsWork, data: CreateHold, caller: PartnerCaller
    ) -> tuple[Mechanic, Offer | None, Slot]:
        mechanic = work.mechanics.lock(data.mechanic_ref, caller.environment)
        if mechanic is None or not mechanic.is_active:
            raise Invalid(unknown_reference(Kind.MECHANIC, "mechanic_ref"))
        offer = find_offer(mechanic, data.service)
        minutes = None if offer is None else mechanic.profile.minutes_of(offer.service)
        slot = find_requested_slot(
            mechanic, date=data.date, time=data.time, minutes=minutes, now=self.clock()
        )
        return mechanic, offer, slot
