"""Area A, the main service: one module per slice."""

from repaircore_http.main import accounts, catalog, categories, keys, lookups, predictions, secure_data

__all__ = ["BLUEPRINTS"]

BLUEPRINTS = (
    accounts.auth,
    accounts.user,
    catalog.catalog,
    keys.keys,
    predictions.predictions,
    categories.categories,
    lookups.lookups,
    secure_data.secure_data,
)
