"""Which vehicles have their own factors for a repair."""

from typing import Any

import pytest

from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.kernel.facts import Engine, ValveTrain, VehicleFacts
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.job_factors import JobFactorRow, job_factors_for
from repaircore.vehicle_facts.model import JobFactors, VehicleSpecs
from repaircore.vehicle_facts.model_patterns import ModelPatterns

PLUGS = JobFactors(repair="spark-plugs", labor=2.0, why="The intake comes off.")
FORD = frozenset({"ford"})
ENGINE = Engine(powertrain=Powertrain.GAS, displacement=5.4, cylinders=8, valve_train=ValveTrain.SOHC)


def vehicle(*engines: Engine, make: str = "Ford", model: str = "F-150", year: int = 2005) -> VehicleSpecs:
    return VehicleSpecs(make=make, model=model, year=year, facts=VehicleFacts(engines=engines), source="test")


def row(**fields: Any) -> JobFactorRow:
    return JobFactorRow(**{"job": PLUGS, "makes": FORD, **fields})


@pytest.mark.parametrize(
    ("specs", "matches"),
    [
        (vehicle(), True),
        (vehicle(make="FORD", model="f 150"), True),
        (vehicle(make="Dodge"), False),
        (vehicle(model="Ranger"), False),
        (vehicle(year=2003), False),
        (vehicle(year=2004), True),
        (vehicle(year=2008), True),
        (vehicle(year=2009), False),
    ],
)
def test_row_covers_a_make_its_models_and_its_years(specs: VehicleSpecs, *, matches: bool) -> None:
    assert row(models=ModelPatterns(listed=("F-150",)), first=2004, last=2008).matches(specs) is matches


@pytest.mark.parametrize(
    ("fields", "other"),
    [
        ({"displacements": frozenset({5.4})}, Engine(displacement=4.6)),
        ({"cylinders": frozenset({8, 10})}, Engine(cylinders=6)),
        ({"valve_train": ValveTrain.SOHC}, Engine(valve_train=ValveTrain.OHV)),
        ({"powertrain": Powertrain.GAS}, Engine(powertrain=Powertrain.DIESEL)),
    ],
    ids=["displacement", "cylinders", "valve train", "powertrain"],
)
def test_row_with_an_engine_covers_vehicles_whose_every_engine_is_one(
    fields: dict[str, Any], other: Engine
) -> None:
    assert row(**fields).matches(vehicle(ENGINE))
    assert not row(**fields).matches(vehicle(other))
    assert not row(**fields).matches(vehicle(ENGINE, other))
    assert not row(**fields).matches(vehicle())
    assert row().matches(vehicle(other))


def test_every_engine_field_of_a_row_counts() -> None:
    fields: dict[str, Any] = {
        "displacements": frozenset({5.4}),
        "cylinders": frozenset({8}),
        "valve_train": ValveTrain.SOHC,
        "powertrain": Powertrain.GAS,
    }

    assert row(**fields).matches(vehicle(ENGINE))
    for name, value in (
        ("displacements", frozenset({5.0})),
        ("cylinders", frozenset({10})),
        ("valve_train", ValveTrain.DOHC),
        ("powertrain", Powertrain.HYBRID),
    ):
        assert not row(**{**fields, name: value}).matches(vehicle(ENGINE))


def test_first_matching_row_of_each_repair_counts() -> None:
    other = JobFactors(repair="spark-plugs", labor=3.0, why="Later.")
    belt = JobFactors(repair="timing-belt", parts=1.5, why="Two belts.")
    rows = [row(first=2006), row(job=other), row(job=belt), row()]

    assert job_factors_for(rows, vehicle()) == (other, belt)
    assert job_factors_for(rows, vehicle(year=2006)) == (PLUGS, belt)
    assert job_factors_for(rows, vehicle(make="Dodge")) == ()


@pytest.mark.parametrize(
    ("specs", "repair", "labor", "parts", "quantity"),
    [
        (vehicle(make="Jeep", model="Cherokee", year=1998), "ball-joint", 1.9, 1.0, 4),
        (vehicle(make="Jeep", model="Cherokee", year=2015), "ball-joint", 1.0, 1.0, None),
        (vehicle(make="Ford", model="F-350", year=2012), "ball-joint", 1.9, 1.0, 4),
        (vehicle(make="Ford", model="F-150", year=2012), "ball-joint", 1.0, 1.0, None),
        (vehicle(make="Ram", model="3500", year=2018), "ball-joint", 1.9, 1.0, 4),
        (
            vehicle(
                Engine(powertrain=Powertrain.DIESEL, displacement=5.9),
                make="Dodge",
                model="Ram 3500",
                year=2004,
            ),
            "diesel-injection-pump",
            0.46,
            1.0,
            None,
        ),
        (
            vehicle(Engine(displacement=4.7, cylinders=8), make="Lexus", model="GX", year=2005),
            "starter-motor",
            2.2,
            1.0,
            None,
        ),
        (
            vehicle(Engine(displacement=4.6, cylinders=8), make="Lexus", model="GX", year=2012),
            "starter-motor",
            1.0,
            1.0,
            None,
        ),
        (vehicle(Engine(displacement=2.7), make="Dodge", model="Intrepid"), "water-pump", 1.75, 1.0, None),
        (vehicle(Engine(displacement=2.3), make="Saab", model="9-5"), "ignition-coil", 1.0, 3.0, None),
        (vehicle(Engine(displacement=2.8), make="Saab", model="9-5"), "ignition-coil", 1.0, 1.0, None),
    ],
)
def test_shipped_rows_know_work_that_differs(
    specs: VehicleSpecs, repair: str, labor: float, parts: float, quantity: int | None
) -> None:
    job = shipped_factor_table().factors_for(specs).job(repair) or JobFactors(repair=repair, why="")

    assert (job.labor, job.parts, job.quantity) == (labor, parts, quantity)
