"""Fleet vehicles, their service counts, and which questions about them can be answered."""

from datetime import datetime
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import Vehicle


@frozen(kw_only=True)
class FleetVehicle:
    """An owner's car.

    ``vin`` has 11 or 17 characters; ``vehicle`` is the record shared by all cars built like it. A car that its owner
    has not registered is only decoded: it has no signals, and its id is not stored.
    """

    id: UUID
    environment: Environment
    owner_id: int
    vin: str
    vehicle: Vehicle
    created_at: datetime
    is_registered: bool = True

    @property
    def specs(self) -> VehicleSpecs:
        """Return the specs that the vehicle shares with all cars built like it."""
        return self.vehicle.specs


@frozen(kw_only=True)
class ServiceCounts:
    """How many services of a vehicle are planned in total, and how many of them are due and overdue."""

    planned: int = 0
    due: int = 0
    overdue: int = 0


@frozen(kw_only=True)
class CoverageItem:
    """Whether a question about a vehicle can be answered, from which source (None if it cannot), and the details."""

    name: str
    answered: bool
    source: str | None
    detail: str
