"""Read the request for an estimate from its form, and fill in other forms for the same vehicle."""

from typing import Any, Final, TypeVar

from flask import current_app, url_for

from repaircore.kernel.engine_names import only_engine_name
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors
from repaircore.predictions.model import Figures, PredictBySpecs, PredictByVin
from repaircore_http.console.estimate_form import (
    chosen_engine,
    find_repair,
    has_typed,
    repair_error,
    typed_text,
)
from repaircore_http.console.forms import partly_filled
from repaircore_http.core import core

SPECS: Final = ("year", "make", "model")
_NUMBERS: Final = ("mileage", "year")

T = TypeVar("T", PredictByVin, PredictBySpecs)


def is_by_vin() -> bool:
    """Return whether the form identifies the vehicle by VIN; also true if it has no vehicle at all."""
    return has_typed("vin") or not has_typed(*SPECS)


def read_request(shape: type[T]) -> T:
    """Return the request in the form; a repair that is given in words is looked up.

    Raises:
        Invalid: with every bad field.
    """
    repair, engine = find_repair(), chosen_engine()
    extra: dict[str, object] = {} if repair is None else {"problem_identifier": repair.slug}
    if shape is PredictBySpecs and engine is not None:
        extra["engine"] = engine
    good, errors = partly_filled(shape, numbers=_NUMBERS, **extra)
    if "engine" in errors:
        extra["engine"] = typed_text("engine")
    errors = {**errors, **core().predictions.validate(**{**extra, **good})}
    if repair is None:
        errors.pop("problem_identifier", None)
        errors["problem"] = [repair_error()]
    if shape is PredictByVin:
        errors |= _vin_errors(errors.get("vin", []))
    if errors:
        raise Invalid(errors)
    return shape(**good)


def _vin_errors(errors: list[str]) -> FieldErrors:
    if not has_typed("vin"):
        return {"vin": ["Enter a VIN, or the year, make and model."]}
    if has_typed(*SPECS, "engine"):
        return {"vin": [*errors, "Enter either a VIN or year, make, model and engine, not both."]}
    return {}


def same_vehicle(figures: Figures) -> dict[str, Any]:
    """Return the fields of a form about the same vehicle at the same place, without any VIN."""
    vehicle = figures.vehicle
    engine = only_engine_name(vehicle.facts.engines)
    return {
        "year": str(vehicle.year),
        "make": vehicle.make,
        "model": vehicle.model,
        **({} if engine is None else {"engine": engine}),
        "zip_code": figures.region.zip_code,
    }


def same_question(figures: Figures, *, mileage: int | None = None) -> dict[str, Any]:
    """Return the fields of a form that asks for the same estimate, without any VIN."""
    miles = {} if mileage is None else {"mileage": str(mileage)}
    return {**same_vehicle(figures), "problem": figures.problem.slug, **miles}


def quote_address(figures: Figures) -> str | None:
    """Return the address of the quote check for the same vehicle and place, or None if the public pages are closed."""
    if "quote_check.index" not in current_app.view_functions:
        return None
    return url_for("quote_check.index", **same_vehicle(figures))
