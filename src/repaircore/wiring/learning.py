"""Wiring of transactions, and of learning from them."""

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.adapters.shipped.prices import read_labor_rates, read_price_index
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.adapters.spreadsheets.workbooks import workbook_rows
from repaircore.book.model import Problem
from repaircore.invoice_drafts.service import InvoiceDrafts
from repaircore.invoice_files.reviews import InvoiceReviews
from repaircore.invoice_files.service import InvoiceFiles
from repaircore.job_matching.repair_match import SharedMatcher
from repaircore.learning.billing import JobInvoices
from repaircore.learning.importing import BATCH, EMBEDDED_BATCH, InvoiceExports, InvoiceImports
from repaircore.learning.ledger import Ledger, PriceHistories
from repaircore.learning.pooling import Pooling
from repaircore.learning.refits import Refits
from repaircore.learning.sample import Sample
from repaircore.learning.service import Transactions
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.wiring.pricing import local_prices

if TYPE_CHECKING:
    from repaircore.core import Core


def transactions(core: "Core") -> Transactions:
    """Wire transactions, and learning from them."""
    return Transactions(
        transaction=core.storage.transaction,
        read=core.storage.read,
        factors_of=shipped_factor_table().factors_for,
        prices=read_price_index(),
        locating=local_prices(),
        clock=core.clock,
    )


def job_invoices(core: "Core") -> JobInvoices:
    """Wire learning from the invoices for rides and appointments."""
    return JobInvoices(
        transactions=core.transactions, decode=_decode_shipped(core), new_id=core.new_id, clock=core.clock
    )


def _decode_shipped(core: "Core") -> Callable[[str], VehicleSpecs | None]:
    """Return a function that decodes VINs without network access."""

    def decode(vin: str) -> VehicleSpecs | None:
        return VpicVinDecoder(core.clock, shipped_mechanics).decode(vin)

    return decode


def ledger(core: "Core") -> Ledger:
    """Wire lists, statistics and details of transactions."""
    return Ledger(read=core.storage.read)


def price_histories(core: "Core") -> PriceHistories:
    """Wire the price histories of repairs."""
    return PriceHistories(read=core.storage.read, clock=core.clock)


def refits(core: "Core") -> Refits:
    """Wire refits of the estimates."""
    return Refits(transaction=core.storage.transaction, read=core.storage.read, clock=core.clock)


def pooling(core: "Core") -> Pooling:
    """Wire the exchange of learned priors with other installations."""
    return Pooling(
        transaction=core.storage.transaction,
        read=core.storage.read,
        refits=core.refits,
        rates=read_labor_rates(),
        clock=core.clock,
    )


def invoice_imports(core: "Core") -> InvoiceImports:
    """Wire imports of transactions."""
    return InvoiceImports(
        transaction=core.storage.transaction,
        read=core.storage.read,
        vehicles=lambda: core.vehicles,
        zip_codes=ShippedZipCodes(),
        factors_of=shipped_factor_table().factors_for,
        prices=read_price_index(),
        locating=local_prices(),
        clock=core.clock,
        batch=EMBEDDED_BATCH if core.settings.is_embedded else BATCH,
    )


def invoice_files(core: "Core") -> InvoiceFiles:
    """Wire imports of invoice files from any shop system."""
    return InvoiceFiles(
        transaction=core.storage.transaction,
        read=core.storage.read,
        imports=lambda: core.invoice_imports,
        workbook=workbook_rows,
        job_names=job_names,
        clock=core.clock,
    )


def invoice_reviews(core: "Core") -> InvoiceReviews:
    """Wire the review of lines in imported files, and undoing imports."""

    def search(text: str) -> list[Problem]:
        return [hit.problem for hit in core.problems.search(text)] if core.problems.can_search(text) else []

    return InvoiceReviews(
        transaction=core.storage.transaction,
        read=core.storage.read,
        imports=lambda: core.invoice_imports,
        transactions=lambda: core.transactions,
        search=search,
        clock=core.clock,
    )


def repair_matcher(core: "Core") -> SharedMatcher:
    """Wire the matcher that finds the repairs in shops' descriptions."""
    return SharedMatcher(edition=core.problems.edition, problems=core.problems.list_all, job_names=job_names)


def invoice_drafts(core: "Core") -> InvoiceDrafts:
    """Wire invoice drafts."""
    return InvoiceDrafts(
        transaction=core.storage.transaction,
        read=core.storage.read,
        read_text=core.text_extraction.read_text,
        vehicles=lambda: core.vehicles,
        transactions=lambda: core.transactions,
        problems=core.problems.list_all,
        find_problem=core.problems.find,
        matcher=core.repair_matcher,
        decode=_decode_shipped(core),
        makes=lambda: core.catalog.list_makes(),
        clock=core.clock,
        random=secrets.token_bytes,
        days=core.settings.invoice_draft_days,
    )


def invoice_exports(core: "Core") -> InvoiceExports:
    """Wire exports of transactions."""
    return InvoiceExports(read=core.storage.read)


def sample_of_invoices() -> Sample:
    """Return a generator of made-up invoices, which needs no database."""
    return Sample(
        problems=book().problems,
        factors_of=shipped_factor_table().factors_for,
        prices=read_price_index(),
        national_rate=read_labor_rates().national,
    )
