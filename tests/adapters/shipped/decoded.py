"""Vehicles with one engine, completed by the shipped tables."""

from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.kernel.facts import Engine, VehicleFacts
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.model import VehicleSpecs


def vehicle(
    year: int,
    make: str,
    model: str,
    *,
    liters: float,
    cylinders: int,
    powertrain: Powertrain = Powertrain.GAS,
) -> VehicleSpecs:
    engine = Engine(powertrain=powertrain, displacement=liters, cylinders=cylinders)
    about = VehicleSpecs(
        make=make, model=model, year=year, facts=VehicleFacts(engines=(engine,)), source="test"
    )
    return shipped_mechanics().complete(about)
