"""A prediction as it is told outside: plain dicts, lists, numbers and texts under the specified names.

The HTTP body and the command line's ``--json`` are both made here, so that they cannot differ. Money is
in dollars with two decimals, times are UTC in ISO 8601 with ``Z``.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

from repaircore.kernel.money import dollars_or_none
from repaircore.kernel.views import iso_utc
from repaircore.predictions.model import (
    Figures,
    LocalFigures,
    ModelFigures,
    Prediction,
    TierFigures,
    VehicleNamed,
)
from repaircore.pricing.model import Basis, Breakdown, ExplanationStep, PartLine
from repaircore.vehicle_facts.views import facts_shape
from repaircore.vehicles.vin import mask_tail

if TYPE_CHECKING:
    from repaircore.vehicles.matching import Match


Wire: TypeAlias = dict[str, Any]


def as_wire(prediction: Prediction) -> Wire:
    """Give the whole body of an answer, in the order of the specification.

    ``vehicle_match`` stands in it only when specs led to the vehicle; VINs are masked then, for the caller told none.
    """
    return {
        **opening_as_wire(prediction),
        **figures_as_wire(prediction.figures, masked=prediction.match is not None),
        **closing_as_wire(prediction),
    }


def opening_as_wire(prediction: Prediction) -> Wire:
    """Give the part of the body before the figures, which is this answer's own."""
    body = {
        "success": True,
        "session_id": str(prediction.session_id),
        "memory_source": prediction.source.value,
        "memory_decay_remaining": prediction.remaining,
        "memory_expires_at": iso_utc(prediction.expires_at),
    }
    if prediction.match is not None:
        body["vehicle_match"] = _match(prediction.match)
    return body


def figures_as_wire(figures: Figures, *, masked: bool = False) -> Wire:
    """Give the part of the body that is the same for everybody who asks, as long as it is remembered."""
    return {
        "red_flag": figures.red_flag,
        "red_flag_reason": figures.red_flag_reason,
        "match_percentage": figures.match,
        "aggregated_ai_average": dollars_or_none(figures.ai_average),
        "local_prediction": _local(figures.local),
        "model_a_prediction": _model(figures.model_a),
        "model_b_prediction": _model(figures.model_b),
        "repair_breakdown": _breakdown(figures.breakdown),
        "currency": "USD",
        "vehicle": _vehicle(figures.vehicle, masked=masked),
        "problem": {
            "id": figures.problem.id,
            "slug": figures.problem.slug,
            "display_name": figures.problem.display_name,
        },
        "region": {
            "zip_code": figures.region.zip_code,
            "state": figures.region.state,
            "labor_rate": figures.region.labor_rate / 100,
            "labor_rate_source": figures.region.labor_rate_source,
            "labor_rate_text": figures.region.labor_rate_text,
        },
        "explanation": [_step(step) for step in figures.explanation],
        "fit": {"outcome": figures.fit.outcome, "reason": figures.fit.reason},
        "parts_tier": None if figures.parts_tier is None else figures.parts_tier.value,
        "parts_tiers": [_tier(one) for one in figures.parts_tiers],
    }


def closing_as_wire(prediction: Prediction) -> Wire:
    """Give the part of the body after the figures, which is this answer's own."""
    return {"warnings": [*prediction.warnings]}


def _match(match: "Match") -> Wire:
    vehicle = match.vehicle
    return {
        "source": match.source.value,
        "matched_count": match.count,
        "vehicle_used": {
            "id": str(vehicle.id),
            "vin": None if vehicle.vin is None else mask_tail(vehicle.vin),
            "display_name": vehicle.display_name,
        },
    }


def _local(local: LocalFigures) -> Wire:
    return {
        "average_total_estimate": local.average / 100,
        "low_total_estimate": local.low / 100,
        "high_total_estimate": local.high / 100,
        "sample_size": local.sample_size,
        "effective_sample_size": round(local.effective_sample_size, 2),
        "confidence": local.confidence,
        "basis": [_basis(basis) for basis in local.basis],
    }


def _basis(basis: Basis) -> Wire:
    return {
        "level": None if basis.level is None else basis.level.value,
        "name": basis.name,
        "invoices": basis.invoices,
        "weight": basis.weight,
    }


def _model(model: ModelFigures) -> Wire:
    told: Wire = {
        "ai_average_estimate": dollars_or_none(model.average),
        "match_percentage": model.match,
        "source": model.source,
    }
    if model.unavailable_reason is not None:
        told["unavailable_reason"] = model.unavailable_reason
    return told


def _breakdown(breakdown: Breakdown) -> Wire:
    parts, labor = breakdown.parts_total, breakdown.labor_total
    return {
        "source": breakdown.source,
        "parts": [_part(line) for line in breakdown.parts],
        "estimated_labor_hours": breakdown.labor_hours,
        "labor_rate": breakdown.labor_rate / 100,
        "total_labor_cost": labor / 100,
        "total_parts_cost": parts / 100,
        "total_estimate": (parts + labor) / 100,
    }


def _part(line: PartLine) -> Wire:
    return {
        "name": line.name,
        "unit_price": line.unit_price / 100,
        "quantity": line.quantity,
        "total_price": line.total / 100,
    }


def _vehicle(vehicle: VehicleNamed, *, masked: bool) -> Wire:
    return {
        "id": str(vehicle.id),
        "vin": mask_tail(vehicle.vin) if masked and vehicle.vin is not None else vehicle.vin,
        "display_name": vehicle.display_name,
        "make": vehicle.make,
        "model": vehicle.model,
        "year": vehicle.year,
        "trim": vehicle.trim,
        **facts_shape(vehicle.facts),
    }


def _tier(one: TierFigures) -> Wire:
    return {
        "tier": one.tier.value,
        "parts_total": one.parts_total / 100,
        "total": one.total / 100,
        "share": one.share,
    }


def _step(step: ExplanationStep) -> Wire:
    return {"step": step.name, "text": step.text, "value": step.value}
