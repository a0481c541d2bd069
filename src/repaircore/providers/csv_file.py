"""Providers in a file: docs/reference/drivers-csv.md and businesses-csv.md describe it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from repaircore.kernel.csv_table import NOT_TEXT, WRONG_WIDTH, column_positions, is_text, read_table, rejected
from repaircore.kernel.imports import RejectedRow
from repaircore.providers.csv_rows import head
from repaircore.providers.trade import Trade
from repaircore.providers.validation import NEEDED, Told, told_of


def read_providers(trade: Trade[Any], lines: Iterable[str]) -> Iterator[Told | RejectedRow]:
    """Give what each row tells, or why it is refused; an empty cell tells nothing.

    Raises:
        Invalid: on ``file``: it is no such table.
    """
    rows = read_table(lines)
    _, named = next(rows, (0, list[str]()))
    columns = {name: (name,) for name in head(trade)}
    needed = {*NEEDED, trade.abilities_column}
    where = column_positions(named, columns, optional=frozenset(columns) - needed)
    for line, row in rows:
        reasons = _validate_form(row, len(named))
        if reasons:
            yield rejected(line, row, reasons)
            continue
        told, wrong = told_of(
            {name: row[at] for name, at in where.items()},
            abilities=trade.abilities,
            abilities_column=trade.abilities_column,
            text=trade.text,
        )
        texts = [text for texts in wrong.values() for text in texts]
        yield rejected(line, row, texts) if texts else told


def _validate_form(row: Sequence[str], width: int) -> list[str]:
    if not all(map(is_text, row)):
        return [NOT_TEXT]
    return [] if len(row) == width else [WRONG_WIDTH]
