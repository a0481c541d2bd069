"""The tools, each of which is a use case with the shapes of its arguments and its result."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from attrs import asdict, frozen

from repaircore.core import Core
from repaircore.diagnosis.consultation import Consult
from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import Invalid
from repaircore.predictions.model import PredictBySpecs, PredictByVin, Prediction
from repaircore.predictions.views import PredictionSummaryView
from repaircore.problems.service import SearchProblems
from repaircore.quotes.quote import CheckQuote
from repaircore.quotes.views import CheckedQuoteView
from repaircore.recalls.views import RecallsView
from repaircore.structuring import structure
from repaircore.trouble_codes.views import TroubleCodeView
from repaircore.vehicles.description import VehicleDescription, description_errors, find_specs
from repaircore.visits.requests import EstimateVisit
from repaircore.visits.views import VisitEstimateView
from repaircore_http.guards import Auth, require_access
from repaircore_http.mcp import texts
from repaircore_http.mcp.requests import DiagnoseComplaint, EstimateRepair, ExplainCode, ListRecalls
from repaircore_http.mcp.views import (
    ConsultationView,
    DescribedVehicleView,
    RepairsFoundView,
)

_NO_VEHICLE: Final = "Provide a VIN, or year, make and model."
_SUGGESTIONS: Final = 3

Arguments = Mapping[str, Any]


@frozen(kw_only=True)
class Tool:
    """A use case that agents call.

    ``run`` raises the failures of the use case, ``text`` returns what the agent reads of a result, and ``stores`` means
    that calls store something: a prediction in the history.
    """

    name: str
    title: str
    description: str
    accepts: type[Any]
    returns: type[Any]
    run: Callable[[Core, Caller, Arguments], Any]
    text: Callable[[Any], str]
    auth: Auth = Auth.KEY
    stores: bool = False

    def call(self, core: Core, caller: Caller, arguments: Arguments) -> Any:
        """Return the result as an instance of ``returns``.

        Raises:
            Failure: the caller may not call the tool, has used up its limit, or the use case fails.
            Invalid: with every bad argument.
        """
        if caller.user_id is not None:
            require_access(self.auth, caller)
            core.limits.count_prediction(caller)
        return self.run(core, caller, arguments)


def _predict(core: Core, caller: Caller, arguments: Arguments) -> PredictionSummaryView:
    request = structure(EstimateRepair, arguments)
    errors = _vehicle_errors(request)
    if errors:
        raise Invalid(errors)
    try:
        return PredictionSummaryView.of(_prediction(core, caller, request))
    except Invalid as invalid:
        raise Invalid(_of_arguments(core, request.repair, invalid)) from None


def _prediction(core: Core, caller: Caller, request: EstimateRepair) -> Prediction:
    """Predict by VIN if there is one, or else by year, make and model.

    Raises:
        Invalid: on the fields of a prediction's request.
    """
    chosen = {name: getattr(request, name) for name in ("zip_code", "parts_tier", "force")}
    chosen["problem_identifier"] = request.repair
    if request.vin is not None:
        by_vin = structure(PredictByVin, {"vin": request.vin, "mileage": request.mileage, **chosen})
        return core.predictions.predict(by_vin, caller)
    named = {name: getattr(request, name) for name in ("year", "make", "model", "engine")}
    return core.predictions.predict_by_specs(structure(PredictBySpecs, {**named, **chosen}), caller)


def _visit(core: Core, caller: Caller, arguments: Arguments) -> VisitEstimateView:
    request = core.visit_estimates.parse(arguments)
    return VisitEstimateView.of(core.visit_estimates.estimate(request, caller))


def _quote_check(core: Core, caller: Caller, arguments: Arguments) -> CheckedQuoteView:
    return CheckedQuoteView.of(core.quotes.check(core.quotes.parse(arguments), caller))


def _diagnose(core: Core, caller: Caller, arguments: Arguments) -> ConsultationView:
    fields = asdict(structure(DiagnoseComplaint, arguments))
    request = Consult(**{**fields, "answers": tuple(fields["answers"])})
    return ConsultationView.of(core.consultations.consult(request, caller))


def _code(core: Core, _: Caller, arguments: Arguments) -> TroubleCodeView:
    request = structure(ExplainCode, arguments)
    meaning = core.trouble_codes.show(request.code, make=request.make)
    return TroubleCodeView.of(meaning, core.trouble_codes.causes(meaning))


def _recalls(core: Core, caller: Caller, arguments: Arguments) -> RecallsView:
    return RecallsView.of(core.vehicle_recalls.of(structure(ListRecalls, arguments).vin, caller))


def _vehicle(core: Core, _: Caller, arguments: Arguments) -> DescribedVehicleView:
    request = structure(VehicleDescription, arguments)
    specs = find_specs(core.vehicles, request)
    if specs is None:
        raise Invalid({"vin": [_NO_VEHICLE]})
    return DescribedVehicleView.of(specs, request.vin)


def _search(core: Core, _: Caller, arguments: Arguments) -> RepairsFoundView:
    request = structure(SearchProblems, arguments)
    return RepairsFoundView.of(core.problems.search(request.query, limit=request.limit))


def _vehicle_errors(request: EstimateRepair) -> dict[str, Sequence[str]]:
    described = VehicleDescription(
        vin=request.vin, year=request.year, make=request.make, model=request.model, engine=request.engine
    )
    return {"vin": [_NO_VEHICLE]} if described.is_empty else {**description_errors(described)}


def _of_arguments(core: Core, repair: str, invalid: Invalid) -> dict[str, Sequence[str]]:
    """Return a prediction's errors keyed by the tool's arguments; for an unknown repair, suggest the nearest ones."""
    errors: dict[str, Sequence[str]] = {**invalid.fields}
    if "problem_identifier" in errors:
        errors.pop("problem_identifier")
        near = core.problems.search(repair, limit=_SUGGESTIONS) if core.problems.can_search(repair) else ()
        slugs = ", ".join(hit.problem.slug for hit in near)
        errors["repair"] = [
            f"There is no such repair. {f'The nearest are {slugs}.' if slugs else 'Use search to find one.'}"
        ]
    return errors


TOOLS: Final[Sequence[Tool]] = (
    Tool(
        name="diagnose",
        title="Diagnose a complaint",
        description=(
            "From what a driver says, or trouble codes, to the likely repairs, with prices at a US ZIP code. It names dangers first:"
            " pass them on. It returns the most useful question: ask the driver, and call again with the same arguments and all"
            " answers so far. Not every question needs an answer."
        ),
        accepts=DiagnoseComplaint,
        returns=ConsultationView,
        run=_diagnose,
        text=texts.diagnosis_text,
    ),
    Tool(
        name="search",
        title="Search repairs",
        description="Find repairs by everyday words, such as 'front brakes' or 'tune up'. Other tools need the slugs.",
        accepts=SearchProblems,
        returns=RepairsFoundView,
        run=_search,
        text=texts.repairs_text,
    ),
    Tool(
        name="predict",
        title="Estimate a repair",
        description=(
            "What one repair costs on a vehicle (VIN, or year, make and model) at a US ZIP code: average, the range that eight out of ten"
            " pay, hours, labor rate and parts. For several repairs use visit: shared labor counts once there."
        ),
        accepts=EstimateRepair,
        returns=PredictionSummaryView,
        run=_predict,
        text=texts.estimate_text,
        stores=True,
    ),
    Tool(
        name="visit",
        title="Estimate several repairs",
        description=(
            "What several repairs of one vehicle cost in one visit, with sales tax; shared labor counts once. Lines are repairs by"
            " slug, or the shop's own with a description and a price. Nothing is stored."
        ),
        accepts=EstimateVisit,
        returns=VisitEstimateView,
        run=_visit,
        text=texts.visit_text,
    ),
    Tool(
        name="quote_check",
        title="Check a quote",
        description=(
            "Whether a shop's quote is fair, by line and as a whole, with questions to ask the shop. Give the quote's text as it is, or"
            " its lines. Nothing is stored."
        ),
        accepts=CheckQuote,
        returns=CheckedQuoteView,
        run=_quote_check,
        text=texts.quote_text,
    ),
    Tool(
        name="codes",
        title="Explain a trouble code",
        description="What an OBD-II trouble code means, whether to keep driving, and which repairs it calls for.",
        accepts=ExplainCode,
        returns=TroubleCodeView,
        run=_code,
        text=texts.code_text,
    ),
    Tool(
        name="recalls",
        title="List recalls",
        description="Safety recall campaigns for the make, model and year of a VIN. Only the manufacturer knows whether one covers the VIN.",
        accepts=ListRecalls,
        returns=RecallsView,
        run=_recalls,
        text=texts.recalls_text,
        auth=Auth.SECRET,
    ),
    Tool(
        name="vehicle",
        title="Identify a vehicle",
        description="The year, make, model, engine and drive of a vehicle by its VIN, or by year, make and model.",
        accepts=VehicleDescription,
        returns=DescribedVehicleView,
        run=_vehicle,
        text=texts.vehicle_text,
    ),
)


def tool_named(name: str) -> Tool | None:
    """Return the tool with this name, or None."""
    return next((tool for tool in TOOLS if tool.name == name), None)
