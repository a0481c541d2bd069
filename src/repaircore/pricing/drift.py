"""How far the latest invoices lie from what the whole history lets expect."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.transactions.evidence import Cell

DRIFT_MONTHS: Final = 6
"""The latest months with invoices, whose own level is followed beyond the trend."""

MONTHS_READ: Final = 60
"""The trend goes by so many of the latest months with invoices; each estimate reads a row for each of them."""

DRIFT_REACH: Final = 0.5
"""An invoice counts no further out than so many spreads, so that the mean stays near the median."""

RATE_DRIFT_REACH: Final = 0.15
"""A labor rate counts no further out than this (ln): one shop that is dear is no rise of all."""

_MOST: Final = 0.5
_KNOWN: Final = 20
"""Months before so many invoices say how far the book was off, and not how prices move."""

_MONTHS_A_YEAR: Final = 12


@frozen(kw_only=True)
class _Doubt:
    """What is known beforehand: that nothing moves, as sure as so many invoices make it (of the yearly trend: invoices a year away)."""

    level: float
    trend: float
    lately: float


_PRICES: Final = _Doubt(level=25, trend=150, lately=50)
_RATES: Final = _Doubt(level=6, trend=36, lately=30)
# An invoice lies .25 (a rate .12) from what was expected. An index is off by .05, misses the trend by .02 a year, and a half-year by .035 (.022).


def drift(months: Sequence[tuple[str, Cell]]) -> float:
    """Return what to add to the expected price (ln), from what invoices of each month (2026-01) lay off without it.

    A line through all months that leans on none tells the level of the last one; the latest six tell what goes beyond it. What an
    invoice teaches is net of the drift of its time, so that cells of old and of new invoices mean the same.
    """
    return _drift(months, _PRICES)


def rate_drift(months: Sequence[tuple[str, Cell]]) -> float:
    """Return the same for labor rates, whose invoices lie closer together."""
    return _drift(months, _RATES)


def _drift(months: Sequence[tuple[str, Cell]], doubt: _Doubt) -> float:
    ages = _ages(months)
    level, trend = _line(ages, doubt)
    latest = ages[-DRIFT_MONTHS:]
    beyond = sum(cell.w * (cell.mean - level - trend * years) for years, cell in latest)
    found = level + beyond / (sum(cell.w for _, cell in latest) + doubt.lately)
    return max(-_MOST, min(_MOST, found))


def _ages(months: Sequence[tuple[str, Cell]]) -> Sequence[tuple[float, Cell]]:
    """Return, the oldest month first, how many years each lies after the latest: 0 and below."""
    counted = sorted(((_month(name), cell) for name, cell in months if cell.w > 0), key=lambda one: one[0])
    ages, before = [], 0
    for month, cell in counted:
        if before >= _KNOWN:
            ages.append(((month - counted[-1][0]) / _MONTHS_A_YEAR, cell))
        before += cell.w
    return ages


def _line(ages: Sequence[tuple[float, Cell]], doubt: _Doubt) -> tuple[float, float]:
    """Return the level at age 0 and the yearly trend, by least squares that lean on 0."""
    w, t, tt = doubt.level, 0.0, doubt.trend
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
