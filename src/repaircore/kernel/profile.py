"""A vehicle as rules about repairs see it: its name, its age and its mechanics."""

from typing import Final

from attrs import frozen

from repaircore.kernel.facts import NO_FACTS, VehicleFacts
from repaircore.kernel.traits import Traits

NO_TRAITS: Final = Traits()


@frozen(kw_only=True)
class VehicleProfile:
    """One vehicle, or all vehicles that are built alike.

    ``traits`` come from a decoder, ``facts`` are the vehicle's mechanics; where the two differ, the facts win.
    ``trim`` is None if it is unknown.
    """

    make: str
    model: str
    year: int
    traits: Traits = NO_TRAITS
    facts: VehicleFacts = NO_FACTS
    trim: str | None = None

    @property
    def name(self) -> str:
        """Return the vehicle's name for use in sentences, such as "2020 Tesla Model 3"."""
        return f"{self.year} {self.make} {self.model}"
