"""The parsed text of a quote: its lines, hints and sums, and the rows that they are parsed from."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.quote_text.kinds import LineKind, kind_of


@frozen(kw_only=True)
class QuoteLine:
    """A line of a quote, with amounts in cents. It names a repair by id or slug, or in the shop's words.

    A missing ``kind`` is inferred from the words. ``parts`` are the shop's words for the parts; a discount's ``total``
    is negative.
    """

    total: Cents
    kind: LineKind | None = None
    problem_identifier: str | None = None
    description: str | None = None
    parts: tuple[str, ...] = ()
    parts_total: Cents | None = None
    labor_hours: float | None = None
    labor_rate: Cents | None = None

    @property
    def actual_kind(self) -> LineKind:
        """Return the given kind, or else the one inferred from the words."""
        if self.kind is not None:
            return self.kind
        if self.problem_identifier is not None and self.total > 0:
            return LineKind.REPAIR
        found = kind_of(self.description or "", is_negative=self.total < 0)
        return LineKind.REPAIR if found is LineKind.DISCOUNT and self.total > 0 else found


@frozen(kw_only=True)
class QuoteHints:
    """The VIN, ZIP code, odometer reading and vehicle found in a quote; each is None if the quote does not state it.

    ``vehicle`` is the year, make and model as written.
    """

    vin: str | None = None
    zip_code: str | None = None
    odometer: int | None = None
    vehicle: str | None = None


@frozen(kw_only=True)
class ReadQuote:
    """A parsed quote: its lines, its stated sums, and its hints about the vehicle and the place.

    ``sums_meet`` is whether the lines add up to the stated sum, and ``difference`` is the stated sum minus that of
    the lines, in cents; both are None if no sum is stated. ``unread`` has the lines whose amounts were not used.
    """

    lines: tuple[QuoteLine, ...]
    hints: QuoteHints
    stated_subtotal: Cents | None = None
    stated_tax: Cents | None = None
    stated_total: Cents | None = None
    sums_meet: bool | None = None
    difference: Cents | None = None
    unread: tuple[str, ...] = ()


class Label(StrEnum):
    """What the amount in a row stands for."""

    LABOR = "labor"
    PARTS = "parts"
    TOTAL = "total"
    SUM = "sum"
    """The sum of all labor, or of all parts."""


@frozen(kw_only=True)
class Row:
    """A row: ``description`` without its figures, and ``amount`` in cents, which is None for headings and notes.

    ``parts`` and ``labor`` are the amounts for those in cents, if stated. ``indent`` counts the blanks before the text;
    ``line`` is the number of the line. ``has_unit`` means that it has a quantity and a price; ``is_label``, that it
    has no words except its label; ``is_open``, that its words end in the middle of a name, with "and" or a comma.
    """

    description: str
    line: int
    indent: int
    amount: Cents | None = None
    label: Label | None = None
    is_label: bool = False
    hours: float | None = None
    rate: Cents | None = None
    parts: Cents | None = None
    labor: Cents | None = None
    has_unit: bool = False
    quantity: float | None = None
    marker: str = ""
    is_open: bool = False


@frozen(kw_only=True)
class KnownRepairs:
    """The repairs that the reader knows. ``names`` are those of repairs and parts, and help to correct misread words.

    ``name_of`` returns the name of the one repair that a list of parts is for, in the words of the list, or None;
    ``is_named`` returns whether a string names a repair.
    """

    names: tuple[str, ...] = ()
    name_of: Callable[[Sequence[str]], str | None] = lambda _parts: None
    is_named: Callable[[str], bool] = lambda _text: False


NO_REPAIRS = KnownRepairs()
