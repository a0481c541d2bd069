"""Assign the figures of a row to named columns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from attrs import field, frozen

from repaircore.kernel.money import Cents, cents
from repaircore.quote_text.columns import Column, ColumnKind, Columns

_MOST_HOURS: Final = 40.0
_MOST_COUNT: Final = 200
_PLAUSIBLE_RATE: Final = range(30_00, 500_00)
_MOST_CENTS: Final = 1_000_000_00
_ROUNDING: Final = 5
"""How many cents the product of a rounded number of hours and a rate may be off."""


@frozen
class Cell:
    """A figure in a row, in hundredths, and its position; ``is_sure`` means that it has cents or a dollar sign."""

    value: int
    start: int
    end: int
    is_sure: bool = True
    has_dollar: bool = False


@frozen(kw_only=True)
class TableRow:
    """A row of a table: its words, and its figures by column, in cents or (for hours and counts) in hundredths."""

    description: str
    cells: Mapping[ColumnKind, int] = field(factory=dict)

    def get(self, kind: ColumnKind) -> int | None:
        """Return the figure in a column, or None if it is empty or unclear."""
        return self.cells.get(kind)


_TOKEN: Final = re.compile(r"\$\s{0,3}(?=[\d.-])\S+|\S+")
_FIGURE: Final = re.compile(
    r"(?P<open>\()?(?P<minus>[-−])?(?P<dollar>\$)?\s{0,3}(?P<minus2>[-−])?(?P<whole>\d{1,3}(?:,\d{3})+|\d{0,5})(?P<cents>\.\d{1,2})?(?P<close>\))?"
    r"(?P<trail>[-−])?(?P<unit>h|hrs?\.?|ea|/h|/hr|t|n)?",
    re.IGNORECASE,
)
_EMPTY: Final = re.compile(r"-{1,3}|—|n/?a|n/?c|incl?\.?|included", re.IGNORECASE)
_FILLER: Final = re.compile(r"\$|hrs?\.?|hours?|ea\.?|each|@|x|×|=|t|n|y|per|/hr|usd|\|", re.IGNORECASE)
_GAP: Final = re.compile(r"\s{2,}")
_LEAD: Final = re.compile(r"^\s*(?:[A-Z]|\d{1,3})[.)]?\s+(?=\S)")


def read_row(line: str, cells: Sequence[str], columns: Columns) -> TableRow | None:
    """Return a row with its figures by column, or None if the line may not be a row of the table."""
    if columns.is_delimited and len(cells) >= len(columns.columns) - 1:
        found = _delimited(cells, columns)
        if found is not None:
            return found
    return _from_text(line, columns)


def _delimited(cells: Sequence[str], columns: Columns) -> TableRow | None:
    description = ""
    values: dict[ColumnKind, int] = {}
    for column, cell in zip(columns.columns, [*cells, ""], strict=False):
        text = cell.strip()
        if column.kind is ColumnKind.DESCRIPTION:
            description = text
        elif column.kind is not ColumnKind.OTHER and text and not _EMPTY.fullmatch(text):
            figure = _figure(text, 0)
            if figure is None or not _is_plausible(column.kind, figure):
                return None
            values[column.kind] = figure.value
    if not description or len(values) < 2:  # noqa: PLR2004 - a single amount needs no columns
        return None
    return TableRow(description=description, cells=values)


# By position, or by the order of the figures and what they add up to


def _from_text(line: str, columns: Columns) -> TableRow | None:
    left, body_start = _before(line, columns)
    description, tail = _tail(line, body_start)
    slots = columns.after_description
    is_single = len(tail) == 1 and ColumnKind.TOTAL in columns.kinds
    if not re.search(r"[A-Za-z]{2}", description) or not tail or (is_single and not left):
        return None
    is_aligned = len(_GAP.split(line.strip())) > 1
    best: list[tuple[float, tuple[Column, ...], int]] = []
    fewest = max(0, len(tail) - len(slots))
    for dropped in range(fewest, min(len(tail), fewest + 2)):
        for chosen in _choices(tuple(slots), len(tail) - dropped):
            score = _score(chosen, tail[dropped:], slots, left, is_aligned=is_aligned)
            if score is not None:
                best.append((score - 2 * dropped, chosen, dropped))
    top = max((score for score, _, _ in best), default=0.0)
    if top < _LEAST_SCORE:
        return None
    equal = [(chosen, dropped) for score, chosen, dropped in best if score > top - _TIE]
    values = [
        {slot.kind: cell.value for slot, cell in zip(chosen, tail[dropped:], strict=True)}
        for chosen, dropped in equal
    ]
    agreed = {
        kind: value for kind, value in values[0].items() if all(other.get(kind) == value for other in values)
    }
    agreed.pop(ColumnKind.OTHER, None)
    words = line[body_start : tail[equal[0][1]].start]
    return TableRow(
        description=_in_column(words, columns, body_start, is_aligned=is_aligned), cells={**left, **agreed}
    )


_LEAST_SCORE: Final = 3.0
_TIE: Final = 0.01


def _before(line: str, columns: Columns) -> tuple[dict[ColumnKind, int], int]:
    """Return the figures to the left of the description, and the position where the description begins."""
    found: dict[ColumnKind, int] = {}
    place = 0
    for column in columns.before_description:
        if column.kind is ColumnKind.OTHER:
            lead = _LEAD.match(line[place:])
            place += lead.end() if lead else 0
            continue
        token = _TOKEN.search(line, place)
        cell = None if token is None else _figure(token[0], token.start())
        if token is None or cell is None or not _is_plausible(column.kind, cell):
            continue
        found[column.kind] = cell.value
        place = token.end()
    return found, place


def _tail(line: str, start: int) -> tuple[str, list[Cell]]:
    """Return the words of a row and the figures at its end; an empty cell such as "-" before a figure counts as 0."""
    tail: list[Cell] = []
    end = len(line)
    for token in reversed([*_TOKEN.finditer(line, start)]):
        cell = _figure(token[0], token.start())
        if cell is not None:
            tail.insert(0, cell)
        elif _EMPTY.fullmatch(token[0]) and tail:
            tail.insert(0, Cell(0, token.start(), token.end(), is_sure=False))
        elif not _FILLER.fullmatch(token[0]):
            break
        end = token.start()
    return line[start:end].strip(), tail


def _figure(text: str, start: int) -> Cell | None:
    found = _FIGURE.fullmatch(text.strip())
    if found is None or not (found["whole"] or found["cents"]):
        return None
    has_dollar = found["dollar"] is not None
    is_sure = has_dollar or len(found["cents"] or "") == len(".00")
    if bool(found["open"]) != bool(found["close"]) or (found["open"] and not is_sure):
        return None
    value = cents(float(found["whole"].replace(",", "") or 0) + float(found["cents"] or 0))
    if value > _MOST_CENTS:
        return None
    is_negative = bool(found["minus"] or found["minus2"] or found["trail"] or found["open"])
    return Cell(-value if is_negative else value, start, start + len(text), is_sure, has_dollar)


@lru_cache(maxsize=256)
def _choices(slots: tuple[Column, ...], count: int) -> tuple[tuple[Column, ...], ...]:
    """Return the ways to choose ``count`` columns in order; a column of totals is always chosen."""
    totals = [slot for slot in slots if slot.kind is ColumnKind.TOTAL]
    return tuple(chosen for chosen in combinations(slots, count) if all(slot in chosen for slot in totals))


def _is_plausible(kind: ColumnKind, cell: Cell) -> bool:
    if kind is ColumnKind.QUANTITY:
        return not cell.has_dollar and 0 <= cell.value <= _MOST_COUNT * 100
    if kind is ColumnKind.HOURS:
        return not cell.has_dollar and 0 <= cell.value <= _MOST_HOURS * 100
    if kind is ColumnKind.RATE:
        return cell.value in _PLAUSIBLE_RATE or cell.value == 0
    if kind is ColumnKind.UNIT:
        return cell.value >= 0
    return True


def _score(
    chosen: Sequence[Column],
    figures: Sequence[Cell],
    slots: Sequence[Column],
    left: Mapping[ColumnKind, int],
    *,
    is_aligned: bool,
) -> float | None:
    """Return how well figures match the columns they are assigned to, or None if they cannot match."""
    values = {**left}
    score = 0.0
    has_counts = False
    for column, figure in zip(chosen, figures, strict=True):
        if not _is_plausible(column.kind, figure):
            return None
        values[column.kind] = figure.value
        has_counts = has_counts or column.kind in _COUNTS
        score += 0.5 if figure.is_sure and column.kind not in _NO_MONEY else 0.0
    if len(chosen) == len(slots) and (len(chosen) > 2 or has_counts):  # noqa: PLR2004 - two figures prove little
        score += 3.0
    score += _sum_score(values)
    if is_aligned:
        score += sum(map(_place_score, chosen, figures)) / len(chosen)
    return score


_COUNTS: Final = frozenset({ColumnKind.QUANTITY, ColumnKind.HOURS})
_NO_MONEY: Final = _COUNTS | {ColumnKind.OTHER}


def _place_score(column: Column, cell: Cell) -> float:
    """Return 3 for a figure directly below the name of its column, and less the farther away it is."""
    if cell.start < column.end and column.start < cell.end:
        return 3.0
    distance = min(abs(cell.start - column.end), abs(column.start - cell.end), abs(cell.end - column.end))
    return max(-3.0, 3.0 - 0.5 * distance)


def _sum_score(values: Mapping[ColumnKind, int]) -> float:
    """Return a score that is positive if the figures add up, and negative if they do not."""
    sums = [*_sums(values)]
    if not sums:
        return 0.0
    return sum(8.0 if holds else -4.0 for holds in sums) / len(sums)


def _sums(values: Mapping[ColumnKind, int]) -> Iterator[bool]:
    parts, labor = parts_in(values), labor_in(values)
    hours, rate = values.get(ColumnKind.HOURS), values.get(ColumnKind.RATE)
    stated = values.get(ColumnKind.LABOR)
    if stated is not None and hours and rate:
        yield abs(stated - round(hours * rate / 100)) <= _ROUNDING
    elif stated and hours:
        yield round(stated * 100 / hours) in _PLAUSIBLE_RATE
    total = values.get(ColumnKind.TOTAL)
    if total is not None and (parts is not None or labor is not None):
        yield abs((parts or 0) + (labor or 0) - total) <= _ROUNDING


def parts_in(values: Mapping[ColumnKind, int]) -> Cents | None:
    """Return the price of a row's parts, in cents, as stated or as quantity times unit price, or None if unknown."""
    stated, unit = values.get(ColumnKind.PARTS), values.get(ColumnKind.UNIT)
    quantity, total = values.get(ColumnKind.QUANTITY, 100), values.get(ColumnKind.TOTAL)
    if (
        stated is not None
        and total is not None
        and stated * quantity == 100 * (total - (values.get(ColumnKind.LABOR) or 0))
    ):
        return total - (values.get(ColumnKind.LABOR) or 0)
    if stated is not None or unit is None:
        return stated
    return round(unit * quantity / 100)


