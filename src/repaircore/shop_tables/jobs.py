"""Read the jobs in a file: one per row, or combined from a job's labor and parts lines."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import groupby
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.csv_table import rejected
from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.kernel.money import Cents, round_half_up
from repaircore.quote_text.kinds import LineKind, charge_kind
from repaircore.shop_tables.amounts import parse_money, parse_number
from repaircore.shop_tables.column_names import includes_tax
from repaircore.shop_tables.dates import parse_date, parse_serial
from repaircore.shop_tables.line_kinds import LineType, line_type
from repaircore.shop_tables.model import Column, Field, FileColumns, Job, JobPart, Layout, SourceRow
from repaircore.transactions.limits import FIRST_DAY, LONGEST_NAME, MOST_HOURS, MOST_MILES, MOST_PIECES

_KILOMETERS_PER_MILE: Final = 1.609344
_UNIT: Final = re.compile(r"\s*(?:miles?|mi|kms?|kilometers?)\.?$", re.IGNORECASE)
_TOTALS: Final = re.compile(r"^\W*(?:sub|grand|report|page)?\s*totals?\b", re.IGNORECASE)
_CHARGES: Final = frozenset({LineKind.SUPPLIES, LineKind.FEE, LineKind.TAX, LineKind.DISCOUNT})
_ORDER_FIELDS: Final = (
    Field.DATE, Field.VIN, Field.YEAR, Field.MAKE, Field.MODEL, Field.TRIM, Field.VEHICLE, Field.MILEAGE, Field.ZIP, Field.FACILITY,
)  # fmt: skip
_MOST_PARTS: Final = 40
_LONGEST_ORDER: Final = 100
_MOST_LINES: Final = 2_000

MIXED_PARTS: Final = "The file does not say which parts belong to which job of the order."
PARTS_ALONE: Final = "The line has parts and no labor."
NO_PRICE: Final = "The line has no price."
CREDIT: Final = "The line is a credit."


@frozen(kw_only=True)
class LeftOut:
    """A row that is not a job: a fee, a tax, a discount, a total, or a row without a description."""

    line: int


class BadCells(Exception):
    """One or more cells cannot be read; ``reasons`` has a sentence for each."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


@frozen
class _Row:
    """A row with its cells by field; empty cells about its order are filled in from the row above."""

    line: int
    cells: Mapping[Field, str]
    raw: tuple[str, ...]

    def __getitem__(self, field: Field) -> str:
        return self.cells.get(field, "")


