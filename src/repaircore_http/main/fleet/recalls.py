"""Safety recalls of a vehicle."""

from typing import Final

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Invalid
from repaircore.recalls.open_recalls import ListedRecall
from repaircore.recalls.vehicle_recalls import RecallsOfVehicle, SourceStanding
from repaircore_http.core import core
from repaircore_http.envelopes import DataWithMessage
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.main.fleet.shown import vehicle_shown, warnings_of
from repaircore_http.routes import Routes
from repaircore_http.told.fleets import RecallMarked, Recalls

recalls = Routes("fleet_recalls", url_prefix="/api/v1/fleet", auth=Auth.SECRET, dialect=coded, tag="fleet")

_MESSAGE: Final = (
    "NHTSA campaigns for this make, model and year, not confirmed for this VIN. Whether this very vehicle is meant, and"
    " whether it was repaired, its maker or https://www.nhtsa.gov/recalls tells."
)


@frozen(kw_only=True)
class MarkRecall:
    """Whether a campaign was dealt with; false takes the mark back."""

    dealt_with: bool = True


@recalls.get("/compliance/recalls/<vin>", safe=True, returns=DataWithMessage[Recalls], raises=(Invalid,))
def index(vin: str) -> Response:
    """List the recall campaigns of the make, model and year of a VIN, the newest first."""
    found = core().vehicle_recalls.of(vin, caller())
    message = " ".join(filter(None, (_MESSAGE, found.years.gap)))
    return reply({"success": True, "message": message, "data": _listed(found)})


@recalls.post(
    "/vehicles/<vin>/recalls/<campaign>/resolve", accepts=MarkRecall, returns=DataWithMessage[RecallMarked]
)
def resolve(vin: str, campaign: str) -> Response:
    """Note that the owner had a campaign dealt with on their vehicle."""
    asked = read_body(MarkRecall)
    vehicle, marked = core().vehicle_recalls.mark(vin, campaign, caller(), dealt_with=asked.dealt_with)
    message = (
        "The recall is marked as dealt with." if asked.dealt_with else "The recall counts as open again."
    )
    data = {"vin": vehicle.vin, "vehicle": vehicle_shown(vehicle), "recall": _recall(marked)}
    return reply({"success": True, "message": message, "data": data})


def _listed(found: RecallsOfVehicle) -> dict[str, object]:
    open_ones = found.open_ones
    unavailable = ["live_recall_source_unavailable"] if found.live is SourceStanding.UNAVAILABLE else []
    partial = [] if found.is_complete else ["recalls_partly_covered"]
    return {
        "vin": found.vehicle.vin,
        "vehicle": vehicle_shown(found.vehicle),
        "open_count": found.open_count,
        "park_it": any(one.campaign.park_it for one in open_ones),
        "park_outside": any(one.campaign.park_outside for one in open_ones),
        "recalls": [_recall(one) for one in found.recalls],
        "coverage": found.years.coverage,
        "campaign_years": {
            "needed": found.years.needed,
            "covered": found.years.covered,
            "missing": found.years.missing,
        },
        "sources": {"imported": found.imported, "live": found.live},
        "as_of": found.as_of,
        "warnings": [*warnings_of(found.vehicle), *unavailable, *partial],
    }


def _recall(one: ListedRecall) -> dict[str, object]:
    campaign, vehicle = one.campaign, one.vehicle
    return {
        "campaign": one.number,
        "component": vehicle.component,
        "summary": campaign.summary,
        "consequence": campaign.consequence,
        "remedy": campaign.remedy,
        "park_it": campaign.park_it,
        "park_outside": campaign.park_outside,
        "reported_on": campaign.reported_on,
        "named": {"make": vehicle.make, "model": vehicle.model, "year": vehicle.year},
        "confirmed_for_vin": False,
        "dealt_with": not one.is_open,
        "dealt_with_at": one.dealt_with_at,
        "sources": one.sources,
    }
