"""Metrics recorded with Prometheus' own library and summed over all workers of a machine.

Workers share a folder (``PROMETHEUS_MULTIPROC_DIR``, a variable that the library reads when it is imported): each
writes its own file there, and the one that is scraped reads them all. Without the folder, the metrics are those of this
process only.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from typing_extensions import override

from repaircore.adapters.metrics.shared import SHARED, files, reading
from repaircore.checkup.model import Gauge, Sample
from repaircore.kernel.metrics import Meter, Metric

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_PREFIX: Final = "repaircore_"
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

M = TypeVar("M", Counter, Histogram)


class PrometheusMeter(Meter):
    """A meter whose metrics are created when they are first used."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._lock = Lock()
        self._metrics: dict[str, Counter | Histogram] = {}
        self._counters: dict[tuple[str, ...], Counter] = {}
        self._histograms: dict[tuple[str, ...], Histogram] = {}

    @override
    def count(self, metric: Metric, *labels: str) -> None:
        child = self._counters.get((metric.name, *labels))
        if child is None:
            with suppress(OSError):
                child = self._counters[metric.name, *labels] = self._with(Counter, metric, labels)
        if child is not None:
            child.inc()

    @override
    def time(self, metric: Metric, seconds: float, *labels: str) -> None:
        child = self._histograms.get((metric.name, *labels))
        if child is None:
            with suppress(OSError):
                child = self._histograms[metric.name, *labels] = self._with(_Seconds, metric, labels)
        if child is not None:
            child.observe(seconds)

    def samples(self) -> Iterator[Sample]:
        """Yield the samples of all processes that share their metrics."""
        for family in self._counted().collect():
            for sample in family.samples:
                name = sample.name.removeprefix(_PREFIX)
                yield Sample(name=name, labels=sample.labels, value=sample.value)

    def text(self, gauges: Iterable[Gauge]) -> bytes:
        """Return all metrics and the given gauges in Prometheus' text format."""
        current = CollectorRegistry()
        current.register(_GaugeCollector(gauges))
        return generate_latest(self._counted()) + generate_latest(current)

    def _counted(self) -> CollectorRegistry:
        if SHARED not in os.environ:
            return self._registry
        counted = CollectorRegistry()
        counted.register(_SharedCollector(Path(os.environ[SHARED])))
        return counted

    def _with(self, kind: type[M], metric: Metric, labels: tuple[str, ...]) -> M:
        with self._lock:
            family = self._metrics.get(metric.name)
            if family is None:
                name = _PREFIX + metric.name
                family = kind(name, metric.help, metric.labels, registry=self._registry)
                self._metrics[metric.name] = family
            if not isinstance(family, kind):
                raise TypeError(f"{metric.name} is both a counter and a histogram")
            return family.labels(*labels) if labels else family


class _SharedCollector(Collector):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @override
    def collect(self) -> Iterable[Family]:
        with reading(self._folder):
            families: Iterable[Family] = MultiProcessCollector.merge(files(self._folder))  # type: ignore[no-untyped-call]
        return families


class _Seconds(Histogram):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        # Also called for each combination of labels, then with the bounds in the options.
        super().__init__(*arguments, **{"buckets": _SECONDS, **options})


class _GaugeCollector(Collector):
    def __init__(self, gauges: Iterable[Gauge]) -> None:
        self._gauges = [*gauges]

    @override
    def collect(self) -> Iterator[Family]:
        for metric, values in self._gauges:
            family = GaugeMetricFamily(_PREFIX + metric.name, metric.help, labels=metric.labels)
            for labels, value in values:
                family.add_metric(labels, value)
            yield family
