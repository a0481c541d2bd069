"""Shops' usual charges other than for repairs, from the shipped file."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from repaircore.kernel.money import Cents, cents
from repaircore.quotes.charges import UsualCharges, UsualDiagnosis, UsualFee, UsualSupplies


@cache
def shipped_usual_charges() -> UsualCharges:
    """Read ``data/quote_fees.toml``, once per process."""
    return usual_charges((files("repaircore") / "data" / "quote_fees.toml").read_text("utf-8"))


def usual_charges(text: str) -> UsualCharges:
    """Read a table of charges.

    Raises:
        ValueError: an entry lacks a field, a low is above its high, or the last fee is limited to some lines.
    """
    data = tomllib.loads(text)
    try:
        fees = tuple(_fee(entry) for entry in data["fee"])
        charges = UsualCharges(
            supplies=_supplies(data["supplies"]),
            diagnosis=_diagnosis(data["diagnosis"]),
            fees=fees,
            year=data["year"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"Invalid charge table: {error!r}.") from error
    if not fees or "" not in fees[-1].words:
        raise ValueError("The last fee must apply to every line.")
    return charges


def _supplies(entry: Mapping[str, Any]) -> UsualSupplies:
    _require_order(entry["low_percent"], entry["high_percent"])
    _require_order(entry["low_cap"], entry["high_cap"])
    return UsualSupplies(
        low_percent=float(entry["low_percent"]),
        high_percent=float(entry["high_percent"]),
        low_cap=cents(entry["low_cap"]),
        high_cap=cents(entry["high_cap"]),
        source=entry["source"],
    )


def _diagnosis(entry: Mapping[str, Any]) -> UsualDiagnosis:
    _require_order(entry["low_hours"], entry["high_hours"])
    return UsualDiagnosis(
        low_hours=float(entry["low_hours"]), high_hours=float(entry["high_hours"]), source=entry["source"]
    )


def _fee(entry: Mapping[str, Any]) -> UsualFee:
    is_share = "low_percent" in entry
    low, high = (entry["low_percent"], entry["high_percent"]) if is_share else (entry["low"], entry["high"])
    _require_order(low, high)
    return UsualFee(
        name=entry["name"],
        words=tuple(entry["words"]),
        source=entry["source"],
        low=0 if is_share else cents(low),
        high=0 if is_share else cents(high),
        low_percent=float(low) if is_share else None,
        high_percent=float(high) if is_share else None,
        cap=_cents_or_none(entry.get("cap")),
        question=entry.get("question", ""),
        repairs=frozenset(entry.get("repairs", ())),
        is_refunded=bool(entry.get("refunded", False)),
    )


def _cents_or_none(amount: float | None) -> Cents | None:
    return None if amount is None else cents(amount)


def _require_order(low: float, high: float) -> None:
    if not 0 <= low <= high:
        raise ValueError(f"The low value {low} must be between 0 and the high value {high}.")
