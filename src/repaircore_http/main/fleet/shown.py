"""How vehicles of fleets, and their health, are shown."""

from collections.abc import Sequence

from repaircore.fleet.model import FleetVehicle
from repaircore.health.score import WEIGHTS
from repaircore.health.service import HealthReport
from repaircore.kernel.factors import Factor
from repaircore.vehicles import vin as vins


def vehicle_shown(vehicle: FleetVehicle) -> dict[str, object]:
    """Show what is known of a vehicle by its VIN; its id is null until its owner tells something of it."""
    about = vehicle.specs
    return {
        "id": vehicle.id if vehicle.is_kept else None,
        "vin": vehicle.vin,
        "display_name": about.display_name,
        "year": about.year,
        "make": about.make,
        "model": about.model,
    }


def warnings_of(vehicle: FleetVehicle) -> Sequence[str]:
    """Tell of a VIN whose check digit does not hold."""
    return ["vin_check_digit"] if vins.has_wrong_check_digit(vehicle.vin) else []


def factors_shown(factors: Sequence[Factor]) -> Sequence[dict[str, object]]:
    """Show what led to a result."""
    return [
        {"name": one.name, "value": one.value, "weight": one.weight, "effect": one.effect} for one in factors
    ]


def health_shown(report: HealthReport) -> dict[str, object]:
    """Show a score, the components that it is made of, and how much of them is known."""
    health = report.health
    return {
        "score": health.score,
        "grade": health.grade,
        "coverage": health.coverage,
        "cap": health.cap,
        "components": [
            {
                "name": part.component,
                "value": None if part.value is None else round(part.value, 4),
                "weight": WEIGHTS[part.component],
                "effect": None if part.value is None else health.effects[part.component] + 0.0,
                "as_of": part.as_of,
                "basis": part.basis,
            }
            for part in report.parts
        ],
        "factors": factors_shown(report.factors),
        "basis": report.basis,
        "sample_size": report.sample_size,
        "as_of": report.as_of,
    }
