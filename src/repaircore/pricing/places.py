"""The prices of a place: its labor rate and price levels, by a credibility walk from the country to a shop."""

import math
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, round_half_up
from repaircore.pricing.drift import RATE_DRIFT_REACH
from repaircore.pricing.price_index import DayLevels
from repaircore.transactions.evidence import NOTHING, NOWHERE, Cell, Place, PlaceEvidence, grains

_RATE_WITHIN: Final = 0.12**2
_RATE_TABLE: Final = 0.06**2
_RATE_STATE: Final = 0.06**2
_RATE_AREA: Final = 0.05**2
_RATE_SHOP: Final = 0.10**2
_AROUND_AREA: Final = _RATE_WITHIN + _RATE_SHOP
_AROUND_STATE: Final = _AROUND_AREA + _RATE_AREA
_AROUND_COUNTRY: Final = _AROUND_STATE + _RATE_STATE
_RATE_UNPLACED: Final = 200 * _RATE_TABLE
# Variances of ln rate: of one invoice, of the table against the country, and between states, areas and shops.
# Invoices of unknown places count half against the table once there are 200: a few may all be from one expensive place.

_PARTS_WITHIN: Final = 0.30**2
_HOURS_WITHIN: Final = 0.22**2
_LEVEL_COUNTRY: Final = 0.10**2
_LEVEL_STATE: Final = 0.02**2
_LEVEL_SHOP: Final = 0.02**2
_LEVEL_UNUSUAL: Final = 0.25**2
_UNUSUAL: Final = 0.1
"""The share of shops whose price level differs from their state's, before their invoices show it."""

_OWN_RATE: Final = 0.6
"""The weight of an invoice's own labor rate when its place is otherwise unknown."""

_CLIP_RATE: Final = 0.5
_CLIP_LEVEL: Final = 0.75
_CHEAPEST: Final[Cents] = 10_00
_DEAREST: Final[Cents] = 1_000_00
_SHORTEST: Final = 0.1


@frozen(kw_only=True)
class Market:
    """Labor rates per hour in the region and in the country (cents), and the price levels of parts and hours.

    ``price_level`` is the price index of the day, and ``wage_level`` that of mechanics' wages, relative to the book's
    year (1.0); ``rate`` is that of the day, and ``national_rate`` that of the book's year. ``parts_level`` and
    ``hours_level`` are the prices of parts and the billed hours relative to elsewhere (1.0).
    """

    rate: Cents
    national_rate: Cents
    price_level: float = 1.0
    wage_level: float = 1.0
    parts_level: float = 1.0
    hours_level: float = 1.0

    def factor(self, labor_share: float) -> float:
        """Return the factor from a standardized price to one of this day and place."""
        labor = labor_share * self.hours_level * self.rate / self.national_rate
        return (1 - labor_share) * self.price_level * self.parts_level + labor


@frozen(kw_only=True)
class PlaceCells:
    """The cells of a place: labor rates and price levels from the country to the shop.

    ``rate_unplaced`` has the rates of unknown places; those of the country and the state are relative to the table's
    rate for the place. The country's price levels include every place whose state is known; they are empty for a place
    whose state is unknown. ``rate_drift`` is the drift of rates everywhere (ln). ``taken_country`` and ``taken_state``
    are rates from another installation, which count as a number of invoices; the state's are relative to the national
    rate.
    """

    rate_country: Cell = NOTHING
    rate_unplaced: Cell = NOTHING
    rate_state: Cell = NOTHING
    rate_area: Cell = NOTHING
    rate_shop: Cell = NOTHING
    parts_country: Cell = NOTHING
    parts_state: Cell = NOTHING
    parts_shop: Cell = NOTHING
    hours_country: Cell = NOTHING
    hours_state: Cell = NOTHING
    hours_shop: Cell = NOTHING
    taken_country: Cell = NOTHING
    taken_state: Cell = NOTHING
    rate_drift: float = 0.0


NO_CELLS: Final = PlaceCells()


@frozen(kw_only=True)
class PlaceLevels:
    """The learned levels of a place, as logarithms: labor rates relative to the national rate, and price levels.

    ``learned`` is the rate expected from invoices, without their ``drift`` or an entered rate.
    ``credibility`` is the weight that one more invoice there would have.
    """

    rate: float
    table: float
    learned: float
    drift: float = 0.0
    parts: float = 0.0
    hours: float = 0.0
    credibility: float = 0.0


@frozen(kw_only=True)
class PlacePrices:
    """A place and its known prices. They are used to standardize and appraise invoices, and for predictions."""

    place: Place
    levels: PlaceLevels

    def of_invoice(self, labor_rate: Cents, national: float) -> "PlacePrices":
        """Return the prices to appraise an invoice by: if its place is unknown, its own rate counts in part.

        ``national`` is the national rate of its day.
        """
        if self.place != NOWHERE or not _CHEAPEST <= labor_rate <= _DEAREST:
            return self
        rate = self.levels.rate
        own = _clip(math.log(labor_rate / national), rate, _CLIP_RATE)
        return evolve(self, levels=evolve(self.levels, rate=rate + _OWN_RATE * (own - rate)))

    def standardizing_rate(self, market: Market, labor_total: Cents, labor_hours: float) -> float:
        """Return the hourly rate to standardize an invoice by, moved toward its own by what the place learns from it.

        Otherwise a high rate would count twice: toward the place and toward the repair.
        """
        own = labor_total / labor_hours if labor_hours >= _SHORTEST else 0.0
        if self.place == NOWHERE or not _CHEAPEST <= own <= _DEAREST:
            return market.rate
        return market.rate * math.exp(
            self.levels.credibility * _clip(math.log(own / market.rate), 0.0, _CLIP_RATE)
        )

    def market(self, national_rate: Cents, levels: DayLevels) -> Market:
        """Return the market at this place on a day with the given price and wage levels."""
        rate = max(1, round_half_up(national_rate * levels.wages * math.exp(self.levels.rate)))
        return Market(
            rate=rate,
            national_rate=national_rate,
            price_level=levels.prices,
            wage_level=levels.wages,
            parts_level=math.exp(self.levels.parts),
            hours_level=math.exp(self.levels.hours),
        )


