"""Drift: how far the latest invoices lie from what the whole history predicts."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.transactions.evidence import Cell

DRIFT_MONTHS: Final = 6
"""The number of latest months with invoices whose deviation from the trend counts."""

MONTHS_READ: Final = 60
"""The number of latest months with invoices that the trend is fitted to; each estimate reads a row per month."""

DRIFT_REACH: Final = 0.5
"""Invoices are clipped to this many spreads, so that the mean stays near the median."""

RATE_DRIFT_REACH: Final = 0.15
"""Labor rates are clipped to this distance (ln): one expensive shop is not a general rise."""

_MOST: Final = 0.5
_KNOWN: Final = 20
"""Until there are this many invoices, their months show the error of the book, not the trend of prices."""

_MONTHS_A_YEAR: Final = 12


@frozen(kw_only=True)
class _Prior:
    """The prior that prices do not drift, as a number of invoices (for the yearly trend: invoices a year away)."""

    level: float
    trend: float
    lately: float


_PRICES: Final = _Prior(level=25, trend=150, lately=50)
_RATES: Final = _Prior(level=6, trend=36, lately=30)
# An invoice deviates from what was expected by .25 (a rate by .12). An index is off by .05, misses the trend by .02 a
# year, and a half-year by .035 (for rates, by .022).


def drift(months: Sequence[tuple[str, Cell]]) -> float:
    """Return the drift to add to the expected price (ln), given each month's residuals without it (``2026-01``).

    A line through all months, shrunk toward zero, gives the level of the last one; the latest six add their deviation
    from it. Evidence is stored net of the drift at its time, so that cells of old and new invoices are comparable.
    """
    return _drift(months, _PRICES)


def rate_drift(months: Sequence[tuple[str, Cell]]) -> float:
    """Return the drift of labor rates, which vary less between invoices."""
    return _drift(months, _RATES)


def _drift(months: Sequence[tuple[str, Cell]], prior: _Prior) -> float:
    ages = _ages(months)
    level, trend = _line(ages, prior)
    latest = ages[-DRIFT_MONTHS:]
    beyond = sum(cell.w * (cell.mean - level - trend * years) for years, cell in latest)
    found = level + beyond / (sum(cell.w for _, cell in latest) + prior.lately)
    return max(-_MOST, min(_MOST, found))


def _ages(months: Sequence[tuple[str, Cell]]) -> Sequence[tuple[float, Cell]]:
    """Return the age of each month relative to the latest, in years (0 and below), oldest month first."""
    counted = sorted(((_month(name), cell) for name, cell in months if cell.w > 0), key=lambda item: item[0])
    ages, before = [], 0
    for month, cell in counted:
        if before >= _KNOWN:
            ages.append(((month - counted[-1][0]) / _MONTHS_A_YEAR, cell))
        before += cell.w
    return ages


def _line(ages: Sequence[tuple[float, Cell]], prior: _Prior) -> tuple[float, float]:
    """Return the level at age 0 and the yearly trend, by least squares shrunk toward 0."""
    w, t, tt = prior.level, 0.0, prior.trend
    y = ty = 0.0
    for years, cell in ages:
        moved = cell.w * cell.mean
        w, t, tt = w + cell.w, t + cell.w * years, tt + cell.w * years * years
        y, ty = y + moved, ty + moved * years
    determinant = w * tt - t * t
    return (y * tt - ty * t) / determinant, (ty * w - y * t) / determinant


def _month(name: str) -> int:
    year, month = name.split("-")
    return _MONTHS_A_YEAR * int(year) + int(month)
