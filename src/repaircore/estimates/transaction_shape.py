"""Past repairs as every door presents them."""

from datetime import datetime
from typing import Any

from repaircore.estimates.history import HistoryEntry
from repaircore.estimates.ledger import Choices, Details
from repaircore.estimates.lesson_words import percentages, review_sentence, sentences
from repaircore.kernel.money import Cents, dollars, dollars_or_none, half_up
from repaircore.transactions.listing import Month, Statistics
from repaircore.transactions.model import Lesson, Transaction

__all__ = ["choices_shape", "details_shape", "shape", "stats_shape"]


def shape(one: Transaction) -> dict[str, Any]:
    """Present a transaction."""
    return {
        "id": one.id,
        "vehicle_id": str(one.vehicle_id),
        "facility_id": one.facility_id,
        "problem_id": one.problem_id,
        "session_id": None if one.session_id is None else str(one.session_id),
        "performed_on": one.performed_on.isoformat(),
        "mileage": one.mileage,
        "parts": [
            {"name": part.name, "unit_price": dollars(part.unit_price), "quantity": part.quantity}
            for part in one.parts
        ],
        "labor_hours": one.labor_hours,
        "labor_rate": dollars(one.labor_rate),
        "parts_total": dollars(one.parts_total),
        "labor_total": dollars(one.labor_total),
        "total": dollars(one.total),
        "notes": one.notes,
        "review": one.review,
        "version": one.version,
        "created_at": _moment(one.created_at),
    }


def details_shape(told: Details) -> dict[str, Any]:
    """Present a transaction with what it names, and what was learned from it."""
    one, about, shop = told.transaction, told.vehicle.about, told.facility
    return {
        **shape(one),
        "vehicle": {
            "id": str(told.vehicle.id),
            "vin": told.vehicle.vin,
            "display_name": told.vehicle.display_name,
            "make": about.make,
            "model": about.model,
            "year": about.year,
        },
        "problem": {
            "id": told.problem.id,
            "slug": told.problem.slug,
            "display_name": told.problem.display_name,
        },
        "facility": None
        if shop is None
        else {"id": shop.id, "name": shop.name, "city": shop.city, "state": shop.state},
        "prediction": None if told.prediction is None else _prediction(told.prediction),
        "lesson": _lesson(one.lesson),
        "review_text": review_sentence(review=one.review),
    }


def stats_shape(told: Statistics) -> dict[str, Any]:
    """Present what transactions come to."""
    return {
        "count": told.n,
        "parts_total": dollars(told.parts_total),
        "labor_total": dollars(told.labor_total),
        "total": dollars(told.total),
        "average_parts_total": _mean(told.parts_total, told.n),
        "average_labor_total": _mean(told.labor_total, told.n),
        "average_total": _mean(told.total, told.n),
        "by_month": [_month(month) for month in told.months],
    }


def choices_shape(told: Choices) -> dict[str, Any]:
    """Present what a form may offer."""
    return {
        "problems": [
            {"id": problem.id, "slug": problem.slug, "display_name": problem.display_name}
            for problem in told.problems
        ],
        "facilities": [
            {"id": shop.id, "name": shop.name, "city": shop.city, "state": shop.state}
            for shop in told.facilities
        ],
        "makes": list(told.makes),
    }


def _month(month: Month) -> dict[str, Any]:
    return {
        "month": month.month,
        "count": month.n,
        "parts_total": dollars(month.parts_total),
        "labor_total": dollars(month.labor_total),
        "total": dollars(month.total),
        "average_total": _mean(month.total, month.n),
    }


def _mean(total: Cents, count: int) -> float | None:
    return dollars(half_up(total / count)) if count else None


def _prediction(entry: HistoryEntry) -> dict[str, Any]:
    return {
        "session_id": str(entry.session_id),
        "problem_name": entry.problem_name,
        "local_average_estimate": dollars(entry.local_average),
        "ai_average_estimate": dollars_or_none(entry.ai_average),
        "red_flag": entry.red_flag,
        "created_at": _moment(entry.created_at),
    }


def _lesson(lesson: Lesson | None) -> dict[str, Any]:
    told = None if lesson is None else percentages(lesson)
    return {
        "learned": told is not None,
        "price_against_book_percent": None if told is None else told.price,
        "hours_against_book_percent": None if told is None else told.hours,
        "labor_share_percent": None if told is None else told.labor_share,
        "text": sentences(lesson),
    }


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="seconds")[:19] + "Z"  # times inside are UTC
