"""Validate requests for predictions, with the necessary lookups, and turn them into questions."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from attrs import fields, frozen

from repaircore.facilities.zip_code import zip5
from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors, is_valid, sentence
from repaircore.predictions.model import PredictBySpecs, PredictByVin, Question, mileage_band
from repaircore.pricing.model import PartsTier
from repaircore.vehicles import vin as vins

if TYPE_CHECKING:
    from repaircore.kernel.types import Lazy
    from repaircore.vehicles.matching import Match
    from repaircore.vehicles.model import Vehicle
    from repaircore.vehicles.service import Vehicles

NO_SUCH_PROBLEM: Final = "must be the id or the slug of a repair"
NO_SUCH_ZIP: Final = "must be a US ZIP code that is in use"

CHOICES: Final = ("engine", "parts_tier")
"""The fields whose errors list the choices, even if the value has the wrong type."""

_VIN_LENGTH: Final = max(vins.LENGTHS)

_FIELDS: Final[Mapping[type[PredictByVin | PredictBySpecs], tuple[str, ...]]] = {
    PredictByVin: tuple(field.name for field in fields(PredictByVin)),
    PredictBySpecs: tuple(field.name for field in fields(PredictBySpecs)),
}


def is_well_typed(request: PredictByVin) -> bool:
    """Return whether the VIN, ZIP code, repair and mileage have their declared types, which Python does not enforce."""
    return (
        type(request.vin) is str
        and type(request.zip_code) is str
        and type(request.problem_identifier) is str
        and (request.mileage is None or type(request.mileage) is int)
    )


def values_of(request: PredictByVin | PredictBySpecs) -> dict[str, Any]:
    """Return the fields of a request by name."""
    return {name: getattr(request, name) for name in _FIELDS[type(request)]}


def validate_vin(vin: str) -> list[str]:
    """Return a sentence for each error in a VIN."""
    return vins.validate(vin)


def validate_zip(zip_code: str, is_in_use: Callable[[str], bool]) -> list[str]:
    """Return the errors of a well-formed ZIP code; the field's rule rejects a malformed one."""
    code = zip5(zip_code)
    return [] if code is None or is_in_use(code) else [sentence("zip_code", NO_SUCH_ZIP)]


def validate_tier(tier: object) -> list[str]:
    """Return the errors of a parts grade; its case is ignored ("OEM")."""
    if tier is None or (isinstance(tier, str) and parts_tier(tier) is not None):
        return []
    return [sentence("parts_tier", f"must be one of: {', '.join(PartsTier)}")]


def parts_tier(text: str) -> PartsTier | None:
    """Return the parts grade that ``text`` names, ignoring case, or None if it names none."""
    return next((tier for tier in PartsTier if tier == text.casefold()), None)


@frozen(kw_only=True)
class Prepared:
    """A valid request: its question, the caller's account, and what its session stores."""

    question: Question
    owner_id: int
    vehicle: "Callable[[], Vehicle]"
    vin: str | None = None
    mileage: int | None = None
    warnings: tuple[str, ...] = ()
    match: "Match | None" = None
    force: bool = False


