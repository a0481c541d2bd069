"""Sandbox mechanics for the test environment: made up, the same in every installation, and three in each state."""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID, uuid5

from repaircore.kernel.hours import parse_weekly
from repaircore.kernel.references import Kind, reference
from repaircore.mechanics.model import Offer, Profile, Schedule

_NAMESPACE: Final = UUID("5f0b1f0e-7a52-4f0c-9d59-3a5a6f2c8e11")

_ZONES: Final = {
    "Pacific/Pago_Pago": "AS",
    "Pacific/Guam": "GU MP",
    "Pacific/Honolulu": "HI",
    "America/Anchorage": "AK",
    "America/Los_Angeles": "CA NV OR WA",
    "America/Phoenix": "AZ",
    "America/Denver": "CO MT NM UT WY",
    "America/Boise": "ID",
    "America/Chicago": "AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI",
    "America/New_York": "CT DC DE FL GA KY MA MD ME NC NH NJ NY OH PA RI SC VA VT WV",
    "America/Detroit": "MI",
    "America/Indiana/Indianapolis": "IN",
    "America/Puerto_Rico": "PR VI",
}
TIME_ZONES: Final[Mapping[str, str]] = {
    state: zone for zone, states in _ZONES.items() for state in states.split()
}
"""The time zone of each state, or of most of it, by two-letter code."""


def sandbox_mechanics(state: str) -> Iterator[tuple[str, Profile]]:
    """Yield a state's sandbox mechanics with their references: an ordinary one, one open 24/7, one with two bays."""
    for number, (name, hours, minutes, capacity, services) in enumerate(_KINDS, 1):
        profile = Profile(
            name=f"Sandbox {name} ({state})",
            email=f"mechanic-{number}-{state.lower()}@sandbox.example",
            phone=f"+1 555 010 {number:04}",
            address=f"{number}00 Test Avenue",
            city="Sandbox",
            state=state,
            offers=tuple(Offer(service=service) for service in services.split()),
            schedule=Schedule(
                time_zone=TIME_ZONES[state],
                weekly=parse_weekly(hours),
                slot_minutes=minutes,
                capacity=capacity,
            ),
        )
        yield reference(Kind.MECHANIC, uuid5(_NAMESPACE, f"{state} {number}")), profile


_KINDS: Final = (
    ("Auto Care", "mon-fri 08:00-12:00,13:00-17:00", 60, 1, "brakes diagnostics inspection oil_change"),
    ("All Hours Garage", "mon-sun 00:00-24:00", 30, 1, "battery brakes oil_change tires towing"),
    ("Tire & Brake", "mon-fri 07:00-19:00; sat 09:00-14:00", 60, 2, "alignment brakes tires"),
)
