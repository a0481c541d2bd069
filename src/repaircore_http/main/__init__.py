"""Area A, the main service: one module per slice."""

from repaircore_http.document.pages import pages
from repaircore_http.main import (
    accounts,
    catalog,
    categories,
    chats,
    codes,
    connected_cars,
    diagnoses,
    feedback,
    history,
    images,
    keys,
    lookups,
    predictions,
    questionnaire,
    quotes,
    secure_data,
)
from repaircore_http.main.admin import problems, regions, settings, transactions, vehicles
from repaircore_http.main.fleet import (
    compliance,
    coverage,
    health,
    recalls,
    repair_intervals,
    schedules,
    tires,
    valuation,
)

__all__ = ["BLUEPRINTS"]

BLUEPRINTS = (
    pages,
    accounts.auth,
    accounts.user,
    catalog.catalog,
    categories.categories,
    connected_cars.connected_cars,
    connected_cars.compliance,
    chats.chats,
    codes.codes,
    diagnoses.diagnoses,
    feedback.feedback,
    repair_intervals.repair_intervals,
    history.history,
    images.images,
    keys.keys,
    lookups.lookups,
    predictions.predictions,
    questionnaire.questionnaire,
    quotes.quotes,
    regions.regions,
    secure_data.secure_data,
    valuation.valuations,
    problems.problems,
    settings.settings,
    transactions.transactions,
    vehicles.vehicles,
    compliance.compliance,
    coverage.coverage,
    health.health,
    recalls.recalls,
    schedules.schedules,
    tires.tires,
)
