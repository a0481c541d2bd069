"""Area A, the main service: one module per slice."""

from repaircore_http.main import (
    accounts,
    catalog,
    categories,
    feedback,
    foretelling,
    history,
    images,
    keys,
    lookups,
    predictions,
    quotes,
    secure_data,
    worth,
)
from repaircore_http.main.admin import problems, regions, settings, transactions, vehicles

__all__ = ["BLUEPRINTS"]

BLUEPRINTS = (
    accounts.auth,
    accounts.user,
    catalog.catalog,
    categories.categories,
    feedback.feedback,
    foretelling.foretelling,
    history.history,
    images.images,
    keys.keys,
    lookups.lookups,
    predictions.predictions,
    quotes.quotes,
    regions.regions,
    secure_data.secure_data,
    worth.worth,
    problems.problems,
    settings.settings,
    transactions.transactions,
    vehicles.vehicles,
)