class JobReader:
    """Reads the jobs in a file whose columns are known; ``last`` is the latest allowed date."""

    def __init__(self, columns: FileColumns, *, last: date) -> None:
        self._columns = columns.columns
        self._layout = columns.layout
        self._last = last

    def read(self, rows: Iterable[SourceRow]) -> Iterator[Job | RejectedRow | LeftOut]:
        """Yield the jobs, the rows that cannot be read, and the rows that are not jobs.

        Raises:
            Invalid: on ``file``: the lines of an order are not together, or there are too many of them.
        """
        filled = self._filled(rows)
        if self._layout is Layout.JOBS:
            for row in filled:
                yield from self._reject_bad_cells((row,), self._job)
            return
        seen: set[int] = set()
        for key, group in groupby(
            filled, key=lambda row: (row[Field.ORDER], row[Field.DATE], row[Field.VIN])
        ):
            if hash(key) in seen:
                raise Invalid(
                    {
                        "file": [
                            f"The lines of order {key[0]} are not together. Sort the file by order number, date and VIN."
                        ]
                    }
                )
            seen.add(hash(key))
            lines = [*group]
            if len(lines) > _MOST_LINES:
                name = self._columns[Field.ORDER].name
                text = f"Order {key[0]} has more than {_MOST_LINES:,} lines. Check that the {name} column contains order numbers."
                raise Invalid({"file": [text]})
            yield from self._reject_bad_cells(lines, self._folded)

    def _filled(self, rows: Iterable[SourceRow]) -> Iterator[_Row]:
        above: dict[Field, str] = {}
        for line, cells in rows:
            named = {field: cells[column.position] for field, column in self._columns.items()}
            order = named.get(Field.ORDER, "")
            if above and not order and not named.get(Field.DATE):
                named[Field.ORDER] = order = above.get(Field.ORDER, "")
            if order and order == above.get(Field.ORDER):
                for field in _ORDER_FIELDS:
                    named[field] = named.get(field) or above.get(field, "")
            above = named
            yield _Row(line, named, cells)

    def _reject_bad_cells(
        self, rows: Sequence[_Row], read: Callable[[Sequence[_Row]], Iterator[Job | LeftOut]]
    ) -> Iterator[Job | RejectedRow | LeftOut]:
        try:
            yield from [*read(rows)]
        except BadCells as bad:
            for row in rows:
                yield rejected(row.line, row.raw, bad.reasons)

    def _job(self, rows: Sequence[_Row]) -> Iterator[Job | LeftOut]:
        (row,) = rows
        text = row[Field.DESCRIPTION]
        if _is_not_job(row) or (not text and not row[Field.PROBLEM]):
            yield LeftOut(line=row.line)
            return
        cells = _Cells(row, self._columns)
        job = self._started(row, cells)
        labor, parts = cells.money(Field.LABOR), cells.money(Field.PARTS)
        total = self._total(cells, labor, parts)
        hours, rate = cells.hours(), cells.money(Field.LABOR_RATE)
        if labor is None and total is not None and parts is not None:
            labor = total - parts
        elif parts is None and total is not None and labor is not None:
            parts = total - labor
        cells.require_readable()
        doubts = _doubts(total if total is not None else (labor or 0) + (parts or 0), labor, parts)
        yield evolve(
            job,
            hours=hours,
            rate=rate,
            labor=labor,
            parts_total=parts,
            total=total if labor is None and parts is None else (labor or 0) + (parts or 0),
            doubts=doubts,
        )

    def _total(self, cells: "_Cells", labor: Cents | None, parts: Cents | None) -> Cents | None:
        """Return the price without tax, or None if it is unknown or follows from the labor and parts amounts."""
        tax = cells.money(Field.TAX)
        if labor is not None and parts is not None:
            return None
        field = Field.TOTAL if Field.TOTAL in self._columns else Field.AMOUNT
        total = cells.money(field)
        column = self._columns.get(field)
        if total is None or tax is None or column is None or not includes_tax(column.name):
            return total
        return total - tax

    def _folded(self, rows: Sequence[_Row]) -> Iterator[Job | LeftOut]:
        jobs: dict[str, list[_Row]] = {}
        for row in rows:
            if _is_not_job(row):
                yield LeftOut(line=row.line)
            else:
                jobs.setdefault(row[Field.JOB], []).append(row)
        for lines in jobs.values():
            if Field.JOB in self._columns:
                yield from self._one_job(lines)
            else:
                yield from self._jobs_in_order(lines)

    def _jobs_in_order(self, rows: Sequence[_Row]) -> Iterator[Job | LeftOut]:
        """Yield the jobs of an order whose lines name no job: parts belong to the labor line above them."""
        labor = [place for place, row in enumerate(rows) if self._is_paid_labor(row)]
        if len(labor) <= 1:
            yield from self._one_job(rows)
            return
        mixed = any(_type_of(row) is LineType.PART for row in rows[: labor[0]])
        for start, end in zip(labor, [*labor[1:], len(rows)], strict=True):
            first = start if start != labor[0] else 0
            for job in self._one_job(rows[first:end]):
                yield (
                    evolve(job, doubts=(*job.doubts, MIXED_PARTS)) if mixed and isinstance(job, Job) else job
                )

    def _is_paid_labor(self, row: _Row) -> bool:
        if _type_of(row) not in {LineType.LABOR, LineType.BOTH}:
            return False
        cells = _Cells(row, self._columns)
        return bool(cells.amount() or cells.hours())

    def _one_job(self, rows: Sequence[_Row]) -> Iterator[Job | LeftOut]:
        """Yield the job that the lines make up, and the lines left out of it.

        The paid labor lines describe the job, and the amounts of all lines are added up.
        """
        works = [row for row in rows if _type_of(row) is not LineType.PART]
        paid = [row for row in works if self._is_paid_labor(row)] or works
        named = paid or rows
        first = named[0]
        cells = [_Cells(row, self._columns) for row in rows]
        job = self._started(first, cells[rows.index(first)])
        labor = parts_total = 0
        hours = 0.0
        parts: list[JobPart] = []
        for row, row_cells in zip(rows, cells, strict=True):
            amount = row_cells.amount() or 0
            if _type_of(row) is LineType.PART:
                parts_total += amount
                parts.append(row_cells.part(amount))
            else:
                own = row_cells.money(Field.PARTS) or 0
                labor, parts_total = labor + amount - own, parts_total + own
                hours += (
                    row_cells.hours()
                    or (row_cells.quantity() if Field.LABOR_HOURS not in self._columns else 0.0)
                    or 0.0
                )
            row_cells.require_readable()
        texts = dict.fromkeys(row[Field.DESCRIPTION] for row in named if row[Field.DESCRIPTION])
        doubts = _doubts(labor + parts_total, labor, parts_total)
        if not paid:
            doubts = (*doubts, PARTS_ALONE)
        yield evolve(
            job,
            text="; ".join(texts)[:_LONGEST_TEXT],
            hours=hours or None,
            labor=labor,
            parts_total=parts_total,
            total=labor + parts_total,
            parts=tuple(part for part in parts if part.unit_price >= 0)[:_MOST_PARTS],
            doubts=doubts,
        )
        yield from (
            LeftOut(line=row.line)
            for row in rows
            if row is not first and _type_of(row) is not LineType.PART and row not in named
        )

    def _started(self, row: _Row, cells: "_Cells") -> Job:
        vin = row[Field.VIN].replace(" ", "").upper()
        year, make, model = row[Field.YEAR], row[Field.MAKE], row[Field.MODEL]
        if not (make and model) and row[Field.VEHICLE]:
            year, make, model = split_vehicle(row[Field.VEHICLE], year)
        day = cells.day(self._last)
        miles = cells.miles()
        if not vin and not (year and make and model):
            cells.errors.append(
                "The row does not identify a vehicle: it needs a VIN, or year, make and model."
            )
        return Job(
            line=row.line,
            order=row[Field.ORDER][:_LONGEST_ORDER],
            key=row[Field.JOB][:_LONGEST_ORDER],
            text=row[Field.DESCRIPTION][:_LONGEST_TEXT],
            vin=vin,
            year=year,
            make=make,
            model=model,
            trim=row[Field.TRIM],
            performed_on=day,
            mileage=miles,
            zip_code=row[Field.ZIP],
            facility=row[Field.FACILITY],
            problem=row[Field.PROBLEM],
        )


