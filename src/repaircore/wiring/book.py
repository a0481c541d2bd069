"""The repair book, and the shops whose labor it is paid by."""

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
from repaircore.facilities.service import Facilities
from repaircore.problems.overview import ProblemOverview
from repaircore.problems.service import ProblemBook
from repaircore.trouble_codes.ranker import CodeRanker
from repaircore.wiring.shared import shared_slot

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.problems.ports import Describer


def problems(core: "Core") -> ProblemBook:
    """The repair book."""
    return ProblemBook(
        transaction=core.storage.transaction,
        read=core.storage.read,
        vocabulary=vocabulary,
        describer=lambda: core.describer,
        offline=lambda: BookDescriber(vocabulary().symptoms),
        seconds=core.settings.prediction_seconds,
        clock=core.clock,
        rankers=lambda: (CodeRanker(table=code_table),),
        cache=shared_slot("search index"),
    )


def describer(core: "Core") -> "Describer":
    """What describes repairs in the live environment."""
    return build_describer(core.settings.describer, vocabulary().symptoms)


def book_revisions(core: "Core") -> BookRevisions:
    """The repair book as open data, and an installation's own changes of it."""

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
    """The repair book as operators see it."""
    return ProblemOverview(read=core.storage.read, vocabulary=vocabulary)


def facilities(core: "Core") -> Facilities:
    """Shops, and what an hour of labor costs where."""
    return Facilities(
        transaction=core.storage.transaction,
        read=core.storage.read,
        zip_codes=ShippedZipCodes(),
        rates=read_labor_rates(),
        clock=core.clock,
    )
