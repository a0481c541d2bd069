"""Values of a visit as texts in the fields of its form."""

import re

from repaircore.kernel.money import dollars


def number_in(text: str) -> object:
    """Parse a number; return any other text unchanged, which number fields reject."""
    plain = text.removeprefix("$").removesuffix("%").replace(",", "").strip()
    if re.fullmatch(r"-?\d{1,15}", plain, re.ASCII):
        return int(plain)
    return float(plain) if re.fullmatch(r"-?\d{0,15}\.\d{1,15}|-?\d{1,15}\.", plain, re.ASCII) else text


def shown_text(value: object) -> str:
    """Return a value as its field shows it."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def dollars_text(amount: int | None) -> str | None:
    """Return an amount of cents in dollars; None if there is none."""
    return None if amount is None else f"{dollars(amount):.2f}"
