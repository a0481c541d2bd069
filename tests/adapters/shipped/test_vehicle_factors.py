import pytest
from attrs import evolve

from repaircore.adapters.shipped.vehicle_factors import factor_table, shipped_factor_table
from repaircore.kernel.facts import Engine, Layout, VehicleFacts
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.vehicle_facts.model import EngineBay, Segment, Tier, VehicleSpecs
from repaircore.vehicle_facts.segments import FactorTable


@pytest.fixture(scope="module")
def table() -> FactorTable:
    return shipped_factor_table()


def vehicle(make: str, model: str, trim: str | None = None) -> VehicleSpecs:
    return VehicleSpecs(make=make, model=model, year=2015, trim=trim, source="test")


def test_midsize_mainstream_car_has_factors_of_one(table: FactorTable) -> None:
    factors = table.factors_for(vehicle("Honda", "Accord"))

    assert (factors.labor, factors.parts, factors.outside) == (1.0, 1.0, None)


def test_luxury_car_has_expensive_parts(table: FactorTable) -> None:
    factors = table.factors_for(vehicle("BMW", "328i"))

    assert (factors.labor, factors.parts, factors.common) == (1.25, 1.7, False)


def test_every_segment_costs_more_in_a_higher_tier(table: FactorTable) -> None:
    for expensive, cheap in zip(list(Tier)[1:], Tier, strict=False):
        assert table.by_tier[expensive].parts > table.by_tier[cheap].parts
        assert table.by_tier[expensive].labor > table.by_tier[cheap].labor


def test_table_covers_the_market(table: FactorTable) -> None:
    assert len(table.tiers) >= 60
    assert sum(len(names.exact) + len(names.beginnings) for names in table.models.values()) >= 300
    assert set(table.models) <= set(table.tiers)


@pytest.mark.parametrize(
    ("make", "model", "segment"),
    [
        ("Toyota", "Corolla", Segment.SMALL_CAR),
        ("Toyota", "Corolla Cross", Segment.SMALL_SUV),
        ("Toyota", "RAV4 Prime", Segment.SMALL_SUV),
        ("Ford", "F-150", Segment.PICKUP),
        ("Ford", "F-350", Segment.HEAVY_PICKUP),
        ("Ford", "Transit Connect", Segment.VAN),
        ("Ford", "Mustang Mach-E", Segment.SMALL_SUV),
        ("Chevrolet", "Tahoe", Segment.LARGE_SUV),
        ("Mercedes-Benz", "GLE-Class", Segment.MIDSIZE_SUV),
        ("Mercedes-Benz", "EQS-Class SUV", Segment.LARGE_SUV),
        ("Mercedes-Benz", "Sprinter", Segment.VAN),
        ("Porsche", "911", Segment.SPORTS_CAR),
        ("Honda", "Odyssey", Segment.VAN),
        ("Chrysler", "Pacifica", Segment.VAN),
    ],
)
def test_common_models_have_their_segment(
    table: FactorTable, make: str, model: str, segment: Segment
) -> None:
    assert table.segment_of(vehicle(make, model)) is segment


def test_heavy_silverado_is_recognized_by_its_trim(table: FactorTable) -> None:
    assert table.segment_of(vehicle("Chevrolet", "Silverado", "2500HD")) is Segment.HEAVY_PICKUP
    assert table.segment_of(vehicle("Chevrolet", "Silverado", "1500 LT")) is Segment.PICKUP


VALID_FILE = "\n".join(
    [
        "[segments]",
        *(f"{segment.value} = {{ labor = 1.0, parts = 1.0 }}" for segment in Segment),
        "[tiers]",
        *(f"{tier.value} = {{ labor = 1.0, parts = 1.0 }}" for tier in Tier),
        "[makes]",
        'mainstream = ["Ford"]',
        "[models.Ford]",
        'van = ["Transit"]',
    ]
)


def test_valid_file_is_read() -> None:
    assert factor_table(VALID_FILE).segment_of(vehicle("Ford", "Transit")) is Segment.VAN


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("small_car =", "tiny_car ="),
        ("van = {", "# van = {"),
        ("van = { labor = 1.0", "van = { labor = 0.0"),
        ('mainstream = ["Ford"]', 'mainstream = ["Ford"]\nluxury = ["FORD"]'),
        ('van = ["Transit"]', 'bus = ["Transit"]'),
    ],
)
def test_mistake_in_the_file_is_reported(right: str, wrong: str) -> None:
    assert right in VALID_FILE
    with pytest.raises(ValueError, match=r"\w"):
        factor_table(VALID_FILE.replace(right, wrong))


@pytest.mark.parametrize(
    ("make", "model", "drive", "bay"),
    [
        ("Honda", "Pilot", Drive.FOUR_WD, EngineBay.V6_TRANSVERSE),
        ("Lexus", "RX", Drive.FOUR_WD, EngineBay.V6_TRANSVERSE),
        ("Acura", "MDX", Drive.AWD, EngineBay.V6_TRANSVERSE),
        ("Dodge", "Charger", Drive.AWD, EngineBay.V6_LONGITUDINAL),
        ("Toyota", "Tacoma", Drive.FOUR_WD, EngineBay.V6_LONGITUDINAL),
        ("Cadillac", "CTS", Drive.AWD, EngineBay.V6_LONGITUDINAL),
    ],
)
def test_four_wheel_drive_keeps_the_engine_orientation(
    table: FactorTable, make: str, model: str, drive: Drive, bay: EngineBay
) -> None:
    engine = Engine(powertrain=Powertrain.GAS, displacement=3.5, cylinders=6, layout=Layout.V)
    facts = VehicleFacts(engines=(engine,), drives=frozenset({drive}))
    about = VehicleSpecs(make=make, model=model, year=2015, facts=facts, source="test")

    assert table.factors_for(about).bay is bay
    assert (
        table.factors_for(evolve(about, facts=evolve(facts, drives=facts.drives | {_axle(bay)}))).bay is bay
    )


def test_make_with_longitudinal_engines_has_them_for_any_drive(table: FactorTable) -> None:
    engine = Engine(powertrain=Powertrain.GAS, cylinders=6, displacement=3.5, layout=Layout.V)
    about = evolve(vehicle("Mercedes-Benz", "E350"), facts=VehicleFacts(engines=(engine,)))

    assert table.factors_for(about).bay is EngineBay.V6_LONGITUDINAL
    assert table.factors_for(evolve(about, make="Toyota", model="Camry")).bay is None
    assert table.factors_for(evolve(about, model="GLA-Class")).bay is EngineBay.V6_TRANSVERSE


def _axle(bay: EngineBay) -> Drive:
    return Drive.FWD if bay is EngineBay.V6_TRANSVERSE else Drive.RWD
