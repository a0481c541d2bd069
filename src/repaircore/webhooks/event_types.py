"""The types of events on the partner platform."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final, TypeAlias

from attrs import frozen

from repaircore.kernel.rules import Described

ALL: Final = "*"
"""Subscribes to every type, those of later versions included."""

TEST: Final = "webhook.test"
"""The event that tests a subscription."""

_RIDE: Final = (
    "created",
    "updated",
    "offer_received",
    "accepted",
    "reopened",
    "driver_arrived",
    "started",
    "completed",
    "cancelled",
    "payment_failed",
    "refunded",
    "expired",
)
_APPOINTMENT: Final = ("booked", "updated", "rescheduled", "cancelled", "completed", "pickup_progress")

EVENT_TYPES: Final[Sequence[str]] = (
    *(f"ride.{change}" for change in (*_RIDE, "rated")),
    *(f"tow.{change}" for change in _RIDE),
    *(f"appointment.{change}" for change in _APPOINTMENT),
    "customer.created",
    TEST,
)
"""The types that a subscription can list."""


@frozen
class KnownEvent:
    """Requires the type of an event, or ``*``."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that a value breaks, or None."""
        return None if value == ALL or value in EVENT_TYPES else f"is not an event: {value[:64]}"


EventName: TypeAlias = Annotated[
    str,
    KnownEvent(),
    Described(
        "The type of an event; `*` is every type, those of later versions included.", enum=[*EVENT_TYPES, ALL]
    ),
]


def normalize(names: Iterable[str]) -> tuple[str, ...]:
    """Return each name once, in the order of ``EVENT_TYPES``; ``*`` alone where it is among them."""
    listed = set(names)
    return (ALL,) if ALL in listed else tuple(name for name in EVENT_TYPES if name in listed)
