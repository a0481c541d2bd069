"""Look up the spark plugs and fluids that a vehicle takes, from its facts and a table of engine families."""

from collections.abc import Mapping, Sequence
from statistics import median_low
from typing import Final, TypeVar

from attrs import field, frozen

from repaircore.kernel.facts import CamDrive, Engine, Layout, ValveTrain
from repaircore.kernel.spelling import make_key
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.model import Amounts, Segment, VehicleSpecs
from repaircore.vehicle_facts.model_patterns import ModelPatterns

T = TypeVar("T", int, float)


@frozen(kw_only=True)
class FamilyRow:
    """An amount for an engine family.

    ``makes`` are the keys of the makes that have the engines; any other field that is None or empty matches every
    vehicle.
    """

    value: float
    makes: frozenset[str]
    models: ModelPatterns = field(factory=ModelPatterns)
    displacements: frozenset[float] = frozenset()
    cylinders: int | None = None
    powertrain: Powertrain | None = None
    first: int = 0
    last: int = 9999

    def matches(self, specs: VehicleSpecs, engine: Engine) -> bool:
        """Return whether a vehicle with an engine belongs to the family."""
        return (
            make_key(specs.make) in self.makes
            and self.first <= specs.year <= self.last
            and (not self.displacements or engine.displacement in self.displacements)
            and self.cylinders in {None, engine.cylinders}
            and self.powertrain in {None, engine.powertrain}
            and self.models.matches(specs.model)
        )


@frozen(kw_only=True)
class AmountTable:
    """The amounts for engine families, and the usual amounts for all other engines.

    ``usual_oil`` is in quarts by cylinders: a base, and an amount for each liter. ``coolant`` is in gallons by
    cylinders, ``transmission_fluid`` in quarts by segment, and ``battery`` in kWh. ``outside_pumps`` are the engines
    whose water pump comes off without removing the timing belt.
    """

    oil: Sequence[FamilyRow]
    plugs_per_cylinder: Sequence[FamilyRow]
    battery: Sequence[FamilyRow]
    usual_oil: Mapping[int, tuple[float, float]]
    diesel_oil: tuple[float, float]
    coolant: Mapping[int, float]
    diesel_coolant: float
    transmission_fluid: Mapping[Segment, float]
    outside_pumps: Sequence[FamilyRow] = ()

    def amounts_for(self, specs: VehicleSpecs, segment: Segment) -> Amounts:
        """Return the amounts for a vehicle, which are medians if several engines are possible.

        That is closer than the amounts for an unknown vehicle: a pickup with a choice of V6 and V8 never has four
        plugs.
        """
        engines = specs.facts.engines
        if not engines:
            return Amounts(transmission_fluid=self.transmission_fluid[segment])
        return Amounts(
            plugs=_median([self._plugs(specs, engine) for engine in engines]),
            plug_tubes=_common({_has_plug_tubes(engine) for engine in engines}),
            cylinders=_median([engine.cylinders for engine in engines]),
            oil=_median([self._oil(specs, engine) for engine in engines]),
            coolant=_median([self._coolant(engine) for engine in engines]),
            transmission_fluid=self.transmission_fluid[segment],
            battery=_median(
                [engine.battery or self._find(self.battery, specs, engine) for engine in engines]
            ),
        )

    def has_pump_under_belt(self, specs: VehicleSpecs) -> bool:
        """Return whether, with every possible engine, the timing belt has to come off before the water pump."""
        engines = specs.facts.engines
        return bool(engines) and all(
            engine.cam_drive is CamDrive.BELT and self._find(self.outside_pumps, specs, engine) is None
            for engine in engines
        )

    def _plugs(self, specs: VehicleSpecs, engine: Engine) -> int | None:
        if engine.powertrain in {None, Powertrain.DIESEL, Powertrain.ELECTRIC} or engine.cylinders is None:
            return 2 * engine.cylinders if _is_rotary(engine) and engine.cylinders else None
        counted = (self._find(self.plugs_per_cylinder, specs, engine), engine.plugs_per_cylinder)
        each = 2 if _is_rotary(engine) else max(count or 1 for count in counted)
        return round(engine.cylinders * each)

    def _oil(self, specs: VehicleSpecs, engine: Engine) -> float | None:
        found = self._find(self.oil, specs, engine)
        if found is not None or engine.powertrain in {None, Powertrain.ELECTRIC}:
            return found
        if engine.displacement is None:
            return None
        if engine.powertrain is Powertrain.DIESEL:
            base, each = self.diesel_oil
        else:
            usual = self.usual_oil.get(engine.cylinders or 0)
            if usual is None:
                return None
            base, each = usual
        return round(base + each * engine.displacement, 1)

    def _coolant(self, engine: Engine) -> float | None:
        if engine.powertrain is Powertrain.DIESEL:
            return self.diesel_coolant if (engine.displacement or 0) > _LARGE_DIESEL else self.coolant[6]
        return None if engine.cylinders is None else self.coolant.get(engine.cylinders)

    @staticmethod
    def _find(rows: Sequence[FamilyRow], specs: VehicleSpecs, engine: Engine) -> float | None:
        return next((row.value for row in rows if row.matches(specs, engine)), None)


_LARGE_DIESEL: Final = 4.5
"""In liters; truck diesels are larger."""


def _median(values: Sequence[T | None]) -> T | None:
    """Return the low median of the known values, one per possible engine, or None if there are none."""
    known = [value for value in values if value is not None]
    return median_low(known) if known else None


def _common(values: set[bool | None]) -> bool | None:
    return values.pop() if len(values) == 1 else None


def _has_plug_tubes(engine: Engine) -> bool | None:
    """Return whether the plugs sit in tubes under the valve cover, or None if that is unknown.

    In pushrod engines, the plugs are in the side of the head, except with two per cylinder: a Hemi's are in the middle.
    """
    if engine.powertrain in {Powertrain.DIESEL, Powertrain.ELECTRIC}:
        return False
    if engine.valve_train is ValveTrain.OHV:
        return (engine.plugs_per_cylinder or 1) > 1
    return None if engine.powertrain is None else True


def _is_rotary(engine: Engine) -> bool:
    return engine.layout is Layout.ROTARY
