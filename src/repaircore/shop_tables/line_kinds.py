"""Recognize the kinds of lines in exports from shop systems: labor, parts, fees, taxes and discounts."""

import re
from enum import StrEnum
from typing import Final


class LineType(StrEnum):
    """The kind of a line according to its kind column; ``both`` is a whole job."""

    LABOR = "labor"
    PART = "part"
    FEE = "fee"
    TAX = "tax"
    DISCOUNT = "discount"
    BOTH = "both"
    UNKNOWN = "unknown"


_WORDS: Final = {
    LineType.LABOR: "l lab lbr labor labour service svc operation op job work",
    LineType.PART: "p prt pt part parts tire tires inventory product m material materials merchandise stock",
    LineType.FEE: "f fee fees supplies supply haz hazmat env misc miscellaneous shop s sup sublet sub freight core gog",
    LineType.TAX: "t tx tax taxes salestax",
    LineType.DISCOUNT: "d disc discount coupon adjustment credit",
    LineType.BOTH: "package canned kit",
}
_TYPES: Final = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_MOST_WORDS: Final = 2
_LETTERS: Final = re.compile(r"[a-z]+")


def line_type(text: str) -> LineType:
    """Return the kind that a cell of one or two words names; any other cell is unknown."""
    words = _LETTERS.findall(text.casefold())
    if not words or len(words) > _MOST_WORDS:
        return LineType.UNKNOWN
    found = _TYPES.get("".join(words)) or _TYPES.get(words[0])
    return LineType.UNKNOWN if found is None else found
