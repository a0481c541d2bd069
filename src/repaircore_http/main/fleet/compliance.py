"""What is told of a vehicle from time to time: taken in, and listed."""

from attrs import frozen
from flask import Response

from repaircore.fleet.signals import ByPosition, Signal, SignalKind, SignalReading, SignalValue
from repaircore.health.compliance import ComplianceReport
from repaircore_http.core import core
from repaircore_http.envelopes import DataPage, DataWithMessage
from repaircore_http.errors import coded
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.main.fleet.shown import health_shown, vehicle_shown, warnings_of
from repaircore_http.paging import PageQuery, meta
from repaircore_http.routes import Routes
from repaircore_http.told.fleets import ComplianceRecorded, SignalListed

compliance = Routes(
    "fleet_compliance", url_prefix="/api/v1/fleet/vehicles", auth=Auth.SECRET, dialect=coded, tag="fleet"
)


@frozen(kw_only=True)
class ListSignals(PageQuery):
    """Which signals, and which page of them."""

    kind: SignalKind | None = None


@compliance.post("/<vehicle>/compliance", accepts=SignalReading, returns=DataWithMessage[ComplianceRecorded])
def record(vehicle: str) -> Response:
    """Keep the signals of a vehicle, judge each, and score its health anew."""
    served = core().compliance
    report = served.record(vehicle, read_body(SignalReading, validate=served.validate), caller())
    return reply({"success": True, "message": "The signals are recorded.", "data": _shown(report)})


@compliance.get("/<vehicle>/signals", safe=True, query=ListSignals, returns=DataPage[SignalListed])
def history(vehicle: str) -> Response:
    """List what was told of a vehicle, the newest first, in pages."""
    asked = read_query(ListSignals)
    page = core().fleet.history(
        vehicle, caller(), kind=asked.kind, number=asked.page, per_page=asked.per_page
    )
    data = [{"kind": signal.kind, **_signal(signal)} for signal in page]
    return reply({"success": True, "data": data, "meta": meta(page)})


def _shown(report: ComplianceReport) -> dict[str, object]:
    return {
        "vin": report.vehicle.vin,
        "vehicle": vehicle_shown(report.vehicle),
        "recorded": report.recorded,
        "compliance": report.compliance,
        "signals": {
            kind.value: _judged(report, kind, report.signals[kind])
            for kind in SignalKind
            if kind in report.signals
        },
        "health": health_shown(report.health),
        "warnings": [*warnings_of(report.vehicle), *report.warnings],
    }


def _judged(report: ComplianceReport, kind: SignalKind, signal: Signal) -> dict[str, object]:
    tires = report.statuses.by_tire.get(kind)
    by_tire = {} if tires is None else {"by_tire": {tire.value: status for tire, status in tires.items()}}
    return {"status": report.statuses.by_kind[kind], **by_tire, **_signal(signal)}


def _signal(signal: Signal) -> dict[str, object]:
    return {"value": _value(signal.value), "source": signal.source, "as_of": signal.at}


def _value(value: SignalValue) -> object:
    if isinstance(value, ByPosition):
        return {tire.value: figure for tire, figure in value.told().items()}
    return value
