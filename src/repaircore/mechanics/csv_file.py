"""CSV files of mechanics, described in docs/reference/mechanics-csv.md."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.csv_table import NOT_TEXT, WRONG_WIDTH, column_positions, is_text, read_table, rejected
from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.kernel.references import Kind, is_reference
from repaircore.mechanics.model import Mechanic, Profile
from repaircore.mechanics.profile import FIELDS, FindZip, format_profile, parse_profile

_COLUMNS: Final = {
    "ref": ("ref", "reference", "mechanic_ref"),
    **{name: (name,) for name in FIELDS},
    "zip_code": ("zip_code", "zip", "postal_code"),
    "time_zone": ("time_zone", "timezone"),
    "languages": ("languages", "language"),
}
_OPTIONAL: Final = frozenset(_COLUMNS) - {"name"}

HEADER: Final = ("ref", *FIELDS)
"""The columns in an export."""


@frozen
class MechanicRow:
    """A row; ``ref`` is a mechanic's reference, which may not be in the directory yet, or None."""

    ref: str | None
    profile: Profile


def read_mechanics(lines: Iterable[str], find_zip: FindZip) -> Iterator[MechanicRow | RejectedRow]:
    """Yield each parsed row, or the reasons for rejecting it.

    Raises:
        Invalid: on ``file``: it is not a table of mechanics.
    """
    rows = read_table(lines)
    _, names = next(rows, (0, list[str]()))
    positions = column_positions(names, _COLUMNS, optional=_OPTIONAL)
    for line, row in rows:
        if not all(map(is_text, row)):
            yield rejected(line, row, [NOT_TEXT])
        elif len(row) != len(names):
            yield rejected(line, row, [WRONG_WIDTH])
        else:
            yield _read(
                {name: row[at].strip() for name, at in positions.items()}, find_zip, line=line, row=row
            )


def to_row(mechanic: Mechanic) -> Sequence[str]:
    """Return a mechanic as a row in an export."""
    cells = format_profile(mechanic.profile)
    return mechanic.ref, *(cells[name] for name in FIELDS)


def _read(
    cells: dict[str, str], find_zip: FindZip, *, line: int, row: Sequence[str]
) -> MechanicRow | RejectedRow:
    ref = cells.pop("ref", "") or None
    reasons = []
    if ref is not None and not is_reference(Kind.MECHANIC, ref):
        reasons = ["The ref field must be the reference of a mechanic."]
    try:
        profile = parse_profile(cells, find_zip)
    except Invalid as error:
        return rejected(line, row, [*reasons, *(text for texts in error.fields.values() for text in texts)])
    return rejected(line, row, reasons) if reasons else MechanicRow(ref, profile)
