"""A whole installation whose time stands still and whose passwords are quick."""

from attrs import evolve

from repaircore.bootstrap import Core, build
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
    fleet = evolve(core.fleet, vehicles=lambda: vehicles, clock=clock)
    built = core.estimates.computing()
    computing = evolve(built, regions=regions, panel=built.panel if panel is None else panel, clock=clock)
    return core.replacing(
        accounts=evolve(core.accounts, hasher=PlainPasswords(), clock=clock),
        vehicles=vehicles,
        stored_vehicles=evolve(core.stored_vehicles, clock=clock),
        lookups=evolve(core.lookups, vehicles=vehicles, clock=clock),
        catalog=evolve(core.catalog, clock=clock),
        regions=regions,
        recalls=evolve(core.recalls, clock=clock),
        fleet=fleet,
        worth=evolve(core.worth, fleet=fleet, clock=clock),
        lifecycles=evolve(core.lifecycles, fleet=fleet, clock=clock),
        sequences=evolve(core.sequences, fleet=fleet, clock=clock),
        problems=evolve(core.problems, clock=clock),
        estimates=evolve(core.estimates, vehicles=lambda: vehicles, computing=lambda: computing, clock=clock),
        quotes=evolve(core.quotes, vehicles=lambda: vehicles, computing=lambda: computing, clock=clock),
        ratings=evolve(core.ratings, clock=clock),
        transactions=evolve(core.transactions, clock=clock),
        refits=evolve(core.refits, clock=clock),
        invoice_imports=evolve(core.invoice_imports, vehicles=lambda: vehicles, clock=clock),
    )
