import csv
import os
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from repaircore.adapters.shipped.mechanics import family_words, read_families, read_layouts, shipped_mechanics
from repaircore.kernel.facts import Aspiration, CamDrive, Engine, Layout, PowerSteering, VehicleFacts
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.vehicle_facts.completion import EDITORIAL, LayoutRow
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.model_patterns import ModelPatterns

TWO = frozenset({Drive.FWD, Drive.RWD})


def completed(
    make: str,
    model: str,
    year: int,
    engine: Engine | None = None,
    *,
    drives: frozenset[Drive] = frozenset(),
    weight_class: str | None = None,
) -> VehicleFacts:
    facts = VehicleFacts(engines=(engine,) if engine else (), drives=drives, weight_class=weight_class)
    about = VehicleSpecs(make=make, model=model, year=year, facts=facts, source="vpic")
    return shipped_mechanics().complete(about).facts


def gas(displacement: float, cylinders: int | None = None) -> Engine:
    return Engine(powertrain=Powertrain.GAS, displacement=displacement, cylinders=cylinders)


@pytest.mark.parametrize(
    ("make", "model", "year", "engine", "cam"),
    [
        ("Honda", "Accord", 1998, gas(2.3, 4), CamDrive.BELT),
        ("Honda", "Accord", 2005, gas(2.4, 4), CamDrive.CHAIN),
        ("Honda", "Pilot", 2010, gas(3.5, 6), CamDrive.BELT),
        ("Honda", "Civic", 2004, gas(1.7, 4), CamDrive.BELT),
        ("Honda", "Civic", 2010, gas(1.8, 4), CamDrive.CHAIN),
        ("Toyota", "Camry", 2001, gas(2.2, 4), CamDrive.BELT),
        ("Toyota", "Camry", 2010, gas(3.5, 6), CamDrive.CHAIN),
        ("Toyota", "Sienna", 2004, gas(3.3, 6), CamDrive.BELT),
        ("Toyota", "Tundra", 2003, gas(4.7, 8), CamDrive.BELT),
        ("Subaru", "Forester", 2008, gas(2.5, 4), CamDrive.BELT),
        ("Subaru", "Forester", 2015, gas(2.5, 4), CamDrive.CHAIN),
        ("Dodge", "Neon", 2003, gas(2.0, 4), CamDrive.BELT),
        ("Dodge", "Caliber", 2008, gas(2.0, 4), CamDrive.CHAIN),
        ("Ford", "F-150", 1990, gas(4.9, 6), CamDrive.GEAR),
        ("Ford", "Focus", 2003, gas(2.0, 4), CamDrive.BELT),
        ("Ford", "Focus", 2008, gas(2.0, 4), CamDrive.CHAIN),
        ("Chevrolet", "Cruze", 2012, gas(1.8, 4), CamDrive.BELT),
        ("Hyundai", "Elantra", 2005, gas(2.0, 4), CamDrive.BELT),
        ("Hyundai", "Elantra", 2017, gas(2.0, 4), CamDrive.CHAIN),
        ("Nissan", "Pathfinder", 2003, gas(3.5, 6), CamDrive.CHAIN),
        ("Nissan", "Frontier", 2002, gas(3.3, 6), CamDrive.BELT),
    ],
)
def test_families_complete_the_cam_drive(
    make: str, model: str, year: int, engine: Engine, cam: CamDrive
) -> None:
    assert completed(make, model, year, engine).cam_drive is cam


@pytest.mark.parametrize(
    ("make", "model", "year", "engine", "layout"),
    [
        ("Subaru", "Outback", 2016, gas(2.5, 4), Layout.FLAT),
        ("Porsche", "911", 2018, gas(3.0, 6), Layout.FLAT),
        ("BMW", "330i", 2004, gas(3.0, 6), Layout.INLINE),
        ("Jeep", "Cherokee", 1998, gas(4.0, 6), Layout.INLINE),
        ("Mazda", "RX-8", 2005, gas(1.3, 2), Layout.ROTARY),
        ("Ford", "F-150", 2018, gas(5.0, 8), Layout.V),
        ("Nobody", "Car", 2018, gas(2.0, 4), Layout.INLINE),
        ("Nobody", "Car", 2018, gas(3.0, 6), None),
    ],
)
def test_families_complete_the_layout_or_leave_it_open(
    make: str, model: str, year: int, engine: Engine, layout: Layout | None
) -> None:
    assert completed(make, model, year, engine).layout is layout


