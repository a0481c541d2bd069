"""What the vehicles of the made-up invoices are, by the product's own catalog; each is looked up once in a run."""

import atexit
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.core import build
from repaircore.kernel.facts import Engine
from repaircore.kernel.profile import VehicleProfile
from repaircore.settings import Settings
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.errors import NoVehicleForSpecs
from repaircore.vehicles.ports import ModelNames
from repaircore.vehicles.service import Vehicles

_NAMES: Final[dict[tuple[int, str, str, str | None, str | None], VehicleSpecs | None]] = {}


@frozen
class RememberedNames(ModelNames):
    """The catalog, which is asked once for each vehicle in a run: what is measured is not the catalog."""

    names: ModelNames

    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        key = (year, make, model, trim, engine)
        if key not in _NAMES:
            _NAMES[key] = self.names.find(year, make, model, trim, engine)
        return _NAMES[key]

    @override
    def list_engines(self, year: int, make: str, model: str) -> Sequence[Engine]:
        return self.names.list_engines(year, make, model)


@cache
def profile_of(make: str, model: str, year: int) -> VehicleProfile | None:
    """Return a vehicle as the rules of the repair book see it; None when nobody made it around that year."""
    try:
        found = _vehicles().find_match(year=year, make=make, model=model, trim=None, engine=None)
    except NoVehicleForSpecs:
        return None
    return found.vehicle.specs.profile


@cache
def _vehicles() -> Vehicles:
    """Return the vehicles of an empty installation, which lasts as long as the process."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = Path(stack.enter_context(TemporaryDirectory()))
    core = build(Settings(database_url=f"sqlite:///{folder / 'catalog.db'}", state_folder=folder / "state"))
    stack.callback(core.close)
    return evolve(core.vehicles, names=RememberedNames(core.vehicles.names))
