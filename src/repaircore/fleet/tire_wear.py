"""Tires judged as they are told of; nothing is kept."""

from attrs import fields, frozen

from repaircore.fleet.faults import Told
from repaircore.fleet.tire_estimate import AskTires, TireEstimate, estimate, tire_faults
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Clock

__all__ = ["Tires"]


@frozen(kw_only=True)
class Tires:
    """The use case."""

    clock: Clock

    def estimate(self, asked: AskTires) -> TireEstimate:
        """Say how much is left of some tires, and by when to replace them.

        Raises:
            Invalid: every bad field is named.
        """
        told = self.faults(**{name: getattr(asked, name) for name in _FIELDS})
        if told:
            raise Invalid(told)
        return estimate(asked, now=self.clock())

    def faults(self, **fields: object) -> Told:
        """Name what is wrong with fields of a question; those that are not given are not judged."""
        return tire_faults(**fields)


_FIELDS = tuple(field.name for field in fields(AskTires))
