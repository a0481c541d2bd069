"""Levels of makes and models, and the index of used-car prices, on small tables."""

import math
from datetime import date

import pytest

from repaircore.valuation.value_levels import Levels, ModelPrices, UsedCarIndex
from repaircore.vehicle_facts.model import Segment, Tier

PRICES = ModelPrices(
    exact={"camry": 30_000_00}, prefixes={"ca": 20_000_00, "camry": 10_000_00, "cam": 25_000_00}
)
LEVELS = Levels(
    by_segment={Segment.MIDSIZE_CAR: 24_000_00},
    by_tier={Tier.MAINSTREAM: 1.0, Tier.PREMIUM: 1.5},
    by_brand={"toyota": 1.2},
    unlisted_brand=0.9,
    new_prices={"toyota": PRICES},
    used=0.8,
    weight=0.5,
)


@pytest.mark.parametrize(
    ("model", "price"),
    [("camry", 30_000_00), ("camry solara", 10_000_00), ("camaro", 25_000_00), ("cayenne", 20_000_00), ("corolla", None)],
)  # fmt: skip
def test_new_price_is_that_of_the_model_else_of_its_longest_prefix(model: str, price: int | None) -> None:
    assert PRICES.find(model) == price


def test_level_of_a_listed_model_moves_halfway_toward_its_new_price() -> None:
    found = LEVELS.of("Toyota", "Camry", Segment.MIDSIZE_CAR, Tier.PREMIUM)

    assert (found.segment, found.tier, found.brand) == (24_000_00, 36_000_00, 43_200_00)
    assert found.level == round(43_200_00 * math.sqrt(30_000_00 * 0.8 / 36_000_00))
    assert (found.tier_factor, found.brand_factor, found.is_listed) == (1.5, 1.2, True)


@pytest.mark.parametrize(("make", "factor"), [("Toyota", 1.2), ("Yugo", 0.9)])
def test_level_of_an_unlisted_model_is_that_of_its_make(make: str, factor: float) -> None:
    found = LEVELS.of(make, "Corolla", Segment.MIDSIZE_CAR, Tier.MAINSTREAM)

    assert (found.level, found.brand_factor, found.is_listed) == (round(24_000_00 * factor), factor, False)
    assert found.brand == found.level


@pytest.mark.parametrize(
    ("day", "value"),
    [
        (date(2018, 12, 31), 0.8),
        (date(2019, 9, 30), 0.8),
        (date(2019, 10, 1), 1.0),
        (date(2019, 12, 31), 1.0),
        (date(2020, 1, 1), 1.1),
        (date(2020, 3, 31), 1.1),
        (date(2020, 4, 1), 1.3),
        (date(2030, 1, 1), 1.3),
    ],
)
def test_used_car_index_is_that_of_the_quarter_or_of_the_nearest_known_one(day: date, value: float) -> None:
    # It begins in the third quarter of 2019.
    index = UsedCarIndex(first=(2019, 2), values=(80.0, 100.0, 110.0, 130.0), base=100.0)

    assert index.at(day) == pytest.approx(value)
