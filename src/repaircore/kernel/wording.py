"""Format figures and counts for use in sentences."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

_MINUS: Final = "\N{MINUS SIGN}"
_NOON: Final = 12
_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def references_sentence(**counts: int) -> str | None:
    """Return what still refers to a record, from counts by kind, or None if nothing does.

    ``transaction=12, vehicle=1`` is "12 transactions and 1 vehicle refer to it."
    """
    nouns = [f"{count:,} {kind if count == 1 else kind + 's'}" for kind, count in counts.items() if count]
    if not nouns:
        return None
    verb = "refers" if sum(counts.values()) == 1 else "refer"
    return f"{join_words(nouns)} {verb} to it."


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun: "1 repair", "2,000 repairs"; ``plural`` is for nouns that need more than an s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def join_words(words: Sequence[str], conjunction: str = "and") -> str:
    """Join one or more words into a list: ``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def money(amount: float) -> str:
    """Return cents as dollars: ``$1,234.00``."""
    return f"${amount / 100:,.2f}"


def whole_dollars(amount: float) -> str:
    """Return cents as whole dollars: ``$1,234``."""
    return f"${round(amount / 100):,}"


def percent(share: float) -> str:
    """Return a share as a whole percentage: ``40%``."""
    return f"{100 * share:.0f}%"


def signed(change: float) -> str:
    """Return a relative change with its sign, as a plus or a true minus sign: ``+8%``."""
    return f"{'+' if round(100 * change) >= 0 else _MINUS}{abs(100 * change):.0f}%"


def time_of_day(local: datetime) -> str:
    """Return a time of day with its zone, ``10:00 AM EST``, or with its offset if the zone has no name, ``UTC-03``."""
    name = local.tzname() or ""
    zone = f"UTC{name}" if name[:1] in {"+", "-"} else name
    return f"{local.hour % 12 or 12}:{local:%M} {'AM' if local.hour < _NOON else 'PM'} {zone}"


def time_and_day(local: datetime) -> str:
    """Return a time with its time zone and day, briefly: ``5:42 PM EST on Fri, Nov 27``."""
    return f"{time_of_day(local)} on {local:%a}, {local:%b} {local.day}"


def period(seconds: float) -> str:
    """Return a period in its largest whole unit, rounded down: ``3 hours``, ``1 minute``, ``0 seconds``."""
    size, unit = next((entry for entry in _UNITS if seconds >= entry[0]), _UNITS[-1])
    count = int(seconds // size)
    return f"{count:,} {unit if count == 1 else unit + 's'}"


def short_duration(seconds: float) -> str:
    """Return a short duration with up to three digits: ``2.5 ms``, ``250 ms``, ``2.5 s``."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
