"""Checks of a request that need a look-up, or say more than one sentence."""

from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any, Final

from attrs import fields

from repaircore.facilities.zip_code import zip5
from repaircore.kernel.rules import sentence
from repaircore.predictions.model import PredictBySpecs, PredictByVin
from repaircore.pricing.model import PartsTier
from repaircore.vehicles import vin as vins

NO_SUCH_PROBLEM: Final = "must be the id or the slug of a repair"
NO_SUCH_ZIP: Final = "must be a US ZIP code that is in use"

CHOICES: Final = ("engine", "parts_tier")
"""The fields whose sentences list what is possible, even where their type is wrong."""

_FIELDS: Final[Mapping[type[PredictByVin | PredictBySpecs], tuple[str, ...]]] = {
    PredictByVin: tuple(field.name for field in fields(PredictByVin)),
    PredictBySpecs: tuple(field.name for field in fields(PredictBySpecs)),
}


def is_well_typed(request: PredictByVin) -> bool:
    """Return whether the fields are of their types, which a caller in Python may have missed."""
    texts = (request.vin, request.zip_code, request.problem_identifier)
    return all(type(text) is str for text in texts) and type(request.mileage) in {int, NoneType}


def values_of(request: PredictByVin | PredictBySpecs) -> dict[str, Any]:
    """Return the fields of a request by their names."""
    return {name: getattr(request, name) for name in _FIELDS[type(request)]}


def validate_vin(vin: str) -> list[str]:
    """Return a sentence for each way in which a VIN is wrong."""
    return vins.validate(vin)


def validate_zip(zip_code: str, is_in_use: Callable[[str], bool]) -> list[str]:
    """Return what is wrong with a well-formed ZIP code; a malformed one breaks its rule."""
    code = zip5(zip_code)
    return [] if code is None or is_in_use(code) else [sentence("zip_code", NO_SUCH_ZIP)]


def validate_tier(tier: object) -> list[str]:
    """Return what is wrong with a grade of parts; its case does not matter ("OEM")."""
    if tier is None or (isinstance(tier, str) and parts_tier(tier) is not None):
        return []
    return [sentence("parts_tier", f"must be one of: {', '.join(PartsTier)}")]


def parts_tier(text: str) -> PartsTier | None:
    """Return the grade of parts that a text names, in any case; None when it names none."""
    return next((tier for tier in PartsTier if tier == text.casefold()), None)
