"""What operators see of regions, transactions and settings."""

from datetime import date, datetime
from typing import TypedDict
from uuid import UUID

from repaircore.kernel.views import Count, Dollars, Month
from repaircore_http.told.envelopes import ProblemNamed


class Region(TypedDict):
    """A shop that labor rates come from; ``sample_size`` counts the invoices behind its rate."""

    id: int
    facility_name: str
    city: str | None
    state: str | None
    zip_code: str | None
    country: str | None
    avg_labor_rate: Dollars | None
    sample_size: Count
    created_at: datetime


class StateListed(TypedDict):
    """The regions of a state; null are those of which none is told."""

    state: str | None
    count: Count
    with_labor_rate: Count
    avg_labor_rate: Dollars | None


class RegionMonth(TypedDict):
    """What regions invoiced in a month."""

    month: Month
    transactions: Count
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars


class RegionStats(TypedDict):
    """All regions together."""

    total: Count
    with_labor_rate: Count
    states: Count
    avg_labor_rate: Dollars | None
    min_labor_rate: Dollars | None
    max_labor_rate: Dollars | None
    sample_size: Count
    transactions: Count
    parts_total: Dollars
    labor_total: Dollars
    by_month: list[RegionMonth]


class Recalculated(TypedDict):
    """How many regions have a new rate, and how many had too few invoices for one."""

    updated: Count
    skipped: Count


class TransactionPart(TypedDict):
    """A line of parts."""

    name: str
    unit_price: Dollars
    quantity: Count


class TransactionKept(TypedDict):
    """A past repair; the totals follow from the rest. ``car`` is ``told`` when its car is known by its VIN."""

    id: int
    vehicle_id: UUID
    facility_id: int | None
    problem_id: int
    car: str | None
    session_id: UUID | None
    performed_on: date
    mileage: Count | None
    parts: list[TransactionPart]
    labor_hours: float
    labor_rate: Dollars
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars
    notes: str | None
    review: bool
    version: int
    created_at: datetime


class TransactionVehicle(TypedDict):
    """The vehicle that was repaired."""

    id: UUID
    vin: str | None
    display_name: str
    make: str
    model: str
    year: int


class FacilityNamed(TypedDict):
    """The shop that made the repair."""

    id: int
    name: str
    city: str | None
    state: str | None


class TransactionPrediction(TypedDict):
    """What was predicted of it."""

    session_id: UUID
    problem_name: str
    local_average_estimate: Dollars
    ai_average_estimate: Dollars | None
    red_flag: bool
    created_at: datetime


class Lesson(TypedDict):
    """What was learned from it, in percent of what the book says."""

    learned: bool
    price_against_book_percent: float | None
    hours_against_book_percent: float | None
    labor_share_percent: float | None
    text: list[str]


class TransactionDetails(TransactionKept):
    """A past repair with what it names, and what was learned from it."""

    vehicle: TransactionVehicle
    problem: ProblemNamed
    facility: FacilityNamed | None
    prediction: TransactionPrediction | None
    lesson: Lesson
    review_text: str | None


class TransactionMonth(TypedDict):
    """The repairs of a month."""

    month: Month
    count: Count
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars
    average_total: Dollars | None


class TransactionStats(TypedDict):
    """What transactions come to."""

    count: Count
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars
    average_parts_total: Dollars | None
    average_labor_total: Dollars | None
    average_total: Dollars | None
    by_month: list[TransactionMonth]


class TransactionOptions(TypedDict):
    """What a form may offer."""

    problems: list[ProblemNamed]
    facilities: list[FacilityNamed]
    makes: list[str]
