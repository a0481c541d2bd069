"""A vehicle's mechanical facts as every client sees them."""

from typing import Any, TypeAlias

from repaircore.kernel.facts import Engine, VehicleFacts
from repaircore.kernel.traits import Drive
from repaircore.vehicle_facts.engine_names import engine_name

FactsShape: TypeAlias = dict[str, Any]

_DRIVES = {Drive.FWD: "FWD", Drive.RWD: "RWD", Drive.AWD: "AWD", Drive.FOUR_WD: "4WD"}


def facts_shape(facts: VehicleFacts) -> FactsShape:
    """Return the facts as plain values; null is not known, or open between several possible ones.

    ``engine`` has what all possible engines share, ``possible_engines`` names them where there are several; likewise
    ``drive`` and ``possible_drives``.
    """
    return {
        "engine": _engine(facts),
        "possible_engines": [engine_name(one) for one in facts.engines] if len(facts.engines) > 1 else [],
        "powertrain": facts.powertrain,
        "drive": facts.drive,
        "possible_drives": sorted(facts.drives) if len(facts.drives) > 1 else [],
        "transmission": facts.transmission,
        "body": facts.body,
        "doors": facts.doors,
        "weight_class": facts.weight_class,
        "brakes": facts.brakes,
        "power_steering": facts.power_steering,
    }


def _engine(facts: VehicleFacts) -> FactsShape | None:
    if not facts.engines:
        return None
    one = facts.engines[0] if len(facts.engines) == 1 else None
    return {
        "name": None if one is None else engine_name(one),
        "displacement_l": facts.displacement,
        "cylinders": facts.cylinders,
        "layout": facts.layout,
        "valve_train": facts.common(lambda engine: engine.valve_train),
        "aspiration": facts.common(lambda engine: engine.aspiration),
        "cam_drive": facts.cam_drive,
        "fuel": facts.common(lambda engine: engine.fuel),
        "horsepower": facts.common(lambda engine: engine.horsepower),
        "battery_kwh": facts.common(lambda engine: engine.battery),
        "family": facts.common(lambda engine: engine.family),
        "code": facts.common(lambda engine: engine.code),
        "spark_plugs": facts.common(_plugs),
    }


def _plugs(engine: Engine) -> int | None:
    if engine.plugs_per_cylinder == 0:
        return 0
    if engine.cylinders is None or engine.plugs_per_cylinder is None:
        return None
    return engine.cylinders * engine.plugs_per_cylinder


def facts_line(facts: VehicleFacts) -> str | None:
    """Return the engine and the drive in one line: "6.7L V8 turbo diesel (6.7 Power Stroke), 4WD"; None when neither is known."""
    engine = engine_name(facts.engines[0]) if len(facts.engines) == 1 else None
    drive = None if facts.drive is None else _DRIVES[facts.drive]
    return ", ".join(part for part in (engine, drive) if part) or None
