import pytest
from attrs import evolve

from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.kernel.facts import CamDrive, Engine, Layout, VehicleFacts
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.amounts import AmountTable
from repaircore.vehicle_facts.model import NO_AMOUNTS, EngineBay, Factors, Segment, Tier, VehicleSpecs
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


@pytest.mark.parametrize(
    ("model", "trim", "weight_class", "segment"),
    [
        ("F-150", None, None, Segment.PICKUP),
        ("F-250", None, None, Segment.HEAVY_PICKUP),
        ("F-150", None, "2F", Segment.PICKUP),
        ("F-150", None, "2G", Segment.HEAVY_PICKUP),
        ("F-150", "2500HD", None, Segment.HEAVY_PICKUP),
        ("F-Racer 250", None, "3", Segment.SPORTS_CAR),
    ],
)
def test_pickup_is_heavy_by_its_name_or_its_weight(
    model: str, trim: str | None, weight_class: str | None, segment: Segment
) -> None:
    specs = evolve(vehicle("Ford", model, trim=trim), facts=VehicleFacts(weight_class=weight_class))

    assert TABLE.segment_of(specs) is segment


def test_name_of_a_model_is_preferred_to_its_body() -> None:
    assert TABLE.segment_of(vehicle("BMW", "Z4", Body.SUV)) is Segment.SPORTS_CAR
    assert TABLE.segment_of(vehicle("BMW", "X5", Body.SUV)) is Segment.MIDSIZE_SUV


def test_exact_name_is_preferred_to_a_prefix() -> None:
    patterns = SegmentPatterns.of({Segment.SPORTS_CAR: ("GT*",), Segment.SMALL_CAR: ("GTI",)})

    assert patterns.find("gti") is Segment.SMALL_CAR
    assert patterns.find("gtix") is Segment.SPORTS_CAR
    assert patterns.find("g") is None


V6 = Engine(
    powertrain=Powertrain.GAS, displacement=3.5, cylinders=6, layout=Layout.V, cam_drive=CamDrive.BELT
)
V8 = Engine(powertrain=Powertrain.GAS, displacement=5.0, cylinders=8, layout=Layout.V)


def with_engines(*engines: Engine) -> VehicleSpecs:
    facts = VehicleFacts(engines=engines, drives=frozenset({Drive.AWD}))
    return evolve(vehicle("Ford", "F-150"), facts=facts)


def test_vehicle_of_several_possible_engines_has_factors_for_each() -> None:
    assert TABLE.factors_for(with_engines()).possible == ()
    assert TABLE.factors_for(with_engines(V6)).possible == ()

    found = TABLE.factors_for(with_engines(V6, V8))

    assert [(engine, own.bay) for engine, own in found.possible] == [
        (V6, EngineBay.V6_TRANSVERSE),
        (V8, EngineBay.V8),
    ]
    assert found.bay is None
    assert all(own.possible == () for _, own in found.possible)


def test_factors_have_what_other_tables_say() -> None:
    amounts = AmountTable(
        oil=[],
        plugs_per_cylinder=[],
        battery=[],
        usual_oil={},
        diesel_oil=(0.0, 0.0),
        coolant={6: 2.0},
        diesel_coolant=0.0,
        transmission_fluid=dict.fromkeys(Segment, 5.0),
    )
    bare = TABLE.factors_for(with_engines(V6))
    full = evolve(TABLE, amounts=amounts, axle_of=lambda _: Drive.RWD).factors_for(with_engines(V6))

    assert (bare.amounts, bare.pump_under_belt, bare.bay) == (NO_AMOUNTS, False, EngineBay.V6_TRANSVERSE)
    assert (full.amounts.coolant, full.pump_under_belt) == (2.0, True)
    assert full.bay is EngineBay.V6_LONGITUDINAL
    assert full.year == 2015
    assert not evolve(TABLE, amounts=amounts).factors_for(with_engines(V8)).pump_under_belt


@pytest.mark.parametrize(
    ("tier", "is_common"),
    [
        (Tier.ECONOMY, True),
        (Tier.MAINSTREAM, True),
        (Tier.PREMIUM, False),
        (Tier.LUXURY, False),
        (Tier.EXOTIC, False),
    ],
)
def test_many_makers_offer_parts_for_common_makes(tier: Tier, *, is_common: bool) -> None:
    table = evolve(TABLE, tiers={"bmw": tier})

    assert table.factors_for(vehicle("BMW", "Z4")).common is is_common


def test_products_of_factors_have_four_decimals() -> None:
    table = FactorTable(
        by_segment=dict.fromkeys(Segment, Factors(labor=1.2345, parts=1.1111)),
        by_tier=dict.fromkeys(Tier, Factors(labor=1.1111, parts=1.2345)),
        tiers={},
        models={},
    )
    found = table.factors_for(vehicle("BMW", "Z4"))

    assert (found.labor, found.parts, found.size) == (1.3717, 1.3717, 1.2345)
