"""Convert between the values of a visit and the text in the fields of its form."""

import re

from repaircore.kernel.money import dollars


def number_in(text: str) -> object:
    """Parse a number; return any other text unchanged, for number fields to reject."""
    plain = text.removeprefix("$").removesuffix("%").replace(",", "").strip()
    if re.fullmatch(r"-?\d{1,15}", plain, re.ASCII):
        return int(plain)
    return float(plain) if re.fullmatch(r"-?\d{0,15}\.\d{1,15}|-?\d{1,15}\.", plain, re.ASCII) else text


def shown_text(value: object) -> str:
    """Return a value as the text that its field shows."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def dollars_text(amount: int | None) -> str | None:
    """Return cents as dollars, such as ``1234.50``, or None if ``amount`` is None."""
    return None if amount is None else f"{dollars(amount):.2f}"
