"""Figures from samples of the metrics."""

import pytest
from attrs import evolve

from repaircore.checkup.figures import Durations, Figures, durations, summarize
from repaircore.checkup.model import Sample
from repaircore.kernel.callers import LOCAL, Role
from repaircore.kernel.errors import Forbidden


def sample(name: str, value: float, **labels: str) -> Sample:
    return Sample(name=name, labels=labels, value=value)


SAMPLES = [
    sample("requests_total", 7, method="GET", route="/a", status="200"),
    sample("requests_total", 1, method="GET", route="/a", status="503"),
    sample("requests_total", 20, method="POST", route="/b", status="201"),
    sample("requests_total", 2, method="POST", route="/b", status="422"),
    *(
        sample("request_seconds_bucket", count, method="GET", route="/a", le=bound)
        for bound, count in (("0.1", 4), ("1.0", 7), ("+Inf", 8))
    ),
    sample("request_seconds_sum", 4.0, method="GET", route="/a"),
    sample("request_seconds_count", 8, method="GET", route="/a"),
    sample("request_seconds_bucket", 22, method="POST", route="/b", le="0.1"),
    sample("request_seconds_bucket", 22, method="POST", route="/b", le="1.0"),
    sample("request_seconds_bucket", 22, method="POST", route="/b", le="+Inf"),
    sample("request_seconds_sum", 1.0, method="POST", route="/b"),
    sample("request_seconds_count", 22, method="POST", route="/b"),
    sample("model_seconds_bucket", 1, model="A", source="offline", le="+Inf"),
    sample("model_seconds_sum", 0.5, model="A", source="offline"),
    sample("model_seconds_count", 1, model="A", source="offline"),
    sample("model_failures_total", 3, model="B", source="openai"),
    sample("predictions_total", 99, source="fresh", environment="live"),
]


def test_summarize_adds_up_requests_routes_and_models() -> None:
    found = summarize(SAMPLES)

    assert found.requests == 30
    assert found.statuses == {"2": 27, "4": 2, "5": 1}
    assert (found.durations.count, found.durations.mean) == (30, 5.0 / 30)
    assert found.durations.buckets == [(0.1, 26), (1.0, 29), (float("inf"), 30)]
    assert [(route.route, route.requests, route.failed) for route in found.routes] == [
        ("/b", 22, 0),
        ("/a", 8, 1),
    ]
    assert [(model.model, model.source, model.failed, model.durations.count) for model in found.models] == [
        ("A", "offline", 0, 1),
        ("B", "openai", 3, 0),
    ]


def test_quantile_is_the_bound_that_a_share_did_not_exceed() -> None:
    found = summarize(SAMPLES).routes[1].durations

    assert found.quantile(0.5) == 0.1
    assert found.quantile(0.75) == 1.0
    assert found.quantile(0.95) is None  # longer than every bound
    assert Durations(count=0, mean=0.0, buckets=()).quantile(0.5) is None


def test_summarize_accepts_no_samples() -> None:
    found = summarize([])

    assert (found.requests, found.routes, found.models) == (0, [], [])
    assert durations([]) == Durations(count=0, mean=0.0, buckets=[])


def test_figures_are_for_admins_and_absent_without_metrics() -> None:
    assert Figures(samples=lambda: None).read() is None
    with pytest.raises(Forbidden):
        Figures(samples=list).read(evolve(LOCAL, role=Role.USER))
