"""Made-up plates for the test environment, so that whoever integrates can try every outcome."""

from typing import Final

from attrs import frozen
from typing_extensions import override

from repaircore.vehicles.errors import PlateSourceUnavailable
from repaircore.vehicles.model import Plate, Registration
from repaircore.vehicles.ports import PlateProvider

SANDBOX: Final = {
    Plate(state="CA", number="TEST123"): "1HGCM82633A004352",
    Plate(state="NY", number="TEST123"): "5YJ3E1EA8KF000001",
    Plate(state="TX", number="TEST123"): "1FTFW1E53JK000001",
    Plate(state="FL", number="TEST123"): "2T3P1RFV5LC000001",
    Plate(state="OH", number="TEST123"): "2C4RC1BG0HR000001",
}
"""A sedan, an electric car, a pickup, an SUV and a van. The serial numbers are made up."""

FAILING: Final = Plate(state="CA", number="TESTDOWN")
"""The plate about which the provider is always out of order."""


@frozen
class SandboxPlates(PlateProvider):
    """Know the plates of ``SANDBOX`` and no other, at no cost."""

    @property
    @override
    def source(self) -> str:
        return "sandbox"

    @override
    def find(self, plate: Plate) -> Registration | None:
        if plate == FAILING:
            raise PlateSourceUnavailable("The plate provider failed: this is the sandbox's failing plate.")
        vin = SANDBOX.get(plate)
        return None if vin is None else Registration(vin=vin)
