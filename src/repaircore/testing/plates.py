"""Plate providers that do as they are told."""

from collections.abc import Mapping, Sequence

from typing_extensions import override

from repaircore.vehicles.errors import PlateSourceUnavailable
from repaircore.vehicles.model import Plate, Registration
from repaircore.vehicles.ports import PlateProvider


class ScriptedPlates(PlateProvider):
    """Know the given plates; ``known`` may be changed, and ``down`` be set, as a test goes on."""

    def __init__(self, known: Mapping[Plate, Registration]) -> None:
        self.known = dict(known)
        self.down = False
        self._asked: list[Plate] = []

    @property
    def asked(self) -> Sequence[Plate]:
        """Give the plates that were asked about so far, in the order in which they came."""
        return tuple(self._asked)

    @property
    @override
    def source(self) -> str:
        return "scripted"

    @override
    def find(self, plate: Plate) -> Registration | None:
        self._asked.append(plate)
        if self.down:
            raise PlateSourceUnavailable("The plate provider failed: it was told to.")
        return self.known.get(plate)