@frozen(kw_only=True)
class PredictionRequests:
    """Validates requests, with the necessary lookups. ``vehicles`` is lazy: a cached answer does not need it."""

    find_problem_id: Callable[[str], int | None]
    is_zip_in_use: Callable[[str], bool]
    vehicles: "Lazy[Vehicles]"

    def prepare(self, request: PredictByVin | PredictBySpecs, caller: Caller = LOCAL) -> Prepared:
        """Validate a request; raise the same errors as ``Predictions.predict`` and ``predict_by_specs``.

        A request by specs is also matched to a vehicle.
        """
        if isinstance(request, PredictByVin):
            return self.prepare_by_vin(request, caller)
        return self.prepare_by_specs(request, caller)

    def prepare_by_vin(self, request: PredictByVin, caller: Caller) -> Prepared:
        """Validate a request by VIN; raise ``Invalid`` with every bad field."""
        vin, problem_id = self._check(request)
        question = Question(
            environment=caller.environment,
            vehicle_key=vin[:11],
            problem_id=problem_id,
            zip_code=request.zip_code[:5],
            mileage_band=mileage_band(request.mileage),
            vin=vin if len(vin) == _VIN_LENGTH else None,
            parts_tier=None if request.parts_tier is None else parts_tier(request.parts_tier),
        )
        return Prepared(
            question=question,
            owner_id=owner_of(caller),
            vehicle=lambda: self.vehicles().resolve(vin),
            vin=vin,
            mileage=request.mileage,
            warnings=("vin_check_digit",) if vins.has_wrong_check_digit(vin) else (),
            force=request.force,
        )

    def prepare_by_specs(self, request: PredictBySpecs, caller: Caller) -> Prepared:
        """Validate a request by specs and find its vehicle; raise as ``Predictions.predict_by_specs`` does."""
        problem_id = self.require_valid(request)
        match = self.vehicles().match(
            year=request.year,
            make=request.make.strip(),
            model=request.model.strip(),
            trim=request.trim,
            engine=request.engine,
        )
        vehicle = match.vehicle
        question = Question(
            environment=caller.environment,
            vehicle_key=vehicle.answer_key,
            problem_id=problem_id,
            zip_code=request.zip_code[:5],
            mileage_band=None,
            parts_tier=None if request.parts_tier is None else parts_tier(request.parts_tier),
        )
        return Prepared(
            question=question,
            owner_id=owner_of(caller),
            vehicle=lambda: vehicle,
            warnings=() if match.is_trim_known else ("trim_unknown",),
            match=match,
            force=request.force,
        )

    def require_valid(self, request: PredictByVin | PredictBySpecs) -> int:
        """Validate a request with all lookups, and return the id of its repair.

        Raises:
            Invalid: with every bad field.
        """
        errors = self.all_errors(request)
        problem_id = None if errors else self.find_problem_id(request.problem_identifier)
        if errors or problem_id is None:
            raise Invalid(errors)
        return problem_id

    def validate(self, **fields: Any) -> FieldErrors:
        """Return the errors that lookups find in well-typed fields of a request; absent fields are not checked.

        ``parts_tier`` and ``engine`` may be of any type: their errors list the choices; for ``engine``, only if the
        other fields name a known model.
        """
        checks: dict[str, Callable[[Any], list[str]]] = {
            "vin": validate_vin,
            "zip_code": lambda code: validate_zip(code, self.is_zip_in_use),
            "problem_identifier": self._validate_problem,
            "parts_tier": validate_tier,
            "engine": lambda engine: self._validate_engine(engine, fields),
        }
        errors = {name: check(fields[name]) for name, check in checks.items() if name in fields}
        return {name: sentences for name, sentences in errors.items() if sentences}

    def _check(self, request: PredictByVin) -> tuple[str, int]:
        """Return the normalized VIN of a request, and the id of its repair.

        The ZIP code is not looked up here, on the path of cached answers, whose ZIP codes are in use.

        Raises:
            Invalid: with every bad field.
        """
        if not is_well_typed(request) or not is_valid(request):
            raise Invalid(self.all_errors(request))
        vin, tier = vins.normalize(request.vin), request.parts_tier
        problem_id = self.find_problem_id(request.problem_identifier)
        if problem_id is None or vins.validate(vin) or (tier is not None and validate_tier(tier)):
            raise Invalid(self.all_errors(request))
        return vin, problem_id

    def all_errors(self, request: PredictByVin | PredictBySpecs) -> FieldErrors:
        """Return all errors of a request, in the order of its fields."""
        from repaircore.structuring import structure_partially  # noqa: PLC0415 - cached answers do not need cattrs

        values = values_of(request)
        good, errors = structure_partially(type(request), values)
        good |= {name: values[name] for name in CHOICES if name in values}
        errors |= self.validate(**good)
        return {name: errors[name] for name in values if name in errors}

    def _validate_problem(self, identifier: str) -> list[str]:
        if self.find_problem_id(identifier) is not None:
            return []
        return [sentence("problem_identifier", NO_SUCH_PROBLEM)]

    def _validate_engine(self, engine: object, fields: dict[str, Any]) -> list[str]:
        from repaircore.structuring import structure_partially  # noqa: PLC0415 - cached answers do not need cattrs

        errors = structure_partially(PredictBySpecs, {"engine": engine})[1].get("engine", [])
        if not errors or not fields.keys() >= {"year", "make", "model"}:
            return errors
        engines = self.vehicles().possible_engines(
            fields["year"], fields["make"].strip(), fields["model"].strip()
        )
        return [*errors, *([f"This vehicle was sold with: {', '.join(engines)}."] if engines else [])]
