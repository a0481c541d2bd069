"""Parse money and other numbers as shop systems write them; the meaning of a comma is decided per column."""

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import Final

from repaircore.kernel.money import Cents


class NumberStyle(StrEnum):
    """Whether the decimal mark is a point or a comma."""

    POINT = "point"
    COMMA = "comma"


_LARGEST_DIGITS: Final = 12
_CURRENCY: Final = re.compile(r"(?:US|C|A)?\$|USD|CAD|\bEUR\b|€|£", re.IGNORECASE)
_PARENTHESES: Final = re.compile(r"\((.*)\)")
_TRAILING_MINUS: Final = re.compile(r"(.*?)\s*(?:-|\bCR)", re.IGNORECASE)
_FORMS: Final = {
    NumberStyle.POINT: re.compile(r"(?P<whole>\d+|\d{1,3}(?:,\d{3})+)?(?:\.(?P<rest>\d*))?", re.ASCII),
    NumberStyle.COMMA: re.compile(r"(?P<whole>\d+|\d{1,3}(?:[. ' ]\d{3})+)?(?:,(?P<rest>\d*))?", re.ASCII),
}


def parse_number(text: str, style: NumberStyle) -> Decimal | None:
    """Return the number in a cell, or None if it is not a number or has too many digits.

    Examples are ``$1,240.50``, ``(45.00)``, ``45.00-`` and ``1.240,50``.
    """
    plain = _CURRENCY.sub("", text).replace("−", "-").strip()
    negative = False
    if found := _PARENTHESES.fullmatch(plain):
        plain, negative = found[1].strip(), True
    if found := _TRAILING_MINUS.fullmatch(plain):
        plain, negative = found[1].strip(), True
    if plain[:1] in {"-", "+"}:
        negative, plain = negative or plain[0] == "-", plain[1:].strip()
    form = _FORMS[style].fullmatch(plain)
    if form is None or not (form["whole"] or form["rest"]):
        return None
    whole = re.sub(r"\D", "", form["whole"] or "0")
    if len(whole) > _LARGEST_DIGITS:
        return None
    number = Decimal(f"{whole}.{form['rest'] or '0'}")
    return -number if negative else number


def parse_money(text: str, style: NumberStyle) -> Cents | None:
    """Return the amount in a cell in cents, or None if it is not a number; half a cent is rounded away from zero."""
    number = parse_number(text, style)
    return None if number is None else int((number * 100).quantize(Decimal(1), ROUND_HALF_UP))


def number_styles(text: str) -> frozenset[NumberStyle]:
    """Return the styles in which a cell can be parsed as a number.

    Both styles fit a cell without a point or comma, and a cell whose only point or comma precedes exactly three digits:
    ``1,240`` is 1240 or 1.24. Only one style fits ``1,240.50`` or ``12,5``.
    """
    return frozenset(style for style in NumberStyle if parse_number(text, style) is not None)


def decide_style(counts: Mapping[frozenset[NumberStyle], int]) -> NumberStyle:
    """Return the style of a column, given how many cells fit each style: a point unless more cells need a comma."""
    comma = counts.get(frozenset({NumberStyle.COMMA}), 0)
    point = counts.get(frozenset({NumberStyle.POINT}), 0)
    return NumberStyle.COMMA if comma > point else NumberStyle.POINT
