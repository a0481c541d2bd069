"""CSV files of providers, described in docs/reference/drivers-csv.md and businesses-csv.md."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from repaircore.kernel.csv_table import NOT_TEXT, WRONG_WIDTH, column_positions, is_text, read_table, rejected
from repaircore.kernel.imports import RejectedRow
from repaircore.providers.model import Provider
from repaircore.providers.trade import Trade
from repaircore.providers.validation import REQUIRED, ProviderFields, contact_columns, parse_provider


def header(trade: Trade[Any]) -> tuple[str, ...]:
    """Return the column names of the files for a kind of provider."""
    return (
        *("name", "phone", trade.abilities_column, trade.text_column, "latitude", "longitude"),
        *("radius_miles", "time_zone", "hours", "active", *contact_columns(trade)),
    )


def to_row(trade: Trade[Any], provider: Provider) -> tuple[str, ...]:
    """Return a provider as a row with the columns of ``header``."""
    return (
        provider.name,
        provider.phone or "",
        " ".join(sorted(provider.abilities)),
        getattr(provider, trade.text_column) or "",
        f"{provider.point.latitude!r}",
        f"{provider.point.longitude!r}",
        f"{provider.radius_miles:g}",
        provider.time_zone,
        provider.hours,
        "yes" if provider.active else "no",
        *(str(getattr(provider, name) or "") for name in contact_columns(trade)),
    )


def read_providers(trade: Trade[Any], lines: Iterable[str]) -> Iterator[ProviderFields | RejectedRow]:
    """Yield the fields of each row, or a ``RejectedRow`` with the reasons; empty cells are left out.

    Raises:
        Invalid: ``file`` has the wrong format.
    """
    rows = read_table(lines)
    _, names = next(rows, (0, list[str]()))
    columns = {name: (name,) for name in header(trade)}
    required = {*REQUIRED, trade.abilities_column}
    positions = column_positions(names, columns, optional=frozenset(columns) - required)
    for line, row in rows:
        reasons = _validate_form(row, len(names))
        fields: ProviderFields = {}
        if not reasons:
            fields, errors = parse_provider({name: row[at] for name, at in positions.items()}, trade)
            reasons = [text for texts in errors.values() for text in texts]
        yield rejected(line, row, reasons) if reasons else fields


def _validate_form(row: Sequence[str], width: int) -> list[str]:
    if not all(map(is_text, row)):
        return [NOT_TEXT]
    return [] if len(row) == width else [WRONG_WIDTH]
