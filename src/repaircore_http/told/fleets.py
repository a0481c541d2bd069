"""Vehicles of fleets: recalls, signals, health, worth, foretold repairs and planned services."""

from datetime import date, datetime
from typing import Annotated, Generic, NotRequired, TypedDict, TypeVar
from uuid import UUID

from repaircore.fleet.signals import SignalKind, SignalSource
from repaircore.fleet.tires import Position
from repaircore.health.score import Cap, Component, Grade
from repaircore.health.statuses import Compliance, Status
from repaircore.health.tire_estimates import TireLimit
from repaircore.kernel.rules import Described, Range
from repaircore.kernel.views import Count, Dollars, Month, Percent
from repaircore.recalls.campaign_years import CampaignCoverage
from repaircore.recalls.model import RecallSource
from repaircore.recalls.vehicle_recalls import SourceStanding
from repaircore.repair_intervals.expected import Basis, WornFirst
from repaircore.schedules.model import Action
from repaircore.schedules.model import Status as ScheduleStatus
from repaircore.valuation.insurance import Band
from repaircore.valuation.service import OdometerSource
from repaircore_http.told.envelopes import ProblemNamed

T = TypeVar("T")


class FleetVehicle(TypedDict):
    """A vehicle by its VIN; its id is null until its owner tells something of it."""

    id: UUID | None
    vin: str
    display_name: str
    year: int
    make: str
    model: str


class FactorTold(TypedDict):
    """What led to a result: its value (null is not known), its weight, and what it did, in the result's own unit."""

    name: str
    value: float | str | None
    weight: float
    effect: float


class _Named(TypedDict):
    vin: str
    vehicle: FleetVehicle
    warnings: list[str]


class RecallSources(TypedDict):
    """What became of asking each source."""

    imported: SourceStanding
    live: SourceStanding


class RecallModel(TypedDict):
    """The model that a campaign is of, as its source names it."""

    make: str
    model: str
    year: int | None


class Recall(TypedDict):
    """A campaign of the make, model and year; whether it is of this VIN its maker tells."""

    campaign: str
    component: str | None
    summary: str | None
    consequence: str | None
    remedy: str | None
    park_it: bool | None
    park_outside: bool | None
    reported_on: date | None
    named: RecallModel
    confirmed_for_vin: bool
    dealt_with: bool
    dealt_with_at: datetime | None
    sources: list[RecallSource]


class CampaignYears(TypedDict):
    """The years whose campaigns may be of the vehicle, those that a source covers, and those that none does."""

    needed: list[int]
    covered: list[int]
    missing: list[int]


class Recalls(_Named):
    """The campaigns of a vehicle's make, model and year, the newest first.

    ``open_count`` is null when none is open among the years that are covered, but some years are not.
    """

    open_count: Count | None
    park_it: bool
    park_outside: bool
    recalls: list[Recall]
    coverage: CampaignCoverage
    campaign_years: CampaignYears
    sources: RecallSources
    as_of: datetime


class RecallMarked(TypedDict):
    """A campaign that was marked as dealt with, or as open again."""

    vin: str
    vehicle: FleetVehicle
    recall: Recall


class HealthComponent(TypedDict):
    """A part of the score: its value from 0 to 1 (null is not known), its weight, and how many points it moved."""

    name: Component
    value: float | None
    weight: float
    effect: float | None
    as_of: datetime | None
    basis: str


class HealthScore(TypedDict):
    """A score from 0 to 100, how much of it is known (``coverage``, 0 to 1), and what holds it down (``cap``)."""

    score: Percent | None
    grade: Grade | None
    coverage: float
    cap: Cap | None
    components: list[HealthComponent]
    factors: list[FactorTold]
    basis: str
    sample_size: Count
    as_of: datetime


class HealthTold(_Named, HealthScore):
    """How well a vehicle is."""


SignalValue = Annotated[
    object,
    Described(
        "Its type is that of the signal: a number, a date, codes, or a figure for each tire.",
        type=["number", "string", "array", "object"],
    ),
]


class SignalTold(TypedDict):
    """What was told, by whom and when."""

    value: SignalValue
    source: SignalSource
    as_of: datetime


class SignalListed(SignalTold):
    """A signal of a kind."""

    kind: SignalKind


class SignalJudged(SignalTold):
    """A signal, and how it stands."""

    status: Status
    by_tire: NotRequired[dict[Position, Status]]


class ComplianceRecorded(_Named):
    """What was recorded, how every signal stands, whether the vehicle may be on the road, and its health."""

    recorded: list[SignalKind]
    compliance: Compliance
    signals: dict[SignalKind, SignalJudged]
    health: HealthScore


class TireTold(TypedDict):
    """A tire: its health in percent, and tread, age and pressure from 0 (bad) to 1 (good)."""

    health: Percent
    tread: float
    age: float
    pressure: float
    miles_left: Count
    status: Status


