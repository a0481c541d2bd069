"""A vehicle's mechanical facts as clients see them."""

from typing import Annotated, Any, Self

from repaircore.kernel.engine_names import engine_name, only_engine_name
from repaircore.kernel.facts import (
    Aspiration,
    BrakeSystem,
    CamDrive,
    Engine,
    Fuel,
    Layout,
    PowerSteering,
    Transmission,
    ValveTrain,
    VehicleFacts,
)
from repaircore.kernel.rules import Described
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.kernel.views import view


@view
class EngineFactsView:
    """The facts that all possible engines of a vehicle share; null if unknown, or if they differ."""

    name: Annotated[
        str | None,
        Described("In everyday words: `5.7L V8 (5.7 Hemi)`; null while several are possible."),
    ]
    displacement_l: Annotated[float | None, Described("Liters, as the maker rounds them.")]
    cylinders: int | None
    layout: Layout | None
    valve_train: ValveTrain | None
    aspiration: Aspiration | None
    cam_drive: CamDrive | None
    fuel: Fuel | None
    horsepower: int | None
    battery_kwh: float | None
    family: Annotated[str | None, Described("The name that mechanics use.")]
    code: Annotated[str | None, Described("The maker's code.")]
    spark_plugs: Annotated[
        int | None, Described("The number of spark plugs in the engine; 0 if it has none.")
    ]

    @classmethod
    def of(cls, facts: VehicleFacts) -> Self | None:
        """Return the facts that the possible engines share, or None if no engine is known."""
        if not facts.engines:
            return None
        return cls(
            name=only_engine_name(facts.engines),
            displacement_l=facts.displacement,
            cylinders=facts.cylinders,
            layout=facts.layout,
            valve_train=facts.common(lambda engine: engine.valve_train),
            aspiration=facts.common(lambda engine: engine.aspiration),
            cam_drive=facts.cam_drive,
            fuel=facts.common(lambda engine: engine.fuel),
            horsepower=facts.common(lambda engine: engine.horsepower),
            battery_kwh=facts.common(lambda engine: engine.battery),
            family=facts.common(lambda engine: engine.family),
            code=facts.common(lambda engine: engine.code),
            spark_plugs=facts.common(_spark_plugs),
        )


@view
class MechanicalFactsView:
    """A vehicle's mechanical facts; null if unknown or ambiguous."""

    engine: EngineFactsView | None
    possible_engines: Annotated[list[str], Described("The possible engines, if there are several.")]
    powertrain: Powertrain | None
    drive: Drive | None
    possible_drives: Annotated[list[Drive], Described("The driven wheels, if several are possible.")]
    transmission: Transmission | None
    body: Body | None
    doors: int | None
    weight_class: Annotated[
        str | None,
        Described("The GVWR class: `1` (sometimes with a letter), `2E` to `2H`, `3` to `8`."),
    ]
    brakes: BrakeSystem | None
    power_steering: PowerSteering | None


def mechanical_fields(facts: VehicleFacts) -> dict[str, Any]:
    """Return the fields of ``MechanicalFactsView``, for views of vehicles that extend it."""
    return {
        "engine": EngineFactsView.of(facts),
        "possible_engines": [engine_name(engine) for engine in facts.engines]
        if len(facts.engines) > 1
        else [],
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


def _spark_plugs(engine: Engine) -> int | None:
    if engine.plugs_per_cylinder == 0:
        return 0
    if engine.cylinders is None or engine.plugs_per_cylinder is None:
        return None
    return engine.cylinders * engine.plugs_per_cylinder
