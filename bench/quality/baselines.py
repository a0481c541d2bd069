"""Other ways to estimate: medians and neighbors. Each gets the same invoices, brought to one price level by the product's own index."""

from collections import defaultdict
from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.quality.worlds import Jobs

Floats = NDArray[np.float64]
Fit: TypeAlias = Callable[[Jobs], Floats]
Method: TypeAlias = Callable[[Jobs, Floats], Fit]
"""From repairs and the logarithms of their prices to the 10, 50 and 90% quantiles of others."""

_QUANTILES: Final = (0.1, 0.5, 0.9)
_FEWEST: Final = 5
_NEIGHBORS: Final = 25
_CALIBRATED: Final = 0.2
_AT_ONCE: Final = 256


def conformal(method: Method) -> Method:
    """Move both ends of a method's range by how far the last fifth of the invoices missed them (split conformal)."""

    def fitted(past: Jobs, prices: Floats) -> Fit:
        cut = int(len(past) * (1 - _CALIBRATED))
        early, late = np.arange(cut), np.arange(cut, len(past))
        predicted = method(past.take(early), prices[early])(past.take(late))
        n = len(late)
        low = np.quantile(prices[late] - predicted[:, 0], max(0.0, ((n + 1) * 0.1 - 1) / n))
        high = np.quantile(prices[late] - predicted[:, 2], min(1.0, (n + 1) * 0.9 / n))
        fit = method(past, prices)

        def answer(jobs: Jobs) -> Floats:
            raw = np.sort(fit(jobs), axis=1)
            return np.sort(raw + np.array([low, 0.0, high]), axis=1)

        return answer

    return fitted


def per_problem(past: Jobs, prices: Floats) -> Fit:
    """Take the quantiles of the repair's invoices."""
    return _grouped([lambda jobs: jobs.problem], past, prices, fewest=1)


def backed_off(past: Jobs, prices: Floats) -> Fit:
    """Take those of the repair on the model, if there are five; else on the make; else anywhere."""
    return _grouped(
        [
            lambda jobs: jobs.problem * 10_000 + jobs.model,
            lambda jobs: jobs.problem * 10_000 + jobs.make,
            lambda jobs: jobs.problem,
        ],
        past,
        prices,
        fewest=_FEWEST,
    )


def neighbors(past: Jobs, prices: Floats) -> Fit:
    """Take the 25 nearest invoices: another repair is far, another make less so, then model, shop, years and months."""

    def answer(jobs: Jobs) -> Floats:
        return np.concatenate(
            [
                near(jobs.take(np.arange(i, min(len(jobs), i + _AT_ONCE))))
                for i in range(0, len(jobs), _AT_ONCE)
            ]
        )

    def near(jobs: Jobs) -> Floats:
        def differ(mine: NDArray[np.int64], theirs: NDArray[np.int64], weight: float) -> Floats:
            return np.where(mine[:, None] == theirs[None, :], 0.0, weight)

        far = (
            differ(jobs.problem, past.problem, 100.0)
            + differ(jobs.make, past.make, 1.0)
            + differ(jobs.model, past.model, 0.7)
            + differ(jobs.shop, past.shop, 0.6)
            + np.abs(jobs.year[:, None] - past.year[None, :]) / 20
            + np.abs(jobs.month[:, None] - past.month[None, :]) / 90
        )
        count = min(_NEIGHBORS, len(past))
        nearest = np.argpartition(far, count - 1, axis=1)[:, :count]
        return np.asarray(np.quantile(prices[nearest], _QUANTILES, axis=1).T)

    return answer


def _grouped(
    keys: list[Callable[[Jobs], NDArray[np.int64]]], past: Jobs, prices: Floats, *, fewest: int
) -> Fit:
    tables = [_quantiles(key(past), prices, fewest) for key in keys]
    everywhere = np.quantile(prices, _QUANTILES)

    def answer(jobs: Jobs) -> Floats:
        named = [key(jobs) for key in keys]
        rows = []
        for i in range(len(jobs)):
            found = (table.get(int(key[i])) for table, key in zip(tables, named, strict=True))
            rows.append(next((one for one in found if one is not None), everywhere))
        return np.array(rows)

    return answer


def _quantiles(keys: NDArray[np.int64], prices: Floats, fewest: int) -> dict[int, Floats]:
    groups: dict[int, list[float]] = defaultdict(list)
    for key, price in zip(keys, prices, strict=True):
        groups[int(key)].append(float(price))
    return {key: np.quantile(group, _QUANTILES) for key, group in groups.items() if len(group) >= fewest}
