"""A plate provider that knows only the plates that a test gives it."""

from collections.abc import Mapping, Sequence

from typing_extensions import override

from repaircore.vehicles.errors import PlateSourceUnavailable
from repaircore.vehicles.model import Plate, Registration
from repaircore.vehicles.ports import PlateProvider


class ScriptedPlates(PlateProvider):
    """Knows the given plates; a test may change ``known`` and set ``down``."""

    def __init__(self, known: Mapping[Plate, Registration]) -> None:
        self.known = dict(known)
        self.down = False
        self._lookups: list[Plate] = []

    @property
    def lookups(self) -> Sequence[Plate]:
        """Return the plates looked up so far, in order."""
        return tuple(self._lookups)

    @property
    @override
    def source(self) -> str:
        return "scripted"

    @override
    def find(self, plate: Plate) -> Registration | None:
        self._lookups.append(plate)
        if self.down:
            raise PlateSourceUnavailable("The plate provider failed, as scripted.")
        return self.known.get(plate)