@pytest.mark.parametrize(
    ("make", "model", "year", "engine", "plugs"),
    [
        ("Ram", "1500", 2015, gas(5.7, 8), 2),
        ("Dodge", "Challenger", 2016, gas(6.4, 8), 2),
        ("Ford", "F-250", 2016, gas(6.2, 8), 2),
        ("Ford", "F-250", 2021, gas(7.3, 8), 1),
        ("Mercedes-Benz", "E-Class", 2003, gas(3.2, 6), 2),
        ("Mercedes-Benz", "SLK-Class", 2006, gas(5.4, 8), 2),
        ("Honda", "Civic Hybrid", 2005, gas(1.3, 4), 2),
        ("Ford", "F-250", 2016, evolve(gas(6.7, 8), powertrain=Powertrain.DIESEL), 0),
        ("Tesla", "Model 3", 2020, Engine(powertrain=Powertrain.ELECTRIC), 0),
    ],
)
def test_families_complete_the_plugs_per_cylinder(
    make: str, model: str, year: int, engine: Engine, plugs: int
) -> None:
    assert completed(make, model, year, engine).engines[0].plugs_per_cylinder == plugs


@pytest.mark.parametrize(
    ("make", "model", "year", "family"),
    [
        ("Chevrolet", "C1500", 1998, "Vortec"),
        ("GMC", "Yukon", 1999, "Vortec"),
        ("Chevrolet", "Express", 2002, "Vortec"),
        ("Chevrolet", "Camaro", 1997, "LT1"),
        ("Chevrolet", "Camaro", 1999, "LS"),
        ("Chevrolet", "Corvette", 1997, "LS"),
        ("Pontiac", "GTO", 2004, "LS"),
        ("Buick", "Roadmaster", 1996, "LT1"),
        ("Chevrolet", "C1500", 1994, "Small block"),
    ],
)
def test_57_liter_engine_of_general_motors_has_the_family_of_its_model(
    make: str, model: str, year: int, family: str
) -> None:
    assert completed(make, model, year, gas(5.7, 8)).engines[0].family == family


@pytest.mark.parametrize(
    ("make", "model", "year", "engine", "aspiration"),
    [
        ("Toyota", "Camry", 2015, gas(2.5, 4), Aspiration.NATURAL),
        ("Ram", "1500", 2015, gas(5.7, 8), Aspiration.NATURAL),
        ("Honda", "Odyssey", 2015, gas(3.5, 6), Aspiration.NATURAL),
        ("Cadillac", "Escalade", 2024, gas(6.2, 8), None),
        ("Nissan", "Armada", 2025, gas(3.5, 6), None),
        ("Ford", "Explorer", 2015, gas(3.5, 6), None),
    ],
)
def test_family_without_turbos_completes_the_aspiration(
    make: str, model: str, year: int, engine: Engine, aspiration: Aspiration | None
) -> None:
    assert completed(make, model, year, engine).engines[0].aspiration is aspiration


def test_engine_without_cylinders_shared_by_several_families_is_left_open() -> None:
    (engine,) = completed("Toyota", "4Runner", 1995, gas(3.0)).engines
    assert engine.cylinders in {None, 6}
    (rogue,) = completed("Nissan", "Rogue", 2019, gas(2.5)).engines

    assert rogue.cylinders == 4


