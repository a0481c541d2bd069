"""The types of events: those on the partner platform, and those about an account's visits and vehicles."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final, TypeAlias

from attrs import frozen

from repaircore.kernel.rules import Described

ALL: Final = "*"
"""The pattern that subscribes to every type, including those of later versions."""

TEST: Final = "webhook.test"
"""The type of the event that tests a subscription."""

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
    "payment_captured",
    "payment_voided",
    "payment_failed",
    "refunded",
    "expired",
    "en_route",
    "no_provider",
    "destination_changed",
    "rated",
    "proof_added",
)
_APPOINTMENT: Final = (
    "booked",
    "updated",
    "rescheduled",
    "cancelled",
    "completed",
    "accepted_by_mechanic",
    "declined_by_mechanic",
    "rated",
    "pickup_progress",
)

_VISIT: Final = ("sent", "answered", "work_begun", "invoiced")

EVENT_TYPES: Final[Sequence[str]] = (
    *(f"ride.{change}" for change in _RIDE),
    *(f"tow.{change}" for change in _RIDE),
    *(f"appointment.{change}" for change in _APPOINTMENT),
    "customer.created",
    "customer.updated",
    TEST,
)
"""The types that a partner's subscription can list."""

ACCOUNT_EVENT_TYPES: Final[Sequence[str]] = (
    *(f"visit.{change}" for change in _VISIT),
    "vehicle.service_due",
    TEST,
)
"""The types that an account's subscription can list."""

_ORDER: Final = (*EVENT_TYPES[:-1], *ACCOUNT_EVENT_TYPES)

GROUPS: Final = tuple(dict.fromkeys(name.partition(".")[0] for name in _ORDER if name != TEST))
"""The kinds of records that events are about; ``ride.*`` subscribes to every type about rides."""


def _patterns(types: Sequence[str]) -> tuple[str, ...]:
    groups = {name.partition(".")[0] for name in types if name != TEST}
    return tuple(f"{group}.*" for group in GROUPS if group in groups)


EVENT_PATTERNS: Final = _patterns(EVENT_TYPES)
ACCOUNT_EVENT_PATTERNS: Final = _patterns(ACCOUNT_EVENT_TYPES)


@frozen
class KnownEvent:
    """Requires one of the given types of events, a pattern such as ``ride.*``, or ``*``."""

    types: Sequence[str] = EVENT_TYPES

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        known = value == ALL or value in self.types or value in _patterns(self.types)
        patterns = ", ".join((*_patterns(self.types), ALL))
        return (
            None
            if known
            else f"must be a type of event such as {self.types[0]}, or one of {patterns}, not {value[:64]}"
        )


EventName: TypeAlias = Annotated[
    str,
    KnownEvent(),
    Described(
        "The type of an event; `ride.*` means every type about rides, `*` every type, including those of later versions.",
        enum=[*EVENT_TYPES, *EVENT_PATTERNS, ALL],
    ),
]

AccountEventName: TypeAlias = Annotated[
    str,
    KnownEvent(ACCOUNT_EVENT_TYPES),
    Described(
        "The type of an event; `visit.*` means every type about visits, `*` every type, including those of later versions.",
        enum=[*ACCOUNT_EVENT_TYPES, *ACCOUNT_EVENT_PATTERNS, ALL],
    ),
]


def normalize(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without repeats and without those that a pattern or ``*`` includes, patterns first."""
    listed = set(names)
    if ALL in listed:
        return (ALL,)
    patterns = tuple(f"{group}.*" for group in GROUPS if f"{group}.*" in listed)
    single = (name for name in _ORDER if name in listed and f"{name.partition('.')[0]}.*" not in listed)
    return (*patterns, *single)
