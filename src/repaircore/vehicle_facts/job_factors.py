"""Repairs whose price on some vehicles differs from what segment, tier and engine bay predict."""

from collections.abc import Sequence

from attrs import field, frozen

from repaircore.kernel.facts import Engine, ValveTrain
from repaircore.kernel.spelling import make_key
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.model import JobFactors, VehicleSpecs
from repaircore.vehicle_facts.model_patterns import ModelPatterns


@frozen(kw_only=True)
class JobFactorRow:
    """The factors for a repair on some vehicles.

    ``makes`` are make keys; any other field that is empty or None matches every vehicle. A row with engine fields
    matches only if every possible engine of the vehicle does.
    """

    job: JobFactors
    makes: frozenset[str]
    models: ModelPatterns = field(factory=ModelPatterns)
    displacements: frozenset[float] = frozenset()
    cylinders: frozenset[int] = frozenset()
    valve_train: ValveTrain | None = None
    powertrain: Powertrain | None = None
    first: int = 0
    last: int = 9999

    def matches(self, specs: VehicleSpecs) -> bool:
        """Return whether the row applies to a vehicle."""
        return (
            make_key(specs.make) in self.makes
            and self.first <= specs.year <= self.last
            and self.models.matches(specs.model)
            and self._has_engine(specs.facts.engines)
        )

    def _has_engine(self, engines: Sequence[Engine]) -> bool:
        if (
            not (self.displacements or self.cylinders)
            and self.powertrain is None
            and self.valve_train is None
        ):
            return True
        return bool(engines) and all(map(self._matches_engine, engines))

    def _matches_engine(self, engine: Engine) -> bool:
        return (
            (not self.displacements or engine.displacement in self.displacements)
            and (not self.cylinders or engine.cylinders in self.cylinders)
            and self.valve_train in {None, engine.valve_train}
            and self.powertrain in {None, engine.powertrain}
        )


def job_factors_for(rows: Sequence[JobFactorRow], specs: VehicleSpecs) -> tuple[JobFactors, ...]:
    """Return the factors for repairs on a vehicle; for each repair, the first matching row counts."""
    found: dict[str, JobFactors] = {}
    for row in rows:
        if row.job.repair not in found and row.matches(specs):
            found[row.job.repair] = row.job
    return tuple(found.values())
