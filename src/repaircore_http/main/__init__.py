"""Area A, the main service: one module per slice."""

from repaircore_http.main import accounts, images, keys, predictions, secure_data

__all__ = ["BLUEPRINTS"]

BLUEPRINTS = (
    accounts.auth,
    accounts.user,
    images.images,
    keys.keys,
    predictions.predictions,
    secure_data.secure_data,
)
