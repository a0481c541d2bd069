"""The two ways to write a ZIP code."""

import re

_FORM = re.compile(r"([0-9]{5})(?:-[0-9]{4})?")


def zip5(text: str) -> str | None:
    """Give the five digits of ``90210`` or ``90210-1234``; None for any other form."""
    form = _FORM.fullmatch(text)
    return form[1] if form else None
