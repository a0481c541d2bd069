"""The two ways to write a ZIP code."""

import re
from typing import Annotated, TypeAlias

from repaircore.kernel.rules import Pattern

ZipCode: TypeAlias = Annotated[
    str, Pattern(r"[0-9]{5}(-[0-9]{4})?", "must be 5 digits or ZIP+4, such as 90210 or 90210-1234")
]
"""A US ZIP code in a request: well formed, though it may not exist."""

_FORM = re.compile(r"([0-9]{5})(?:-[0-9]{4})?")


def zip5(text: str) -> str | None:
    """Return the five digits of ``90210`` or ``90210-1234``, or None for any other form."""
    form = _FORM.fullmatch(text)
    return form[1] if form else None