@pytest.mark.parametrize(
    ("make", "model", "year", "drives", "drive"),
    [
        ("Toyota", "Corolla", 2018, TWO, Drive.FWD),
        ("Toyota", "Corolla", 2005, frozenset(), Drive.FWD),
        ("Honda", "Accord", 2003, frozenset(), Drive.FWD),
        ("Toyota", "Tacoma", 2018, TWO, Drive.RWD),
        ("Ford", "Explorer", 2008, TWO, Drive.RWD),
        ("Ford", "Explorer", 2015, TWO, Drive.FWD),
        ("Ford", "Escape", 2015, frozenset({Drive.FOUR_WD}), Drive.FOUR_WD),
        ("Subaru", "Outback", 2016, frozenset(), Drive.AWD),
        ("Subaru", "BRZ", 2016, frozenset(), None),
        ("Honda", "CR-V", 2016, frozenset(), None),
        ("Nobody", "Car", 2016, TWO, None),
    ],
)
def test_completion_finds_the_driven_axle_or_leaves_it_open(
    make: str, model: str, year: int, drives: frozenset[Drive], drive: Drive | None
) -> None:
    assert completed(make, model, year, drives=drives).drive is drive


@pytest.mark.parametrize(
    ("listed", "drives", "expected"),
    [
        (set(), "", ""),
        (set(), "4wd", "4wd"),
        (set(), "fwd rwd", "fwd rwd"),
        ({"either_drive"}, "4wd", "awd"),
        ({"either_drive"}, "fwd", "fwd"),
        ({"either_drive", "two_wheel"}, "fwd rwd 4wd", "awd fwd"),
        ({"only_two_wheel"}, "fwd awd", "fwd"),
        ({"only_two_wheel"}, "awd", "awd"),
        ({"only_two_wheel", "two_wheel"}, "", "fwd"),
        ({"two_wheel"}, "", ""),
        ({"two_wheel"}, "rwd", "rwd"),
        ({"two_wheel"}, "fwd rwd awd", "awd fwd"),
        ({"all_wheel"}, "", "awd"),
        ({"all_wheel"}, "fwd rwd 4wd", "4wd"),
        ({"all_wheel"}, "fwd rwd", "fwd rwd"),
    ],
)
def test_listed_layouts_complete_the_drives_of_a_model(listed: set[str], drives: str, expected: str) -> None:
    rows = {"acme": [LayoutRow(models=ModelPatterns(), years=(2010, 2020), drive=Drive.FWD)]}
    names = ("two_wheel", "only_two_wheel", "all_wheel", "either_drive")
    tables: dict[str, Any] = {name: rows if name in listed else {} for name in names}
    facts = VehicleFacts(drives=frozenset(map(Drive, drives.split())))
    about = VehicleSpecs(make="Acme", model="One", year=2015, facts=facts, source="vpic")
    found = evolve(shipped_mechanics(), **tables).complete(about).facts

    assert found.drives == frozenset(map(Drive, expected.split()))
    assert found.sources.get("drives") == (None if expected == drives else EDITORIAL)


def test_two_and_four_wheel_drive_stay_a_choice() -> None:
    facts = completed("Ford", "F-150", 2018, drives=TWO | {Drive.FOUR_WD})

    assert facts.drives == {Drive.RWD, Drive.FOUR_WD}


@pytest.mark.parametrize(
    ("make", "model", "year", "weight_class", "kind"),
    [
        ("Ford", "Escape", 2018, "1C", PowerSteering.ELECTRIC),
        ("Ford", "E-350", 2018, "3", PowerSteering.HYDRAULIC),
        ("Jeep", "Wrangler", 2010, None, PowerSteering.HYDRAULIC),
        ("Jeep", "Wrangler", 2020, None, PowerSteering.ELECTRO_HYDRAULIC),
        ("Kenworth", "T680", 2018, "8", PowerSteering.HYDRAULIC),
        ("Nobody", "Car", 2010, None, None),
        ("Ford", "F-150", 2012, None, None),  # electric, but hydraulic with the 6.2
        ("Ford", "F-150", 2015, None, PowerSteering.ELECTRIC),
        ("Ford", "Fusion", 2011, None, None),
        ("Chevrolet", "Malibu", 2010, None, None),
        ("Chevrolet", "Malibu", 2016, None, PowerSteering.ELECTRIC),
        ("Chevrolet", "Impala Limited", 2015, None, PowerSteering.HYDRAULIC),
        ("Chevrolet", "Impala", 2015, None, PowerSteering.ELECTRIC),
    ],
)
def test_completion_finds_the_power_steering_or_leaves_it_open(
    make: str, model: str, year: int, weight_class: str | None, kind: PowerSteering | None
) -> None:
    assert completed(make, model, year, weight_class=weight_class).power_steering is kind


