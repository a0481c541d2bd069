import pytest

from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.kernel.traits import Body
from repaircore.vehicle_facts.model import Factors, Segment, Tier, VehicleSpecs
from repaircore.vehicle_facts.segments import FactorTable, SegmentPatterns

TABLE = FactorTable(
    by_segment={segment: Factors(labor=1.0 + turn / 10, parts=1.0) for turn, segment in enumerate(Segment)},
    by_tier={tier: Factors(labor=1.0, parts=1.0 + turn) for turn, tier in enumerate(Tier)},
    tiers={"bmw": Tier.LUXURY},
    models={
        "bmw": SegmentPatterns.of({Segment.MIDSIZE_CAR: ("3*",), Segment.SPORTS_CAR: ("Z*", "3.0 CSL")}),
        "ford": SegmentPatterns.of(
            {
                Segment.PICKUP: ("F*", "T-Bird Truck*"),
                Segment.SPORTS_CAR: ("F-Racer*", "T-Bird*"),
            }
        ),
    },
)


def vehicle(make: str, model: str, body: Body | None = None, trim: str | None = None) -> VehicleSpecs:
    return VehicleSpecs(make=make, model=model, year=2015, body=body, trim=trim, source="test")


@pytest.mark.parametrize(
    ("make", "model", "segment"),
    [
        ("BMW", "328i", Segment.MIDSIZE_CAR),
        ("bmw", "z4", Segment.SPORTS_CAR),
        ("BMW", "3.0-CSL", Segment.SPORTS_CAR),
        ("Ford", "F 150", Segment.PICKUP),
        ("Ford", "F-Racer II", Segment.SPORTS_CAR),
        ("Ford", "T-Bird II", Segment.SPORTS_CAR),
        ("Ford", "T-Bird Truck II", Segment.PICKUP),
    ],
)
def test_closest_name_decides(make: str, model: str, segment: Segment) -> None:
    assert TABLE.segment_of(vehicle(make, model)) is segment


@pytest.mark.parametrize(
    ("body", "segment"),
    [
        (Body.CAR, Segment.MIDSIZE_CAR),
        (Body.SUV, Segment.MIDSIZE_SUV),
        (Body.PICKUP, Segment.PICKUP),
        (Body.VAN, Segment.VAN),
        (None, Segment.MIDSIZE_CAR),
    ],
)
def test_unknown_model_is_classified_by_its_body(body: Body | None, segment: Segment) -> None:
    assert TABLE.segment_of(vehicle("Tucker", "48", body)) is segment


def test_pickup_with_a_heavy_trim_is_heavy() -> None:
    assert TABLE.segment_of(vehicle("Ford", "F-Series", trim="3500 HD")) is Segment.HEAVY_PICKUP


def test_unknown_make_is_mainstream() -> None:
    assert TABLE.tier_of("Tucker") is Tier.MAINSTREAM
    assert TABLE.tier_of("bmw") is Tier.LUXURY


@pytest.mark.parametrize(
    ("make", "model", "tier"),
    [
        ("Maserati", "Ghibli", Tier.EXOTIC),
        ("Mercedes-Benz", "AMG GT", Tier.EXOTIC),
        ("Mercedes-Benz", "C-Class", Tier.LUXURY),
        ("Ford", "GT", Tier.EXOTIC),
        ("Ford", "Mustang", Tier.MAINSTREAM),
    ],
)
def test_exotic_models_of_other_makes_have_their_own_tier(make: str, model: str, tier: Tier) -> None:
    assert shipped_factor_table().tier_of(make, model) is tier


def test_factors_of_segment_and_tier_multiply() -> None:
    factors = TABLE.factors_for(vehicle("BMW", "Z4"))

    assert (factors.labor, factors.parts, factors.size) == (1.3, 4.0, 1.3)
