"""What a repair's urgency, safety and recurrence in the book mean, as sentences for owners."""

from typing import Final

from repaircore.book.model import Recurrence, Safety, Urgency, Wear

URGENCY: Final = {
    Urgency.STOP: ("Do not drive", "Do not drive it until this is repaired."),
    Urgency.NOW: ("Right away", "Have it repaired within a few days."),
    Urgency.SOON: ("Soon", "Have it repaired within a few weeks."),
    Urgency.PLAN: ("Plan ahead", "It can wait for the next service visit."),
    Urgency.COMFORT: ("Up to you", "It is about comfort; nothing breaks if it waits."),
}
SAFETY: Final = {
    Safety.NO: ("Not safe to drive", "Have it towed."),
    Safety.SHORT: ("Only to a shop", "Drive it to a shop, gently, and no farther."),
    Safety.YES: ("Safe to drive", "It is safe to drive until the repair."),
}

_MONTHS_A_YEAR: Final = 12


def recurrence_text(recurrence: Recurrence) -> str:
    """Return how often a repair recurs, as a sentence."""
    often = f"{recurrence.miles:,} miles or {_duration(recurrence.months)}, whichever comes first"
    match recurrence.kind:
        case Wear.SCHEDULE:
            return f"Due about every {often}."
        case Wear.WEAR:
            return f"The part wears out: typically after about {often}."
        case Wear.RANDOM:
            return f"It has no schedule. A vehicle that needs it once typically needs it again after {often}, if at all."


def _duration(months: int) -> str:
    years, rest = divmod(months, _MONTHS_A_YEAR)
    if not years or rest:
        return (
            f"{months} months"
            if months < 2 * _MONTHS_A_YEAR or rest != _MONTHS_A_YEAR / 2
            else f"{years}½ years"
        )
    return f"{years} year{'s' * (years != 1)}"
