"""The facts about a vehicle on which repair prices depend."""

from enum import StrEnum
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.facts import NO_FACTS, Engine, VehicleFacts
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.traits import Body, Drive, Powertrain, Traits


class Segment(StrEnum):
    """The size and kind of a vehicle, which affect labor hours and the price of parts."""

    SMALL_CAR = "small_car"
    MIDSIZE_CAR = "midsize_car"
    LARGE_CAR = "large_car"
    SPORTS_CAR = "sports_car"
    SMALL_SUV = "small_suv"
    MIDSIZE_SUV = "midsize_suv"
    LARGE_SUV = "large_suv"
    PICKUP = "pickup"
    HEAVY_PICKUP = "heavy_pickup"
    VAN = "van"


class Tier(StrEnum):
    """The price class of parts and labor for a make."""

    ECONOMY = "economy"
    MAINSTREAM = "mainstream"
    PREMIUM = "premium"
    LUXURY = "luxury"
    EXOTIC = "exotic"


class EngineBay(StrEnum):
    """The kind of engine and the room around it, on which labor hours depend."""

    FOUR_TRANSVERSE = "four_transverse"
    FOUR_LONGITUDINAL = "four_longitudinal"
    INLINE_SIX = "inline_six"
    V6_TRANSVERSE = "v6_transverse"
    V6_LONGITUDINAL = "v6_longitudinal"
    V8 = "v8"
    V10_AND_MORE = "v10_and_more"
    FLAT = "flat"
    ROTARY = "rotary"
    DIESEL_CAR = "diesel_car"
    DIESEL_TRUCK = "diesel_truck"
    DIESEL_TRUCK_INLINE = "diesel_truck_inline"


@frozen(kw_only=True, cache_hash=True)
class Amounts:
    """The amount of each part and fluid that a vehicle takes; None if unknown.

    Oil and transmission fluid (for a drain and fill) are in quarts, coolant is in gallons, and ``battery`` is the
    capacity of the traction battery in kWh. ``plug_tubes`` says whether the plugs sit in tubes under the valve cover.
    """

    plugs: int | None = None
    plug_tubes: bool | None = None
    cylinders: int | None = None
    oil: float | None = None
    coolant: float | None = None
    transmission_fluid: float | None = None
    battery: float | None = None


NO_AMOUNTS: Final = Amounts()


@frozen(kw_only=True)
class JobFactors:
    """The cost of a repair on a vehicle relative to what its other factors predict.

    ``repair`` is the repair's slug, ``quantity`` how many of its first part are needed (None: the usual number), and
    ``why`` the reason, as text.
    """

    repair: str
    labor: float = 1.0
    parts: float = 1.0
    quantity: int | None = None
    why: str


@frozen(kw_only=True, cache_hash=True)
class Factors:
    """The labor hours and the prices of parts for a vehicle, relative to a mid-size mainstream car (1.0).

    ``size`` is the segment's share of ``labor``; if a repair has hours for the engine bay, they replace it. ``year`` is
    the model year, and ``common`` says whether many manufacturers offer parts for the vehicle. ``outside`` says why the
    book does not cover such a vehicle, or is None if it does. ``jobs`` are the repairs with their own factors, and
    ``possible`` the factors with each engine if several are possible. ``pump_under_belt`` says whether the timing belt
    has to come off before the water pump does.
    """

    labor: float
    parts: float
    size: float = 1.0
    bay: EngineBay | None = None
    amounts: Amounts = NO_AMOUNTS
    year: int | None = None
    common: bool = True
    outside: str | None = None
    ceramic_brakes: bool = False
    jobs: tuple[JobFactors, ...] = ()
    pump_under_belt: bool = False
    possible: tuple[tuple[Engine, "Factors"], ...] = ()

    def job(self, repair: str) -> JobFactors | None:
        """Return the factors for a repair by its slug, or None if it has none of its own."""
        return next((job for job in self.jobs if job.repair == repair), None)


@frozen(kw_only=True)
class VehicleSpecs:
    """The specs of a vehicle, decoded from the first 11 characters of a VIN or found by name.

    ``make`` and ``model`` have the maker's spelling ("Honda", "Accord", "F-150"). ``engine`` is a short description
    ("2.4L 4-cyl"), and ``source`` is the decoder.
    """

    make: str
    model: str
    year: int
    trim: str | None = None
    engine: str | None = None
    powertrain: Powertrain | None = None
    drive: Drive | None = None
    body: Body | None = None
    facts: VehicleFacts = NO_FACTS
    source: str

    @property
    def display_name(self) -> str:
        """Return the name that an owner would use: year, make, model, trim."""
        return " ".join(str(part) for part in (self.year, self.make, self.model, self.trim) if part)

    @property
    def traits(self) -> Traits:
        """Return the traits that decide whether a repair fits."""
        return Traits(powertrain=self.powertrain, drive=self.drive, body=self.body)

    @property
    def profile(self) -> VehicleProfile:
        """Return the vehicle as the rules of the repair book see it."""
        return VehicleProfile(
            make=self.make,
            model=self.model,
            year=self.year,
            traits=self.traits,
            facts=self.facts,
            trim=self.trim,
        )

    def is_same_model(self, other: "VehicleSpecs") -> bool:
        """Return whether the year, make and model are the same, ignoring case and punctuation."""
        return (self.year, make_key(self.make), key(self.model)) == (
            other.year,
            make_key(other.make),
            key(other.model),
        )

    def enriched(self, known: "VehicleSpecs") -> "VehicleSpecs":
        """Return the specs with gaps filled from ``known``, and with its facts."""
        return evolve(
            self,
            trim=self.trim or known.trim,
            engine=self.engine or known.engine,
            powertrain=self.powertrain or known.powertrain,
            drive=self.drive or known.drive,
            body=self.body or known.body,
            facts=known.facts,
        )
