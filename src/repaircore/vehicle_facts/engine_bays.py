"""Determine the engine bay of a vehicle from its facts."""

from typing import Final

from repaircore.kernel.facts import Engine, Layout
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.model import EngineBay, VehicleSpecs

_LONGITUDINAL: Final = frozenset({"bmw", "jaguar", "mercedesbenz", "subaru", "maserati", "bentley"})
"""Makes with longitudinal engines in all models except those based on front-wheel drive."""

_LONGITUDINAL_MODELS: Final = ("a4", "a5", "a6", "a7", "a8", "q5", "q7", "q8", "s4", "s5", "s6", "allroad")
_TWO: Final = frozenset({Drive.FWD, Drive.RWD})
_FOUR: Final = 4
_SIX: Final = 6
_EIGHT: Final = 8
_TRUCK_DIESEL: Final = 4.5
"""In liters; diesels of cars and light pickups are smaller."""


def engine_bay_of(specs: VehicleSpecs, *, axle: Drive | None = None) -> EngineBay | None:
    """Return the engine bay of a vehicle, or None if its engines or its drive do not determine it.

    ``axle`` is the driven axle of the model's two-wheel-drive versions, on which the all-wheel-drive versions are
    based.
    """
    transverse = _is_transverse(specs, axle)
    found = {_bay(engine, transverse=transverse) for engine in specs.facts.engines}
    return found.pop() if len(found) == 1 else None


def _bay(engine: Engine, *, transverse: bool | None) -> EngineBay | None:
    cylinders, layout = engine.cylinders, engine.layout
    if engine.powertrain is Powertrain.ELECTRIC or cylinders is None:
        return None
    if engine.powertrain is Powertrain.DIESEL:
        return _diesel(engine.displacement, layout)
    if layout is Layout.FLAT:
        return EngineBay.FLAT
    if layout is Layout.ROTARY:
        return EngineBay.ROTARY
    if cylinders > _SIX:
        return EngineBay.V8 if cylinders <= _EIGHT else EngineBay.V10_AND_MORE
    return None if transverse is None else _small(cylinders, layout, transverse=transverse)


def _diesel(displacement: float | None, layout: Layout | None) -> EngineBay | None:
    if displacement is None:
        return None
    if displacement < _TRUCK_DIESEL:
        return EngineBay.DIESEL_CAR
    return EngineBay.DIESEL_TRUCK_INLINE if layout is Layout.INLINE else EngineBay.DIESEL_TRUCK


def _small(cylinders: int, layout: Layout | None, *, transverse: bool) -> EngineBay:
    if cylinders > _FOUR:
        return _six(layout, transverse=transverse)
    return EngineBay.FOUR_TRANSVERSE if transverse else EngineBay.FOUR_LONGITUDINAL


def _six(layout: Layout | None, *, transverse: bool) -> EngineBay:
    if layout is Layout.INLINE:
        return EngineBay.FOUR_TRANSVERSE if transverse else EngineBay.INLINE_SIX
    return EngineBay.V6_TRANSVERSE if transverse else EngineBay.V6_LONGITUDINAL


def _is_transverse(specs: VehicleSpecs, axle: Drive | None) -> bool | None:
    """Return whether the engine is transverse, or None if unknown.

    Engines are transverse with front-wheel drive, and with all-wheel drive that is based on it.
    """
    drives = specs.facts.drives or (frozenset({specs.drive}) if specs.drive else frozenset())
    make, model = make_key(specs.make), key(specs.model)
    if make in _LONGITUDINAL:
        return axle is Drive.FWD
    if make == "audi" and model.startswith(_LONGITUDINAL_MODELS):
        return False
    if not drives:
        return None
    two = drives & _TWO or frozenset({axle} if axle else ())
    if len(two) == 1:
        return two == {Drive.FWD}
    if drives == {Drive.AWD}:
        return (specs.body or specs.facts.body) is not Body.PICKUP
    return False if drives == {Drive.FOUR_WD} else None
