"""A vehicle's mechanical facts, which decide which repairs fit it, and how much of each part they take.

Every fact is None, or an empty collection, if it is unknown. If several engines are possible for a VIN, the facts keep
them all, and a property such as ``cylinders`` is known if all of them agree on it.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from attrs import field, frozen

from repaircore.kernel.traits import Body, Drive, Powertrain

T = TypeVar("T")


class Fuel(StrEnum):
    """What an engine runs on."""

    GASOLINE = "gasoline"
    DIESEL = "diesel"
    FLEX = "flex"
    GASOLINE_CNG = "gasoline_cng"
    CNG = "cng"
    PROPANE = "propane"
    ELECTRICITY = "electricity"
    HYDROGEN = "hydrogen"


class Layout(StrEnum):
    """How an engine's cylinders are arranged."""

    INLINE = "inline"
    V = "v"
    FLAT = "flat"
    W = "w"
    ROTARY = "rotary"


class Aspiration(StrEnum):
    """How an engine gets its air."""

    NATURAL = "natural"
    TURBO = "turbo"
    SUPERCHARGED = "supercharged"
    TURBO_AND_SUPERCHARGED = "turbo_and_supercharged"


class ValveTrain(StrEnum):
    """Where an engine's camshafts are."""

    OHV = "ohv"
    SOHC = "sohc"
    DOHC = "dohc"


class CamDrive(StrEnum):
    """What turns an engine's camshafts."""

    BELT = "belt"
    CHAIN = "chain"
    GEAR = "gear"


class Transmission(StrEnum):
    """The kind of transmission."""

    AUTOMATIC = "automatic"
    MANUAL = "manual"
    CVT = "cvt"
    DUAL_CLUTCH = "dual_clutch"
    SINGLE_SPEED = "single_speed"


class BrakeSystem(StrEnum):
    """What transmits the force of the brake pedal."""

    HYDRAULIC = "hydraulic"
    AIR = "air"


class PowerSteering(StrEnum):
    """What assists the steering."""

    HYDRAULIC = "hydraulic"
    ELECTRIC = "electric"
    ELECTRO_HYDRAULIC = "electro_hydraulic"
    NONE = "none"


@frozen(kw_only=True)
class Engine:
    """One engine, or the motor and battery of an electric vehicle.

    ``displacement`` is in liters as the maker names it (3.0, not 2.998), ``battery`` the capacity of the
    traction battery in kWh. ``family`` is the name that mechanics use ("EcoBoost 3.5", "6.7 Power Stroke"),
    ``code`` the maker's own ("J30A4"). ``plugs_per_cylinder`` is 0 for engines without spark plugs.
    """

    powertrain: Powertrain | None = None
    displacement: float | None = None
    cylinders: int | None = None
    layout: Layout | None = None
    valve_train: ValveTrain | None = None
    aspiration: Aspiration | None = None
    cam_drive: CamDrive | None = None
    horsepower: int | None = None
    battery: float | None = None
    family: str | None = None
    code: str | None = None
    fuel: Fuel | None = None
    plugs_per_cylinder: int | None = None


@frozen(kw_only=True)
class VehicleFacts:
    """What is known about one vehicle's mechanics.

    ``engines`` and ``drives`` list the possible ones: a single entry is certain, several leave it
    open. ``weight_class`` is the GVWR class as NHTSA writes it: "1", "2E" to "2H", "3" to "8".
    ``is_motorcycle`` is true if the VIN data calls it one; scooters and all-terrain vehicles with a VIN count as such.
    ``sources`` names, by field, where a fact comes from: ``vpic``, ``editorial``, ``owner``.
    """

    body: Body | None = None
    doors: int | None = None
    engines: tuple[Engine, ...] = ()
    drives: frozenset[Drive] = frozenset()
    transmission: Transmission | None = None
    weight_class: str | None = None
    brakes: BrakeSystem | None = None
    power_steering: PowerSteering | None = None
    is_motorcycle: bool = False
    sources: Mapping[str, str] = field(factory=dict, hash=False)

    @property
    def drive(self) -> Drive | None:
        """Return which wheels are driven, or None unless only one answer is possible."""
        return next(iter(self.drives)) if len(self.drives) == 1 else None

    @property
    def powertrain(self) -> Powertrain | None:
        """Return the powertrain that all possible engines share, or None."""
        return self.common(lambda engine: engine.powertrain)

    @property
    def displacement(self) -> float | None:
        """Return the displacement in liters that all possible engines share, or None."""
        return self.common(lambda engine: engine.displacement)

    @property
    def cylinders(self) -> int | None:
        """Return the number of cylinders that all possible engines share, or None."""
        return self.common(lambda engine: engine.cylinders)

    @property
    def layout(self) -> Layout | None:
        """Return the arrangement of cylinders that all possible engines share, or None."""
        return self.common(lambda engine: engine.layout)

    @property
    def cam_drive(self) -> CamDrive | None:
        """Return the cam drive that all possible engines share, or None."""
        return self.common(lambda engine: engine.cam_drive)

    def common(self, of: Callable[[Engine], T | None]) -> T | None:
        """Return the value that all possible engines share, or None if they differ or one is unknown."""
        values = {of(engine) for engine in self.engines}
        return values.pop() if len(values) == 1 else None


NO_FACTS = VehicleFacts()
