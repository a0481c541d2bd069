"""Figures on requests and models since the server started, from the metrics that its processes share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.checkup.model import Sample
from repaircore.kernel.callers import LOCAL, Caller, require_admin

_INFINITE: Final = float("inf")

ReadSamples = Callable[[], Iterable[Sample] | None]
"""Return the samples of all metrics, or None if metrics are off."""


@frozen(kw_only=True)
class Durations:
    """The number of durations, their mean in seconds, and how many do not exceed each bound."""

    count: int
    mean: float
    buckets: Sequence[tuple[float, int]]

    def quantile(self, share: float) -> float | None:
        """Return the lowest bound that at least this share of the durations did not exceed.

        Return None if there are no durations or no finite bound is high enough.
        """
        wanted = share * self.count
        bounds = (bound for bound, within in self.buckets if within >= wanted and bound < _INFINITE)
        return next(bounds, None) if self.count else None


@frozen(kw_only=True)
class RouteFigures:
    """The requests to a route: how many, how many of them failed in the server (5xx), and how long they took."""

    route: str
    requests: int
    failed: int
    durations: Durations


@frozen(kw_only=True)
class ModelFigures:
    """The requests to a price model: how many failed, and how long they took."""

    model: str
    source: str
    failed: int
    durations: Durations


@frozen(kw_only=True)
class ServiceFigures:
    """All figures since the server started. ``statuses`` counts requests by the first digit of their status."""

    statuses: Mapping[str, int]
    durations: Durations
    routes: Sequence[RouteFigures]
    models: Sequence[ModelFigures]

    @property
    def requests(self) -> int:
        """Return the total number of requests."""
        return sum(self.statuses.values())


@frozen(kw_only=True)
class Figures:
    """Request counts and durations since the server started, for admins."""

    samples: ReadSamples

    def read(self, caller: Caller = LOCAL) -> ServiceFigures | None:
        """Return the figures since the server started, busiest route first, or None if metrics are off.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        samples = self.samples()
        return None if samples is None else summarize([*samples])


def summarize(samples: Sequence[Sample]) -> ServiceFigures:
    """Return the figures that the samples add up to."""
    requests = [sample for sample in samples if sample.name == "requests_total"]
    seconds = [sample for sample in samples if sample.name.startswith("request_seconds_")]
    routes = [
        RouteFigures(
            route=route,
            requests=_total(found),
            failed=_total(sample for sample in found if sample.labels["status"].startswith("5")),
            durations=durations([sample for sample in seconds if sample.labels["route"] == route]),
        )
        for route, found in _grouped(requests, "route").items()
    ]
    return ServiceFigures(
        statuses={
            digit: _total(sample for sample in requests if sample.labels["status"].startswith(digit))
            for digit in sorted({sample.labels["status"][:1] for sample in requests})
        },
        durations=durations(seconds),
        routes=sorted(routes, key=lambda route: (-route.requests, route.route)),
        models=_models(samples),
    )


def durations(samples: Iterable[Sample]) -> Durations:
    """Return the sum of the histograms in the samples, which must have the same bounds."""
    count, seconds = 0.0, 0.0
    buckets: dict[float, float] = {}
    for sample in samples:
        if sample.name.endswith("_count"):
            count += sample.value
        elif sample.name.endswith("_sum"):
            seconds += sample.value
        elif sample.name.endswith("_bucket"):
            bound = float(sample.labels["le"])
            buckets[bound] = buckets.get(bound, 0.0) + sample.value
    return Durations(
        count=round(count),
        mean=seconds / count if count else 0.0,
        buckets=[(bound, round(buckets[bound])) for bound in sorted(buckets)],
    )


def _models(samples: Sequence[Sample]) -> Sequence[ModelFigures]:
    seconds = [sample for sample in samples if sample.name.startswith("model_seconds_")]
    failures = [sample for sample in samples if sample.name == "model_failures_total"]
    names = sorted({(sample.labels["model"], sample.labels["source"]) for sample in (*seconds, *failures)})
    return [
        ModelFigures(
            model=model,
            source=source,
            failed=_total(_of_model(failures, model, source)),
            durations=durations(_of_model(seconds, model, source)),
        )
        for model, source in names
    ]


def _of_model(samples: Iterable[Sample], model: str, source: str) -> Sequence[Sample]:
    return [
        sample for sample in samples if (sample.labels["model"], sample.labels["source"]) == (model, source)
    ]


def _grouped(samples: Iterable[Sample], label: str) -> Mapping[str, Sequence[Sample]]:
    groups: dict[str, list[Sample]] = {}
    for sample in samples:
        groups.setdefault(sample.labels[label], []).append(sample)
    return groups


def _total(samples: Iterable[Sample]) -> int:
    return round(sum(sample.value for sample in samples))
