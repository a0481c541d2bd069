"""How much invoices of a repair differ, and how much its makes, models and years do."""

from attrs import evolve, frozen

from repaircore.transactions.evidence import Grain

__all__ = ["BOOK_COUNTS_AS", "HOURS_VARIANCES", "Variances", "variances_of", "widened"]

BOOK_COUNTS_AS = 3
"""The book enters as so many invoices at the problem level."""

_WITHIN = 0.60
_MAKE = 0.08
_MODEL = 0.08
_YEARS = 0.04
# With the book's own doubt, _WITHIN / 3, these make 1: without history the spread is the book's.

_WIDEN = 0.5
_TRUSTED = 0.5


@frozen(kw_only=True)
class Variances:
    """Variances of squared logarithms: ``within`` one vehicle's years, and ``make``, ``model``, ``years`` between cells.

    ``center`` is the problem's mean residual at the last refit, in grains (0 before the first): the
    shared cells of makes and models are relative to it. Stored as one row per environment and problem.
    """

    within: float
    make: float
    model: float
    years: float
    center: Grain = 0

    @property
    def untaught(self) -> float:
        """Give the doubt about the price when there is no history at all."""
        return self.within / BOOK_COUNTS_AS + self.make + self.model + self.years


def variances_of(spread: float, *, center: Grain = 0) -> Variances:
    """Give the variances before any refit, from the book's spread (a standard deviation of ln price)."""
    whole = spread * spread
    return Variances(
        within=_WITHIN * whole, make=_MAKE * whole, model=_MODEL * whole, years=_YEARS * whole, center=center
    )


HOURS_VARIANCES = variances_of(0.30)
"""Hours of the same job differ by about 30 %; they are not refitted."""


def widened(variances: Variances, *, good: int, wrong: int) -> Variances:
    """Widen the range for what users called wrong; a rating never moves a price.

    ``within *= 1 + ½·max(0, ½ - trust)`` with ``trust = (good + 2)/(good + wrong + 4)``: at most a
    quarter more variance, and none while at least half of the ratings are good.
    """
    trust = (good + 2) / (good + wrong + 4)
    return evolve(variances, within=variances.within * (1 + _WIDEN * max(0.0, _TRUSTED - trust)))
