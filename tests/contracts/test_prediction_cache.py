"""What the port ``PredictionCache`` promises of repairs, on both databases."""

import pytest

from repaircore.adapters.fast_path.driver import Driver
from repaircore.adapters.sql.prediction_cache import SqlPredictionCache


@pytest.mark.parametrize("identifier", ["101", "brake-pads-front", "0101"])
def test_repair_has_an_id_and_a_slug(driver: Driver, identifier: str) -> None:
    memory = SqlPredictionCache(driver)
    assert [memory.find_problem_id(identifier) for _ in range(2)] == [101, 101]


@pytest.mark.parametrize(
    "identifier",
    ["", "1", "brakes", "0", "-101", "101 ", "٣", "9" * 30, "x" * 1000, "Brake-Pads-Front", "' OR 1=1"],
)
def test_whatever_else_is_none(driver: Driver, identifier: str) -> None:
    memory = SqlPredictionCache(driver)
    assert [memory.find_problem_id(identifier) for _ in range(2)] == [None, None]
