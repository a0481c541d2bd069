"""A vehicle's facts, completed with what is known of its model.

VINs say little of cam drives and steering, and of a car's driven axle often only that there is one. The
tables that fill the gaps are editorial, and ``VehicleFacts.sources`` says so for each fact.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.facts import PowerSteering, VehicleFacts
from repaircore.kernel.spelling import make_key
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.engine_families import EngineFamilies
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.model_patterns import ModelPatterns

EDITORIAL: Final = "editorial"
"""The source of a fact that the project's own tables tell."""

_TWO: Final = frozenset({Drive.FWD, Drive.RWD})
_LAST_HYDRAULIC: Final = 2003
_FIRST_ELECTRIC: Final = 2020
_HEAVY: Final = frozenset({"2G", "2H", "3", "4", "5", "6", "7", "8"})
_ELECTRIC: Final = frozenset({Powertrain.ELECTRIC, Powertrain.PLUG_IN_HYBRID})


@frozen(kw_only=True)
class LayoutRow:
    """The driven axle of some models in some years."""

    models: ModelPatterns
    years: tuple[int, int]
    drive: Drive | None = None

    def fits(self, model: str, year: int) -> bool:
        """Return whether a model of a year is meant."""
        return self.years[0] <= year <= self.years[1] and self.models.matches(model)


@frozen(kw_only=True)
class SteeringRow(LayoutRow):
    """What assists the steering of some models in some years."""

    kind: PowerSteering


@frozen(kw_only=True)
class Mechanics:
    """The editorial tables, each by the make's key."""

    families: EngineFamilies
    two_wheel: Mapping[str, Sequence[LayoutRow]]
    only_two_wheel: Mapping[str, Sequence[LayoutRow]]
    all_wheel: Mapping[str, Sequence[LayoutRow]]
    either_drive: Mapping[str, Sequence[LayoutRow]]
    steering: Mapping[str, Sequence[SteeringRow]]

    def complete(self, about: VehicleSpecs) -> VehicleSpecs:
        """Return the vehicle with its facts completed, and its drive, power train and engine told by them."""
        facts = self._facts(about)
        return evolve(
            about,
            facts=facts,
            powertrain=facts.powertrain or about.powertrain,
            drive=facts.drive or about.drive,
            body=about.body or facts.body,
        )

    def axle_of(self, about: VehicleSpecs) -> Drive | None:
        """Return the wheels that the two-wheel-drive versions of a model drive; None when the table does not know it."""
        row = self._first(self.two_wheel, about)
        return None if row is None else row.drive

    def has_either_drive(self, about: VehicleSpecs) -> bool:
        """Tell whether a model was sold with two driven wheels and with all-wheel drive, as the table knows."""
        return self._first(self.either_drive, about) is not None

    def _facts(self, about: VehicleSpecs) -> VehicleFacts:
        told = about.facts
        engines = tuple(
            dict.fromkeys(
                self.families.complete(about.make, about.model, about.year, engine) for engine in told.engines
            )
        )
        drives = self._drives(about)
        steering = told.power_steering or self._steering(about)
        sources = dict(told.sources)
        if drives != told.drives:
            sources["drives"] = EDITORIAL
        if steering is not told.power_steering:
            sources["power_steering"] = EDITORIAL
        for name in ("cam_drive", "displacement", "family", "layout", "plugs_per_cylinder"):
            if [getattr(one, name) for one in engines] != [getattr(one, name) for one in told.engines]:
                sources[f"engines.{name}"] = EDITORIAL
        return evolve(told, engines=engines, drives=drives, power_steering=steering, sources=sources)

    def _drives(self, about: VehicleSpecs) -> frozenset[Drive]:
        told = about.facts.drives
        if Drive.FOUR_WD in told and self.has_either_drive(about):
            told = told - {Drive.FOUR_WD} | {Drive.AWD}
        if told & _TWO and self._first(self.only_two_wheel, about) is not None:
            told &= _TWO
        if told and not told >= _TWO:
            return told
        if not told and self._first(self.all_wheel, about) is not None:
            return frozenset({Drive.AWD})
        if told - _TWO and self._first(self.all_wheel, about) is not None:
            return told - _TWO
        if not told and self._first(self.only_two_wheel, about) is None:
            return told
        axle = self.axle_of(about)
        if axle is None and about.facts.weight_class in _HEAVY:
            axle = Drive.RWD
        return told if axle is None else (told - _TWO) | {axle}

    def _steering(self, about: VehicleSpecs) -> PowerSteering | None:
        rows = self.steering.get(make_key(about.make), ())
        row = next((row for row in rows if row.fits(about.model, about.year)), None)
        if row is not None:
            return row.kind
        if about.powertrain in _ELECTRIC:
            return PowerSteering.ELECTRIC
        if about.facts.weight_class in _HEAVY or about.year <= _LAST_HYDRAULIC:
            return None if about.powertrain is Powertrain.HYBRID else PowerSteering.HYDRAULIC
        light = about.body in {Body.CAR, Body.SUV}
        return PowerSteering.ELECTRIC if light and about.year >= _FIRST_ELECTRIC else None

    @staticmethod
    def _first(table: Mapping[str, Sequence[LayoutRow]], about: VehicleSpecs) -> LayoutRow | None:
        rows = table.get(make_key(about.make), ())
        return next((row for row in rows if row.fits(about.model, about.year)), None)
