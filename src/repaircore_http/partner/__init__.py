"""Area B, the partner platform: one module per slice."""

from repaircore_http.guards import Routes
from repaircore_http.partner import appointments, customers, mechanics, sessions

__all__ = ["BLUEPRINTS"]

BLUEPRINTS: tuple[Routes, ...] = (
    appointments.appointments,
    customers.customers,
    mechanics.mechanics,
    sessions.sessions,
)