_LONGEST_TEXT: Final = 2_000


def _doubts(total: Cents, labor: Cents | None, parts: Cents | None) -> tuple[str, ...]:
    if total < 0 or (labor or 0) < 0 or (parts or 0) < 0:
        return (CREDIT,)
    return () if total else (NO_PRICE,)


def _is_not_job(row: _Row) -> bool:
    text = row[Field.DESCRIPTION]
    if line_type(row[Field.KIND]) in {LineType.FEE, LineType.TAX, LineType.DISCOUNT} or _TOTALS.match(text):
        return True
    first = next((cell for cell in row.raw if cell), "")
    return charge_kind(text) in _CHARGES or _TOTALS.match(first) is not None


def _type_of(row: _Row) -> LineType:
    found = line_type(row[Field.KIND])
    return LineType.LABOR if found is LineType.UNKNOWN else found


class _Cells:
    """Parses the cells of a row in the style of their columns, and collects the errors."""

    def __init__(self, row: _Row, columns: Mapping[Field, Column]) -> None:
        self._row = row
        self._columns = columns
        self.errors: list[str] = []

    def require_readable(self) -> None:
        """Require that every cell could be read.

        Raises:
            BadCells: with the errors of all unreadable cells.
        """
        if self.errors:
            raise BadCells([*dict.fromkeys(self.errors)])

    def money(self, field: Field) -> Cents | None:
        """Return an amount, or None if the cell is empty or unreadable."""
        text = self._row[field]
        if not text or text in {"-", "--"}:
            return None
        amount = parse_money(text, self._columns[field].style)
        if amount is None:
            self.errors.append(f"{self._name(field)} has an invalid amount: {text[:40]}.")
        return amount

    def amount(self) -> Cents | None:
        """Return a line's amount, else its labor plus its parts, else its unit price times the quantity, or None."""
        for field in (Field.AMOUNT, Field.TOTAL):
            if field in self._columns and (found := self.money(field)) is not None:
                return found
        both = [found for field in (Field.LABOR, Field.PARTS) if (found := self.money(field)) is not None]
        if both:
            return sum(both)
        each = self.money(Field.UNIT_PRICE)
        return None if each is None else round_half_up(each * (self.quantity() or 1))

    def part(self, amount: Cents) -> JobPart:
        """Return the part on a line: one piece at the full price unless the quantity is plausible and divides it."""
        name = (self._row[Field.DESCRIPTION] or "part")[:LONGEST_NAME]
        quantity = self.quantity() or 1
        if float(quantity).is_integer() and 1 <= quantity <= MOST_PIECES and amount % int(quantity) == 0:
            return JobPart(name=name, quantity=int(quantity), unit_price=amount // int(quantity))
        return JobPart(name=name, quantity=1, unit_price=amount)

    def hours(self) -> float | None:
        """Return the labor hours, or None if the cell is empty or unreadable."""
        return self._number(Field.LABOR_HOURS, MOST_HOURS)

    def quantity(self) -> float | None:
        """Return the quantity, or None if the cell is empty or unreadable."""
        return self._number(Field.QUANTITY, 10**6)

    def miles(self) -> int | None:
        """Return the mileage in miles, or None if it is missing, unreadable or implausible."""
        column = self._columns.get(Field.MILEAGE)
        text = _UNIT.sub("", self._row[Field.MILEAGE])
        number = None if column is None or not text else parse_number(text, column.style)
        if column is None or number is None:
            return None
        miles = float(number) / (_KILOMETERS_PER_MILE if column.in_kilometers else 1)
        return round(miles) if 0 <= miles <= MOST_MILES else None

    def day(self, last: date) -> date:
        """Return the date, or ``last`` if there is none; add an error if it is missing, unreadable or out of range."""
        column = self._columns[Field.DATE]
        text = self._row[Field.DATE]
        found = parse_date(text, column.order) or parse_serial(text)
        if found is None:
            self.errors.append(
                f"{self._name(Field.DATE)} has an invalid date: {text[:40]}."
                if text
                else "The row has no date."
            )
        elif not FIRST_DAY <= found <= last:
            self.errors.append(
                f"{self._name(Field.DATE)} has a date that is not between {FIRST_DAY} and {last}: {text[:40]}."
            )
        return found or last

    def _number(self, field: Field, most: int) -> float | None:
        text = self._row[field]
        if not text or field not in self._columns:
            return None
        number = parse_number(text, self._columns[field].style)
        if number is None:
            self.errors.append(f"{self._name(field)} has an invalid number: {text[:40]}.")
            return None
        if abs(number) > Decimal(most):
            self.errors.append(f"{self._name(field)} is not between -{most:,} and {most:,}: {text[:40]}.")
            return None
        return float(number)

    def _name(self, field: Field) -> str:
        return f"The column {self._columns[field].name}"


_MAKES_OF_TWO: Final = frozenset(
    ["alfa romeo", "aston martin", "land rover", "range rover", "mercedes benz", "rolls royce", "am general"]
)
_YEAR: Final = re.compile(r"\b(19[5-9]\d|20[0-4]\d)\b|(?:^|\s)'?(\d\d)(?=\s)", re.ASCII)
_NOT_MODEL: Final = re.compile(r"\s*(?:[,(\[].*|\b\d\.\d\s?l\b.*|\bv[68]\b.*)$", re.IGNORECASE)


def split_vehicle(text: str, year: str = "") -> tuple[str, str, str]:
    """Split a vehicle such as ``2019 Ford F-150 XLT`` or ``Ford F-150 2019`` into year, make and model.

    A given ``year`` replaces the one in the text; missing values are empty.
    """
    found = _YEAR.search(text)
    rest = text
    if found is not None:
        rest = f"{text[: found.start()]} {text[found.end() :]}"
        year = year or found[1] or _full_year(int(found[2]))
    words = _NOT_MODEL.sub("", rest).replace("/", " ").split()
    count = 2 if " ".join(words[:2]).casefold() in _MAKES_OF_TWO else 1
    return year, " ".join(words[:count]), " ".join(words[count:])


_LATEST_SHORT_YEAR: Final = 49


def _full_year(two_digits: int) -> str:
    return str(two_digits + (2000 if two_digits <= _LATEST_SHORT_YEAR else 1900))
