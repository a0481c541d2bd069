"""A chain's new shop: what its first invoices find with and without the priors of the others."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from attrs import frozen

from bench.quality.product import opened
from bench.quality.worlds import WORLDS, Charges, Jobs, Law
from bench.table import tell

NEW_SHOP: Final = 50
"""Its first invoices, each estimated before it is learned from."""

_OPENS: Final = 48.0
_MONTHS: Final = 6.0
_SHOP: Final = 3


@frozen(kw_only=True)
class Start:
    """How the first invoices of a new installation were estimated; ``weight`` 0 is without priors.

    ``mae`` in dollars, against what was paid; ``off_middle`` the same against the middle that the law has for the repair, since a few dear
    repairs that chance made cheap move the former much. ``median_error`` and ``coverage`` in percent.
    """

    seed: int
    weight: int
    mae: float
    off_middle: float
    median_error: float
    coverage: float


def starts(seed: int, *, others: int, weights: Sequence[int]) -> list[Start]:
    """Let an installation learn from ``others`` invoices, and another one with a shop of the same world start from its priors."""
    law = Law(WORLDS["foreign"], seed)
    past = law.jobs(others, last=_OPENS)
    with opened(law, seed=seed) as product:
        product.move_to(_OPENS)
        product.bring_in(past, law.charged(past))
        product.nightly()
        priors = product.core.pooling.export().document
    jobs = law.jobs(NEW_SHOP, first=_OPENS, last=_OPENS + _MONTHS, shop=_SHOP)
    jobs = jobs.take(np.argsort(jobs.month))
    charges, paid = law.charged(jobs), law.charged(jobs, gross_errors=0.0)
    found = []
    for weight in (0, *weights):
        tell(f"seed {seed}: a new shop, weight {weight}")
        found.append(_start(law, seed, jobs, charges, paid, priors=priors, weight=weight))
    return found


def _start(
    law: Law,
    seed: int,
    jobs: Jobs,
    charges: Charges,
    paid: Charges,
    *,
    priors: Mapping[str, Any],
    weight: int,
) -> Start:
    predicted = []
    with opened(law, seed=seed) as product:
        product.move_to(_OPENS)
        if weight:
            product.core.pooling.import_priors(priors, weight=weight)
        for i in range(len(jobs)):
            one = np.array([i])
            product.move_to(float(jobs.month[i]))
            predicted.append(product.ranges(jobs.take(one))[0])
            product.record(jobs.take(one), charges.take(one))
    low, average, high = np.array(predicted).T
    off = np.abs(average / paid.total - 1)
    return Start(
        seed=seed,
        weight=weight,
        mae=float(np.mean(np.abs(average - paid.total))),
        off_middle=float(np.mean(np.abs(average - law.quantiles(jobs)[:, 1]))),
        median_error=100 * float(np.median(off)),
        coverage=100 * float(np.mean((low <= paid.total) & (paid.total <= high))),
    )
