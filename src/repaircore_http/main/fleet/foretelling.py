"""When a repair is needed again, and which repairs follow it."""

from typing import Any

from flask import Response

from repaircore.book.model import Problem
from repaircore.kernel.errors import NotFound
from repaircore.repair_intervals.expected import LifecyclePrediction
from repaircore.repair_intervals.repair_sequences import FollowingRepair, SequenceAnswer
from repaircore.repair_intervals.validation import PredictInterval, PredictSequence
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataPage
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.main.fleet.shown import factors_shown
from repaircore_http.paging import PageQuery, meta
from repaircore_http.routes import Routes
from repaircore_http.told.fleets import FollowUps, RepairLifecycle

foretelling = Routes("foretelling", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="fleet")


@foretelling.post(
    "/repair-lifecycle", accepts=PredictInterval, returns=Data[RepairLifecycle], raises=(NotFound,)
)
def repair_lifecycle() -> Response:
    """Say when a repair is needed again."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    asked = read_body(PredictInterval, validate=served.repair_intervals.validate)
    return reply({"success": True, "data": _foretold(served.repair_intervals.foretell(asked, known))})


@foretelling.get(
    "/repair-lifecycle/history",
    auth=Auth.SECRET,
    safe=True,
    query=PageQuery,
    returns=DataPage[RepairLifecycle],
)
def lifecycle_history() -> Response:
    """List what was foretold, newest first, in pages."""
    asked = read_query(PageQuery)
    page = core().repair_intervals.page(number=asked.page, per_page=asked.per_page, caller=caller())
    return reply({"success": True, "data": [_foretold(one) for one in page], "meta": meta(page)})


@foretelling.post("/repair-sequence", accepts=PredictSequence, returns=Data[FollowUps], raises=(NotFound,))
def repair_sequence() -> Response:
    """Say which repairs typically follow a repair."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    asked = read_body(PredictSequence, validate=served.repair_sequences.validate)
    return reply({"success": True, "data": _followed(served.repair_sequences.foretell(asked, known))})


def _foretold(one: LifecyclePrediction) -> dict[str, Any]:
    answer = one.answer
    again = answer.expected
    return {
        "id": one.id,
        "vin": one.vin,
        "vehicle": answer.vehicle,
        "problem": {"id": one.problem_id, "slug": one.problem_slug, "display_name": one.problem_name},
        "mileage": one.mileage,
        "performed_on": one.performed_on,
        "expected_return": {
            "miles": again.miles,
            "months": again.months,
            "first": again.first,
            "dates": again.dates,
            "odometer": again.odometer,
        },
        "basis": answer.basis,
        "sample_size": answer.sample_size,
        "factors": factors_shown(answer.factors),
        "warnings": answer.warnings,
        "created_at": one.created_at,
    }


def _followed(told: SequenceAnswer) -> dict[str, Any]:
    return {
        "problem": _problem(told.problem),
        "vehicle": told.vehicle,
        "follow_ups": [_follows(rank, one) for rank, one in enumerate(told.following, 1)],
        "basis": told.basis,
        "sample_size": told.sample_size,
        "factors": factors_shown(told.factors),
    }


def _follows(rank: int, one: FollowingRepair) -> dict[str, Any]:
    seen = one.seen
    return {
        "rank": rank,
        "problem": _problem(one.problem),
        "probability": None if seen is None else round(seen.probability, 4),
        "typical_delay_days": None if seen is None else seen.days,
        "lift": None if seen is None else round(seen.lift, 2),
        "sample_size": 0 if seen is None else seen.support,
        "source": "book" if seen is None else "history",
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {"id": problem.id, "slug": problem.slug, "display_name": problem.display_name}
