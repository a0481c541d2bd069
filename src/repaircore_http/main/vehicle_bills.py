"""The bills of the vehicles in the caller's garage."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.kernel.paging import sort_by
from repaircore.vehicle_bills.model import BILL_SORTS
from repaircore.vehicle_bills.validation import RecordBill
from repaircore.vehicle_bills.views import VehicleBillView
from repaircore_http.core import core
from repaircore_http.envelopes import DataWithMessage, Message
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.routes import Routes

vehicle_bills = Routes(
    "vehicle_bills", url_prefix="/api/v1/fleet/vehicles", auth=Auth.SECRET, dialect=coded, tag="garage"
)


@frozen(kw_only=True)
class ListBills(ListQuery):
    """Sort order and page for the list of bills."""

    sort: Annotated[str, sort_by(*BILL_SORTS)] = ""


@vehicle_bills.get(
    "/<vehicle>/bills", safe=True, query=ListBills, returns=ListPage[VehicleBillView], raises=(NotFound,)
)
def index(vehicle: str) -> Response:
    """List the bills that were recorded for a vehicle, newest first."""
    query, stored, known = read_query(ListBills), core().vehicle_bills, caller()
    return reply_list(
        query,
        lambda request: stored.page(vehicle, request, known),
        VehicleBillView,
        VehicleBillView.of,
        name="bills",
    )


@vehicle_bills.post(
    "/<vehicle>/bills",
    accepts=RecordBill,
    returns=DataWithMessage[VehicleBillView],
    status=201,
    raises=(NotFound, Conflict),
)
def record(vehicle: str) -> Response:
    """Record a bill that was paid for work at any shop; a repair in the book that it names counts as done."""
    served = core().vehicle_bills
    bill = served.record(vehicle, read_body(RecordBill, validate=served.validate), caller())
    return reply(DataWithMessage(message="The bill was recorded.", data=VehicleBillView.of(bill)), 201)


@vehicle_bills.delete("/<vehicle>/bills/<bill>", returns=Message, raises=(NotFound,))
def remove(vehicle: str, bill: str) -> Response:
    """Delete a bill."""
    core().vehicle_bills.remove(vehicle, bill, caller())
    return reply(Message(message="The bill was deleted."))
