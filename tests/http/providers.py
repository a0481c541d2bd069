"""Cores with scripted providers."""

from attrs import evolve

from repaircore.connected_cars.ports import CarProvider, SignalSink
from repaircore.core import Core
from repaircore.vehicles.ports import PlateProvider


def with_provider(core: Core, provider: PlateProvider | None) -> Core:
    """Return a core whose live keys use this plate provider."""
    return core.replacing(lookups=evolve(core.lookups, provider=provider))


def with_cars(core: Core, provider: CarProvider | None, sink: SignalSink | None = None) -> Core:
    """Return a core whose live keys use this provider of connected cars."""
    cars = evolve(core.connected_cars, provider=provider, sink=sink or core.connected_cars.sink)
    return core.replacing(connected_cars=cars)
