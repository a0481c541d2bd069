"""Complete a vehicle's facts from what is known about its model.

VINs say little about cam drives and steering, and often say only how many axles are driven. The tables that fill the
gaps are editorial, which ``VehicleFacts.sources`` records for each fact.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.facts import Engine, PowerSteering, VehicleFacts
from repaircore.kernel.spelling import make_key
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.engine_families import EngineFamilies
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.model_patterns import ModelPatterns

EDITORIAL: Final = "editorial"
"""The source of facts from the project's own tables."""

_TWO: Final = frozenset({Drive.FWD, Drive.RWD})
_LAST_HYDRAULIC: Final = 2003
_FIRST_ELECTRIC: Final = 2020
_HEAVY: Final = frozenset({"2G", "2H", "3", "4", "5", "6", "7", "8"})
_ELECTRIC: Final = frozenset({Powertrain.ELECTRIC, Powertrain.PLUG_IN_HYBRID})


@frozen(kw_only=True)
class LayoutRow:
    """Models in a range of years, and their driven axle, which is None in tables about other facts."""

    models: ModelPatterns
    years: tuple[int, int]
    drive: Drive | None = None

    def covers(self, model: str, year: int) -> bool:
        """Return whether the row covers a model in a year."""
        return self.years[0] <= year <= self.years[1] and self.models.matches(model)


@frozen(kw_only=True)
class SteeringRow(LayoutRow):
    """Models in a range of years, and their kind of power steering, which is None if it is unknown.

    A row with ``displacements`` is about those engines only.
    """

    kind: PowerSteering | None
    displacements: frozenset[float] = frozenset()

    def kind_of(self, engines: Sequence[Engine]) -> PowerSteering | None:
        """Return the kind of power steering, or None if it depends on which of the possible engines a vehicle has."""
        found = {engine.displacement for engine in engines}
        return self.kind if not self.displacements or (found and found <= self.displacements) else None

    def excludes(self, engines: Sequence[Engine]) -> bool:
        """Return whether no possible engine of a vehicle is one of the row's."""
        found = {engine.displacement for engine in engines}
        return bool(self.displacements and found) and found.isdisjoint(self.displacements)


@frozen(kw_only=True)
class Mechanics:
    """The editorial tables about models, each by make key."""

    families: EngineFamilies
    two_wheel: Mapping[str, Sequence[LayoutRow]]
    only_two_wheel: Mapping[str, Sequence[LayoutRow]]
    all_wheel: Mapping[str, Sequence[LayoutRow]]
    either_drive: Mapping[str, Sequence[LayoutRow]]
    steering: Mapping[str, Sequence[SteeringRow]]

    def complete(self, specs: VehicleSpecs) -> VehicleSpecs:
        """Return the specs with the facts completed, and the drive, powertrain and body filled in from them."""
        facts = self._facts(specs)
        return evolve(
            specs,
            facts=facts,
            powertrain=facts.powertrain or specs.powertrain,
            drive=facts.drive or specs.drive,
            body=specs.body or facts.body,
        )

    def axle_of(self, specs: VehicleSpecs) -> Drive | None:
        """Return the driven axle of a model's two-wheel-drive versions, or None if the table does not list it."""
        row = self._first(self.two_wheel, specs)
        return None if row is None else row.drive

    def has_either_drive(self, specs: VehicleSpecs) -> bool:
        """Return whether the table lists a model as sold both with two-wheel drive and with all-wheel drive."""
        return self._first(self.either_drive, specs) is not None

    def _facts(self, specs: VehicleSpecs) -> VehicleFacts:
        facts = specs.facts
        engines = tuple(
            dict.fromkeys(
                self.families.complete(specs.make, specs.model, specs.year, engine)
                for engine in facts.engines
            )
        )
        drives = self._drives(specs)
        steering = facts.power_steering or self._steering(specs)
        sources = dict(facts.sources)
        if drives != facts.drives:
            sources["drives"] = EDITORIAL
        if steering is not facts.power_steering:
            sources["power_steering"] = EDITORIAL
        for name in ("cam_drive", "displacement", "family", "layout", "plugs_per_cylinder"):
            if [getattr(engine, name) for engine in engines] != [
                getattr(engine, name) for engine in facts.engines
            ]:
                sources[f"engines.{name}"] = EDITORIAL
        return evolve(facts, engines=engines, drives=drives, power_steering=steering, sources=sources)

    def _drives(self, specs: VehicleSpecs) -> frozenset[Drive]:
        drives = specs.facts.drives
        if Drive.FOUR_WD in drives and self.has_either_drive(specs):
            drives = drives - {Drive.FOUR_WD} | {Drive.AWD}
        if drives & _TWO and self._first(self.only_two_wheel, specs) is not None:
            drives &= _TWO
        if drives and not drives >= _TWO:
            return drives
        if not drives and self._first(self.all_wheel, specs) is not None:
            return frozenset({Drive.AWD})
        if drives - _TWO and self._first(self.all_wheel, specs) is not None:
            return drives - _TWO
        if not drives and self._first(self.only_two_wheel, specs) is None:
            return drives
        axle = self.axle_of(specs)
        if axle is None and specs.facts.weight_class in _HEAVY:
            axle = Drive.RWD
        return drives if axle is None else (drives - _TWO) | {axle}

    def _steering(self, specs: VehicleSpecs) -> PowerSteering | None:
        rows = self.steering.get(make_key(specs.make), ())
        engines = specs.facts.engines
        row = next(
            (row for row in rows if row.covers(specs.model, specs.year) and not row.excludes(engines)), None
        )
        if row is not None:
            return row.kind_of(engines)
        if specs.powertrain in _ELECTRIC:
            return PowerSteering.ELECTRIC
        if specs.facts.weight_class in _HEAVY or specs.year <= _LAST_HYDRAULIC:
            return None if specs.powertrain is Powertrain.HYBRID else PowerSteering.HYDRAULIC
        light = specs.body in {Body.CAR, Body.SUV}
        return PowerSteering.ELECTRIC if light and specs.year >= _FIRST_ELECTRIC else None

    @staticmethod
    def _first(table: Mapping[str, Sequence[LayoutRow]], specs: VehicleSpecs) -> LayoutRow | None:
        rows = table.get(make_key(specs.make), ())
        return next((row for row in rows if row.covers(specs.model, specs.year)), None)
