"""Area C, the API for providers: their requests, offers and jobs."""

from repaircore_http.provider import requests
from repaircore_http.routes import Routes

__all__ = ["BLUEPRINTS"]

BLUEPRINTS: tuple[Routes, ...] = (requests.requests,)
