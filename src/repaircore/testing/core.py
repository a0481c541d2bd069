"""A whole installation whose time stands still and whose passwords are quick."""

from attrs import evolve

from repaircore.adapters.lookups.cars_sandbox import SandboxCars
from repaircore.bootstrap import CALLBACK, Core, build
from repaircore.estimates.ports import ModelPanel
from repaircore.kernel.types import Clock
from repaircore.settings import Settings
from repaircore.testing.passwords import PlainPasswords

__all__ = ["a_core"]


def a_core(settings: Settings, *, clock: Clock, panel: ModelPanel | None = None) -> Core:
    """Build the core of some settings, all of it by one clock; ``panel`` takes the place of the models.

    Only what a vehicle is decoded by keeps the real time: it knows no model year after the next one.
    """
    core = build(settings)
    vehicles = evolve(core.vehicles, clock=clock)
    regions = evolve(core.regions, clock=clock)
    built = core.estimates.computing()
    computing = evolve(built, regions=regions, panel=built.panel if panel is None else panel, clock=clock)
    cars = core.connected_cars
    sandbox = SandboxCars(redirect=settings.public_url.rstrip("/") + CALLBACK, clock=clock)
    return core.replacing(
        connected_cars=evolve(cars, sandbox=sandbox, clock=clock),
        accounts=evolve(core.accounts, hasher=PlainPasswords(), clock=clock),
        vehicles=vehicles,
        lookups=evolve(core.lookups, vehicles=vehicles, clock=clock),
        catalog=evolve(core.catalog, clock=clock),
        regions=regions,
        problems=evolve(core.problems, clock=clock),
        estimates=evolve(core.estimates, vehicles=lambda: vehicles, computing=lambda: computing, clock=clock),
        quotes=evolve(core.quotes, vehicles=lambda: vehicles, computing=lambda: computing, clock=clock),
        ratings=evolve(core.ratings, clock=clock),
        transactions=evolve(core.transactions, clock=clock),
    )
