"""Batches: items are independent, and stored in one transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from attrs import evolve
from tests.writes import unwritten

from repaircore.batches.model import MOST_ITEMS
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.predictions.model import MemorySource, PredictBySpecs, PredictByVin
from repaircore.testing.models import CountingPanel

CAMRY: dict[str, Any] = {"year": 2015, "make": "Toyota", "model": "Camry", "zip_code": "60601"}
ACCORD: dict[str, Any] = {"vin": "1HGCM82633A004352", "zip_code": "90210"}
PADS: dict[str, Any] = {"problem_identifier": "brake-pads-front"}


def test_results_equal_those_of_single_requests(core: Core) -> None:
    results = core.batches.predict([{**ACCORD, **PADS}, {**CAMRY, **PADS}])
    singles = [
        core.predictions.predict(PredictByVin(**ACCORD, **PADS)),
        core.predictions.predict_by_specs(PredictBySpecs(**CAMRY, **PADS)),
    ]
    for result, single in zip(results, singles, strict=True):
        assert result.prediction is not None
        assert result.prediction.figures == single.figures
        assert result.prediction.session_id == single.session_id, "a repeated request gets the same session"
        assert (result.prediction.source, single.source) == (MemorySource.FRESH, MemorySource.CACHED)


def test_cached_answer_is_not_recomputed(core: Core, panel: CountingPanel) -> None:
    single = core.predictions.predict_by_specs(PredictBySpecs(**CAMRY, **PADS))
    [result] = core.batches.predict([{**CAMRY, **PADS}])
    assert result.prediction is not None
    assert result.prediction.session_id == single.session_id
    assert panel.calls == 1


def test_bad_item_fails_alone_with_every_bad_field(core: Core) -> None:
    good, bad, unfit, unknown = core.batches.predict([
        {"id": "unit 1", **CAMRY, **PADS},
        {"id": "unit 2", **ACCORD, "zip_code": "00000", "problem_identifier": "none", "mileage": "x"},
        {"year": 2019, "make": "Nissan", "model": "Leaf", "zip_code": "60601", "problem_identifier": "spark-plugs"},
        {"zip_code": "60601", **PADS, "id": 5},
    ])  # fmt: skip
    assert (good.id, good.failure) == ("unit 1", None)
    assert bad.id == "unit 2"
    assert isinstance(bad.failure, Invalid)
    assert bad.failure.fields.keys() == {"zip_code", "problem_identifier", "mileage"}
    assert isinstance(unfit.failure, ProblemDoesNotFit)
    assert isinstance(unknown.failure, Invalid)
    assert unknown.failure.fields.keys() == {"vin", "id"}


@pytest.mark.parametrize(
    ("item", "fields"),
    [
        ({"make": "Toyota"}, {"year", "model"}),
        ({"year": 2015}, {"make", "model"}),
        ({"make": "Toyota", "vin": None}, {"year", "model"}),
        ({"make": "Toyota", "vin": "1HG"}, {"vin"}),
        ({"make": None, "vin": None}, {"vin"}),
    ],
)
def test_item_is_by_specs_if_it_has_any_and_no_vin(
    core: Core, item: dict[str, Any], fields: set[str]
) -> None:
    (found,) = core.batches.predict([{"zip_code": "60601", **PADS, **item}])

    assert isinstance(found.failure, Invalid)
    assert found.failure.fields.keys() == fields


def test_id_of_an_item_is_a_text_of_limited_length(core: Core) -> None:
    longest, longer = core.batches.predict([{"id": "x" * 100}, {"id": "x" * 101}])

    assert (longest.id, longer.id) == ("x" * 100, None)
    assert isinstance(longest.failure, Invalid)
    assert isinstance(longer.failure, Invalid)
    assert longer.failure.fields.keys() - longest.failure.fields.keys() == {"id"}


def test_repeated_item_has_one_session(core: Core) -> None:
    first, second = core.batches.predict([{**CAMRY, **PADS}] * 2)
    assert first.prediction is not None
    assert second.prediction is not None
    assert first.prediction.session_id == second.prediction.session_id


def test_batch_is_stored_in_one_transaction_after_computing(core: Core, database_url: str) -> None:
    items = [
        {**CAMRY, "problem_identifier": slug}
        for slug in ("alternator", "brake-rotors-front", "brake-pads-front")
    ]
    core.predictions.predict_by_specs(
        PredictBySpecs(**CAMRY, problem_identifier="brake-fluid-flush")
    )  # stores the vehicle
    opened = 0

    @contextmanager
    def transaction() -> Iterator[Any]:
        nonlocal opened
        opened += 1
        with core.storage.transaction() as work:
            yield work

    def assert_unopened(_done: int) -> None:
        assert opened == 0

    with unwritten(database_url):
        batches = evolve(core.batches, transaction=transaction)
        found = [*batches._find_each(items, LOCAL, assert_unopened)]
    assert len(found) == len(items)
    assert all(result.prediction for result in batches.predict(items, report=assert_unopened))
    assert opened == 1


def test_items_without_time_left_are_unavailable(core: Core) -> None:
    times = iter([0.0, 0.0, 1000.0])
    late = evolve(core.batches, timer=lambda: next(times))
    in_time, too_late = late.predict([{**CAMRY, **PADS}, {**CAMRY, "problem_identifier": "alternator"}])
    assert in_time.prediction is not None
    assert isinstance(too_late.failure, Unavailable)


@pytest.mark.parametrize("count", [0, MOST_ITEMS + 1])
def test_batch_size_is_limited(core: Core, count: int) -> None:
    with pytest.raises(Invalid) as error:
        core.batches.predict([{**CAMRY, **PADS}] * count)
    assert error.value.fields.keys() == {"items"}
