"""Stored vehicles as every door presents them."""

from typing import Any

from repaircore.kernel.views import iso_utc
from repaircore.vehicle_facts.views import facts_shape
from repaircore.vehicles.model import Vehicle


def vehicle_shape(vehicle: Vehicle) -> dict[str, Any]:
    """Present a stored vehicle."""
    about, kind = vehicle.specs, vehicle.motor_type
    return {
        "id": str(vehicle.id),
        "vin_mask": vehicle.vin,
        "display_name": vehicle.display_name,
        "make": about.make,
        "model": about.model,
        "year": about.year,
        "trim": about.trim,
        **facts_shape(about.facts),
        "powertrain": about.powertrain,
        "drive": about.drive,
        "body": about.body,
        "current_mileage": vehicle.current_mileage,
        "plate_no": vehicle.plate_no,
        "plate_state": vehicle.plate_state,
        "motor_vehicle_type": None if kind is None else kind.name,
        "motor_vehicle_type_group": None if kind is None else kind.group,
        "seed_facility_id": None if vehicle.facility_id is None else str(vehicle.facility_id),
        "source": about.source,
        "created_at": iso_utc(vehicle.created_at),
    }