def place_levels(cells: PlaceCells, *, table: float, entered: float | None = None) -> PlaceLevels:
    """Return the levels of a place from its cells.

    ``table`` is the table's rate there, and ``entered`` the rate that an operator entered for the nearest shop, both as
    ln of their ratio to the national rate. An entered rate is used as is.
    """
    rate, variance = _learned_rate(cells, table)
    return PlaceLevels(
        rate=rate + cells.rate_drift if entered is None else entered,
        table=table,
        learned=rate,
        drift=cells.rate_drift,
        credibility=variance / (variance + _RATE_WITHIN) if entered is None else 0.0,
        parts=_level(cells.parts_country, cells.parts_state, cells.parts_shop, _PARTS_WITHIN),
        hours=_level(cells.hours_country, cells.hours_state, cells.hours_shop, _HOURS_WITHIN),
    )


def _learned_rate(cells: PlaceCells, table: float) -> tuple[float, float]:
    """Return the rate and its variance, walking from the table to the shop.

    Each invoice counts once, at its closest place. The farther away invoices are, the more they vary around the rate
    there, since areas and shops differ, too.
    """
    country = cells.rate_country.joined(cells.taken_country)
    state = cells.rate_state.joined(cells.taken_state.recentered(grains(table)))
    rate, v = _toward(table + country.mean, table, country.w - state.w, _RATE_TABLE, _AROUND_COUNTRY)
    rate, v = _toward(table + cells.rate_unplaced.mean, rate, cells.rate_unplaced.w, v, _RATE_UNPLACED)
    for mean, invoices, between, noise in (
        (table + state.mean, state.w - cells.rate_area.w, _RATE_STATE, _AROUND_STATE),
        (cells.rate_area.mean, cells.rate_area.w - cells.rate_shop.w, _RATE_AREA, _AROUND_AREA),
        (cells.rate_shop.mean, cells.rate_shop.w, _RATE_SHOP, _RATE_WITHIN),
    ):
        rate, v = _toward(mean, rate, invoices, v + between, noise)
    return rate, v


def _toward(mean: float, rate: float, invoices: int, v: float, noise: float) -> tuple[float, float]:
    # The shops that count for a ZIP code may be in another area: then few invoices remain, but never fewer than none.
    w = max(0, invoices)
    g = v * w / (v * w + noise)
    return rate + g * (mean - rate), v * (1 - g)


def _level(country: Cell, state: Cell, shop: Cell, within: float) -> float:
    # The expected parts and hours are shares of the median price. Their own logarithms are off by the same few points
    # everywhere, so only the difference from other places counts.
    others = country.without(shop) if country.w else NOTHING
    usual = others.mean * others.w / (others.w + within / _LEVEL_COUNTRY)
    level = (state.mean - usual) * state.w / (state.w + within / _LEVEL_STATE)
    return level + _unusual(shop.mean - usual - level, within / shop.w) if shop.w else level


def _unusual(x: float, variance: float) -> float:
    """Return the credible part of a deviation: little of a common one, nearly all of one that chance cannot explain.

    It is the posterior mean under a prior of two normal distributions: shops like others in their state, and unusual
    ones.
    """
    weights, means = [], []
    for share, between in ((1 - _UNUSUAL, _LEVEL_SHOP), (_UNUSUAL, _LEVEL_UNUSUAL)):
        whole = between + variance
        weights.append(math.log(share) - 0.5 * (math.log(whole) + x * x / whole))
        means.append(x * between / whole)
    odds = math.exp(min(50.0, weights[0] - weights[1]))
    return (odds * means[0] + means[1]) / (odds + 1)


def place_evidence(
    prices: PlacePrices,
    market: Market,
    *,
    labor_total: Cents,
    labor_hours: float,
    parts: float | None,
    hours: float | None,
) -> PlaceEvidence:
    """Return the evidence of an invoice about its place.

    ``parts`` and ``hours`` are the deviations (ln) of its parts and hours from the expectation without the place's
    levels.
    """
    levels = prices.levels
    labor_rate = labor_total / labor_hours if labor_hours >= _SHORTEST else 0.0
    usual = _CHEAPEST <= labor_rate <= _DEAREST
    rate = math.log(labor_rate / (market.national_rate * market.wage_level)) if usual else None
    clipped = None if rate is None else _clip(rate, levels.rate, _CLIP_RATE)
    compared = None if prices.place == NOWHERE else clipped
    return PlaceEvidence(
        place=prices.place,
        rate=None if clipped is None else grains(clipped - levels.drift),
        rate_off_table=None if compared is None else grains(compared - levels.drift - levels.table),
        parts=None if parts is None else grains(_clip(parts, levels.parts, _CLIP_LEVEL)),
        hours=None if hours is None else grains(_clip(hours, levels.hours, _CLIP_LEVEL)),
        rate_drift=None
        if compared is None
        else grains(_clip(compared - levels.learned, 0.0, RATE_DRIFT_REACH)),
    )


def _clip(value: float, around: float, reach: float) -> float:
    return min(around + reach, max(around - reach, value))
