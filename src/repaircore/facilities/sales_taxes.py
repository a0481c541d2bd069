"""Sales tax on a repair bill: what each state taxes, and at which rates."""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, Percent, PriceRange, percent_of


class LaborTax(StrEnum):
    """Whether a state taxes repair labor on cars."""

    TAXED = "taxed"
    EXEMPT = "exempt"
    WITH_PARTS = "with_parts"
    """Labor is taxed only on a bill that also has parts."""


@frozen(kw_only=True)
class SalesTax:
    """What a state taxes on a repair bill; ``0 <= rate <= average <= highest``, in percent.

    ``rate`` is the state's own rate; ``average`` and ``highest`` include local taxes. ``source`` says where the rule
    for labor comes from; ``note`` has further notes, or "".
    """

    state: str
    rate: Percent
    average: Percent
    highest: Percent
    parts: bool
    labor: LaborTax
    source: str
    year: int
    note: str = ""

    def base(self, parts: Cents, labor: Cents) -> Cents:
        """Return the taxable part of a bill."""
        taxed = parts if self.parts else 0
        if self.labor is LaborTax.TAXED or (self.labor is LaborTax.WITH_PARTS and parts > 0):
            taxed += labor
        return taxed

    def tax(self, parts: Cents, labor: Cents) -> PriceRange:
        """Return the tax on a bill: at the average rate, and at the state's lowest and highest.

        ``parts`` and ``labor`` are after discounts, and not negative.
        """
        base = self.base(parts, labor)
        return PriceRange(
            low=percent_of(base, self.rate),
            average=percent_of(base, self.average),
            high=percent_of(base, self.highest),
        )

    def at(self, percent: Percent) -> "SalesTax":
        """Return the same rules with the known rate of a city, in percent; if it is positive, parts are taxed."""
        return evolve(self, rate=percent, average=percent, highest=percent, parts=self.parts or percent > 0)

    @property
    def text(self) -> str:
        """Return the rule in a sentence."""
        if not self.highest:
            return f"{self.state}: {self.note or 'no sales tax'}."
        of = {
            LaborTax.TAXED: "parts and labor",
            LaborTax.EXEMPT: "parts; repair labor is not taxed",
            LaborTax.WITH_PARTS: "parts, and labor on a bill with parts",
        }[self.labor]
        rates = (
            f"{_plain(self.average)}%"
            if self.rate == self.highest
            else f"{_plain(self.average)}% on average, {_plain(self.rate)}% to {_plain(self.highest)}% depending on location"
        )
        return f"{self.state} sales tax on {of}: {rates}, as of {self.year}."


@frozen(kw_only=True)
class SalesTaxes:
    """The sales tax of each state, by two-letter code; ``source`` says where the rates come from."""

    by_state: Mapping[str, SalesTax]
    source: str
    year: int

    def find(self, state: str) -> SalesTax | None:
        """Return the tax of a state, or None for a place that the table does not list."""
        return self.by_state.get(state)

    def tax(self, state: str, parts: Cents, labor: Cents) -> PriceRange | None:
        """Return the sales tax on a bill in a state, in cents, or None for a place that the table does not list."""
        found = self.find(state)
        return None if found is None else found.tax(parts, labor)


def _plain(percent: Percent) -> str:
    return f"{Decimal(percent):f}".rstrip("0").rstrip(".") if "." in f"{percent}" else f"{percent}"