def labor_in(values: Mapping[ColumnKind, int]) -> Cents | None:
    """Return the price of a row's labor, in cents, as stated or as hours times rate, or None if unknown."""
    stated = values.get(ColumnKind.LABOR)
    hours, rate = values.get(ColumnKind.HOURS), values.get(ColumnKind.RATE)
    if stated is not None or not hours or not rate:
        return stated
    return round(hours * rate / 100)


def _in_column(words: str, columns: Columns, start: int, *, is_aligned: bool) -> str:
    """Return the words of the description, without those of neighboring columns, which wide gaps separate."""
    others = [column for column in columns.columns if column.kind is ColumnKind.OTHER]
    if not is_aligned or columns.is_delimited or not others:
        return words
    text = [column for column in columns.columns if column.kind in {ColumnKind.OTHER, ColumnKind.DESCRIPTION}]
    if not any(column.kind is ColumnKind.DESCRIPTION for column in text):
        return words
    own = []
    place = start
    for piece in re.split(r"(\s{2,})", words):
        if piece.strip():
            nearest = min(text, key=lambda column, place=place: abs(column.start - place))  # type: ignore[misc]
            if nearest.kind is ColumnKind.DESCRIPTION:
                own.append(piece)
        place += len(piece)
    return "  ".join(own) or words
