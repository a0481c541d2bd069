"""Mechanics in a file: docs/reference/mechanics-csv.md describes it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.csv_table import NOT_TEXT, WRONG_WIDTH, column_positions, is_text, read_table, rejected
from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.kernel.references import Kind, is_reference
from repaircore.mechanics.model import Mechanic, Profile
from repaircore.mechanics.profile import FIELDS, FindZip, profile_of, told_of

_COLUMNS: Final = {
    "ref": ("ref", "reference", "mechanic_ref"),
    **{name: (name,) for name in FIELDS},
    "zip_code": ("zip_code", "zip", "postal_code"),
    "time_zone": ("time_zone", "timezone"),
}
_OPTIONAL: Final = frozenset(_COLUMNS) - {"name"}

HEAD: Final = ("ref", *FIELDS)
"""The columns of an export."""


@frozen
class MechanicRow:
    """What a row tells; ``ref`` is that of a known mechanic, or None."""

    ref: str | None
    profile: Profile


def read_mechanics(lines: Iterable[str], find_zip: FindZip) -> Iterator[MechanicRow | RejectedRow]:
    """Give what each row tells of a mechanic, or why it is refused.

    Raises:
        Invalid: on ``file``: it is no such table.
    """
    rows = read_table(lines)
    _, head = next(rows, (0, list[str]()))
    where = column_positions(head, _COLUMNS, optional=_OPTIONAL)
    for line, row in rows:
        if not all(map(is_text, row)):
            yield rejected(line, row, [NOT_TEXT])
        elif len(row) != len(head):
            yield rejected(line, row, [WRONG_WIDTH])
        else:
            yield _read({name: row[at].strip() for name, at in where.items()}, find_zip, line=line, row=row)


def row_of(mechanic: Mechanic) -> Sequence[str]:
    """Write a mechanic as a row of an export."""
    told = told_of(mechanic.profile)
    return mechanic.ref, *(told[name] for name in FIELDS)


def _read(
    cells: dict[str, str], find_zip: FindZip, *, line: int, row: Sequence[str]
) -> MechanicRow | RejectedRow:
    ref = cells.pop("ref", "") or None
    wrong = []
    if ref is not None and not is_reference(Kind.MECHANIC, ref):
        wrong = ["The ref field must be a mechanic's reference."]
    try:
        profile = profile_of(cells, find_zip)
    except Invalid as bad:
        return rejected(line, row, [*wrong, *(text for texts in bad.fields.values() for text in texts)])
    return rejected(line, row, wrong) if wrong else MechanicRow(ref, profile)
