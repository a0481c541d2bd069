"""Fleet vehicles; and recalls: campaigns, and the vehicles that they are of."""

from datetime import datetime
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import Vehicle


@frozen(kw_only=True)
class FleetVehicle:
    """One car of one owner.

    ``vin`` has 11 or 17 characters; ``vehicle`` is the record that stands for all that are built like it. One that its
    owner has not told of is only decoded (``is_kept`` is False): nothing is known by its id.
    """

    id: UUID
    environment: Environment
    owner_id: int
    vin: str
    vehicle: Vehicle
    created_at: datetime
    is_kept: bool = True

    @property
    def specs(self) -> VehicleSpecs:
        """Give what is true of all vehicles that are built like it."""
        return self.vehicle.specs


@frozen(kw_only=True)
class ServiceCounts:
    """How many services are planned for a vehicle in all, and how many of them are due and overdue."""

    planned: int = 0
    due: int = 0
    overdue: int = 0


@frozen(kw_only=True)
class CoverageItem:
    """Whether a question is answered of a vehicle, from which source (None: from none), and what else is to say."""

    name: str
    answered: bool
    source: str | None
    detail: str
