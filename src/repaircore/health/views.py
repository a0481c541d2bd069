"""A vehicle's health, signals, tires and data coverage, as clients see them."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Self

from typing_extensions import override

from repaircore.fleet.model import CoverageItem
from repaircore.fleet.signals import SignalKind, SignalSource
from repaircore.fleet.tires import Position
from repaircore.fleet.views import FactorView, FleetVehicleView, SignalValueView, signal_value, vin_warnings
from repaircore.health.compliance import ComplianceReport
from repaircore.health.components import ComponentScore
from repaircore.health.coverage import CoverageReport
from repaircore.health.score import WEIGHTS, Cap, Component, Grade
from repaircore.health.service import HealthReport
from repaircore.health.statuses import Compliance, Status
from repaircore.health.tire_estimates import TireEstimate, TireLimit
from repaircore.kernel.views import UNSET, Count, Percent, UnsetType, view


@view
class HealthComponentView:
    """A component of the score: its value from 0 to 1 (null if unknown), its weight, and its effect in points."""

    name: Component
    value: float | None
    weight: float
    effect: float | None
    as_of: datetime | None
    basis: str

    @classmethod
    def of(cls, part: ComponentScore, effects: Mapping[Component, float]) -> Self:
        """Return the view of a component."""
        is_known = part.value is not None
        return cls(
            name=part.component,
            value=None if part.value is None else round(part.value, 4),
            weight=WEIGHTS[part.component],
            effect=effects[part.component] + 0.0 if is_known else None,  # no -0.0
            as_of=part.as_of,
            basis=part.basis,
        )


@view
class HealthScoreView:
    """A score from 0 to 100, the known share of the weights (``coverage``, 0 to 1), and what caps it (``cap``)."""

    score: Percent | None
    grade: Grade | None
    coverage: float
    cap: Cap | None
    components: list[HealthComponentView]
    factors: list[FactorView]
    basis: str
    sample_size: Count
    as_of: datetime

    @classmethod
    def of(cls, report: HealthReport) -> Self:
        """Return the view of a score."""
        return cls(**_health_fields(report))


@view
class _VehicleView:
    vin: str
    vehicle: FleetVehicleView


@view
class _WarningsView:
    warnings: list[str]


@view
class VehicleHealthView(_WarningsView, HealthScoreView, _VehicleView):
    """A vehicle's health score, with warnings about its VIN."""

    @classmethod
    @override
    def of(cls, report: HealthReport) -> Self:
        """Return the view of a vehicle's health."""
        return cls(
            vin=report.vehicle.vin,
            vehicle=FleetVehicleView.of(report.vehicle),
            **_health_fields(report),
            warnings=vin_warnings(report.vehicle),
        )


@view
class SignalStatusView:
    """A signal and its status; ``by_tire`` has the status of each tire, and is absent for other signals."""

    status: Status
    by_tire: dict[Position, Status] | UnsetType
    value: SignalValueView
    source: SignalSource
    as_of: datetime

    @classmethod
    def of(cls, report: ComplianceReport, kind: SignalKind) -> Self:
        """Return the view of the newest signal of a kind."""
        signal, by_tire = report.signals[kind], report.statuses.by_tire.get(kind)
        return cls(
            status=report.statuses.by_kind[kind],
            by_tire=UNSET if by_tire is None else {**by_tire},
            value=signal_value(signal),
            source=signal.source,
            as_of=signal.at,
        )


@view
class ComplianceView:
    """The recorded signals, the status of every known signal, whether the vehicle may be driven, and its health."""

    vin: str
    vehicle: FleetVehicleView
    recorded: list[SignalKind]
    compliance: Compliance
    signals: dict[SignalKind, SignalStatusView]
    health: HealthScoreView
    warnings: list[str]

    @classmethod
    def of(cls, report: ComplianceReport) -> Self:
        """Return the view of a report."""
        return cls(
            vin=report.vehicle.vin,
            vehicle=FleetVehicleView.of(report.vehicle),
            recorded=[*report.recorded],
            compliance=report.compliance,
            signals={
                kind: SignalStatusView.of(report, kind) for kind in SignalKind if kind in report.signals
            },
            health=HealthScoreView.of(report.health),
            warnings=[*vin_warnings(report.vehicle), *report.warnings],
        )


@view
class TireView:
    """A tire: its health in percent, and the factors for its tread, age and pressure, from 0 (bad) to 1 (good)."""

    health: Percent
    tread: float
    age: float
    pressure: float
    miles_left: Count
    status: Status

    @classmethod
    def of(cls, estimate: TireEstimate, position: Position) -> Self:
        """Return the view of a tire."""
        tire = estimate.tires.tires[position]
        return cls(
            health=round(100 * tire.health, 1),
            tread=round(tire.tread, 4),
            age=round(tire.age, 4),
            pressure=round(tire.pressure, 4),
            miles_left=round(tire.miles_left),
            status=estimate.statuses[position],
        )


@view
class TireEstimateView:
    """The remaining life of a set of tires."""

    health: Percent
    miles_left: Count
    replace_by: date
    limited_by: TireLimit
    worst: Position
    uneven: bool
    tires: dict[Position, TireView]
    factors: list[FactorView]
    basis: str
    sample_size: Count
    as_of: datetime

    @classmethod
    def of(cls, estimate: TireEstimate) -> Self:
        """Return the view of an estimate."""
        return cls(
            health=estimate.health,
            miles_left=estimate.miles_left,
            replace_by=estimate.replace_by,
            limited_by=estimate.limited_by,
            worst=estimate.tires.worst,
            uneven=estimate.tires.uneven,
            tires={position: TireView.of(estimate, position) for position in estimate.tires.tires},
            factors=[FactorView.of(factor) for factor in estimate.factors],
            basis=estimate.basis,
            sample_size=estimate.sample_size,
            as_of=estimate.as_of,
        )


@view
class CoverageItemView:
    """Whether a question about a vehicle can be answered, and from which source."""

    name: str
    answered: bool
    source: str | None
    detail: str

    @classmethod
    def of(cls, item: CoverageItem) -> Self:
        """Return the view of an item."""
        return cls(name=item.name, answered=item.answered, source=item.source, detail=item.detail)


@view
class SignalKindsView:
    """The kinds of signals: ``told`` were reported, ``missing`` were not."""

    told: list[SignalKind]
    missing: list[SignalKind]


@view
class CoverageView:
    """Which questions about a vehicle can be answered, and which signals were reported."""

    vin: str
    vehicle: FleetVehicleView
    answers: list[CoverageItemView]
    signals: SignalKindsView
    warnings: list[str]

    @classmethod
    def of(cls, report: CoverageReport) -> Self:
        """Return the view of a report."""
        return cls(
            vin=report.vehicle.vin,
            vehicle=FleetVehicleView.of(report.vehicle),
            answers=[CoverageItemView.of(item) for item in report.items],
            signals=SignalKindsView(told=[*report.reported], missing=[*report.missing]),
            warnings=vin_warnings(report.vehicle),
        )


def _health_fields(report: HealthReport) -> dict[str, Any]:
    health = report.health
    return {
        "score": health.score,
        "grade": health.grade,
        "coverage": health.coverage,
        "cap": health.cap,
        "components": [HealthComponentView.of(part, health.effects) for part in report.parts],
        "factors": [FactorView.of(factor) for factor in report.factors],
        "basis": report.basis,
        "sample_size": report.sample_size,
        "as_of": report.as_of,
    }
