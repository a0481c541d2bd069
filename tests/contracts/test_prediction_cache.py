"""The contract of the port ``PredictionCache`` of repairs, on both databases."""

import pytest

from repaircore.adapters.fast_path.driver import Driver
from repaircore.adapters.sql.prediction_cache import SqlPredictionCache


@pytest.mark.parametrize("identifier", ["101", "brake-pads-front", "0101"])
def test_repair_is_found_by_id_or_slug(driver: Driver, identifier: str) -> None:
    cache = SqlPredictionCache(driver)
    assert [cache.find_problem_id(identifier) for _ in range(2)] == [101, 101]


@pytest.mark.parametrize(
    "identifier",
    ["", "1", "brakes", "0", "-101", "101 ", "٣", "9" * 30, "x" * 1000, "Brake-Pads-Front", "' OR 1=1"],
)
def test_other_identifiers_find_nothing(driver: Driver, identifier: str) -> None:
    cache = SqlPredictionCache(driver)
    assert [cache.find_problem_id(identifier) for _ in range(2)] == [None, None]
