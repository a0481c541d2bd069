"""Batches as CSV files: each row is an item and is returned with its price or error."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from repaircore.batches.model import MOST_ITEMS, ItemResult
from repaircore.kernel.csv_table import column_positions, inert, is_text, read_table
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents

COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    "vin": ("vin",),
    "year": ("year", "model year"),
    "make": ("make",),
    "model": ("model",),
    "trim": ("trim",),
    "engine": ("engine",),
    "zip_code": ("zip_code", "zip", "zip code"),
    "problem_identifier": ("problem_identifier", "problem", "repair"),
    "mileage": ("mileage", "odometer", "miles"),
    "parts_tier": ("parts_tier", "parts tier"),
}
"""The columns of a file, and the names that are accepted for each."""

PRICES: Final = (
    *("vehicle", "low", "average", "high", "confidence", "labor_hours", "labor_rate", "parts_total"),
    *("fit", "error"),
)
"""The columns that are added to a file; amounts are in dollars."""

_REQUIRED: Final = frozenset({"zip_code", "problem_identifier"})
_NUMBERS: Final = frozenset({"year", "mileage"})
_NO_VEHICLE: Final = "The file needs a vin column, or year, make and model columns."


@frozen
class BatchRow:
    """The cells of a row exactly as in the file, and its item."""

    cells: Sequence[str]
    item: Mapping[str, Any]


@frozen
class BatchTable:
    """The header of a file and its rows, which are read lazily."""

    header: Sequence[str]
    rows: Iterator[BatchRow]


def read_batch(lines: Iterable[str]) -> BatchTable:
    """Read a CSV file; columns other than ``COLUMNS`` are left unchanged.

    Raises:
        Invalid: on ``file``, if it is empty or not CSV, or lacks a column; also raised while the rows are read.
    """
    table = read_table(lines)
    header = next(table, None)
    if header is None:
        raise Invalid({"file": ["The file is empty."]})
    positions = column_positions(header[1], COLUMNS, optional=COLUMNS.keys() - _REQUIRED)
    if "vin" not in positions and not positions.keys() >= {"year", "make", "model"}:
        raise Invalid({"file": [_NO_VEHICLE]})
    return BatchTable(header[1], (BatchRow(cells, _item(cells, positions)) for _, cells in table))


def in_batches(rows: Iterable[BatchRow]) -> Iterator[list[BatchRow]]:
    """Yield rows in lists of at most ``MOST_ITEMS``."""
    batch: list[BatchRow] = []
    for row in rows:
        batch.append(row)
        if len(batch) == MOST_ITEMS:
            yield batch
            batch = []
    if batch:
        yield batch


def priced_row(width: int, cells: Sequence[str], result: ItemResult) -> list[str]:
    """Return a row of ``width`` cells with its price or its error."""
    texts = [cell if is_text(cell) else "" for cell in cells[:width]]
    return [*texts, *[""] * (width - len(texts)), *map(inert, _prices(result))]


def _prices(result: ItemResult) -> tuple[str, ...]:
    if result.prediction is None:
        return *[""] * (len(PRICES) - 1), "" if result.failure is None else _sentence(result)
    figures = result.prediction.figures
    local, breakdown = figures.local, figures.breakdown
    return (
        figures.vehicle.display_name,
        *map(_dollars, (local.low, local.average, local.high)),
        str(local.confidence),
        f"{breakdown.labor_hours:g}",
        *map(_dollars, (breakdown.labor_rate, breakdown.parts_total)),
        figures.fit.outcome,
        "",
    )


def _sentence(result: ItemResult) -> str:
    failure = result.failure
    if isinstance(failure, Invalid):
        return " ".join(text for texts in failure.fields.values() for text in texts)
    return "" if failure is None else failure.message


def _item(cells: Sequence[str], positions: Mapping[str, int]) -> dict[str, Any]:
    """Return the item of a row; an empty cell is an absent field."""
    texts = {name: cells[at].strip() for name, at in positions.items() if at < len(cells)}
    return {name: _value(name, text) for name, text in texts.items() if text}


def _value(name: str, text: str) -> Any:
    digits = text.replace(",", "")
    if name in _NUMBERS and digits.isascii() and digits.isdecimal():
        return int(digits)
    return text if is_text(text) else "�"


def _dollars(amount: Cents) -> str:
    return f"{amount / 100:.2f}"
