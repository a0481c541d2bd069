"""Labor rates as people write them."""

import re
from typing import Final

from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents, cents

_FORM: Final = re.compile(r"\$? ?(\d{1,3}(?:,\d{3})+|\d{1,12})(\.\d{1,6})?", re.ASCII)


def rate_of(text: str) -> Cents:
    """Read "128.50", "$128.50" or "1,128.50": dollars per hour.

    Raises:
        Invalid: on ``avg_labor_rate``: it is no such amount, or a negative one.
    """
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise Invalid(
            {"avg_labor_rate": ["The avg labor rate field must be an amount of dollars, at least 0."]}
        )
    return cents(float(found[1].replace(",", "") + (found[2] or "")))
