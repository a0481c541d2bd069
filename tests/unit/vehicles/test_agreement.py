"""How well a stored vehicle agrees with what a caller states about one."""

from typing import Any

import pytest
from attrs import evolve

from repaircore.kernel.facts import Engine, VehicleFacts
from repaircore.kernel.traits import Powertrain
from repaircore.testing.builders import a_vehicle
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.matching import STATED, VehicleQuery

GAS = Engine(powertrain=Powertrain.GAS, displacement=1.5, cylinders=4)
LARGE = Engine(powertrain=Powertrain.GAS, displacement=2.0, cylinders=4)


def accord(*engines: Engine, **changes: Any) -> VehicleSpecs:
    plain = evolve(a_vehicle().specs, trim=None, engine=None, facts=VehicleFacts(engines=engines))
    return evolve(plain, **changes)


def fits(specs: VehicleSpecs, *, engine: str | None = None, meant: tuple[Engine, ...] = ()) -> bool:
    return VehicleQuery(trim=None, engine=engine, meant=meant).agreement(specs) >= 4


@pytest.mark.parametrize(
    ("powertrain", "engine", "expected"),
    [
        (None, None, True),
        (Powertrain.GAS, None, True),  # as usual of an Accord
        (Powertrain.HYBRID, None, False),
        (Powertrain.HYBRID, "hybrid", True),
        (Powertrain.GAS, "hybrid", False),
        (None, "hybrid", False),
    ],
)
def test_vehicle_has_the_stated_powertrain_or_the_usual_one(
    powertrain: Powertrain | None, engine: str | None, *, expected: bool
) -> None:
    assert fits(accord(powertrain=powertrain), engine=engine) is expected


@pytest.mark.parametrize(
    ("engine", "meant", "expected"),
    [(None, (), False), ("1.5", (GAS,), True), ("1.5", (LARGE,), False)],
)
def test_unusual_powertrain_needs_the_engine_that_is_stated(
    engine: str | None, meant: tuple[Engine, ...], *, expected: bool
) -> None:
    assert fits(accord(GAS, powertrain=Powertrain.HYBRID), engine=engine, meant=meant) is expected


def test_record_from_the_words_of_another_caller_has_no_usual_powertrain() -> None:
    assert fits(accord(powertrain=None, source=STATED), engine="1.5") is True
    assert fits(accord(powertrain=Powertrain.GAS, source=STATED), engine="1.5") is False
    assert fits(accord(powertrain=None, source=STATED)) is False


@pytest.mark.parametrize(
    ("had", "meant", "expected"),
    [
        ((GAS,), (GAS,), True),
        ((GAS,), (GAS, LARGE), False),
        ((GAS, LARGE), (GAS,), False),
        ((GAS, LARGE), (LARGE, GAS), True),
        ((), (GAS,), True),
    ],
)
def test_vehicle_has_exactly_the_engines_that_are_meant(
    had: tuple[Engine, ...], meant: tuple[Engine, ...], *, expected: bool
) -> None:
    assert fits(accord(*had), engine="four cylinders", meant=meant) is expected


@pytest.mark.parametrize(
    ("trim", "engine", "stated_trim", "stated_engine", "agreement"),
    [
        ("EX", "1.5L", None, None, 4),
        ("EX", "1.5L", "EX", None, 6),
        ("EX", "1.5L", "LX", None, 4),
        ("EX", "1.5L", "EX", "1.5", 7),
        ("EX", "1.5L", None, "1.5", 5),
    ],
)
def test_agreement_counts_powertrain_and_drive_then_trim_then_engine(
    trim: str, engine: str, stated_trim: str | None, stated_engine: str | None, agreement: int
) -> None:
    query = VehicleQuery(trim=stated_trim, engine=stated_engine)

    assert query.agreement(accord(trim=trim, engine=engine)) == agreement
    assert query.agreement(accord(trim=trim, engine=engine)) <= query.most
