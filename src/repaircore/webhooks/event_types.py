"""What happens on the partner platform, by name."""

from collections.abc import Iterable, Sequence
from typing import Final

ALL: Final = "*"
"""Whatever happens, what later versions tell of too."""

TEST: Final = "webhook.test"
"""Happens when somebody tries a subscription out."""

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
    *(f"ride.{what}" for what in (*_RIDE, "rated")),
    *(f"tow.{what}" for what in _RIDE),
    *(f"appointment.{what}" for what in _APPOINTMENT),
    "customer.created",
    TEST,
)
"""The names that a subscription can list."""


def unknown(names: Iterable[str]) -> list[tuple[int, str]]:
    """Give the places and names of those that are no event's."""
    return [(place, name) for place, name in enumerate(names) if name != ALL and name not in EVENT_TYPES]


def settled(names: Iterable[str]) -> tuple[str, ...]:
    """Give each name once, in our order; beside ``*`` no other says anything."""
    told = set(names)
    return (ALL,) if ALL in told else tuple(name for name in EVENT_TYPES if name in told)
