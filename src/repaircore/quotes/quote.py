"""A shop's quote: as it is sent, in dollars, and as it is checked, in cents."""

from typing import Annotated, Final, Self

from attrs import frozen

from repaircore.kernel.money import Cents, cents, dollars, dollars_or_none
from repaircore.kernel.rules import Length, Range

_MOST_LINES: Final = 50
_MOST_DOLLARS: Final = 1_000_000
_MOST_HOURS: Final = 1000


@frozen(kw_only=True)
class QuoteLine:
    """A line as the shop wrote it, in cents; a repair by its id or slug, else in the shop's words."""

    total: Cents
    problem_identifier: str | None = None
    description: str | None = None
    parts_total: Cents | None = None
    labor_hours: float | None = None
    labor_rate: Cents | None = None


@frozen(kw_only=True)
class Quote:
    """A whole quote; ``force`` compares repairs that do not fit the vehicle as well."""

    vin: str
    zip_code: str
    lines: tuple[QuoteLine, ...]
    force: bool = False


@frozen(kw_only=True)
class QuoteLineInput:
    """A line of the quote; money in dollars."""

    total: Annotated[float, Range(0.01, _MOST_DOLLARS)]
    problem_identifier: str | None = None
    description: Annotated[str, Length(0, 200)] | None = None
    parts_total: Annotated[float, Range(0, _MOST_DOLLARS)] | None = None
    labor_hours: Annotated[float, Range(0, _MOST_HOURS)] | None = None
    labor_rate: Annotated[float, Range(0, _MOST_DOLLARS)] | None = None

    @classmethod
    def of(cls, line: QuoteLine) -> Self:
        """Return a line in dollars."""
        return cls(
            total=dollars(line.total),
            problem_identifier=line.problem_identifier,
            description=line.description,
            parts_total=dollars_or_none(line.parts_total),
            labor_hours=line.labor_hours,
            labor_rate=dollars_or_none(line.labor_rate),
        )

    def line(self) -> QuoteLine:
        """Return the line in cents."""
        return QuoteLine(
            total=cents(self.total),
            problem_identifier=self.problem_identifier,
            description=self.description,
            parts_total=_cents_or_none(self.parts_total),
            labor_hours=self.labor_hours,
            labor_rate=_cents_or_none(self.labor_rate),
        )


@frozen(kw_only=True)
class CheckQuote:
    """A quote on the vehicle with a VIN, in a place."""

    vin: str
    zip_code: str
    lines: Annotated[list[QuoteLineInput], Length(1, _MOST_LINES)]
    force: bool = False

    @classmethod
    def of(cls, quote: Quote) -> Self:
        """Return a quote in dollars."""
        lines = [QuoteLineInput.of(line) for line in quote.lines]
        return cls(vin=quote.vin, zip_code=quote.zip_code, lines=lines, force=quote.force)

    def quote(self) -> Quote:
        """Return the quote in cents."""
        lines = tuple(line.line() for line in self.lines)
        return Quote(vin=self.vin, zip_code=self.zip_code, lines=lines, force=self.force)


def _cents_or_none(amount: float | None) -> Cents | None:
    return None if amount is None else cents(amount)
