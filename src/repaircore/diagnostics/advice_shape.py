"""Advice as it is told outside: names and values that have a form in JSON; money in dollars."""

from typing import Any, Final

from repaircore.diagnostics.advice import Advice, Recommendation
from repaircore.kernel.money import PriceRange, dollars

__all__ = ["NOT_ENOUGH", "advice_as_wire"]

NOT_ENOUGH: Final = "There is not enough information to say what is needed."


def advice_as_wire(advice: Advice) -> dict[str, Any]:
    """Tell the advice, and how it was understood."""
    understood, vehicle = advice.understood, advice.vehicle
    return {
        "success": True,
        "enough": advice.enough,
        "message": None if advice.enough else NOT_ENOUGH,
        "recommendations": [_recommendation(one) for one in advice.recommendations],
        "question": None
        if advice.question is None
        else {
            "id": advice.question.id,
            "text": advice.question.text,
            "options": list(advice.question.options),
        },
        "understood": {
            "present": [one.symptom for one in understood.findings if one.present],
            "absent": [one.symptom for one in understood.findings if not one.present],
            "codes": list(understood.codes),
            "unread": list(understood.unread),
        },
        "vehicle": None
        if vehicle is None
        else {
            "vin": advice.vin,
            "display_name": vehicle.display_name,
            "year": vehicle.year,
            "make": vehicle.make,
            "model": vehicle.model,
        },
        "warnings": list(advice.warnings),
    }


def _recommendation(one: Recommendation) -> dict[str, Any]:
    problem = one.problem
    told: dict[str, Any] = {
        "problem": {"id": problem.id, "slug": problem.slug, "display_name": problem.display_name},
        "confidence": one.confidence,
        "why": [{"text": reason.text, "weight": round(reason.weight, 2)} for reason in one.why],
        "urgency": problem.urgency.value,
        "safe_to_drive": problem.safe_to_drive.value,
    }
    return told if one.price is None else {**told, "estimate": _estimate(one.price)}


def _estimate(price: PriceRange) -> dict[str, Any]:
    return {
        "currency": "USD",
        "low_total_estimate": dollars(price.low),
        "average_total_estimate": dollars(price.average),
        "high_total_estimate": dollars(price.high),
    }
