"""Wiring of prices: the computation of predictions, price ranges, quotes, history and accuracy."""

import secrets
import time
from typing import TYPE_CHECKING, Final

from repaircore.adapters.ai.factory import build_panel
from repaircore.adapters.imaging.documents import ChildDocumentReader
from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
from repaircore.adapters.shipped.fees import shipped_statutory_fees
from repaircore.adapters.shipped.overlaps import shipped_overlaps
from repaircore.adapters.shipped.prices import read_labor_rates, read_price_index
from repaircore.adapters.shipped.quote_charges import shipped_usual_charges
from repaircore.adapters.shipped.sales_taxes import shipped_sales_taxes
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.adapters.sql.prediction_cache import SqlPredictionCache
from repaircore.batches.service import Batches
from repaircore.book.model import Problem
from repaircore.kernel.link_tokens import LinkTokens
from repaircore.predictions.compute import Computation
from repaircore.predictions.history import AccuracyReports, PastPredictions, Ratings
from repaircore.predictions.local_prices import LocalPriceLookup
from repaircore.predictions.ports import ModelPanel, PriceModel
from repaircore.predictions.previews import Previews, PriceRanges, SamplePredictions
from repaircore.quotes.service import QuoteChecks
from repaircore.shared_estimates.service import SharedEstimates
from repaircore.shared_quotes.service import SharedQuotes
from repaircore.text_extraction.service import TextExtraction

if TYPE_CHECKING:
    from repaircore.core import Core

_BATCH_SECONDS: Final = 100.0
"""The time budget of a batch; proxies commonly time out after two minutes, or can be configured to."""


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
        Invalid: with every error in the models' settings.
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
    """Wire the lookup of local prices."""
    return LocalPriceLookup(zip_codes=ShippedZipCodes(), rates=read_labor_rates())


def price_ranges(core: "Core") -> PriceRanges:
    """Wire price ranges for several repairs at once."""
    return PriceRanges(read=core.storage.read, computation=lambda: core.computation, clock=core.clock)


def batches(core: "Core") -> Batches:
    """Wire batches of predictions."""
    return Batches(
        transaction=core.storage.transaction,
        predictions=core.predictions,
        item_seconds=core.settings.prediction_seconds,
        seconds=_BATCH_SECONDS,
        timer=time.monotonic,
    )


def previews(core: "Core") -> Previews:
    """Wire predictions that are not stored."""
    return Previews(
        read=core.storage.read,
        vehicles=lambda: core.vehicles,
        computation=lambda: core.computation,
        require_valid=core.predictions.require_valid,
        clock=core.clock,
    )


def sample_prediction(core: "Core") -> SamplePredictions:
    """Wire the sample prediction for visitors."""
    return SamplePredictions(preview=core.previews.preview, clock=core.clock)


def quotes(core: "Core") -> QuoteChecks:
    """Wire checks of shops' quotes."""

    def search(text: str) -> list[Problem]:
        if not core.problems.can_search(text):
            return []
        return [hit.problem for hit in core.problems.search(text)]

    return QuoteChecks(
        open_read=core.storage.read,
        cache=SqlPredictionCache(core.storage.driver),
        vehicles=lambda: core.vehicles,
        computation=lambda: core.computation,
        problems=core.problems.list_all,
        repair_matcher=core.repair_matcher,
        search=search,
        taxes=shipped_sales_taxes,
        usual=shipped_usual_charges,
        overlaps=shipped_overlaps,
        clock=core.clock,
    )


def document_reader(core: "Core") -> ChildDocumentReader:
    """Wire the reader of quotes in photos and PDFs."""
    return ChildDocumentReader(core.image_limit)


def text_extraction(core: "Core") -> TextExtraction:
    """Wire text extraction from photos and PDFs."""
    return TextExtraction(reader=core.document_reader)


def shared_quotes(core: "Core") -> SharedQuotes:
    """Wire checked quotes that are shared by a link."""
    return SharedQuotes(
        transaction=core.storage.transaction,
        read=core.storage.read,
        random=secrets.token_bytes,
        clock=core.clock,
    )


def past_predictions(core: "Core") -> PastPredictions:
    """Wire the history of predictions."""
    return PastPredictions(transaction=core.storage.transaction, read=core.storage.read, clock=core.clock)


def shared_estimates(core: "Core") -> SharedEstimates:
    """Wire links to shared estimates."""

    def tokens() -> LinkTokens:
        from repaircore.adapters.crypto.installation import derived
        from repaircore.adapters.crypto.link_tokens import HmacLinkTokens

        return HmacLinkTokens(derived(core.secret, "shared estimates"))

    return SharedEstimates(
        transaction=core.storage.transaction,
        read=core.storage.read,
        tokens=tokens,
        random=secrets.token_bytes,
        clock=core.clock,
    )


def accuracy(core: "Core") -> AccuracyReports:
    """Wire reports on the accuracy of past predictions."""
    return AccuracyReports(read=core.storage.read)


def ratings(core: "Core") -> Ratings:
    """Wire feedback on predictions."""
    return Ratings(transaction=core.storage.transaction, read=core.storage.read, clock=core.clock)
