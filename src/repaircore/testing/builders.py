"""Builders for complete, ordinary values, so that a test states only what matters to it."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from attrs import evolve

from repaircore.book.model import (
    Category,
    Fits,
    PartNeed,
    Problem,
    Recurrence,
    Safety,
    Symptom,
    Urgency,
    Wear,
)
from repaircore.predictions.model import (
    EstimatedProblem,
    EstimatedRegion,
    EstimatedVehicle,
    Figures,
    LocalFigures,
    ModelFigures,
)
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartLine, PriceQuestion
from repaircore.recalls.model import Campaign, RecalledVehicle, RecallSource
from repaircore.vehicle_facts.model import Factors, VehicleSpecs
from repaircore.vehicles.model import Vehicle


def a_problem(**changes: Any) -> Problem:
    """Build a brake job: 1.5 hours, $120.00 in parts, $220.00 to $480.00 nationwide."""
    return evolve(_BRAKES, **changes)


def a_vehicle(**changes: Any) -> Vehicle:
    """Build a 2018 Honda Accord; ``specs`` overrides decoded fields."""
    return evolve(_ACCORD, **changes)


def a_campaign(**changes: Any) -> Campaign:
    """Build a recall campaign from January 2024."""
    return evolve(_PUMP, **changes)


def a_recalled_vehicle(**changes: Any) -> RecalledVehicle:
    """Build the 2003 Honda Accord as a vehicle that ``a_campaign`` recalls."""
    return evolve(_RECALLED, **changes)


def a_question(**changes: Any) -> PriceQuestion:
    """Build the question for the price of the brake job on the Accord in Ohio, at $130.00 an hour."""
    return evolve(_QUESTION, **changes)


def some_figures(**changes: Any) -> Figures:
    """Build the figures for ``a_question``: $315.00 by the book, with both models close to it."""
    return evolve(_FIGURES, **changes)


_PUMP = Campaign(
    campaign="24V901000",
    summary="The fuel pump may seize.",
    consequence="The engine may stall.",
    remedy="Dealers will replace the pump.",
    park_it=False,
    park_outside=False,
    reported_on=date(2024, 1, 15),
    source=RecallSource.FLAT_FILE,
)

_RECALLED = RecalledVehicle(
    campaign="24V901000", make="Honda", model="Accord", year=2003, component="FUEL SYSTEM"
)

_BRAKES = Problem(
    id=101,
    slug="front-brake-pads",
    name="Front brake pads",
    description="The front pads are worn and are replaced.",
    parent=Category(id=1, slug="brakes", name="Brakes", description="What stops the vehicle."),
    labor_hours=1.5,
    parts=(
        PartNeed(name="Front brake pad set", quantity=1, price=70_00),
        PartNeed(name="Front brake rotor", quantity=2, price=25_00),
    ),
    low=220_00,
    high=480_00,
    recurrence=Recurrence(miles=40_000, months=48, kind=Wear.WEAR),
    urgency=Urgency.SOON,
    safe_to_drive=Safety.SHORT,
    symptoms=(Symptom(slug="squeaking-when-braking", share=0.7),),
    fits=Fits(),
    followups=(),
    keywords=("squeaky brakes",),
)

_ACCORD = Vehicle(
    id=UUID("01890000-0000-7000-8000-000000000001"),
    vin="1HGCV1F34JA",
    specs=VehicleSpecs(make="Honda", model="Accord", year=2018, trim="EX", engine="1.5L 4-cyl", source="vin"),
    created_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
)

_QUESTION = PriceQuestion(
    vehicle=_ACCORD,
    factors=Factors(labor=1.0, parts=1.0),
    problem=_BRAKES,
    state="OH",
    labor_rate=130_00,
    national_rate=140_00,
    price_level=1.0,
    year=2026,
    mileage=72_500,
)

_FIGURES = Figures(
    vehicle=EstimatedVehicle(
        id=_ACCORD.id,
        vin=_ACCORD.vin,
        display_name=_ACCORD.display_name,
        make="Honda",
        model="Accord",
        year=2018,
        trim="EX",
        engine="1.5L 4-cyl",
    ),
    problem=EstimatedProblem(id=_BRAKES.id, slug=_BRAKES.slug, display_name=_BRAKES.display_name),
    region=EstimatedRegion(
        zip_code="43004",
        state="OH",
        labor_rate=130_00,
        labor_rate_source="state_table",
        labor_rate_text="$130.00 an hour: the average of OH in the table.",
    ),
    local=LocalFigures(
        low=240_00,
        average=315_00,
        high=420_00,
        sample_size=0,
        effective_sample_size=0.0,
        confidence=51,
        basis=(Basis(level=None, name="the repair book", invoices=0, weight=100.0),),
    ),
    breakdown=Breakdown(
        parts=(
            PartLine(name="Front brake pad set", unit_price=70_00, quantity=1),
            PartLine(name="Front brake rotor", unit_price=25_00, quantity=2),
        ),
        labor_hours=1.5,
        labor_rate=130_00,
    ),
    model_a=ModelFigures(average=315_00, match=100.0, source="offline", unavailable_reason=None),
    model_b=ModelFigures(average=300_00, match=95.24, source="offline", unavailable_reason=None),
    ai_average=307_41,
    match=97.59,
    red_flag=False,
    red_flag_reason=None,
    explanation=(
        ExplanationStep(name="book", text="The book expects 1.50 h and $120.00 of parts.", value=315.0),
    ),
    warnings=(),
    partial=False,
)