class Tires(TypedDict):
    """What is left of a set of tires."""

    health: Percent
    miles_left: Count
    replace_by: date
    limited_by: TireLimit
    worst: Position
    uneven: bool
    tires: dict[Position, TireTold]
    factors: list[FactorTold]
    basis: str
    sample_size: Count
    as_of: datetime


class Covered(TypedDict):
    """Whether a question can be answered of a vehicle, and from which source."""

    name: str
    answered: bool
    source: str | None
    detail: str


class SignalKinds(TypedDict):
    """Which signals are told, and which are still to be told."""

    told: list[SignalKind]
    missing: list[SignalKind]


class Coverage(_Named):
    """What can be answered of a vehicle."""

    answers: list[Covered]
    signals: SignalKinds


class ValueRange(TypedDict):
    """What a vehicle is worth."""

    low: Dollars
    mid: Dollars
    high: Dollars


class ValueOfMonth(TypedDict):
    """What a vehicle was worth in a month, or will be (``projected``)."""

    month: Month
    value: Dollars
    projected: bool


class Odometer(TypedDict):
    """A reading in miles, who told it, and when."""

    miles: float
    source: OdometerSource
    at: datetime


class Valuation(_Named):
    """What a vehicle is worth, and what its mileage adds or takes."""

    as_of: date
    value: ValueRange
    mileage_adjustment: Dollars
    odometer: Odometer | None
    price_trend: list[ValueOfMonth]
    basis: str
    sample_size: Count
    factors: list[FactorTold]


class InsuranceRisk(_Named):
    """How likely the vehicle is to cost its insurer much: 50 is average."""

    as_of: date
    score: Percent
    band: Band
    basis: str
    sample_size: Count
    factors: list[FactorTold]


class Span(TypedDict, Generic[T]):
    """Eight of ten repairs are due from low to high, half of them by mid."""

    low: T
    mid: T
    high: T


class ExpectedReturn(TypedDict):
    """When the repair is due, counted from when it was made; days and odometer where that is told."""

    miles: Span[int]
    months: Span[float]
    first: WornFirst
    dates: Span[date] | None
    odometer: Span[int] | None


class RepairLifecycle(TypedDict):
    """When a repair is needed again."""

    id: int
    vin: str
    vehicle: str
    problem: ProblemNamed
    mileage: Count | None
    performed_on: date | None
    expected_return: ExpectedReturn
    basis: Basis
    sample_size: Count
    factors: list[FactorTold]
    warnings: list[str]
    created_at: datetime


class FollowUp(TypedDict):
    """A repair that follows; the figures are null where the book alone says so."""

    rank: Annotated[int, Range(1)]
    problem: ProblemNamed
    probability: float | None
    typical_delay_days: float | None
    lift: float | None
    sample_size: Count
    source: Basis


class FollowUps(TypedDict):
    """Which repairs typically follow a repair."""

    problem: ProblemNamed
    vehicle: str | None
    follow_ups: list[FollowUp]
    basis: Basis
    sample_size: Count
    factors: list[FactorTold]


class Schedule(TypedDict):
    """A planned service, and how it stands."""

    id: UUID
    vehicle: FleetVehicle
    problem_identifier: str | None
    problem_name: str | None
    title: str
    due_on: date | None
    due_mileage: Count | None
    interval_miles: Count | None
    interval_months: Count | None
    notes: str | None
    status: ScheduleStatus
    odometer: Count | None
    completed_on: date | None
    completed_mileage: Count | None
    allowed_actions: list[Action]
    created_at: datetime
    ended_at: datetime | None
    version: int


class ScheduleChanged(Schedule):
    """A schedule after a change, and the next one that its completion planned."""

    next: Schedule | None


class ScheduleGone(TypedDict):
    """The schedule that was removed."""

    id: UUID


class Connect(TypedDict):
    """Where the driver agrees, and until when."""

    authorization_url: Annotated[str, Described(format="uri")]
    expires_at: datetime


class ConnectedVins(TypedDict):
    """The cars that the driver has connected just now."""

    vins: list[str]


class DriverVins(TypedDict):
    """The cars that a driver has connected."""

    email: str
    vins: list[str]


class CarSignals(TypedDict):
    """What a car told last; null is what was not told."""

    odometer: Count | None
    battery_voltage: float | None
    battery_percent: float | None
    oil_life_percent: float | None
    tire_pressures: dict[str, float]
    dtc_codes: list[str] | None


class CarHealthPart(TypedDict):
    """A part of the score."""

    name: str
    value: float
    weight: float
    effect: float


class CarHealth(TypedDict):
    """How well a car is, from 0 to 100; null as long as nothing is known."""

    score: Percent | None
    grade: Grade | None
    coverage: float
    components: list[CarHealthPart]
    basis: str
    as_of: datetime


class CarSynced(TypedDict):
    """What a car told, and its health since then."""

    vin: str
    measured_at: datetime
    synced_at: datetime
    signals: CarSignals
    health: CarHealth
