"""Visits for contract tests."""

from datetime import UTC, date, datetime
from typing import Any

from repaircore.facilities.sales_taxes import LaborTax
from repaircore.kernel.callers import Environment
from repaircore.pricing.model import PartLine, PartsTier
from repaircore.visits.model import (
    AppliedTax,
    Charges,
    Discount,
    Estimate,
    LineKind,
    LineSaving,
    PricedLine,
    RequestedLine,
    Supplies,
    Totals,
    Visit,
    VisitCustomer,
    VisitPlace,
    VisitVehicle,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)

PADS = PricedLine(
    requested=RequestedLine(id=1, kind=LineKind.REPAIR, problem_id=101, parts_tier=PartsTier.OEM),
    description="Brakes > Front Brake Pads",
    problem_slug="brake-pads-front",
    parts_tier=PartsTier.OEM,
    items=(PartLine(name="Front brake pad set", unit_price=71_00, quantity=1),),
    parts=71_00,
    labor=150_00,
    hours=1.0,
    rate=150_00,
    apart=236_00,
    low=150_00,
    average=221_00,
    high=300_00,
    savings=(LineSaving(other=2, hours=0.1, labor=15_00, parts=0, reason="The wheel is off already."),),
)
TOWING = PricedLine(
    requested=RequestedLine(id=2, kind=LineKind.FEE, description="Towing", price=80_00),
    description="Towing",
    parts=0,
    labor=0,
    fee=80_00,
    apart=80_00,
    low=80_00,
    average=80_00,
    high=80_00,
)
TAX = AppliedTax(
    state="NY",
    percent=8.55,
    labor=LaborTax.TAXED,
    base=221_00,
    amount=18_90,
    low=8_84,
    high=19_61,
    text="NY sales tax on parts and labor.",
)
ESTIMATE = Estimate(
    vehicle=VisitVehicle(
        vin="1HGCM82633A004352",
        year=2003,
        make="Honda",
        model="Accord",
        trim="EX",
        engine="3.0L V6",
        display_name="2003 Honda Accord EX",
    ),
    place=VisitPlace(
        zip_code="10001", state="NY", labor_rate=150_00, labor_rate_source="state_table", labor_rate_text="…"
    ),
    mileage=88_000,
    charges=Charges(supplies=Supplies(percent=7.0, cap=45_00), discount=Discount(amount=10_00)),
    lines=(PADS, TOWING),
    totals=Totals(
        parts=71_00,
        labor=150_00,
        fees=80_00,
        saved=15_00,
        supplies=10_50,
        supplies_text="7% of labor",
        discount=10_00,
        tax=TAX,
        total=320_40,
        low=260_00,
        high=400_00,
    ),
    warnings=("fit_unknown",),
)
ADA = VisitCustomer(name="Ada Lovelace", email="Ada@Example.org", phone="+13105550123")


def a_visit(number: int = 1, **changes: Any) -> Visit:
    """Return a visit by its number of the day."""
    usual: dict[str, Any] = {
        "environment": Environment.LIVE,
        "owner_id": 7,
        "estimate": ESTIMATE,
        "customer": ADA,
        "notes": "Waits for a call.",
        "valid_until": date(2026, 2, 1),
        "estimated_at": NOW,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Visit(number=f"V-20260102-{number:06}", **{**usual, **changes})
