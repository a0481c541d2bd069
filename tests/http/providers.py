"""Providers for the whole service."""

from attrs import evolve

from repaircore.connected_cars.ports import CarProvider, SignalSink
from repaircore.core import Core
from repaircore.vehicles.ports import PlateProvider


def with_provider(core: Core, provider: PlateProvider | None) -> Core:
    """Give a core whose live keys ask this provider."""
    return core.replacing(lookups=evolve(core.lookups, provider=provider))


def with_cars(core: Core, provider: CarProvider | None, sink: SignalSink | None = None) -> Core:
    """Give a core whose live keys ask this provider of connected cars."""
    cars = evolve(core.connected_cars, provider=provider, sink=sink or core.connected_cars.sink)
    return core.replacing(connected_cars=cars)
