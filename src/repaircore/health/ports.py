"""What the health of a vehicle needs from outside."""

from collections.abc import Callable
from typing import TypeAlias

from repaircore.fleet.model import CoverageItem, FleetVehicle, ServiceCounts
from repaircore.health.score import Severity

CodeSeverities: TypeAlias = Callable[[str, str | None], Severity]
"""Say how much a sound trouble code matters; every code has an answer."""


ServiceStanding: TypeAlias = Callable[[FleetVehicle, int | None], ServiceCounts]
"""Count the services of a kept vehicle, given its odometer in miles (None: not known)."""


CoverageOf: TypeAlias = Callable[[FleetVehicle], CoverageItem]
"""Say whether one question is answered of a vehicle; nothing outside is asked."""


RepairBurden: TypeAlias = Callable[[FleetVehicle, int | None], float | None]
"""Judge, 0 to 1, what repairs cost a year beside what a vehicle with these miles is worth; None: it cannot be said."""
