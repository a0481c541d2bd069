"""The signals that vehicles report, such as odometer readings."""

from attrs import frozen
from flask import Response

from repaircore.fleet.signals import SignalKind, SignalReading
from repaircore.fleet.views import SignalView
from repaircore.health.views import ComplianceView
from repaircore_http.core import core
from repaircore_http.envelopes import DataPage, DataWithMessage
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.paging import PageQuery
from repaircore_http.routes import Routes

compliance = Routes(
    "fleet_compliance", url_prefix="/api/v1/fleet/vehicles", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@frozen(kw_only=True)
class ListSignals(PageQuery):
    """Filter (kind) and page for the list of signals."""

    kind: SignalKind | None = None


@compliance.post("/<vehicle>/compliance", accepts=SignalReading, returns=DataWithMessage[ComplianceView])
def record(vehicle: str) -> Response:
    """Record signals of a vehicle, rate each, and update its health score."""
    report = core().compliance.record(vehicle, read_body(SignalReading), caller())
    answer = DataWithMessage(message="The signals were recorded.", data=ComplianceView.of(report))
    return reply(answer)


@compliance.get("/<vehicle>/signals", safe=True, query=ListSignals, returns=DataPage[SignalView])
def history(vehicle: str) -> Response:
    """List a vehicle's signals, newest first, paginated."""
    query = read_query(ListSignals)
    page = core().fleet.history(
        vehicle, caller(), kind=query.kind, number=query.page, per_page=query.per_page
    )
    return reply(DataPage.of(page, SignalView.of))
