"""Area A, the main service: one module per slice."""

from repaircore_http.main import accounts, catalog, images, keys, lookups, predictions, secure_data

__all__ = ["BLUEPRINTS"]

BLUEPRINTS = (
    accounts.auth,
    accounts.user,
    catalog.catalog,
    images.images,
    keys.keys,
    predictions.predictions,
    lookups.lookups,
    secure_data.secure_data,
)
