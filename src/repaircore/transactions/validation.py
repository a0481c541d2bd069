"""What can be wrong with an invoice as it is told, each field with its sentence."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from repaircore.kernel.money import Cents
from repaircore.transactions.model import TransactionPart

FIRST_DAY: Final = date(1950, 1, 1)
MOST_HOURS: Final = 1_000
DEAREST_HOUR: Final[Cents] = 10_000_00
DEAREST: Final[Cents] = 1_000_000_00
MOST_PIECES: Final = 1_000
MOST_LINES: Final = 200
MOST_MILES: Final = 2_000_000
LONGEST_NAME: Final = 200
LONGEST_NOTES: Final = 10_000


def validate_invoice(
    *,
    performed_on: date,
    today: date,
    labor_hours: float,
    labor_rate: Cents,
    parts: tuple[TransactionPart, ...],
    parts_total: Cents | None,
    mileage: int | None,
    notes: str | None,
) -> dict[str, list[str]]:
    """Say what is wrong, under the field's dotted name (``parts.0.quantity``); ``today`` is in UTC."""
    told = {
        # Somewhere it is tomorrow already.
        "performed_on": _day(performed_on, today + timedelta(days=1)),
        "labor_hours": _within(labor_hours, 0, MOST_HOURS),
        "labor_rate": _money(labor_rate, DEAREST_HOUR),
        "parts": [] if len(parts) <= MOST_LINES else [f"must not have more than {MOST_LINES} lines"],
        "parts_total": [] if parts_total is None else _money(parts_total, DEAREST),
        "mileage": [] if mileage is None else _within(mileage, 0, MOST_MILES),
        "notes": [] if notes is None else _text(notes, LONGEST_NOTES),
    }
    for line, part in enumerate(parts[:MOST_LINES]):
        told[f"parts.{line}.name"] = _text(part.name, LONGEST_NAME) if part.name.strip() else ["is required"]
        told[f"parts.{line}.unit_price"] = _money(part.unit_price, DEAREST)
        told[f"parts.{line}.quantity"] = _within(part.quantity, 1, MOST_PIECES)
    if not any(told[name] for name in told if name.startswith("parts.")) and _sum(parts) > DEAREST:
        told["parts"] = [*told["parts"], f"must come to at most ${DEAREST / 100:,.0f}"]
    if parts_total is not None and parts and not told["parts_total"]:
        told["parts_total"] = _sum_of(parts, parts_total)
    return {name: _sentences(name, wrong) for name, wrong in told.items() if wrong}


def _sentences(name: str, wrong: Iterable[str]) -> list[str]:
    return [f"The {name.replace('_', ' ')} field {text}." for text in wrong]


def _within(value: float, least: float, most: float) -> list[str]:
    # Not a number is within nothing.
    return [] if least <= value <= most else [f"must be between {least:,} and {most:,}"]


def _day(day: date, last: date) -> list[str]:
    return [] if FIRST_DAY <= day <= last else [f"must be between {FIRST_DAY} and {last}"]


def _money(amount: Cents, most: Cents) -> list[str]:
    return [] if 0 <= amount <= most else [f"must be between $0 and ${most / 100:,.0f}"]


def _sum(parts: tuple[TransactionPart, ...]) -> Cents:
    return sum(part.unit_price * part.quantity for part in parts)


def _sum_of(parts: tuple[TransactionPart, ...], told: Cents) -> list[str]:
    lines = _sum(parts)
    return [] if told == lines else [f"must be what the parts come to, ${lines / 100:,.2f}"]


def _text(text: str, longest: int) -> list[str]:
    if len(text) > longest:
        return [f"must not be longer than {longest:,} characters"]
    return ["must not have a NUL character"] if "\0" in text else []
