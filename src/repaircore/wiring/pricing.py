"""Wiring of prices: the computation of predictions, price ranges, quotes, history and accuracy."""

from typing import TYPE_CHECKING

from repaircore.adapters.ai.factory import build_panel
from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
from repaircore.adapters.shipped.fees import shipped_statutory_fees
from repaircore.adapters.shipped.prices import read_labor_rates, read_price_index
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.adapters.sql.prediction_cache import SqlPredictionCache
from repaircore.book.model import Problem
from repaircore.predictions.accuracy import AccuracyReports
from repaircore.predictions.compute import Computation, PriceRanges
from repaircore.predictions.history import PastPredictions, Ratings
from repaircore.predictions.local_prices import LocalPriceLookup
from repaircore.predictions.ports import ModelPanel, PriceModel
from repaircore.quotes.service import QuoteChecks

if TYPE_CHECKING:
    from repaircore.core import Core


def computation(core: "Core") -> Computation:
    """Wire the computation of predictions."""
    return Computation(
        read=core.storage.read,
        zip_codes=ShippedZipCodes(),
        local_prices=local_prices(),
        panel=core.price_models,
        factors_of=shipped_factor_table().factors_for,
        prices=read_price_index(),
        fees=shipped_statutory_fees(),
        clock=core.clock,
    )


def price_models(core: "Core") -> ModelPanel:
    """Wire the two models that predict prices.

    Raises:
        Invalid: a model's settings do not work; each fault is named.
    """
    settings = core.settings
    return build_panel(
        settings.model_a, settings.model_b, around=lambda letter, model: _measured(core, letter, model)
    )


def _measured(core: "Core", letter: str, model: PriceModel) -> PriceModel:
    if not core.settings.metrics:
        return model
    from repaircore.adapters.metrics.models import MeasuredModel

    return MeasuredModel(model, letter, core.meter)


def local_prices() -> LocalPriceLookup:
    """What repairs cost where."""
    return LocalPriceLookup(zip_codes=ShippedZipCodes(), rates=read_labor_rates())


def price_ranges(core: "Core") -> PriceRanges:
    """Wire prices of several repairs at once."""
    return PriceRanges(read=core.storage.read, computation=lambda: core.computation, clock=core.clock)


def quotes(core: "Core") -> QuoteChecks:
    """Wire checks of shops' quotes."""

    def search(text: str) -> list[Problem]:
        if not core.problems.can_search(text):
            return []
        return [hit.problem for hit in core.problems.search(text)]

    return QuoteChecks(
        read=core.storage.read,
        cache=SqlPredictionCache(core.storage.driver),
        vehicles=lambda: core.vehicles,
        computation=lambda: core.computation,
        search=search,
        clock=core.clock,
    )


def past_predictions(core: "Core") -> PastPredictions:
    """Wire the history of predictions."""
    return PastPredictions(transaction=core.storage.transaction, read=core.storage.read, clock=core.clock)


def accuracy(core: "Core") -> AccuracyReports:
    """Wire accuracy of past predictions."""
    return AccuracyReports(read=core.storage.read)


def ratings(core: "Core") -> Ratings:
    """Wire feedback on predictions."""
    return Ratings(transaction=core.storage.transaction, read=core.storage.read, clock=core.clock)
