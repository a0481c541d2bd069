"""Ports for vehicle health."""

from collections.abc import Callable
from typing import TypeAlias

from repaircore.fleet.model import CoverageItem, FleetVehicle, ServiceCounts
from repaircore.health.score import Severity

CodeSeverities: TypeAlias = Callable[[str, str | None], Severity]
"""Return the severity of a valid trouble code for a make (None if unknown)."""


CountServices: TypeAlias = Callable[[FleetVehicle, int | None], ServiceCounts]
"""Count the services of a registered vehicle, given its odometer in miles (None if unknown)."""


CoverageOf: TypeAlias = Callable[[FleetVehicle], CoverageItem]
"""Return how one question about a vehicle can be answered, if at all, without calling outside services."""


RepairBurden: TypeAlias = Callable[[FleetVehicle, int | None], float | None]
"""Rate the yearly cost of repairs against the value of a vehicle with these miles, 0 to 1; return None if unknown."""
