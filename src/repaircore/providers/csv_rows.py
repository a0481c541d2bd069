"""Providers in words, as files and the audit have them."""

from typing import Any

from repaircore.kernel.hours import format_weekly
from repaircore.providers.model import Provider
from repaircore.providers.trade import Trade
from repaircore.providers.validation import ALWAYS


def head(trade: Trade[Any]) -> tuple[str, ...]:
    """Give the columns of a file."""
    return (
        *("name", "phone", trade.abilities_column, trade.text, "latitude", "longitude", "radius_miles"),
        *("time_zone", "hours", "active"),
    )


def row_of(trade: Trade[Any], provider: Provider) -> tuple[str, ...]:
    """Write a provider as a row of a file."""
    return (
        provider.name,
        provider.phone or "",
        " ".join(sorted(provider.abilities)),
        getattr(provider, trade.text) or "",
        f"{provider.point.latitude!r}",
        f"{provider.point.longitude!r}",
        f"{provider.radius_miles:g}",
        provider.time_zone,
        ALWAYS if provider.weekly is None else format_weekly(provider.weekly),
        "yes" if provider.active else "no",
    )


def shown(trade: Trade[Any], provider: Provider) -> dict[str, Any]:
    """Give a provider as the audit tells of it."""
    return {
        "name": provider.name,
        "phone": provider.phone,
        trade.abilities_column: sorted(provider.abilities),
        trade.text: getattr(provider, trade.text),
        "latitude": provider.point.latitude,
        "longitude": provider.point.longitude,
        "radius_miles": provider.radius_miles,
        "time_zone": provider.time_zone,
        "hours": ALWAYS if provider.weekly is None else format_weekly(provider.weekly),
        "active": provider.active,
    }
