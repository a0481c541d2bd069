"""What can go wrong with appointments."""

from collections.abc import Sequence

from repaircore.json_text import plain
from repaircore.kernel.errors import Conflict, NotFound
from repaircore.mechanics.slots import Slot
from repaircore.mechanics.views import FreeSlotView


class AppointmentNotFound(NotFound):
    """The partner has no such appointment in this environment."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class SlotFull(Conflict):
    """Every place of the slot is taken; the next free ones are told."""

    def __init__(self, instead: Sequence[Slot]) -> None:
        super().__init__(
            "This time is taken.",
            details={"status": "full", "allowed": plain([FreeSlotView.of(slot) for slot in instead])},
        )
