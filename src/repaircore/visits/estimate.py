"""Estimate a visit: several repairs on one vehicle at once, without storing anything or calling a model."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from repaircore.book.fit import check_fit
from repaircore.facilities.sales_taxes import SalesTaxes
from repaircore.json_text import plain
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.engine_names import only_engine_name
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Clock, Lazy
from repaircore.predictions.compute import OUTSIDE_BOOK, Computation, fit_warnings
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.predictions.ports import OpenWork
from repaircore.predictions.validation import parts_tier
from repaircore.structuring import structure, structure_partially
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.overlap import OverlapTable, overlap_facts
from repaircore.vehicles import vin as vins
from repaircore.vehicles.service import Vehicles
from repaircore.visits.charges import tax_at, totals
from repaircore.visits.errors import VisitLineDoesNotFit
from repaircore.visits.model import Estimate, LineKind, RequestedLine, VisitPlace, VisitVehicle
from repaircore.visits.pricing import PricedRepair, price_lines, repairs_range, with_tier
from repaircore.visits.requests import EstimateVisit, VisitLineInput
from repaircore.visits.validation import VisitChecks

SALES_TAX_UNKNOWN: Final = "sales_tax_unknown"
TRIM_UNKNOWN: Final = "trim_unknown"
WRONG_CHECK_DIGIT: Final = "vin_check_digit"


@frozen(kw_only=True)
class VisitEstimates:
    """Estimates visits from requests, without storing them."""

    read: OpenWork
    vehicles: Lazy[Vehicles]
    computation: Lazy[Computation]
    find_problem: Callable[[str], int | None]
    overlaps: OverlapTable
    taxes: SalesTaxes
    clock: Clock

    def estimate(
        self, request: EstimateVisit, caller: Caller = LOCAL, *, numbered: Sequence[int] | None = None
    ) -> Estimate:
        """Estimate a visit; ``numbered`` are the ids of its lines, which default to 1, 2, 3 and so on.

        Raises:
            Invalid: with every bad field; errors of lines are under names such as ``lines.0.price``.
            VisitLineDoesNotFit: the vehicle cannot have a repair, and ``force`` is not set.
            VehicleNotFound: the VIN is unknown.
            NoVehicleForSpecs: no such model was sold that year.
            Unavailable: the database is not responding, or the only decoder that could know the VIN sent no valid
                response.
        """
        self.require_valid(plain(request), type(request))
        about, vehicle, warnings = self._vehicle(request)
        requested = self._lines(request.lines, numbered)
        if not request.force:
            self._require_fits(requested, about)
        place, rate, answers = self.computation().local(
            caller.environment,
            request.zip_code[:5],
            about,
            [line.problem_id for line in requested if line.problem_id is not None],
        )
        factors = self.computation().factors_of(about)
        with self.read() as work:
            percent = work.adjustment.get()
        tiers = {line.problem_id: line.parts_tier for line in requested}
        repairs = {
            number: PricedRepair.of(
                with_tier(answer, tiers[number], factors, year=self.clock().year),
                check_fit(answer.problem, about.profile),
                percent,
            )
            for number, answer in answers.items()
        }
        facts = overlap_facts(about, factors)
        lines = price_lines(requested, repairs, rate=rate.rate, table=self.overlaps, facts=facts)
        charges, tax = request.charges(), self.taxes.find(place.state)
        return Estimate(
            vehicle=vehicle,
            place=VisitPlace(
                zip_code=place.zip_code,
                state=place.state,
                labor_rate=rate.rate,
                labor_rate_source=rate.basis,
                labor_rate_text=rate.text,
            ),
            mileage=request.mileage,
            charges=charges,
            lines=lines,
            totals=totals(
                lines,
                charges,
                tax=tax_at(tax, charges.tax_percent),
                repairs=repairs_range(lines, repairs),
            ),
            force=request.force,
            shared_work=self.overlaps.shared_work({repair.slug for repair in repairs.values()}, facts),
            warnings=(
                *warnings,
                *_line_warnings(repairs.values()),
                *((SALES_TAX_UNKNOWN,) if tax is None and charges.taxed else ()),
            ),
        )

    def parse(self, data: Mapping[str, Any]) -> EstimateVisit:
        """Parse a JSON object in the form of ``EstimateVisit``, with money in dollars.

        Raises:
            Invalid: with every bad field; errors of lines are under names such as ``lines.0.price``.
        """
        self.require_valid(data, EstimateVisit)
        return structure(EstimateVisit, data)

    def require_valid(self, data: Mapping[str, Any], shape: type[EstimateVisit]) -> None:
        """Require that a visit meets the rules of ``shape`` and the rules that need lookups.

        Raises:
            Invalid: with every bad field.
        """
        _, errors = structure_partially(shape, data)
        checks = VisitChecks(find_problem=self.find_problem, is_zip_in_use=self.computation().is_zip_in_use)
        errors = {**checks.errors(data), **errors}
        if errors:
            raise Invalid(errors)

    def _vehicle(self, request: EstimateVisit) -> tuple[VehicleSpecs, VisitVehicle, tuple[str, ...]]:
        if request.vin is not None:
            vin = vins.normalize(request.vin)
            about = self.vehicles().decode(vin)
            warnings = (WRONG_CHECK_DIGIT,) if vins.has_wrong_check_digit(vin) else ()
            return about, _vehicle_of(about, vin), warnings
        match = self.vehicles().find_match(
            year=request.year or 0,
            make=(request.make or "").strip(),
            model=(request.model or "").strip(),
            trim=request.trim,
            engine=request.engine,
        )
        about = match.vehicle.specs
        return about, _vehicle_of(about, None), () if match.is_trim_known else (TRIM_UNKNOWN,)

    def _lines(
        self, lines: Sequence[VisitLineInput], numbered: Sequence[int] | None
    ) -> Sequence[RequestedLine]:
        numbers = range(1, len(lines) + 1) if numbered is None else numbered
        return [self._line(line, number) for line, number in zip(lines, numbers, strict=True)]

    def _line(self, line: VisitLineInput, number: int) -> RequestedLine:
        identifier = line.problem_identifier
        return RequestedLine(
            id=number,
            kind=LineKind.REPAIR if identifier is not None else line.kind or LineKind.FEE,
            problem_id=None if identifier is None else self.find_problem(identifier),
            description=None if line.description is None else line.description.strip(),
            parts_tier=None if line.parts_tier is None else parts_tier(line.parts_tier),
            quantity=line.quantity,
            price=line.price_in_cents,
            hours=line.labor_hours,
        )

    def _require_fits(self, lines: Sequence[RequestedLine], about: VehicleSpecs) -> None:
        for place, line in enumerate(lines):
            if line.problem_id is not None:
                try:
                    self.computation().require_fit(line.problem_id, about)
                except ProblemDoesNotFit as error:
                    raise VisitLineDoesNotFit(error, place) from None


def _vehicle_of(about: VehicleSpecs, vin: str | None) -> VisitVehicle:
    return VisitVehicle(
        vin=vin,
        year=about.year,
        make=about.make,
        model=about.model,
        trim=about.trim,
        engine=only_engine_name(about.facts.engines) or about.engine,
        display_name=about.display_name,
    )


def _line_warnings(repairs: Collection[PricedRepair]) -> Sequence[str]:
    found = [
        *(warning for repair in repairs for warning in fit_warnings(repair.fit)),
        *(OUTSIDE_BOOK for repair in repairs if repair.outside),
    ]
    return [*dict.fromkeys(found)]
