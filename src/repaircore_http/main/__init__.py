"""Area A, the main service: one module per slice."""

from repaircore_http.main import accounts, keys, lookups, predictions, secure_data

__all__ = ["BLUEPRINTS"]

BLUEPRINTS = (
    accounts.auth,
    accounts.user,
    keys.keys,
    predictions.predictions,
    lookups.lookups,
    secure_data.secure_data,
)
