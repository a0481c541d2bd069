"""Area B, the partner platform: one module per slice."""

from repaircore_http.partner import (
    appointments,
    customers,
    mechanics,
    mobile_rides,
    sessions,
    statements,
    tow_rides,
    usage,
    webhooks,
)
from repaircore_http.routes import Routes

__all__ = ["BLUEPRINTS"]

BLUEPRINTS: tuple[Routes, ...] = (
    customers.customers,
    mobile_rides.mobile_rides,
    sessions.sessions,
    tow_rides.tow_rides,
    appointments.appointments,
    mechanics.mechanics,
    webhooks.webhooks,
    statements.statements,
    usage.usage,
)
