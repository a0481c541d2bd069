"""A vehicle as rules about repairs see it: what it is called, how old it is, and its mechanics."""

from typing import Final

from attrs import frozen

from repaircore.kernel.facts import NO_FACTS, VehicleFacts
from repaircore.kernel.traits import Traits

NO_TRAITS: Final = Traits()


@frozen(kw_only=True)
class VehicleProfile:
    """One vehicle, or all vehicles that are built alike.

    ``traits`` are what a decoder read, ``facts`` its mechanics; where both speak, the facts count.
    """

    make: str
    model: str
    year: int
    traits: Traits = NO_TRAITS
    facts: VehicleFacts = NO_FACTS

    @property
    def name(self) -> str:
        """Return the name that a sentence calls it by: "2020 Tesla Model 3"."""
        return f"{self.year} {self.make} {self.model}"
