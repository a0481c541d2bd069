"""Area A, the main service: one module per slice."""

from repaircore_http.main import (
    accounts,
    catalog,
    categories,
    connected_cars,
    feedback,
    history,
    images,
    keys,
    lookups,
    predictions,
    quotes,
    secure_data,
)
from repaircore_http.main.admin import settings

__all__ = ["BLUEPRINTS"]

BLUEPRINTS = (
    accounts.auth,
    accounts.user,
    catalog.catalog,
    categories.categories,
    connected_cars.connected_cars,
    connected_cars.compliance,
    feedback.feedback,
    history.history,
    images.images,
    keys.keys,
    lookups.lookups,
    predictions.predictions,
    quotes.quotes,
    secure_data.secure_data,
    settings.settings,
)
