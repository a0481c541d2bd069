"""A shop's quote: as it is sent, in dollars, and as it is checked, in cents."""

from typing import Annotated, Final, Self

from attrs import frozen

from repaircore.facilities.zip_code import ZipCode
from repaircore.kernel.money import Cents, cents, dollars, dollars_or_none
from repaircore.kernel.rules import Length, PlainText, Range, YearRange
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine, ReadQuote

MOST_LINES: Final = 50
_MOST_DOLLARS: Final = 1_000_000
_MOST_HOURS: Final = 1000
_MOST_PARTS: Final = 20
_LONGEST_WORDS: Final = 200
_LONGEST_TEXT: Final = 20_000
_NAME: Final = PlainText(1, 100)


@frozen(kw_only=True)
class QuotedSpecs:
    """A vehicle given by year, make and model instead of a VIN."""

    year: int
    make: str
    model: str
    trim: str | None = None
    engine: str | None = None


@frozen(kw_only=True)
class Quote:
    """A whole quote for a vehicle with a VIN or specs; ``force`` also compares repairs that do not fit the vehicle.

    ``read`` is its parsed text, or None if the quote was sent as lines.
    """

    vin: str | None = None
    specs: QuotedSpecs | None = None
    zip_code: str
    lines: tuple[QuoteLine, ...]
    force: bool = False
    read: ReadQuote | None = None


@frozen(kw_only=True)
class QuoteLineInput:
    """A line of the quote, in dollars. A discount's total is negative; a missing kind is inferred from the words."""

    total: Annotated[float, Range(-_MOST_DOLLARS, _MOST_DOLLARS)]
    kind: LineKind | None = None
    problem_identifier: str | None = None
    description: Annotated[str, Length(0, _LONGEST_WORDS)] | None = None
    parts: Annotated[list[Annotated[str, Length(0, _LONGEST_WORDS)]], Length(0, _MOST_PARTS)] | None = None
    parts_total: Annotated[float, Range(0, _MOST_DOLLARS)] | None = None
    labor_hours: Annotated[float, Range(0, _MOST_HOURS)] | None = None
    labor_rate: Annotated[float, Range(0, _MOST_DOLLARS)] | None = None

    @classmethod
    def of(cls, line: QuoteLine) -> Self:
        """Return the input for a line, in dollars."""
        return cls(
            total=dollars(line.total),
            kind=line.kind,
            problem_identifier=line.problem_identifier,
            description=line.description,
            parts=[*line.parts],
            parts_total=dollars_or_none(line.parts_total),
            labor_hours=line.labor_hours,
            labor_rate=dollars_or_none(line.labor_rate),
        )

    def line(self) -> QuoteLine:
        """Return the line in cents."""
        return QuoteLine(
            total=cents(self.total),
            kind=self.kind,
            problem_identifier=self.problem_identifier,
            description=self.description,
            parts=tuple(self.parts or ()),
            parts_total=_cents_or_none(self.parts_total),
            labor_hours=self.labor_hours,
            labor_rate=_cents_or_none(self.labor_rate),
        )


@frozen(kw_only=True)
class CheckQuote:
    """A quote, as lines or text, for a vehicle in a place. The vehicle is given by VIN or by year, make and model."""

    zip_code: ZipCode
    vin: str | None = None
    year: Annotated[int, YearRange(1900, 2100)] | None = None
    make: Annotated[str, _NAME] | None = None
    model: Annotated[str, _NAME] | None = None
    trim: Annotated[str, Length(0, 100)] | None = None
    engine: Annotated[str, Length(0, 100)] | None = None
    lines: Annotated[list[QuoteLineInput], Length(1, MOST_LINES)] | None = None
    text: Annotated[str, Length(1, _LONGEST_TEXT)] | None = None
    force: bool = False

    @classmethod
    def of(cls, quote: Quote) -> Self:
        """Return the input for a quote, in dollars."""
        specs = quote.specs
        return cls(
            vin=quote.vin,
            year=None if specs is None else specs.year,
            make=None if specs is None else specs.make,
            model=None if specs is None else specs.model,
            trim=None if specs is None else specs.trim,
            engine=None if specs is None else specs.engine,
            zip_code=quote.zip_code,
            lines=[QuoteLineInput.of(line) for line in quote.lines],
            force=quote.force,
        )

    def quote(self, read: ReadQuote | None = None) -> Quote:
        """Return the quote in cents; ``read`` is its parsed text."""
        lines = tuple(line.line() for line in self.lines or ()) if read is None else read.lines
        return Quote(
            vin=self.vin,
            specs=self._specs(),
            zip_code=self.zip_code,
            lines=lines,
            force=self.force,
            read=read,
        )

    def _specs(self) -> QuotedSpecs | None:
        if self.vin is not None or self.year is None or self.make is None or self.model is None:
            return None
        return QuotedSpecs(
            year=self.year,
            make=self.make.strip(),
            model=self.model.strip(),
            trim=self.trim,
            engine=self.engine,
        )


@frozen(kw_only=True)
class ReadQuoteText:
    """The text of a quote that was pasted, or recognized in a picture."""

    text: Annotated[str, Length(1, _LONGEST_TEXT)]


SPECS: Final = ("year", "make", "model")
"""The fields that describe a vehicle without a VIN."""


def _cents_or_none(amount: float | None) -> Cents | None:
    return None if amount is None else cents(amount)
