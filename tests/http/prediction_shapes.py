"""The bodies of predictions, field by field: what is specified, and our additions."""

from typing import Any

from tests.http.shape import moment, money, nullable, number, shaped, uuid


def _percent(value: Any) -> bool:
    return number(value) and 0 <= value <= 100 and round(value, 2) == value


def _model(value: Any) -> bool:
    """Return whether a model has a figure, or else a reason."""
    if value["ai_average_estimate"] is None:
        reason = value["unavailable_reason"]
        return type(reason) is str and reason != "" and set(value) == {*_MODEL, "unavailable_reason"}
    return (
        set(value) == _MODEL and money(value["ai_average_estimate"]) and _percent(value["match_percentage"])
    )


_MODEL = {"ai_average_estimate", "match_percentage", "source"}

ENGINE: dict[str, Any] = {
    "name": nullable(str),
    "displacement_l": nullable(number),
    "cylinders": nullable(int),
    "layout": nullable(str),
    "valve_train": nullable(str),
    "aspiration": nullable(str),
    "cam_drive": nullable(str),
    "fuel": nullable(str),
    "horsepower": nullable(int),
    "battery_kwh": nullable(number),
    "family": nullable(str),
    "code": nullable(str),
    "spark_plugs": nullable(int),
}

FACTS: dict[str, Any] = {
    "engine": lambda value: value is None or shaped(ENGINE, value),
    "possible_engines": lambda value: type(value) is list and all(type(one) is str for one in value),
    "powertrain": nullable(str),
    "drive": nullable(str),
    "possible_drives": lambda value: type(value) is list and all(type(one) is str for one in value),
    "transmission": nullable(str),
    "body": nullable(str),
    "doors": nullable(int),
    "weight_class": nullable(str),
    "brakes": nullable(str),
    "power_steering": nullable(str),
}
"""The mechanical facts in every answer about a vehicle."""

_FIGURES: dict[str, Any] = {
    "red_flag": bool,
    "red_flag_reason": nullable(str),
    "match_percentage": nullable(_percent),
    "aggregated_ai_average": nullable(money),
    "local_prediction": {
        "average_total_estimate": money,
        "low_total_estimate": money,
        "high_total_estimate": money,
        "sample_size": int,
        "effective_sample_size": number,
        "confidence": lambda value: type(value) is int and 0 <= value <= 100,
        "basis": [{"level": nullable(str), "name": str, "invoices": int, "weight": number}],
    },
    "model_a_prediction": _model,
    "model_b_prediction": _model,
    "repair_breakdown": {
        "source": "local_scaled",
        "parts": [{"name": str, "unit_price": money, "quantity": int, "total_price": money}],
        "estimated_labor_hours": number,
        "labor_rate": money,
        "total_labor_cost": money,
        "total_parts_cost": money,
        "total_estimate": money,
    },
    "currency": "USD",
    "vehicle": {
        "id": uuid,
        "vin": nullable(str),
        "display_name": str,
        "make": str,
        "model": str,
        "year": int,
        "trim": nullable(str),
        **FACTS,
    },
    "problem": {"id": int, "slug": str, "display_name": lambda text: text.count(" > ") == 1},
    "region": {
        "zip_code": str,
        "state": str,
        "labor_rate": money,
        "labor_rate_source": str,
        "labor_rate_text": str,
    },
    "explanation": [{"step": str, "text": str, "value": number}],
    "fit": {"outcome": lambda value: value in {"fits", "does_not_fit", "unknown"}, "reason": nullable(str)},
    "parts_tier": nullable(str),
    "parts_tiers": [{"tier": str, "parts_total": money, "total": money, "share": _percent}],
    "warnings": [str],
}

_SESSION: dict[str, Any] = {
    "success": True,
    "session_id": uuid,
    "memory_source": lambda value: value in {"fresh", "cached"},
    "memory_decay_remaining": _percent,
    "memory_expires_at": moment,
}

PREDICTION = {**_SESSION, **_FIGURES}
BY_SPECS = {
    **_SESSION,
    "vehicle_match": {
        "source": lambda value: value in {"database", "catalog", "created"},
        "matched_count": int,
        "vehicle_used": {"id": uuid, "vin": nullable(str), "display_name": str},
    },
    **_FIGURES,
}


def without_session(body: Any) -> dict[str, Any]:
    """Return the fields that are the same for all users while an answer is cached."""
    return {name: value for name, value in body.items() if name not in _SESSION}


def amounts(body: Any) -> list[float]:
    """List every money figure of an estimate, in a fixed order."""
    local, breakdown = body["local_prediction"], body["repair_breakdown"]
    results = [
        *(local[name] for name in ("low_total_estimate", "average_total_estimate", "high_total_estimate")),
        body["aggregated_ai_average"],
        *(body[name]["ai_average_estimate"] for name in ("model_a_prediction", "model_b_prediction")),
        *(tier[name] for tier in body["parts_tiers"] for name in ("parts_total", "total")),
        *(part[name] for part in breakdown["parts"] for name in ("unit_price", "total_price")),
        *(
            breakdown[name]
            for name in ("labor_rate", "total_labor_cost", "total_parts_cost", "total_estimate")
        ),
    ]
    return [amount for amount in results if amount is not None]