def test_family_words_exclude_descriptions_of_engines() -> None:
    words = family_words()

    assert {"ecoboost", "hemi", "cummins", "duramax", "pentastar", "vortec", "coyote", "tsi", "tdi"} <= words
    assert not {"turbo", "diesel", "hybrid", "v6", "5", "0"} & words


@pytest.mark.parametrize("row", ['cam = "rope"', 'layout = "x"', 'valves = "none"'])
def test_families_reject_a_malformed_table(row: str) -> None:
    with pytest.raises(ValueError, match="valid"):
        read_families(f'[[group]]\nmakes = ["X"]\nfamilies = [{{ l = 2.0, {row} }}]')


def test_layouts_reject_an_unknown_drive() -> None:
    text = '[two_wheel_drive]\nX = [{ drive = "6wd" }]\n[only_two_wheel_drive]\n[all_wheel_drive]\n[power_steering]\n'
    with pytest.raises(ValueError, match="valid"):
        read_layouts(text, shipped_mechanics().families)


def diesel(displacement: float | None = None) -> Engine:
    return Engine(powertrain=Powertrain.DIESEL, displacement=displacement)


@pytest.mark.parametrize(
    ("make", "model", "year", "result", "found"),
    [
        # Until 2013 a Sprinter had one diesel, and its VIN names no size.
        ("Mercedes-Benz", "Sprinter", 2012, diesel(), (3.0, 6)),
        ("Freightliner", "Sprinter", 2012, diesel(), (3.0, 6)),
        ("Mercedes-Benz", "Sprinter", 2015, diesel(), (None, None)),
        ("Isuzu", "NPR", 2014, diesel(5.2), (5.2, 4)),
        ("IC Bus", "CE", 2014, diesel(6.4), (6.4, 8)),
    ],
)
def test_commercial_diesel_is_completed_from_its_model(
    make: str, model: str, year: int, result: Engine, found: tuple[float | None, int | None]
) -> None:
    (engine,) = completed(make, model, year, result).engines

    assert (engine.displacement, engine.cylinders) == found


@pytest.mark.parametrize(
    ("make", "model", "year"), [("Ford", "Transit", 2016), ("Mercedes-Benz", "Sprinter", 2012)]
)
def test_completion_knows_the_only_driven_axle_of_a_van(make: str, model: str, year: int) -> None:
    assert completed(make, model, year).drives == {Drive.RWD}


AUCTION = os.environ.get("REPAIRCORE_TEST_AUCTION_VINS")


@pytest.mark.skipif(not AUCTION, reason="REPAIRCORE_TEST_AUCTION_VINS names no file")
def test_decoder_agrees_with_vins_of_an_auction() -> None:
    from datetime import UTC, datetime  # noqa: PLC0415 - only here

    from repaircore.adapters.lookups.vpic_local import VpicVinDecoder  # noqa: PLC0415 - loads the data
    from repaircore.kernel.spelling import make_key  # noqa: PLC0415 - only here

    decoder = VpicVinDecoder(lambda: datetime.now(UTC), shipped_mechanics)
    with Path(AUCTION or "").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = [(row, decoder.decode(row["vin"].upper())) for row in rows]
    right = [
        about
        for row, about in found
        if about is not None
        and (make_key(about.make), about.year) == (make_key(row["brand"]), int(row["year"]))
    ]
    engines = [about.facts for about in right if about.facts.powertrain is not Powertrain.ELECTRIC]

    assert len(right) >= 0.99 * len(rows)
    assert sum(facts.displacement is not None for facts in engines) >= 0.97 * len(engines)
    assert sum(facts.cylinders is not None for facts in engines) >= 0.95 * len(engines)
