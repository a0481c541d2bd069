"""Engine families: what is known about an engine beyond its VIN.

The rows are in ``data/engine_families.toml``; this module matches them.
"""

from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

from repaircore.kernel.facts import Aspiration, CamDrive, Engine, Fuel, Layout, ValveTrain
from repaircore.kernel.spelling import make_key
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.model_patterns import ModelPatterns

_TURBO = frozenset({Aspiration.TURBO, Aspiration.TURBO_AND_SUPERCHARGED})
_DIESEL = frozenset({Powertrain.DIESEL})
_ONE_LAYOUT = {
    3: Layout.INLINE,
    4: Layout.INLINE,
    5: Layout.INLINE,
    8: Layout.V,
    10: Layout.V,
    12: Layout.V,
}
"""The usual layout by number of cylinders; a six may be an inline or a V engine."""


@frozen(kw_only=True)
class EngineFamily:
    """A row of the table: the engines that it covers, and what is known about them."""

    models: ModelPatterns
    years: tuple[int, int]
    displacements: frozenset[float]
    cylinders: frozenset[int]
    codes: tuple[str, ...]
    horsepower: tuple[int, int] | None
    diesel: bool
    needs_turbo: bool
    name: str | None
    layout: Layout | None
    cam_drive: CamDrive | None
    valve_train: ValveTrain | None
    turbo: bool
    plugs: int
    is_sole: bool = False
    is_natural: bool = False
    is_supercharged: bool = False

    def fits(self, model: str, year: int, engine: Engine) -> bool:
        """Return whether an engine of a model belongs to the family."""
        return (
            self.years[0] <= year <= self.years[1]
            and self._has_size(engine)
            and (engine.cylinders in self.cylinders if self.cylinders and engine.cylinders else True)
            and bool(self.displacements or engine.cylinders or self.codes)
            and (engine.powertrain in _DIESEL) == self.diesel
            and self._agrees(engine)
            and self.models.matches(model)
        )

    def _has_size(self, engine: Engine) -> bool:
        if engine.displacement is None:
            return self.is_sole or not self.displacements
        return not self.displacements or engine.displacement in self.displacements

    def _agrees(self, engine: Engine) -> bool:
        if self.needs_turbo and engine.aspiration not in _TURBO:
            return False
        if self.codes and not (engine.code or "").casefold().startswith(self.codes):
            return False
        if self.horsepower is not None:
            low, high = self.horsepower
            if engine.horsepower is None or not low <= engine.horsepower <= high:
                return False
        return None in {self.valve_train, engine.valve_train} or self.valve_train is engine.valve_train

    @property
    def _aspiration(self) -> Aspiration | None:
        if self.is_supercharged:
            return Aspiration.SUPERCHARGED
        return Aspiration.NATURAL if self.is_natural else None

    def complete(self, engine: Engine) -> Engine:
        """Return the engine with unknown facts filled in from the family.

        The family overrides the engine's layout and spark plugs and, if the family is naturally aspirated or has a
        supercharger, its aspiration: VIN data mark superchargers as turbos.
        """
        turbo = Aspiration.TURBO if self.turbo or self.needs_turbo else None
        counted = next(iter(self.cylinders)) if len(self.cylinders) == 1 else None
        size = next(iter(self.displacements)) if self.is_sole else None
        return evolve(
            engine,
            displacement=engine.displacement or size,
            cylinders=engine.cylinders or counted,
            layout=self.layout or engine.layout,
            valve_train=engine.valve_train or self.valve_train,
            aspiration=self._aspiration or engine.aspiration or turbo,
            cam_drive=engine.cam_drive or self.cam_drive,
            family=engine.family or self.name,
            plugs_per_cylinder=0 if self.diesel else self.plugs,
        )


@frozen
class EngineFamilies:
    """The table of engine families, by make key."""

    by_make: Mapping[str, Sequence[EngineFamily]]

    def complete(self, make: str, model: str, year: int, engine: Engine) -> Engine:
        """Return the engine completed from the table, and then with the usual values."""
        if engine.powertrain is Powertrain.ELECTRIC:
            return evolve(engine, plugs_per_cylinder=0, cylinders=None, displacement=None)
        rows = self.by_make.get(make_key(make), ())
        fitting = [row for row in rows if row.fits(model, year, engine)]
        # Without the number of cylinders, the first row may be another engine of the same size.
        certain = engine.cylinders is not None or len({row.cylinders for row in fitting}) == 1
        found = fitting[0] if fitting and certain else None
        known = _usual(engine) if found is None else _usual(found.complete(engine))
        return known if known.fuel is not None else evolve(known, fuel=_fuel(known))


def _usual(engine: Engine) -> Engine:
    plugs = 0 if engine.powertrain is Powertrain.DIESEL else 1
    return evolve(
        engine,
        layout=engine.layout or _ONE_LAYOUT.get(engine.cylinders or 0),
        plugs_per_cylinder=engine.plugs_per_cylinder
        if engine.plugs_per_cylinder is not None or engine.powertrain is None
        else plugs,
    )


def _fuel(engine: Engine) -> Fuel | None:
    if engine.powertrain is Powertrain.DIESEL:
        return Fuel.DIESEL
    return None if engine.powertrain is None else Fuel.GASOLINE
