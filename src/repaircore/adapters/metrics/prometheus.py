"""Figures kept by Prometheus' own library, added up over all workers of a machine.

Workers share a folder (``PROMETHEUS_MULTIPROC_DIR``, the library's own variable, which it looks at when it is imported);
each writes a file of its own there, and whoever is asked reads them all. Without the folder the figures are this process's.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from typing_extensions import override

from repaircore.adapters.metrics.shared import SHARED, files, undisturbed
from repaircore.checkup.model import Gauge
from repaircore.kernel.metrics import Meter, Metric

KIND: Final = "text/plain; version=0.0.4; charset=utf-8"

_PREFIX: Final = "repaircore_"
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

M = TypeVar("M", Counter, Histogram)


class PrometheusMeter(Meter):
    """Figures by name; each is made when it is first told of."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._making = Lock()
        self._made: dict[str, Counter | Histogram] = {}
        self._counters: dict[tuple[str, ...], Counter] = {}
        self._histograms: dict[tuple[str, ...], Histogram] = {}

    @override
    def count(self, metric: Metric, *labels: str) -> None:
        known = self._counters.get((metric.name, *labels))
        if known is None:
            with suppress(OSError):
                known = self._counters[metric.name, *labels] = self._with(Counter, metric, labels)
        if known is not None:
            known.inc()

    @override
    def time(self, metric: Metric, seconds: float, *labels: str) -> None:
        known = self._histograms.get((metric.name, *labels))
        if known is None:
            with suppress(OSError):
                known = self._histograms[metric.name, *labels] = self._with(_Seconds, metric, labels)
        if known is not None:
            known.observe(seconds)

    def text(self, gauges: Iterable[Gauge]) -> bytes:
        """Write everything down; ``gauges`` are what stands at some figure now."""
        kept: CollectorRegistry = self._registry
        if SHARED in os.environ:
            kept = CollectorRegistry()
            kept.register(_Shared(Path(os.environ[SHARED])))
        standing = CollectorRegistry()
        standing.register(_GaugeCollector(gauges))
        return generate_latest(kept) + generate_latest(standing)

    def _with(self, kind: type[M], metric: Metric, labels: tuple[str, ...]) -> M:
        with self._making:
            made = self._made.get(metric.name)
            if made is None:
                name = _PREFIX + metric.name
                made = kind(name, metric.help, metric.labels, registry=self._registry)
                self._made[metric.name] = made
            if not isinstance(made, kind):
                raise TypeError(f"{metric.name} is counted and timed")
            return made.labels(*labels) if labels else made


class _Shared(Collector):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @override
    def collect(self) -> Iterable[Family]:
        with undisturbed(self._folder):
            told: Iterable[Family] = MultiProcessCollector.merge(files(self._folder))  # type: ignore[no-untyped-call]
        return told


class _Seconds(Histogram):
    DEFAULT_BUCKETS = _SECONDS  # type: ignore[assignment] # typed as just as many as the library's own


class _GaugeCollector(Collector):
    def __init__(self, gauges: Iterable[Gauge]) -> None:
        self._gauges = [*gauges]

    @override
    def collect(self) -> Iterator[Family]:
        for metric, figures in self._gauges:
            told = GaugeMetricFamily(_PREFIX + metric.name, metric.help, labels=metric.labels)
            for labels, figure in figures:
                told.add_metric(labels, figure)
            yield told
