"""Diagnoses, conversations and codes as they are told outside: names and values that have a form in JSON; money in dollars."""

from collections.abc import Iterable
from typing import Any, Final

from repaircore.book.model import Problem
from repaircore.diagnosis.advice import Advice, Recommendation
from repaircore.diagnosis.danger import DriverSafety
from repaircore.diagnosis.model import OpenQuestion, Reason, SymptomQuestion
from repaircore.kernel.money import PriceRange, dollars

FIRST_GUESS: Final = "This is a first guess. The answer to the question would tell more."
ONLY_A_GUESS: Final = "This is a first guess. A shop can look at the vehicle itself."

NOTHING_READ: Final = (
    "Nothing in the description points to a repair: these are only the commonest ones. Say in English what the vehicle does,"
    " when, and where it comes from, or give its trouble codes."
)


def certainty_note(advice: Advice) -> str | None:
    """Return the sentence that goes with a diagnosis that is not sure; None when it is."""
    if advice.enough:
        return None
    if not any(one.why for one in advice.recommendations):
        return NOTHING_READ
    return ONLY_A_GUESS if advice.question is None else FIRST_GUESS


def advice_as_wire(advice: Advice) -> dict[str, Any]:
    """Tell the advice, and how it was understood."""
    understood, vehicle = advice.understood, advice.vehicle
    return {
        "success": True,
        "reference": advice.reference,
        "enough": advice.enough,
        "message": certainty_note(advice),
        "safety": safety_as_wire(advice.safety),
        "recommendations": [_recommendation(one) for one in advice.recommendations],
        "question": None if advice.question is None else question_as_wire(advice.question),
        "understood": {
            "present": [one.symptom for one in understood.findings if one.present],
            "absent": [one.symptom for one in understood.findings if not one.present],
            "codes": list(understood.codes),
            "unread": list(understood.unread),
            "mileage": understood.mentions.mileage,
            "powertrain": None
            if understood.mentions.powertrain is None
            else understood.mentions.powertrain.value,
            "year": understood.mentions.year,
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


def reasons_as_wire(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    """Tell what speaks for a repair, or against it."""
    return [{"text": one.text, "weight": round(one.weight, 2)} for one in reasons]


def safety_as_wire(safety: DriverSafety) -> dict[str, Any]:
    """Return whether to drive on, and the warnings."""
    return {
        "stop_driving": safety.stop_driving,
        "warnings": [{"danger": one.danger.value, "text": one.text} for one in safety.warnings],
        "towing": safety.towing,
    }


def _recommendation(one: Recommendation) -> dict[str, Any]:
    problem = one.problem
    told: dict[str, Any] = {
        "problem": _problem(problem),
        "confidence": one.confidence,
        "why": reasons_as_wire(one.why),
        "urgency": problem.urgency.value,
        "safe_to_drive": one.safe_to_drive.value,
        "unexplained": list(one.unexplained),
    }
    return told if one.price is None else {**told, "estimate": _estimate(one.price)}


def _estimate(price: PriceRange) -> dict[str, Any]:
    return {
        "currency": "USD",
        "low_total_estimate": dollars(price.low),
        "average_total_estimate": dollars(price.average),
        "high_total_estimate": dollars(price.high),
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {"id": problem.id, "slug": problem.slug, "display_name": problem.display_name}


def question_as_wire(question: OpenQuestion | SymptomQuestion) -> dict[str, Any]:
    """Return a question with its options and why it is asked."""
    return {"id": question.id, "text": question.text, "options": list(question.options), "why": question.why}
