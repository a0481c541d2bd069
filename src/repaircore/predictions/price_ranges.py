"""Price ranges of several repairs at once: nothing is stored, and no model is called."""

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import PriceRange
from repaircore.kernel.types import Clock, Lazy
from repaircore.predictions.compute import Computation
from repaircore.predictions.ports import OpenWork
from repaircore.predictions.price_adjustment import adjusted_breakdown, adjusted_range
from repaircore.pricing.model import LocalEstimate
from repaircore.vehicle_facts.model import VehicleSpecs

_ANY: Final = "-"
"""No make or model has this name, so that only what is known of all of them counts."""


@frozen(kw_only=True)
class PriceRanges:
    """The use case of pricing several repairs at once."""

    read: OpenWork
    computation: Lazy[Computation]
    clock: Clock

    def ranges(
        self, environment: Environment, zip_code: str, about: VehicleSpecs | None, problem_ids: Iterable[int]
    ) -> Mapping[int, PriceRange]:
        """Return what some repairs will cost, by their ids; ``about`` None means a mid-size mainstream vehicle.

        Raises:
            LookupError: the ZIP code or a repair does not exist (the caller did not check).
            Unavailable: the database does not answer.
        """
        vehicle = VehicleSpecs(make=_ANY, model=_ANY, year=self.clock().year, source="none")
        _, _, answers = self.computation().local(environment, zip_code, about or vehicle, problem_ids)
        with self.read() as work:
            percent = work.adjustment.get()
        return {problem_id: _range(answer.estimate, percent) for problem_id, answer in answers.items()}


def _range(estimate: LocalEstimate, percent: float) -> PriceRange:
    breakdown = adjusted_breakdown(estimate.breakdown, percent) if percent else estimate.breakdown
    low, average, high = adjusted_range(estimate.low, breakdown, estimate.high, percent)
    return PriceRange(low=low, average=average, high=high)
