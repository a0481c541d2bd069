"""Appointment errors."""

from collections.abc import Sequence

from repaircore.json_text import plain
from repaircore.kernel.errors import Conflict, NotFound
from repaircore.mechanics.slots import Slot
from repaircore.mechanics.views import FreeSlotView


class AppointmentNotFound(NotFound):
    """The partner has no such appointment in this environment."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class HoldNotFound(NotFound):
    """The partner has no such hold in this environment, or it has expired."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class SlotFull(Conflict):
    """The slot is fully booked; ``details`` has the next free slots."""

    def __init__(self, alternatives: Sequence[Slot]) -> None:
        super().__init__(
            "This time is taken. Choose another one.",
            details={"status": "full", "allowed": plain([FreeSlotView.of(slot) for slot in alternatives])},
        )
