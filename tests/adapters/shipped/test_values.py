from datetime import date

import pytest

from repaircore.adapters.shipped.values import (
    levels,
    shipped_levels,
    shipped_used_car_index,
    used_car_index,
)
from repaircore.vehicle_facts.model import Segment, Tier

SEGMENTS = "\n".join(f"{segment} = 20000" for segment in Segment)
TIERS = "\n".join(f"{tier} = 1.0" for tier in Tier)
MODELS = '[new_prices]\nused = 1.0\nweight = 0.5\n[new_prices.models."Ford"]\n"F-150*" = 45\n"Focus" = 20'


def test_every_segment_and_tier_has_a_level() -> None:
    shipped = shipped_levels()
    for segment in Segment:
        found = [shipped.of("Nobody", "Nothing", segment, tier).level for tier in Tier]
        assert found == sorted(found)


def test_listed_model_leans_towards_its_price_when_new() -> None:
    found = levels(f"[levels]\n{SEGMENTS}\n[tiers]\n{TIERS}\n[brands]\nFord = 0.9\n{MODELS}")

    focus = found.of("Ford", "Focus", Segment.SMALL_CAR, Tier.MAINSTREAM)
    truck = found.of("FORD", "F-150 Lightning", Segment.PICKUP, Tier.MAINSTREAM)
    other = found.of("Ford", "Escort", Segment.SMALL_CAR, Tier.MAINSTREAM)

    assert (focus.level, focus.brand, focus.is_listed) == (18_000_00, 18_000_00, True)
    assert truck.level == pytest.approx(0.9 * (20_000_00 * 45_000_00) ** 0.5, abs=1)
    assert (other.level, other.is_listed) == (18_000_00, False)


def test_common_models_have_their_own_level_near_their_segments() -> None:
    shipped = shipped_levels()

    assert sum(len(one.exact) + len(one.prefixes) for one in shipped.new_prices.values()) >= 200
    camry = shipped.of("Toyota", "Camry", Segment.MIDSIZE_CAR, Tier.MAINSTREAM)
    altima = shipped.of("Nissan", "Altima", Segment.MIDSIZE_CAR, Tier.MAINSTREAM)

    assert altima.level < camry.level < 2 * altima.level


@pytest.mark.parametrize(
    ("segments", "tiers"),
    [
        (SEGMENTS.replace("van = 20000", ""), TIERS),
        (SEGMENTS.replace("van = 20000", "van = 0"), TIERS),
        (SEGMENTS + "\ntank = 5", TIERS),
        (SEGMENTS, TIERS.replace("exotic = 1.0", "exotic = -1.0")),
        (SEGMENTS, TIERS.replace("exotic = 1.0", "")),
        (SEGMENTS, f"{TIERS}\n[brands]\nFord = 0"),
        (SEGMENTS, f"{TIERS}\n{MODELS.replace('20', '0')}"),
    ],
)
def test_table_with_a_missing_level_is_refused(segments: str, tiers: str) -> None:
    with pytest.raises(ValueError, match=r"[Ll]evel|valid|positive"):
        levels(f"[levels]\n{segments}\n[tiers]\n{tiers}")


def test_used_cars_cost_a_quarter_less_in_2020_and_stay_at_the_end_of_the_index() -> None:
    index = shipped_used_car_index()

    assert index.at(date(2020, 5, 1)) == pytest.approx(0.74, abs=0.01)
    assert index.at(date(2022, 2, 1)) > 1.1
    assert index.at(date(2040, 1, 1)) == index.values[-1] / index.base
    assert index.at(date(1990, 1, 1)) == index.values[0] / index.base
    assert index.at(date(2025, 8, 31)) == index.at(date(2025, 7, 1)) != index.at(date(2025, 10, 1))


@pytest.mark.parametrize(
    "rows",
    [
        "quarter\n2025-Q1",
        "quarter,index\n2024-Q1,5",
        "quarter,index\n2025-Q1,5\n2025-Q3,5",
        "quarter,index\n2025-Q1,0",
    ],
)
def test_index_with_a_gap_is_refused(rows: str) -> None:
    with pytest.raises(ValueError, match=r"A used-car index (needs|must be)"):
        used_car_index(rows)
