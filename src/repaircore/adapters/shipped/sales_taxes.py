"""State sales taxes, from the shipped file."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, Final

from repaircore.facilities.sales_taxes import LaborTax, SalesTax, SalesTaxes

_MOST: Final = 25
"""The highest percentage that is accepted; no place charges more, so a higher one is a typo."""


@cache
def shipped_sales_taxes() -> SalesTaxes:
    """Read ``data/sales_taxes.toml``, once per process."""
    return sales_taxes((files("repaircore") / "data" / "sales_taxes.toml").read_text("utf-8"))


def sales_taxes(text: str) -> SalesTaxes:
    """Read a table of sales taxes.

    Raises:
        ValueError: a line lacks a field or has an unknown value, or its rates are too high or not in ascending order.
    """
    data = tomllib.loads(text, parse_float=Decimal)
    try:
        return SalesTaxes(
            by_state={state: _tax(state, line, data["year"]) for state, line in data["states"].items()},
            source=data["source"],
            year=data["year"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"Invalid sales tax table: {error!r}.") from error


def _tax(state: str, line: Mapping[str, Any], year: int) -> SalesTax:
    rate, average, highest = line["rate"], line["average"], line["highest"]
    if not 0 <= rate <= average <= highest <= _MOST:
        raise ValueError(
            f"The rates of {state} must be in order (rate, average, highest) and at most {_MOST}."
        )
    return SalesTax(
        state=state,
        rate=rate,
        average=average,
        highest=highest,
        parts=line.get("parts", True),
        labor=LaborTax(line["labor"]),
        source=line["source"],
        year=year,
        note=line.get("note", ""),
    )
