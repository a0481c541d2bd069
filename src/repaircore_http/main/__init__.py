"""Area A, the main service: one module per slice."""

from repaircore_http.main import accounts, feedback, history, keys, predictions, quotes, secure_data
from repaircore_http.main.admin import settings

__all__ = ["BLUEPRINTS"]

BLUEPRINTS = (
    accounts.auth,
    accounts.user,
    feedback.feedback,
    history.history,
    keys.keys,
    predictions.predictions,
    quotes.quotes,
    secure_data.secure_data,
    settings.settings,
)
