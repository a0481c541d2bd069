"""Area B, the partner platform: one module per slice."""

from repaircore_http.guards import Routes

__all__ = ["BLUEPRINTS"]

BLUEPRINTS: tuple[Routes, ...] = ()
