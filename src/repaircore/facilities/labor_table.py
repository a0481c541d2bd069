"""The shipped table of labor rates: by metro area, by state, and for rural places and territories."""

import math
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from itertools import pairwise
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, round_half_up

MILITARY: Final = frozenset({"AA", "AE", "AP"})
"""State codes of military mail: a post office abroad has no shops around it, so the national rate applies."""

_PREFIX: Final = 3
"""The number of leading digits of a ZIP code that identify its sorting center; metro areas are keyed by them."""

_MAY: Final = 5
"""The month in which wages are surveyed."""

_MIDDLE: Final = 7
"""The month that a table's figures are for: the middle of its year, as with the repair book's prices."""

_MONTHS: Final = 12
_YEARS_OF_TREND: Final = 5


class TableBasis(StrEnum):
    """The kind of table entry that a rate comes from."""

    METRO = "metro"
    STATE = "state"
    RURAL = "rural"
    TERRITORY = "territory"
    MILITARY = "military"
    NATIONAL = "national"


@frozen(kw_only=True)
class WageIndex:
    """Mechanics' yearly wages, as surveyed each May, for at least one year."""

    by_year: Mapping[int, float]

    @property
    def first(self) -> date:
        """Return the first day of the month of the first survey."""
        return date(min(self.by_year), _MAY, 1)

    def growth(self, year: int, day: date) -> float:
        """Return the growth factor of wages from the middle of ``year`` to ``day``; 1.0 means no growth."""
        return math.exp(self._log(day.year + (day.month - _MAY) / _MONTHS) - self._log(_middle(year)))

    def _log(self, year: float) -> float:
        """Return ln(wage), interpolated between surveys.

        Before the first survey it is constant; after the last one it grows as in the five years before that survey.
        """
        known = sorted((y, math.log(wage)) for y, wage in self.by_year.items())
        first, last = known[0], known[-1]
        if year <= first[0]:
            return first[1]
        for (y0, low), (y1, high) in pairwise(known):
            if year <= y1:
                return low + (high - low) * (year - y0) / (y1 - y0)
        then = next(reading for reading in known if last[0] - reading[0] <= _YEARS_OF_TREND)
        slope = (last[1] - then[1]) / (last[0] - then[0]) if last[0] > then[0] else 0.0
        return last[1] + slope * (year - last[0])


def _middle(year: int) -> float:
    return year + (_MIDDLE - _MAY) / _MONTHS


@frozen(kw_only=True)
class StateRate:
    """A state's rates: in its smaller cities, and in its rural places."""

    rate: Cents
    rural: Cents


@frozen(kw_only=True)
class TablePlace:
    """A metro area or a territory: its name as used in sentences, and its rate."""

    name: str
    rate: Cents


@frozen(kw_only=True)
class TableRate:
    """The table's rate for a place.

    ``rate`` is what independent shops charge in cents per hour; ``dealer_rate`` is what dealers charge. ``place`` is a
    phrase such as "the New York area". ``year`` is the table's; ``day`` is the day to which the wage index adjusted
    the rates, or None if they were not adjusted.
    """

    rate: Cents
    dealer_rate: Cents
    basis: TableBasis
    place: str
    year: int
    day: date | None = None

    @property
    def origin(self) -> str:
        """Return where the rate comes from, in words."""
        later = self.day is not None and self.day.year > self.year
        moved = f", adjusted to {self.day.year} by mechanics' wages" if later and self.day else ""
        table = f"from the {self.year} table of labor rates{moved}"
        if self.basis is TableBasis.MILITARY:
            return f"the national rate, because {self.place} has no shops nearby; {table}"
        if self.basis is TableBasis.NATIONAL:
            return f"the national rate, because there is no data for {self.place}; {table}"
        note = " (our estimate)" if self.basis is TableBasis.TERRITORY else ""
        return f"typical of independent shops in {self.place}{note}, {table}"


@frozen(kw_only=True)
class LaborRates:
    """The table: ``metros`` by the first three digits of a ZIP code, ``states`` and ``territories`` by their codes.

    ``rural`` holds the three-digit prefixes of rural places; ``dealer`` is what dealers charge as a multiple of
    independent shops' rates. The fields hold the figures for the middle of ``year``; ``at`` multiplies them by
    ``growth``, which ``on`` sets, so that a table is adjusted to a day without copying its entries.
    """

    national: Cents
    states: Mapping[str, StateRate]
    metros: Mapping[str, TablePlace]
    rural: frozenset[str]
    territories: Mapping[str, TablePlace]
    dealer: float
    wages: WageIndex
    source: str
    year: int
    growth: float = 1.0
    day: date | None = None

    def at(self, zip_code: str, state: str) -> TableRate:
        """Return the rate for a ZIP code in a state or territory.

        The first that exists applies: the territory's rate, the metro area's, the state's (its rural one in rural places),
        or the national rate, which also applies to military mail.
        """
        basis, place, rate = self._line(zip_code[:_PREFIX], state)
        return TableRate(
            rate=round_half_up(rate * self.growth),
            dealer_rate=round_half_up(rate * self.growth * self.dealer),
            basis=basis,
            place=place,
            year=self.year,
            day=self.day,
        )

    def _line(self, prefix: str, state: str) -> tuple[TableBasis, str, Cents]:
        if state in MILITARY:
            return TableBasis.MILITARY, f"a military post office ({state})", self.national
        territory = self.territories.get(state)
        if territory is not None:
            return TableBasis.TERRITORY, territory.name, territory.rate
        metro = self.metros.get(prefix)
        if metro is not None:
            return TableBasis.METRO, f"the {metro.name} area", metro.rate
        known = self.states.get(state)
        if known is None:
            return TableBasis.NATIONAL, state, self.national
        if prefix in self.rural:
            return TableBasis.RURAL, f"rural {state}", known.rural
        return TableBasis.STATE, state, known.rate

    def on(self, day: date) -> "LaborRates":
        """Return a copy of the table whose ``at`` adjusts rates to a day, using mechanics' wages."""
        return evolve(self.aged(self.wages.growth(self.year, day)), day=day)

    def aged(self, growth: float) -> "LaborRates":
        """Return a copy of the table whose ``at`` also multiplies rates by ``growth``."""
        return evolve(self, growth=self.growth * growth)
