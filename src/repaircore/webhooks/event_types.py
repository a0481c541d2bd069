"""The types of events: those of the partner platform, and those of an account's visits."""

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

_VISIT: Final = ("sent", "answered", "work_begun", "invoiced")

EVENT_TYPES: Final[Sequence[str]] = (
    *(f"ride.{change}" for change in (*_RIDE, "rated")),
    *(f"tow.{change}" for change in _RIDE),
    *(f"appointment.{change}" for change in _APPOINTMENT),
    "customer.created",
    TEST,
)
"""The types that a subscription of a partner can list."""

ACCOUNT_EVENT_TYPES: Final[Sequence[str]] = (*(f"visit.{change}" for change in _VISIT), TEST)
"""The types that a subscription of an account can list."""

_ORDER: Final = (*EVENT_TYPES[:-1], *ACCOUNT_EVENT_TYPES)


@frozen
class KnownEvent:
    """Requires one of some types of events, or ``*``."""

    types: Sequence[str] = EVENT_TYPES

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that a value breaks, or None."""
        return None if value == ALL or value in self.types else f"is not an event: {value[:64]}"


EventName: TypeAlias = Annotated[
    str,
    KnownEvent(),
    Described(
        "The type of an event; `*` is every type, those of later versions included.", enum=[*EVENT_TYPES, ALL]
    ),
]

AccountEventName: TypeAlias = Annotated[
    str,
    KnownEvent(ACCOUNT_EVENT_TYPES),
    Described(
        "The type of an event; `*` is every type, those of later versions included.",
        enum=[*ACCOUNT_EVENT_TYPES, ALL],
    ),
]


def normalize(names: Iterable[str]) -> tuple[str, ...]:
    """Return each name once, in the order of the types; ``*`` alone where it is among them."""
    listed = set(names)
    return (ALL,) if ALL in listed else tuple(name for name in _ORDER if name in listed)
