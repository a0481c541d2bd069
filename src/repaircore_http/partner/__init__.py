"""Area B, the partner platform: one module per slice."""

from repaircore_http.guards import Routes
from repaircore_http.partner import customers, sessions

__all__ = ["BLUEPRINTS"]

BLUEPRINTS: tuple[Routes, ...] = (customers.customers, sessions.sessions)
