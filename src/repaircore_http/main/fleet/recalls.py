"""Safety recalls of a vehicle."""

from typing import Final

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Invalid
from repaircore.recalls.views import MarkedRecallView, RecallsView
from repaircore_http.core import core
from repaircore_http.envelopes import DataWithMessage
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

recalls = Routes("fleet_recalls", url_prefix="/api/v1/fleet", auth=Auth.SECRET, dialect=coded, tag="fleet")

_NOT_CONFIRMED: Final = (
    "NHTSA campaigns for this make, model and year, not confirmed for this VIN. To find out whether a campaign covers this"
    " vehicle and whether it was repaired, ask the manufacturer or check https://www.nhtsa.gov/recalls."
)


@frozen(kw_only=True)
class MarkRecall:
    """Whether the campaign's repair was done; false removes the mark."""

    dealt_with: bool = True


@recalls.get("/compliance/recalls/<vin>", safe=True, returns=DataWithMessage[RecallsView], raises=(Invalid,))
def index(vin: str) -> Response:
    """List the recall campaigns for the make, model and year of a VIN, newest first."""
    found = core().vehicle_recalls.of(vin, caller())
    message = " ".join(filter(None, (_NOT_CONFIRMED, found.years.gap)))
    return reply(DataWithMessage(message=message, data=RecallsView.of(found)))


@recalls.post(
    "/vehicles/<vin>/recalls/<campaign>/resolve",
    accepts=MarkRecall,
    returns=DataWithMessage[MarkedRecallView],
)
def resolve(vin: str, campaign: str) -> Response:
    """Mark a campaign as done on a vehicle, or as open again."""
    is_done = read_body(MarkRecall).dealt_with
    vehicle, marked = core().vehicle_recalls.mark(vin, campaign, caller(), dealt_with=is_done)
    message = "The recall is marked as done." if is_done else "The recall is open again."
    return reply(DataWithMessage(message=message, data=MarkedRecallView.of(vehicle, marked)))
