"""What a quote's text says."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.quote_text.kinds import LineKind, kind_of


@frozen(kw_only=True)
class QuoteLine:
    """A line as the shop wrote it, in cents; a repair by its id or slug, else in the shop's words.

    Without a ``kind``, it is read from the words. ``parts`` are the shop's words for the parts; a discount's ``total`` is negative.
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
        """Return the kind as it is given, else as the words say it."""
        if self.kind is not None:
            return self.kind
        if self.problem_identifier is not None and self.total > 0:
            return LineKind.REPAIR
        found = kind_of(self.description or "", is_negative=self.total < 0)
        return LineKind.REPAIR if found is LineKind.DISCOUNT and self.total > 0 else found


@frozen(kw_only=True)
class QuoteHints:
    """The vehicle and the place as a text states them; None where it does not. ``vehicle`` is year, make and model in its words."""

    vin: str | None = None
    zip_code: str | None = None
    odometer: int | None = None
    vehicle: str | None = None


@frozen(kw_only=True)
class ReadQuote:
    """What a quote's text says: its lines, the sums that it states, and its words about the vehicle and the place.

    ``sums_meet`` is None when the text states no sum; ``difference`` is the stated sum less that of the lines, in cents.
    ``unread`` are lines of the text with an amount that is in none of these.
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
    """What a row says of its amount."""

    LABOR = "labor"
    PARTS = "parts"
    TOTAL = "total"
    SUM = "sum"
    """The sum of labor or of parts alone."""


@frozen(kw_only=True)
class Row:
    """A row: ``description`` without its figures, and ``amount`` in cents, None in headings and notes.

    ``parts`` and ``labor`` are the amounts of such columns. ``indent`` counts the blanks before the text, ``line`` the lines
    of the text. ``has_unit``: it has a quantity and a price; ``is_label``: nothing but the words of its label;
    ``is_open``: its words end in the middle of a name, with "and" or a comma.
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
    """What the reader knows of repairs: the ``names`` of them and of their parts, by whose words it repairs misread ones.

    ``name_of`` returns the name of the one repair that a list of parts is for, in the words of the list, and ``is_named`` whether a
    text names a repair.
    """

    names: tuple[str, ...] = ()
    name_of: Callable[[Sequence[str]], str | None] = lambda _parts: None
    is_named: Callable[[str], bool] = lambda _text: False


NO_REPAIRS = KnownRepairs()
