"""Wiring of visits."""

import os
from typing import TYPE_CHECKING

from repaircore.adapters.shipped.overlaps import shipped_overlaps
from repaircore.adapters.shipped.sales_taxes import shipped_sales_taxes
from repaircore.adapters.sql.prediction_cache import SqlPredictionCache
from repaircore.visits.estimate import VisitEstimates
from repaircore.visits.events import VisitEvents
from repaircore.visits.service import Visits

if TYPE_CHECKING:
    from repaircore.core import Core


def visit_estimates(core: "Core") -> VisitEstimates:
    """Wire visit estimates."""
    return VisitEstimates(
        read=core.storage.read,
        vehicles=lambda: core.vehicles,
        computation=lambda: core.computation,
        find_problem=SqlPredictionCache(core.storage.driver).find_problem_id,
        overlaps=shipped_overlaps(),
        taxes=shipped_sales_taxes(),
        clock=core.clock,
    )


def visits(core: "Core") -> Visits:
    """Wire stored visits."""
    return Visits(
        transaction=core.storage.transaction,
        read=core.storage.read,
        estimates=core.visit_estimates,
        events=VisitEvents(new_id=core.new_id),
        clock=core.clock,
        random=os.urandom,
    )
