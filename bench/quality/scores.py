"""How well figures met what was paid."""

import math

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NAN = math.nan
_QUANTILES = (0.1, 0.5, 0.9)


@frozen(kw_only=True)
class Score:
    """The figures of one method on one world.

    ``mae`` in dollars; ``median_error``, ``coverage``, ``stated`` and ``met`` in percent; ``pinball`` is the mean loss of the 10, 50 and 90%
    quantiles of ln cost; ``width`` the median of ln(high/low); ``bias`` the median of ln(figure/paid). ``stated`` is the mean confidence
    and ``met`` the share of figures within 25% of the invoice. Flags in percent of the figures that were sound, and of those that were not.
    """

    method: str
    mae: float
    median_error: float
    pinball: float
    coverage: float
    width: float
    bias: float
    met: float
    stated: float = NAN
    flags_false: float = NAN
    flags_found: float = NAN
    seconds: float = NAN
    tested: int = 0


def pinball(predicted: Floats, paid: Floats) -> float:
    """Give the mean pinball loss of ln cost at 10, 50 and 90%; ``predicted`` has a column for each."""
    losses = []
    for quantile, column in zip(_QUANTILES, predicted.T, strict=True):
        off = np.log(paid) - np.log(column)
        losses.append(np.mean(np.maximum(quantile * off, (quantile - 1) * off)))
    return float(np.mean(losses))


def score(
    method: str,
    predicted: Floats,
    paid: Floats,
    *,
    stated: float = NAN,
    flags_false: float = NAN,
    flags_found: float = NAN,
    seconds: float = NAN,
) -> Score:
    """Compare low, average and high of some repairs with what was paid."""
    low, middle, high = predicted.T
    off = np.abs(middle / paid - 1)
    return Score(
        method=method,
        mae=float(np.mean(np.abs(middle - paid))),
        median_error=100 * float(np.median(off)),
        pinball=pinball(predicted, paid),
        coverage=100 * float(np.mean((low <= paid) & (paid <= high))),
        width=float(np.median(np.log(high / low))),
        bias=float(np.median(np.log(middle / paid))),
        met=100 * float(np.mean(np.abs(middle / paid - 1) <= 0.25)),
        stated=stated,
        flags_false=flags_false,
        flags_found=flags_found,
        seconds=seconds,
        tested=len(paid),
    )
