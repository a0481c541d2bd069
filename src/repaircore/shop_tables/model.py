"""Models of a shop's export: its columns and jobs."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.shop_tables.amounts import NumberStyle
from repaircore.shop_tables.dates import DateOrder

SourceRow: TypeAlias = tuple[int, tuple[str, ...]]
"""A row of a file: the number of its last line, and its cells."""


class Field(StrEnum):
    """What a column contains; users type these values, as in ``--column description=Concern``."""

    DATE = "date"
    ORDER = "order"
    VIN = "vin"
    YEAR = "year"
    MAKE = "make"
    MODEL = "model"
    TRIM = "trim"
    VEHICLE = "vehicle"
    MILEAGE = "mileage"
    PROBLEM = "problem"
    DESCRIPTION = "description"
    JOB = "job"
    KIND = "kind"
    QUANTITY = "quantity"
    UNIT_PRICE = "unit_price"
    AMOUNT = "amount"
    LABOR_HOURS = "labor_hours"
    LABOR_RATE = "labor_rate"
    LABOR = "labor"
    PARTS = "parts"
    TOTAL = "total"
    TAX = "tax"
    ZIP = "zip"
    FACILITY = "facility"


MONEY: Final = frozenset({
    Field.UNIT_PRICE, Field.AMOUNT, Field.LABOR_RATE, Field.LABOR, Field.PARTS, Field.TOTAL, Field.TAX,
})  # fmt: skip
NUMBERS: Final = MONEY | {Field.QUANTITY, Field.LABOR_HOURS, Field.MILEAGE}


@frozen(kw_only=True)
class Column:
    """The column that holds a field: its position, its name in the file, and the confidence (0 to 1).

    ``is_stated`` marks a column that the user named, now or earlier for the same source. ``order`` matters for dates,
    ``style`` for numbers, and ``in_kilometers`` for mileages.
    """

    field: Field
    position: int
    name: str
    confidence: float
    is_stated: bool = False
    order: DateOrder = DateOrder.MONTH_FIRST
    style: NumberStyle = NumberStyle.POINT
    in_kilometers: bool = False


class Layout(StrEnum):
    """Whether each row is a whole job, or one line of a job: labor, a part or a fee."""

    JOBS = "jobs"
    LINES = "lines"


@frozen(kw_only=True)
class FileColumns:
    """The columns of a file by field, its layout, and the names of the columns that are not used."""

    columns: Mapping[Field, Column]
    layout: Layout
    ignored: tuple[str, ...] = ()


@frozen(kw_only=True)
class JobPart:
    """A part of a job, with its unit price in cents."""

    name: str
    quantity: int
    unit_price: Cents


@frozen(kw_only=True)
class Job:
    """A job on an invoice as the file describes it; amounts are in cents, and missing values are None or empty.

    ``line`` is the number of the line in the file that names the work. ``problem`` is a repair's ID or slug, if given.
    """

    line: int
    order: str
    text: str
    vin: str
    year: str
    make: str
    model: str
    trim: str
    performed_on: date
    mileage: int | None = None
    zip_code: str = ""
    facility: str = ""
    hours: float | None = None
    rate: Cents | None = None
    labor: Cents | None = None
    parts_total: Cents | None = None
    total: Cents | None = None
    parts: tuple[JobPart, ...] = ()
    problem: str = ""
    key: str = ""
    doubts: tuple[str, ...] = ()
