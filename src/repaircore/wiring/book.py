"""Wiring of the repair book, and of shops and their labor rates."""

from typing import TYPE_CHECKING

from repaircore.adapters.ai.book_describer import BookDescriber
from repaircore.adapters.ai.factory import build_describer
from repaircore.adapters.lookups.zip_codes import ShippedZipCodes
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.codes import code_table
from repaircore.adapters.shipped.prices import read_labor_rates
from repaircore.adapters.shipped.vehicle_factors import vehicle_tables
from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.book.service import BookRevisions, ShippedBook
from repaircore.diagnosis.ranker import ComplaintRanker
from repaircore.facilities.service import Facilities
from repaircore.problems.overview import ProblemOverview
from repaircore.problems.service import ProblemBook
from repaircore.trouble_codes.ranker import CodeRanker
from repaircore.wiring.shared import shared_slot

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.problems.ports import Describer


def problems(core: "Core") -> ProblemBook:
    """Wire the repair book."""
    return ProblemBook(
        transaction=core.storage.transaction,
        read=core.storage.read,
        vocabulary=vocabulary,
        describer=lambda: core.describer,
        offline=lambda: BookDescriber(vocabulary().symptoms),
        seconds=core.settings.prediction_seconds,
        clock=core.clock,
        rankers=lambda: (
            CodeRanker(table=code_table),
            ComplaintRanker(knowledge=core.diagnoses.knowledge),
        ),
        cache=shared_slot("search index"),
    )


def describer(core: "Core") -> "Describer":
    """Wire the writer of repair descriptions in the live environment."""
    return build_describer(core.settings.describer, vocabulary().symptoms)


def book_revisions(core: "Core") -> BookRevisions:
    """Wire the repair book as open data, and the installation's changes to it."""

    def shipped() -> ShippedBook:
        current = book()
        return core.book_edition, current.categories, current.problems

    return BookRevisions(
        transaction=core.storage.transaction,
        read=core.storage.read,
        shipped=shipped,
        vehicle_tables=vehicle_tables,
        clock=core.clock,
    )


def problem_overview(core: "Core") -> ProblemOverview:
    """Wire the repair book as operators manage it."""
    return ProblemOverview(read=core.storage.read, vocabulary=vocabulary)


def facilities(core: "Core") -> Facilities:
    """Wire shops and labor rates."""
    return Facilities(
        transaction=core.storage.transaction,
        read=core.storage.read,
        zip_codes=ShippedZipCodes(),
        rates=read_labor_rates(),
        clock=core.clock,
    )
