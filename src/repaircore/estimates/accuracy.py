"""How past predictions met the invoices that answered them, and what that says of the models."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

from attrs import frozen

from repaircore.estimates.aggregation import (
    CORRELATION,
    UNTRIED,
    TrackRecord,
    correlation,
    track_record,
)
from repaircore.kernel.money import Cents

__all__ = [
    "NO_TRACKS",
    "PAIRS_KEPT",
    "Accuracy",
    "Answered",
    "Score",
    "Track",
    "Tracks",
    "accuracy_of",
    "by_problem",
    "tracks_of",
]

PAIRS_KEPT: Final = 300
"""So many of the newest linked invoices say how good a model is."""


@frozen(kw_only=True)
class Answered:
    """A prediction, before any price adjustment, and what was paid in the end; all in cents."""

    problem_id: int
    paid: Cents
    low: Cents
    average: Cents
    high: Cents
    model_a_source: str
    model_a: Cents | None
    model_b_source: str
    model_b: Cents | None
    together: Cents | None


@frozen(kw_only=True)
class Track:
    """How the model of a source did in its place; None where no invoice answered one of its predictions."""

    source: str | None = None
    record: TrackRecord = UNTRIED

    def of(self, source: str) -> TrackRecord:
        """Give the record of a source: another one than before starts untried."""
        return self.record if source == self.source else UNTRIED


@frozen(kw_only=True)
class Tracks:
    """How both models did, and how alike they err."""

    model_a: Track = Track()
    model_b: Track = Track()
    correlation: float = CORRELATION


NO_TRACKS: Final = Tracks()


def tracks_of(answered: Sequence[Answered]) -> Tracks:
    """Judge both models by the newest invoices, oldest first. Of a place only its latest source counts."""
    newest = answered[-PAIRS_KEPT:]
    if not newest:
        return NO_TRACKS
    a_source, b_source = newest[-1].model_a_source, newest[-1].model_b_source
    a = [one for one in newest if one.model_a_source == a_source]
    b = [one for one in newest if one.model_b_source == b_source]
    both = [
        (one.model_a, one.model_b, one.paid)
        for one in a
        if one.model_b_source == b_source and one.model_a is not None and one.model_b is not None
    ]
    return Tracks(
        model_a=Track(source=a_source, record=track_record([(one.model_a or 0, one.paid) for one in a])),
        model_b=Track(source=b_source, record=track_record([(one.model_b or 0, one.paid) for one in b])),
        correlation=correlation(both),
    )


@frozen(kw_only=True)
class Score:
    """How some figures met their invoices. Errors are in percent of the invoice, None without a pair.

    ``median_error`` is how far off half of them were at most, ``median_bias`` the middle with its sign:
    positive when the figure was too high.
    """

    pairs: int
    median_error: float | None
    median_bias: float | None


@frozen(kw_only=True)
class Accuracy:
    """The scores of the local figure, of each model and of both together; ``inside`` in percent of the invoices."""

    local: Score
    inside: float | None
    model_a: Score
    model_b: Score
    together: Score


def accuracy_of(answered: Sequence[Answered]) -> Accuracy:
    """Score predictions against their invoices."""
    within = sum(one.low <= one.paid <= one.high for one in answered)
    return Accuracy(
        local=_score((one.average, one.paid) for one in answered),
        inside=round(100 * within / len(answered), 1) if answered else None,
        model_a=_score((one.model_a, one.paid) for one in answered),
        model_b=_score((one.model_b, one.paid) for one in answered),
        together=_score((one.together, one.paid) for one in answered),
    )


def by_problem(answered: Iterable[Answered]) -> dict[int, list[Answered]]:
    """Group by repair, the one with the most invoices first."""
    groups: dict[int, list[Answered]] = defaultdict(list)
    for one in answered:
        groups[one.problem_id].append(one)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def _score(pairs: Iterable[tuple[Cents | None, Cents]]) -> Score:
    errors = [said / paid - 1 for said, paid in pairs if said is not None]
    if not errors:
        return Score(pairs=0, median_error=None, median_bias=None)
    return Score(
        pairs=len(errors),
        median_error=_percent(median(map(abs, errors))),
        median_bias=_percent(median(errors)),
    )


def _percent(share: float) -> float:
    return round(100 * share, 1) if math.isfinite(share) else 0.0
