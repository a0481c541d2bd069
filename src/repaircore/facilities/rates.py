"""The labor rate of a region, with its source in words."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.facilities.labor_table import TableBasis, TableRate
from repaircore.facilities.region import EnteredRate
from repaircore.kernel.money import Cents


class RateBasis(StrEnum):
    """The nearest source that contributed to a rate."""

    REGION = "region"
    STATE_SHOPS = "state_shops"
    METRO_TABLE = "metro_table"
    STATE_TABLE = "state_table"
    RURAL_TABLE = "rural_table"
    TERRITORY_TABLE = "territory_table"
    NATIONAL = "national"


_LEAST_PERCENT: Final = 0.1

_OF_TABLE: Final[Mapping[TableBasis, RateBasis]] = {
    TableBasis.METRO: RateBasis.METRO_TABLE,
    TableBasis.STATE: RateBasis.STATE_TABLE,
    TableBasis.RURAL: RateBasis.RURAL_TABLE,
    TableBasis.TERRITORY: RateBasis.TERRITORY_TABLE,
    TableBasis.MILITARY: RateBasis.NATIONAL,
    TableBasis.NATIONAL: RateBasis.NATIONAL,
}


@frozen(kw_only=True)
class RegionRate:
    """A region's rate in cents per hour, its source, and the number of invoices behind it; ``text`` is a sentence."""

    rate: Cents
    basis: RateBasis
    invoices: int
    text: str


def region_rate(
    rate: Cents,
    table: TableRate,
    state: str,
    *,
    entered: EnteredRate | None,
    here: int,
    in_state: int,
    elsewhere: int = 0,
) -> RegionRate:
    """Return a region's rate with its source; ``table`` is the table's rate for the place.

    ``entered`` is the rate that operators entered there, or None if the rate is learned. ``here`` counts the invoices
    of the nearest shop and its area, ``in_state`` those of the whole state, and ``elsewhere`` those of the whole
    country, including invoices whose place is unknown.
    """
    shown = f"${rate / 100:,.2f} an hour"
    if entered is not None:
        text = f"{shown}: {_entered(entered.shops)}."
        return RegionRate(rate=rate, basis=RateBasis.REGION, invoices=0, text=text)
    table_name = f"the {table.year} table of labor rates"
    if here:
        text = f"{shown}: from {_count(here)} in your area, combined with those in {state} and with {table_name}."
        return RegionRate(rate=rate, basis=RateBasis.REGION, invoices=here, text=text)
    if in_state:
        text = f"{shown}: from {_count(in_state)} in {state}, combined with {table_name}."
        return RegionRate(rate=rate, basis=RateBasis.STATE_SHOPS, invoices=in_state, text=text)
    dealers = f"dealers charge about ${rate / 100 * table.dealer_rate / table.rate:,.0f}"
    moved = _adjustment(rate / table.rate - 1, elsewhere)
    text = f"{shown}: {table.origin}{moved}; {dealers}. None of your shops near here has a rate yet."
    return RegionRate(rate=rate, basis=_OF_TABLE[table.basis], invoices=0, text=text)


def _adjustment(change: float, elsewhere: int) -> str:
    """Return in words how a rate without nearby invoices differs from the table's, or "" below a tenth of a percent."""
    if round(100 * abs(change), 1) < _LEAST_PERCENT:
        return ""
    source = f"{_count(elsewhere)} from elsewhere" if elsewhere else "another installation's invoices"
    return f", {'raised' if change > 0 else 'lowered'} by {100 * abs(change):.1f}% by {source}"


def _entered(shops: int) -> str:
    if shops == 1:
        return "the rate entered for the nearest shop with a rate"
    return f"the mean of the rates entered for {shops} shops at the nearest ZIP code with a rate"


def _count(invoices: int) -> str:
    return f"{invoices:,} invoice{'s' if invoices != 1 else ''}"
