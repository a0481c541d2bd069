"""Pricing repairs at a glance: nothing is kept, and no model is asked."""

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import PriceRange
from repaircore.kernel.types import Clock, Lazy
from repaircore.predictions.compute import Compute
from repaircore.predictions.ports import OpenWork
from repaircore.predictions.price_adjustment import adjusted_breakdown, adjusted_range
from repaircore.pricing.model import LocalEstimate
from repaircore.vehicle_facts.model import VehicleSpecs

_UNNAMED: Final = "-"
"""No make and no model are called so: what is known of all of them alike counts."""


@frozen(kw_only=True)
class PriceRanges:
    """The use case of a price for whoever has more than one repair in mind."""

    read: OpenWork
    computing: Lazy[Compute]
    clock: Clock

    def ranges(
        self, environment: Environment, zip_code: str, about: VehicleSpecs | None, problem_ids: Iterable[int]
    ) -> Mapping[int, PriceRange]:
        """Say what some repairs will cost, by their ids; ``about`` None is a mid-size mainstream vehicle.

        Raises:
            LookupError: the ZIP code or a repair does not exist (the caller has not checked).
            Unavailable: the database does not answer.
        """
        vehicle = VehicleSpecs(make=_UNNAMED, model=_UNNAMED, year=self.clock().year, source="none")
        _, _, answers = self.computing().local(environment, zip_code, about or vehicle, problem_ids)
        with self.read() as work:
            percent = work.adjustment.get()
        return {number: _range(answer.estimate, percent) for number, answer in answers.items()}


def _range(estimate: LocalEstimate, percent: float) -> PriceRange:
    moved = adjusted_breakdown(estimate.breakdown, percent) if percent else estimate.breakdown
    low, average, high = adjusted_range(estimate.low, moved, estimate.high, percent)
    return PriceRange(low=low, average=average, high=high)
