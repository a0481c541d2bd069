"""Combine the figures of two price models, weighted by their track records."""

import math
from collections.abc import Sequence
from statistics import median

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.kernel.money import Cents, round_half_up
from repaircore.pricing.model import Opinion

PLAUSIBLE = 20
"""A model's figure is accepted from 1/20 of the book's low price to 20 times its high price.

The most expensive make in the most expensive state is about eight times an ordinary car, so an honest figure passes;
one in the wrong unit or currency, or a made-up one, does not. See docs/decisions/model-figures-that-count.md.
"""


def is_plausible(average: float, problem: Problem) -> bool:
    """Return whether a price in cents is finite, at least a cent, and close enough to the book's range."""
    return (
        math.isfinite(average)
        and average >= 1
        and problem.low / PLAUSIBLE <= average <= problem.high * PLAUSIBLE
    )


CORRELATION = 0.4
"""The assumed correlation of two models' errors, before any evidence."""

_SPREAD = 0.30
_MOST_PAIRS = 300
_LEANS_ON = 10
_FLOOR = 0.01
_FAR = 1.5
_SLACK = 0.02
_MAD_TO_SIGMA = 1.4826


@frozen(kw_only=True)
class TrackRecord:
    """The track record of a model on jobs that were invoiced later: bias and spread of ln(prediction/invoice)."""

    bias: float = 0.0
    spread: float = _SPREAD
    pairs: int = 0


UNTRIED = TrackRecord()


def track_record(pairs: Sequence[tuple[Cents, Cents]]) -> TrackRecord:
    """Score a model by its (prediction, invoice) pairs, oldest first; the last 300 count.

    Bias and spread are the median and the median absolute deviation, both shrunk toward an untried model, which
    counts as 10 pairs.
    """
    errors = [math.log(p / paid) for p, paid in pairs[-_MOST_PAIRS:] if p > 0 and paid > 0]
    if not errors:
        return UNTRIED
    n, middle = len(errors), median(errors)
    deviation = _MAD_TO_SIGMA * median(abs(e - middle) for e in errors)
    variance = (_LEANS_ON * _SPREAD**2 + n * deviation**2) / (n + _LEANS_ON)
    return TrackRecord(bias=middle * n / (n + _LEANS_ON), spread=math.sqrt(variance), pairs=n)


def correlation(triples: Sequence[tuple[Cents, Cents, Cents]]) -> float:
    """Return the correlation of two models' errors, 0 to 1, from (first, second, invoice) triples.

    The assumed correlation of .4 counts as 30 triples.
    """
    errors = [
        (math.log(a / paid), math.log(b / paid))
        for a, b, paid in triples[-_MOST_PAIRS:]
        if min(a, b, paid) > 0
    ]
    n = len(errors)
    if n < 3:  # noqa: PLR2004 - two points always lie on a line
        return CORRELATION
    mean_a, mean_b = (sum(e[i] for e in errors) / n for i in (0, 1))
    joint = sum((a - mean_a) * (b - mean_b) for a, b in errors)
    alone = math.sqrt(sum((a - mean_a) ** 2 for a, _ in errors) * sum((b - mean_b) ** 2 for _, b in errors))
    found = joint / alone if alone else CORRELATION
    return min(1.0, max(0.0, (n * found + 30 * CORRELATION) / (n + 30)))


@frozen(kw_only=True)
class Aggregate:
    """The models' combined figure in cents, or None if no model gave one, and its variance (ln) before damping.

    ``matches`` and ``weights`` have an entry for each opinion, None if it has no figure. The weights are the opinions'
    shares of the combined figure, and add up to 1.
    """

    average: Cents | None
    variance: float
    match: float | None
    matches: tuple[float | None, ...]
    weights: tuple[float | None, ...]


def match(one: Cents, other: Cents) -> float:
    """Return how closely two positive amounts agree: 0 to 100, to two decimals, and 100 only if they are equal."""
    if one == other:
        return 100.0
    return min(99.99, round(100 * min(one, other) / max(one, other), 2))


def aggregate(
    opinions: Sequence[Opinion],
    records: Sequence[TrackRecord],
    *,
    local: Cents,
    local_variance: float,
    correlation: float = CORRELATION,
) -> Aggregate:
    """Combine the opinions, each weighted by ``1/max(spread², .01)``; correlation and outliers reduce the weights.

    ``records`` are in the order of the opinions. Outliers are measured from the median of all opinions and the local
    average.
    """
    logs = [_unbiased(o, r) for o, r in zip(opinions, records, strict=True)]
    answered = [x for x in logs if x is not None]
    matches = tuple(None if o.average is None else match(o.average, local) for o in opinions)
    if not answered:
        return Aggregate(average=None, variance=0.0, match=None, matches=matches, weights=(None,) * len(logs))
    middle = median([*answered, math.log(local)])
    shared = 1 + (len(answered) - 1) * correlation
    reach = _FAR * math.sqrt(local_variance + _SLACK)
    undamped = sum(_weight(r, 0.0, reach) for x, r in zip(logs, records, strict=True) if x is not None)
    raw = [
        None if x is None else _weight(r, abs(x - middle), reach) / shared
        for x, r in zip(logs, records, strict=True)
    ]
    whole = sum(w for w in raw if w is not None)
    mean = sum(w * x for w, x in zip(raw, logs, strict=True) if w is not None and x is not None) / whole
    average = max(1, round_half_up(math.exp(mean)))
    return Aggregate(
        average=average,
        variance=shared / undamped,
        match=match(average, local),
        matches=matches,
        weights=tuple(None if w is None else w / whole for w in raw),
    )


def _unbiased(opinion: Opinion, record: TrackRecord) -> float | None:
    return None if opinion.average is None else math.log(opinion.average) - record.bias


def _weight(record: TrackRecord, distance: float, reach: float) -> float:
    damped = min(1.0, reach / distance) if distance > 0 else 1.0
    return damped / max(record.spread**2, _FLOOR)
