"""Plate providers for the whole service."""

from attrs import evolve

from repaircore.bootstrap import Core
from repaircore.vehicles.ports import PlateProvider

__all__ = ["with_provider"]


def with_provider(core: Core, provider: PlateProvider | None) -> Core:
    """Give a core whose live keys ask this provider."""
    return core.replacing(lookups=evolve(core.lookups, provider=provider))
