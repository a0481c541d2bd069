"""Statutory fees, from the shipped file."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from repaircore.kernel.money import cents
from repaircore.predictions.statutory_fees import FeeKind, StatutoryFee, StatutoryFees

_YEAR: Final = "year"


@cache
def shipped_statutory_fees() -> StatutoryFees:
    """Read ``data/statutory_fees.toml``, once per process."""
    return statutory_fees((files("repaircore") / "data" / "statutory_fees.toml").read_text("utf-8"))


def statutory_fees(text: str) -> StatutoryFees:
    """Read a table of fees.

    Raises:
        ValueError: a line is neither a fee nor a known word, or a fee is not between its low and high.
    """
    data = tomllib.loads(text)
    return StatutoryFees(
        by_slug={
            slug: {state: _fee(state, line, data[_YEAR]) for state, line in lines.items()}
            for slug, lines in data.items()
            if slug != _YEAR
        }
    )


def _fee(state: str, line: str | Mapping[str, Any], year: int) -> StatutoryFee:
    if isinstance(line, str):
        return _fee(state, {"law": line}, year)
    note = line.get("note", "")
    areas = {prefix: _fee(state, area, year) for area in line.get("areas", ()) for prefix in area["zips"]}
    if "law" in line:
        kind = FeeKind(line["law"])
        if kind is FeeKind.FIXED:
            raise ValueError(f"{state} has a fee set by law, but no amount.")
        return StatutoryFee(kind=kind, state=state, year=year, note=note, areas=areas)
    price = line["fee"]
    low, high = line.get("low", price), line.get("high", price)
    if not 0 < low <= price <= high:
        raise ValueError(f"The fee of {state} must be positive and between its low and high.")
    return StatutoryFee(
        kind=FeeKind.FIXED,
        state=state,
        year=year,
        price=cents(price),
        low=cents(low),
        high=cents(high),
        note=note,
        areas=areas,
    )
