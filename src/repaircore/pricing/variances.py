"""Variances between invoices of a repair, and between its makes, models and years."""

import math
from collections.abc import Mapping

from attrs import evolve, frozen

from repaircore.transactions.evidence import EVERY_PROBLEM, Grain

BOOK_COUNTS_AS = 3
"""Before the first refit, the book counts as this many invoices at the problem level."""

_INDEX_LEANS_ON = 20
"""Before the first refit, the index of a make (or model) with this many invoices of other repairs counts half."""

_WITHIN = 0.66
_MAKE = 0.05
_MODEL = 0.04
_YEARS = 0.03
# With the book's own variance, _WITHIN / 3, these sum to 1: without history, the spread is the book's.

_WIDEN = 0.5
_TRUSTED = 0.5


@frozen(kw_only=True)
class Variances:
    """Variances of ln price: ``within`` one vehicle's years, and ``make``, ``model``, ``years`` between cells.

    ``book`` is the variance of a repair's mean around the book's price, and ``root`` how far invoices of all repairs
    lie above the book (in grains). ``make_index`` and ``model_index`` are the variances of the indexes that all repairs
    of a make or model share. ``unit`` is the spread that errors are measured in; no refit changes it.

    ``center`` is the problem's mean residual at the last refit, in grains (0 before the first): the
    shared cells of makes and models are relative to it. Stored as one row per environment and problem.
    """

    within: float
    book: float
    make: float
    model: float
    years: float
    make_index: float
    model_index: float
    unit: float
    center: Grain = 0
    root: Grain = 0

    @property
    def untaught(self) -> float:
        """Return the variance of the price without any history."""
        return self.book + self.make + self.model + self.years

    @property
    def around(self) -> float:
        """Return the variance of invoices of one repair around their mean, over all vehicles."""
        return self.around_make + self.make

    @property
    def around_make(self) -> float:
        """Return the variance of invoices on the models of a make around their mean."""
        return self.around_model + self.model

    @property
    def around_model(self) -> float:
        """Return the variance of invoices on the years of a model around their mean."""
        return self.within + self.years

    def scale(self, doubt: float) -> float:
        """Return the spread (ln) that the errors of an estimate with this uncertainty are measured in."""
        return self.unit * math.sqrt(1 + doubt / self.within)

    def of_spread(self, spread: float) -> "Variances":
        """Return these variances, which are for a spread of 1, scaled to the book's ``spread`` of a repair."""
        whole = spread * spread
        return evolve(
            self,
            within=self.within * whole,
            book=self.book * whole,
            make=self.make * whole,
            model=self.model * whole,
            years=self.years * whole,
            make_index=self.make_index * whole,
            model_index=self.model_index * whole,
            unit=self.unit * spread,
        )

    @property
    def normal(self) -> float:
        """Return the standard deviation of errors, in units of ``scale``, that the variances imply."""
        return math.sqrt(self.within) / self.unit


def variances_of(spread: float, *, center: Grain = 0) -> Variances:
    """Return the variances before any refit, from the book's spread (a standard deviation of ln price)."""
    whole = spread * spread
    return Variances(
        within=_WITHIN * whole,
        book=_WITHIN * whole / BOOK_COUNTS_AS,
        make=_MAKE * whole,
        model=_MODEL * whole,
        years=_YEARS * whole,
        make_index=_WITHIN * whole / _INDEX_LEANS_ON,
        model_index=_WITHIN * whole / _INDEX_LEANS_ON,
        unit=math.sqrt(_WITHIN) * spread,
        center=center,
    )


HOURS_VARIANCES = variances_of(0.30)
"""Hours of the same job differ by about 30%; refits do not change this."""


def fitted(found: Mapping[int, Variances], problem_id: int, *, spread: float) -> Variances:
    """Return the variances of a problem: from the last refit, else from its fit of all problems, else from the book."""
    own = found.get(problem_id)
    if own is not None:
        return own
    of_all = found.get(EVERY_PROBLEM)
    return variances_of(spread) if of_all is None else of_all.of_spread(spread)


def widened(variances: Variances, *, good: int, wrong: int) -> Variances:
    """Widen the variances of estimates that users rated wrong; ratings never move a price.

    ``within *= 1 + ½·max(0, ½ - trust)`` with ``trust = (good + 2)/(good + wrong + 4)``: at most a
    quarter more variance, and none while at least half of the ratings are good.
    """
    trust = (good + 2) / (good + wrong + 4)
    if trust >= _TRUSTED:
        return variances
    return evolve(variances, within=variances.within * (1 + _WIDEN * (_TRUSTED - trust)))
