"""Track records: past predictions compared with the invoices linked to them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents
from repaircore.pricing.aggregation import (
    CORRELATION,
    UNTRIED,
    TrackRecord,
    aggregate,
    correlation,
    track_record,
)
from repaircore.pricing.model import Opinion
from repaircore.pricing.red_flags import THRESHOLD, distance, threshold_of

MOST_PAIRS: Final = 300
"""How many of the newest linked invoices a model's track record covers."""

_WITHIN: Final = 0.25
"""A prediction is accurate if its error is at most this share of the invoice (``estimator.WITHIN``)."""


@frozen(kw_only=True)
class AnsweredPrediction:
    """A prediction, before any price adjustment, and the invoiced price, in cents.

    ``confidence`` (0 to 100) and ``doubt``, the variance of the local figure (ln), are None if the prediction did not
    store them; ``doubt`` is also None if the models' figures were not compared with the local one.
    """

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
    confidence: int | None = None
    doubt: float | None = None


@frozen(kw_only=True)
class Track:
    """The track record of a model's current source; ``source`` is None if no invoice is linked yet."""

    source: str | None = None
    record: TrackRecord = UNTRIED

    def of(self, source: str) -> TrackRecord:
        """Return the record of a source; a source other than the current one is untried."""
        return self.record if source == self.source else UNTRIED


@frozen(kw_only=True)
class Tracks:
    """The track records of both models, the correlation of their errors, and the threshold of red flags.

    The threshold is in standard errors.
    """

    model_a: Track = Track()
    model_b: Track = Track()
    correlation: float = CORRELATION
    flag_threshold: float = THRESHOLD


NO_TRACKS: Final = Tracks()


def tracks_of(answered: Sequence[AnsweredPrediction]) -> Tracks:
    """Score both models by the newest invoices; only predictions from a model's latest source count for it.

    ``answered`` is sorted from oldest to newest.
    """
    newest = answered[-MOST_PAIRS:]
    if not newest:
        return NO_TRACKS
    a_source, b_source = newest[-1].model_a_source, newest[-1].model_b_source
    a = [prediction for prediction in newest if prediction.model_a_source == a_source]
    b = [prediction for prediction in newest if prediction.model_b_source == b_source]
    both = [
        (prediction.model_a, prediction.model_b, prediction.paid)
        for prediction in a
        if prediction.model_b_source == b_source
        and prediction.model_a is not None
        and prediction.model_b is not None
    ]
    found = Tracks(
        model_a=Track(
            source=a_source,
            record=track_record([(prediction.model_a or 0, prediction.paid) for prediction in a]),
        ),
        model_b=Track(
            source=b_source,
            record=track_record([(prediction.model_b or 0, prediction.paid) for prediction in b]),
        ),
        correlation=correlation(both),
    )
    # Measured with the new track records: the better a model is known, the farther apart the same figures lie.
    return evolve(found, flag_threshold=threshold_of([*_distances(newest, found)]))


def _distances(answered: Iterable[AnsweredPrediction], tracks: Tracks) -> Iterator[float]:
    """Yield the distances of the current models' figures from the local ones, in standard errors."""
    for prediction in answered:
        opinions = (
            Opinion(average=prediction.model_a, source=prediction.model_a_source),
            Opinion(average=prediction.model_b, source=prediction.model_b_source),
        )
        same = all(
            opinion.source == track.source and opinion.average is not None
            for opinion, track in zip(opinions, (tracks.model_a, tracks.model_b), strict=True)
        )
        if prediction.doubt is None or not same:
            continue
        pooled = aggregate(
            opinions,
            (tracks.model_a.record, tracks.model_b.record),
            local=prediction.average,
            local_variance=prediction.doubt,
            correlation=tracks.correlation,
        )
        if pooled.average is not None:
            yield distance(
                prediction.average,
                pooled.average,
                local_variance=prediction.doubt,
                ai_variance=pooled.variance,
            )


@frozen(kw_only=True)
class Score:
    """The accuracy of figures, from pairs of a figure and an invoice.

    Errors are in percent of the invoice, or None if there are no pairs.

    Half of the figures were off by at most ``median_error``; ``median_bias`` is the signed median, positive if the
    figures were too high.
    """

    pairs: int
    median_error: float | None
    median_bias: float | None


@frozen(kw_only=True)
class Accuracy:
    """The scores of the local figure, of each model, and of both models combined.

    ``inside`` is the percentage of invoices within the local range, or None if there are no invoices.
    """

    local: Score
    inside: float | None
    model_a: Score
    model_b: Score
    together: Score


def accuracy_of(answered: Sequence[AnsweredPrediction]) -> Accuracy:
    """Score predictions against their invoices."""
    within = sum(prediction.low <= prediction.paid <= prediction.high for prediction in answered)
    return Accuracy(
        local=_score((prediction.average, prediction.paid) for prediction in answered),
        inside=round(100 * within / len(answered), 1) if answered else None,
        model_a=_score((prediction.model_a, prediction.paid) for prediction in answered),
        model_b=_score((prediction.model_b, prediction.paid) for prediction in answered),
        together=_score((prediction.together, prediction.paid) for prediction in answered),
    )


@frozen(kw_only=True)
class Reliability:
    """Predictions of similar confidence: their number, their mean confidence, and the percentage that were accurate.

    A prediction is accurate if its error is at most 25% of the invoiced price.
    """

    predictions: int
    promised: float
    met: float


def reliability_of(answered: Iterable[AnsweredPrediction]) -> tuple[Reliability, ...]:
    """Compare the confidence of predictions with the results, in steps of ten percent; empty steps are omitted."""
    steps: dict[int, list[AnsweredPrediction]] = defaultdict(list)
    for prediction in answered:
        if prediction.confidence is not None:
            steps[min(9, prediction.confidence // 10)].append(prediction)
    return tuple(
        Reliability(
            predictions=len(some),
            promised=round(sum(prediction.confidence or 0 for prediction in some) / len(some), 1),
            met=round(100 * sum(_is_met(prediction) for prediction in some) / len(some), 1),
        )
        for _, some in sorted(steps.items())
    )


def _is_met(prediction: AnsweredPrediction) -> bool:
    return abs(_error(prediction.average, prediction.paid)) <= _WITHIN


def by_problem(answered: Iterable[AnsweredPrediction]) -> dict[int, list[AnsweredPrediction]]:
    """Group predictions by the id of their repair, the repair with the most invoices first."""
    groups: dict[int, list[AnsweredPrediction]] = defaultdict(list)
    for prediction in answered:
        groups[prediction.problem_id].append(prediction)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def _score(pairs: Iterable[tuple[Cents | None, Cents]]) -> Score:
    errors = [_error(said, paid) for said, paid in pairs if said is not None]
    if not errors:
        return Score(pairs=0, median_error=None, median_bias=None)
    return Score(
        pairs=len(errors),
        median_error=_percent(median(map(abs, errors))),
        median_bias=_percent(median(errors)),
    )


def _error(said: Cents, paid: Cents) -> float:
    return said / paid - 1


def _percent(share: float) -> float:
    return round(100 * share, 1)
