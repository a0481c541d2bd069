"""Area A, the main service: one module per slice."""

from repaircore_http.main import accounts, categories, keys, predictions, secure_data

__all__ = ["BLUEPRINTS"]

BLUEPRINTS = (
    accounts.auth,
    accounts.user,
    keys.keys,
    predictions.predictions,
    categories.categories,
    secure_data.secure_data,
)
