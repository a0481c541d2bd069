"""Predictions and prices that are computed and shown, but not stored."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Final

from attrs import field, frozen

from repaircore.kernel.cache import OneSlotCache
from repaircore.kernel.callers import ANONYMOUS, Caller, Environment
from repaircore.kernel.errors import Failure
from repaircore.kernel.money import PriceRange
from repaircore.kernel.types import Clock, Lazy
from repaircore.predictions.compute import Computation
from repaircore.predictions.model import Figures, PredictBySpecs, PredictByVin, Question, mileage_band
from repaircore.predictions.ports import OpenWork
from repaircore.predictions.price_adjustment import adjusted_estimate
from repaircore.predictions.validation import parts_tier
from repaircore.pricing.estimator import LocalEstimate
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.matching import Match
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.service import Vehicles

_SECONDS: Final = 1.0
"""The time budget of the models, which run on this machine."""


@frozen(kw_only=True)
class Preview:
    """A prediction that was computed but not stored; its fields mean what they do in ``Prediction``."""

    figures: Figures
    warnings: tuple[str, ...]
    computed_at: datetime
    match: Match | None = None


@frozen(kw_only=True)
class Previews:
    """Predictions that are computed but not stored.

    ``require_valid`` returns the id of a request's repair, or raises ``Invalid`` with every bad field.
    """

    read: OpenWork
    vehicles: Lazy[Vehicles]
    computation: Lazy[Computation]
    require_valid: Callable[[PredictByVin | PredictBySpecs], int]
    clock: Clock

    def preview(self, request: PredictByVin | PredictBySpecs, caller: Caller = ANONYMOUS) -> Preview:
        """Predict what a repair will cost, asking only the models on this machine, which are free.

        Raises:
            Invalid: with every bad field.
            ProblemDoesNotFit: the vehicle cannot have the repair, and ``force`` is not set.
            VehicleNotFound: the VIN is unknown.
            NoVehicleForSpecs: no such model was sold that year.
            Unavailable: the database, or the only decoder that could know the VIN, is not responding.
        """
        problem_id = self.require_valid(request)
        vehicle, match, warnings = self._vehicle(request)
        question = Question(
            environment=caller.environment,
            vehicle_key=vehicle.answer_key,
            problem_id=problem_id,
            zip_code=request.zip_code[:5],
            mileage_band=mileage_band(request.mileage) if isinstance(request, PredictByVin) else None,
            parts_tier=None if request.parts_tier is None else parts_tier(request.parts_tier),
        )
        figures = self.computation().figures(
            question, vehicle, seconds=_SECONDS, force=request.force, offline=True
        )
        with self.read() as work:
            percent = work.adjustment.get()
        return Preview(
            figures=figures.adjusted(percent),
            warnings=warnings + figures.warnings,
            computed_at=self.clock(),
            match=match,
        )

    def _vehicle(
        self, request: PredictByVin | PredictBySpecs
    ) -> tuple[Vehicle, Match | None, tuple[str, ...]]:
        """Return the vehicle of a request, the match that its specs found (None for a VIN), and warnings about it."""
        if isinstance(request, PredictByVin):
            vin = vins.normalize(request.vin)
            doubts = ("vin_check_digit",) if vins.has_wrong_check_digit(vin) else ()
            return self.vehicles().resolve_unsaved(vin), None, doubts
        match = self.vehicles().match_unsaved(
            year=request.year,
            make=request.make.strip(),
            model=request.model.strip(),
            trim=request.trim,
            engine=request.engine,
        )
        return match.vehicle, match, () if match.is_trim_known else ("trim_unknown",)


SAMPLE: Final = PredictBySpecs(
    year=2018, make="Honda", model="CR-V", zip_code="80202", problem_identifier="brake-pads-front"
)
"""A repair that most owners know, on a common car."""

SAMPLE_PLACE: Final = "Denver, Colorado"
"""The place of the sample, in words."""


@frozen(kw_only=True)
class SamplePredictions:
    """A sample prediction for visitors; each process computes it once an hour."""

    preview: Callable[[PredictBySpecs], Preview]
    clock: Clock
    request: PredictBySpecs = SAMPLE
    cache: OneSlotCache[Preview] = field(factory=OneSlotCache)

    def get(self) -> Preview | None:
        """Return the sample, or None if it cannot be computed, for example if its repair is not in the book."""
        try:
            return self.cache.get(f"{self.clock():%Y-%m-%d %H}", lambda: self.preview(self.request))
        except Failure:
            return None


_ANY: Final = "-"
"""A name that no make or model has, so that only prices for all makes and models apply."""


@frozen(kw_only=True)
class PriceRanges:
    """Price ranges for several repairs at once."""

    read: OpenWork
    computation: Lazy[Computation]
    clock: Clock

    def ranges(
        self, environment: Environment, zip_code: str, about: VehicleSpecs | None, problem_ids: Iterable[int]
    ) -> Mapping[int, PriceRange]:
        """Return the price ranges of repairs, by id; an ``about`` of None means a mid-size mainstream vehicle.

        Raises:
            LookupError: the ZIP code or a repair does not exist, which the caller should have checked.
            Unavailable: the database is not responding.
        """
        vehicle = VehicleSpecs(make=_ANY, model=_ANY, year=self.clock().year, source="none")
        _, _, answers = self.computation().local(environment, zip_code, about or vehicle, problem_ids)
        with self.read() as work:
            percent = work.adjustment.get()
        return {problem_id: _range(answer.estimate, percent) for problem_id, answer in answers.items()}


def _range(estimate: LocalEstimate, percent: float) -> PriceRange:
    adjusted = adjusted_estimate(estimate, percent)
    return PriceRange(low=adjusted.low, average=adjusted.average, high=adjusted.high)
