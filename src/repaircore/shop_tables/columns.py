"""Recognize the columns of a file by their names and their values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attrs import evolve

from repaircore.kernel.errors import Invalid
from repaircore.shop_tables.assignment import best_assignment
from repaircore.shop_tables.column_names import name_scores, name_words
from repaircore.shop_tables.column_values import ColumnProfile
from repaircore.shop_tables.model import NUMBERS, Column, Field, FileColumns, Layout

_LEAST: Final = 0.35
"""The minimum confidence for a column that the user did not name."""

_UNREADABLE: Final = 0.4
"""The confidence in a column with the very name of a field, most of whose values cannot be read."""

_MOSTLY: Final = 0.8
_HALF: Final = 0.5
_VARIED: Final = 0.3
_FEW_WORDS: Final = 3
_LISTED: Final = 40
_MOST_KINDS: Final = 30
_LEAST_MILES: Final = 300
_MOST_HOURS: Final = 60
_MOST_PIECES: Final = 100


class ColumnsMissing(Invalid):
    """Required columns of a file are missing or were not recognized; ``found`` has those that were recognized."""

    def __init__(
        self, missing: Sequence[tuple[str, Field]], found: Mapping[Field, Column], names: Sequence[str]
    ) -> None:
        listed = ", ".join(filter(None, names[:_LISTED]))
        super().__init__({
            "file": [
                f"The file has no {what}. Name one with --column {field}=NAME." for what, field in missing
            ] + [f"Its columns are: {listed}."]
        })  # fmt: skip
        self.missing = {field: f"The file has no {what}." for what, field in missing}
        self.found = found
        self.names = (*names,)


def recognize(
    names: Sequence[str], profiles: Sequence[ColumnProfile], stated: Mapping[Field, str]
) -> FileColumns:
    """Match columns to fields: as ``stated`` by the user (an empty name omits a field), the rest by best fit.

    Raises:
        Invalid: on ``column``: a stated name does not exist.
        ColumnsMissing: on ``file``: a required column cannot be found.
    """
    given = {field: _position(names, field, name) for field, name in stated.items() if name}
    fields = [field for field in Field if field not in stated]
    free = [place for place in range(len(names)) if place not in given.values()]
    scores = [name_scores(names[place]) for place in free]
    found = best_assignment([
        [_score(field, names[place], by_name.get(field, 0.0), profiles[place]) for place, by_name in zip(free, scores, strict=True)]
        for field in fields
    ])  # fmt: skip
    columns: dict[Field, Column] = {}
    for field, place in given.items():
        columns[field] = Column(
            field=field, position=place, name=names[place], confidence=1.0, is_stated=True
        )
    for field, (index, score) in zip(fields, found, strict=True):
        if index is not None and score >= _LEAST:
            place = free[index]
            columns[field] = Column(
                field=field, position=place, name=names[place], confidence=round(score, 2)
            )
    columns = {field: _with_style(column, profiles[column.position]) for field, column in columns.items()}
    _require_needed(columns, names)
    used = {column.position for column in columns.values()}
    return FileColumns(
        columns={field: columns[field] for field in Field if field in columns},
        layout=_layout(columns, profiles),
        ignored=tuple(name for place, name in enumerate(names) if place not in used),
    )


def _position(names: Sequence[str], field: Field, name: str) -> int:
    wanted = name.strip().casefold()
    for place, candidate in enumerate(names):
        if candidate.strip().casefold() == wanted:
            return place
    listed = ", ".join(names[:_LISTED])
    raise Invalid({"column": [f"The file has no column {name} for {field}. Its columns are: {listed}."]})


def _with_style(column: Column, profile: ColumnProfile) -> Column:
    if column.field is Field.DATE:
        return evolve(column, order=profile.order)
    if column.field not in NUMBERS:
        return column
    is_metric = column.field is Field.MILEAGE and (
        "kilometers" in name_words(column.name) or profile.share(profile.kilometers) > 1 - _MOSTLY
    )
    return evolve(column, style=profile.style, in_kilometers=is_metric)


def _layout(columns: Mapping[Field, Column], profiles: Sequence[ColumnProfile]) -> Layout:
    kind = columns.get(Field.KIND)
    if kind is None or Field.ORDER not in columns:
        return Layout.JOBS
    return (
        Layout.LINES
        if profiles[kind.position].share(profiles[kind.position].kinds) > _MOSTLY
        else Layout.JOBS
    )


def _require_needed(columns: Mapping[Field, Column], names: Sequence[str]) -> None:
    missing = []
    if Field.DESCRIPTION not in columns and Field.PROBLEM not in columns:
        missing.append(("problem column and no column that says what was done", Field.DESCRIPTION))
    if Field.DATE not in columns:
        missing.append(("date column and no column with the dates of the repairs", Field.DATE))
    if not (
        {Field.VIN, Field.VEHICLE} & columns.keys() or {Field.YEAR, Field.MAKE, Field.MODEL} <= columns.keys()
    ):
        missing.append(
            (
                "vin column, no year, make and model columns, and no column that describes the vehicle",
                Field.VIN,
            )
        )
    if not {Field.TOTAL, Field.AMOUNT, Field.LABOR, Field.PARTS, Field.LABOR_RATE} & columns.keys():
        missing.append(("total column and no columns with amounts of labor and parts", Field.TOTAL))
    if missing:
        raise ColumnsMissing(missing, columns, names)


def _score(field: Field, name: str, named: float, profile: ColumnProfile) -> float:
    """Return the confidence (0 to 1) that a column holds a field, from its name and its values.

    It is zero if the values contradict the field, unless the column has the very name of the field and some of its
    dates or amounts can be read: then the others are reported, row by row.
    """
    if not profile.filled:
        return named * 0.3
    holds, by_values = _VALUES[field](profile)
    if not holds:
        return (
            _UNREADABLE if name.strip().casefold() == field and _is_readable_in_part(field, profile) else 0.0
        )
    return max(named, by_values) if not named else min(1.0, named * 0.9 + 0.1 + by_values * 0.1)


def _is_readable_in_part(field: Field, profile: ColumnProfile) -> bool:
    return (field is Field.DATE and profile.dated > 0) or (field is Field.TOTAL and profile.numeric > 0)


def _vin(profile: ColumnProfile) -> tuple[bool, float]:
    share = profile.share(profile.vins)
    return share > _HALF, 0.7 + 0.25 * profile.share(profile.checked_vins)


def _date(profile: ColumnProfile) -> tuple[bool, float]:
    return profile.dated > _MOSTLY or profile.share(
        profile.serials
    ) > _MOSTLY, 0.5 if profile.dated > _MOSTLY else 0.0


def _year(profile: ColumnProfile) -> tuple[bool, float]:
    holds = profile.share(profile.years) > _MOSTLY
    return holds, 0.4


def _make(profile: ColumnProfile) -> tuple[bool, float]:
    share = profile.share(profile.makes)
    return share > _HALF, 0.6 * share


def _vehicle(profile: ColumnProfile) -> tuple[bool, float]:
    return profile.share(profile.vehicles) > _HALF, 0.7


def _zip(profile: ColumnProfile) -> tuple[bool, float]:
    return profile.share(profile.zips) > _MOSTLY, 0.0


def _mileage(profile: ColumnProfile) -> tuple[bool, float]:
    with_unit = profile.share(profile.kilometers) > _HALF
    return with_unit or (profile.numeric > _MOSTLY and profile.mean > _LEAST_MILES), 0.0


def _money(profile: ColumnProfile) -> tuple[bool, float]:
    return profile.numeric > _MOSTLY and profile.share(profile.vins) == 0, 0.0


def _hours(profile: ColumnProfile) -> tuple[bool, float]:
    return profile.numeric > _MOSTLY and profile.mean < _MOST_HOURS, 0.0


def _quantity(profile: ColumnProfile) -> tuple[bool, float]:
    return profile.numeric > _MOSTLY and profile.mean < _MOST_PIECES, 0.0


def _description(profile: ColumnProfile) -> tuple[bool, float]:
    words = profile.words / profile.filled
    is_text = (
        profile.share(profile.letters) > _HALF
        and profile.dated < _HALF
        and profile.share(profile.makes) < _HALF
    )
    return is_text, min(0.42, 0.1 * words) if words >= _FEW_WORDS and len(
        profile.distinct
    ) > 1 and profile.variety > _VARIED else 0.0


def _kind(profile: ColumnProfile) -> tuple[bool, float]:
    share = profile.share(profile.kinds)
    return share > _MOSTLY and 1 < len(profile.distinct) <= _MOST_KINDS, 0.36


def _job(profile: ColumnProfile) -> tuple[bool, float]:
    return profile.words / profile.filled < 1 and profile.share(
        profile.fractions
    ) == 0 and profile.dated < _HALF, 0.0


def _order(profile: ColumnProfile) -> tuple[bool, float]:
    return profile.dated < _HALF and profile.share(
        profile.fractions
    ) == 0 and profile.words / profile.filled < _FEW_WORDS, 0.0


def _name(profile: ColumnProfile) -> tuple[bool, float]:
    return profile.dated < _HALF and profile.share(profile.vins) < _HALF, 0.0


_VALUES: Final[Mapping[Field, Callable[[ColumnProfile], tuple[bool, float]]]] = {
    Field.DATE: _date,
    Field.ORDER: _order,
    Field.VIN: _vin,
    Field.YEAR: _year,
    Field.MAKE: _make,
    Field.MODEL: _name,
    Field.TRIM: _name,
    Field.VEHICLE: _vehicle,
    Field.MILEAGE: _mileage,
    Field.PROBLEM: _name,
    Field.DESCRIPTION: _description,
    Field.JOB: _job,
    Field.KIND: _kind,
    Field.QUANTITY: _quantity,
    Field.UNIT_PRICE: _money,
    Field.AMOUNT: _money,
    Field.LABOR_HOURS: _hours,
    Field.LABOR_RATE: _money,
    Field.LABOR: _money,
    Field.PARTS: _money,
    Field.TOTAL: _money,
    Field.TAX: _money,
    Field.ZIP: _zip,
    Field.FACILITY: _name,
}
"""Each field's function returns whether a column's values can be its values, and how strongly they suggest it."""
