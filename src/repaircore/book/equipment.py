"""The equipment that a vehicle may have, from its make, model, year and known facts.

Functions such as ``possible_drives`` return the possible values: a single value is certain, several leave it open, and
None means that nothing is known. Facts come first, then the table of models, then rules of thumb without exceptions in
the US market.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from repaircore.book.axle_table import ALL_DISC, AXLE_ROWS, CAMERA_FROM
from repaircore.book.fittings_table import ROWS, listed_values
from repaircore.book.ignition_table import cooling_of, glow_plugs_of, sparks_of
from repaircore.kernel.facts import Aspiration, BrakeSystem, Layout, PowerSteering, Transmission
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.spelling import TRUCK_MAKES, key, make_key
from repaircore.kernel.traits import Body, Drive, Powertrain

_HEAVY_MAKES: Final = TRUCK_MAKES | {"bluebird", "thomas"}
"""The makes of trucks and school buses."""

_LIGHT_CLASSES: Final = frozenset("12345")
_HEAVIEST: Final = "8"
_HEAVY_PICKUP: Final = frozenset({"2G", "2H", "3", "4", "5", "6"})
_KEYLESS: Final = frozenset({"lucid", "rivian", "tesla", "polestar"})
_DUAL_CLUTCH_DIESELS: Final = frozenset({"audi", "volkswagen"})
"""The makes that sold diesels with a dual-clutch transmission (the DSG of the TDI)."""
_YES, _NO = "yes", "no"
_HYBRIDS: Final = (frozenset({Powertrain.HYBRID}), frozenset({Powertrain.PLUG_IN_HYBRID}))
_TOYOTA: Final = frozenset({"lexus", "toyota"})
_PLUGGED: Final = frozenset({Powertrain.ELECTRIC, Powertrain.PLUG_IN_HYBRID})

T = TypeVar("T")

Possible = frozenset[str] | None


def possible_powertrains(profile: VehicleProfile) -> frozenset[Powertrain] | None:
    """Return the powertrains that a vehicle may have, or None if they are unknown."""
    known = {engine.powertrain for engine in profile.facts.engines}
    if known and None not in known:
        return frozenset(value for value in known if value is not None)
    powertrain = profile.traits.powertrain
    return None if known or powertrain is None else frozenset({powertrain})


def possible_drives(profile: VehicleProfile) -> frozenset[Drive] | None:
    """Return the drives that a vehicle may have, or None if they are unknown."""
    if profile.facts.drives:
        return profile.facts.drives
    return None if profile.traits.drive is None else frozenset({profile.traits.drive})


def possible_layouts(profile: VehicleProfile) -> frozenset[Layout]:
    """Return the cylinder layouts that the engine may have; only Mazda's RX models have a rotary engine."""
    known = {engine.layout for engine in profile.facts.engines}
    if known and None not in known:
        return frozenset(value for value in known if value is not None)
    if make_key(profile.make) == "mazda":
        rotary = key(profile.model).startswith("rx")
        return frozenset({Layout.ROTARY}) if rotary else frozenset(Layout) - {Layout.ROTARY}
    return frozenset(Layout) - {Layout.ROTARY}


def possible_aspirations(profile: VehicleProfile) -> frozenset[Aspiration] | None:
    """Return the possible aspirations of the engine, or None if unknown; diesels from 2000 on have a turbocharger."""
    known = {engine.aspiration for engine in profile.facts.engines}
    if known and None not in known:
        return frozenset(value for value in known if value is not None)
    diesel = surely(possible_powertrains(profile), Powertrain.DIESEL)
    return frozenset({Aspiration.TURBO}) if diesel and profile.year >= _DIESEL_TURBO else None


def possible_transmissions(profile: VehicleProfile) -> frozenset[Transmission] | None:
    """Return the possible transmissions, or None if nothing is known; an electric vehicle has a single speed."""
    if profile.facts.transmission is not None:
        return frozenset({profile.facts.transmission})
    if surely(possible_powertrains(profile), Powertrain.ELECTRIC):
        return frozenset({Transmission.SINGLE_SPEED})
    if possible_powertrains(profile) in _HYBRIDS:
        return _hybrid_transmissions(profile)
    listed = _listed("transmission", profile)
    diesel = surely(possible_powertrains(profile), Powertrain.DIESEL)
    if listed is None and diesel and make_key(profile.make) not in _DUAL_CLUTCH_DIESELS:
        return frozenset({Transmission.AUTOMATIC, Transmission.MANUAL})
    return None if listed is None else frozenset(Transmission(value) for value in listed)


def _hybrid_transmissions(profile: VehicleProfile) -> frozenset[Transmission] | None:
    """Return the possible transmissions of a hybrid; only Honda sold hybrids with a clutch pedal."""
    had_clutch = profile.year <= _LAST_CLUTCH_HYBRID or key(profile.model) == "crz"
    if make_key(profile.make) == "honda" and had_clutch:
        return None
    if surely(_belt_cvt(profile), _YES):
        return frozenset({Transmission.CVT})
    possible = frozenset({Transmission.AUTOMATIC, Transmission.CVT, Transmission.DUAL_CLUTCH})
    return possible - {Transmission.DUAL_CLUTCH} if make_key(profile.make) in _TOYOTA else possible


def possible_brakes(profile: VehicleProfile) -> frozenset[BrakeSystem]:
    """Return the possible brake systems: only trucks above Class 5 may have air brakes; all in Class 8 do."""
    if profile.facts.brakes is not None:
        return frozenset({profile.facts.brakes})
    if profile.facts.weight_class == _HEAVIEST:
        return frozenset({BrakeSystem.AIR})
    return frozenset(BrakeSystem) if is_heavy(profile) else frozenset({BrakeSystem.HYDRAULIC})


def surely(possible: frozenset[T] | None, value: T) -> bool:
    """Return whether a value is the only possible one."""
    return possible is not None and possible == frozenset({value})


def is_heavy(profile: VehicleProfile) -> bool:
    """Return whether the vehicle is, or may be, a truck of Class 6 to 8."""
    weight = profile.facts.weight_class
    if weight is not None:
        return weight[:1] not in _LIGHT_CLASSES
    return make_key(profile.make) in _HEAVY_MAKES


def possible_power_steering(profile: VehicleProfile) -> frozenset[PowerSteering] | None:
    """Return the possible kinds of power steering, or None if nothing is known.

    Electric vehicles always have electric steering; other vehicles before 1999 have it only if they are listed.
    """
    stated = profile.facts.power_steering
    listed = _listed("power_steering", profile) if stated is None else frozenset({stated.value})
    # Hybrids stop their engine, so many of them were the first of their model without a pump.
    if possible_powertrains(profile) in _HYBRIDS and surely(listed, PowerSteering.HYDRAULIC.value):
        return None
    if stated is None and surely(possible_powertrains(profile), Powertrain.ELECTRIC):
        return frozenset({PowerSteering.ELECTRIC})
    if listed is not None:
        return frozenset(PowerSteering(value) for value in listed)
    if profile.year < _ELECTRIC_STEERING:
        return frozenset({PowerSteering.HYDRAULIC, PowerSteering.NONE})
    return None


def possible_fittings(kind: str, profile: VehicleProfile) -> Possible:
    """Return the possible values for a kind of equipment, or None if nothing is known.

    Raises:
        KeyError: there is no such kind (a mistake in the book, which the tests find).
    """
    return FITTINGS[kind](profile)


_DIESEL_TURBO: Final = 2000
_LAST_LEAF_SUV: Final = 2005
_ELECTRIC_STEERING: Final = 1999
_LAST_CLUTCH_HYBRID: Final = 2006
_ELECTRIC_COMPRESSOR: Final = 2004
_FIRST_CABIN_FILTERS: Final = 1988
_CABIN_FILTERS_IN_ALL: Final = 2016


_TABLES: Final = {**ROWS, **AXLE_ROWS}


def _listed(kind: str, profile: VehicleProfile) -> Possible:
    return listed_values(_TABLES[kind], _model(profile), profile) or None


def _listed_or(kind: str, usual: str) -> Callable[[VehicleProfile], Possible]:
    return lambda profile: _listed(kind, profile) or frozenset({usual})


def _model(profile: VehicleProfile) -> str:
    """Return the model's key; a pickup whose name does not state its size gets the size of its weight class."""
    model = key(profile.model)
    if model in {"silverado", "sierra", "ram"} and profile.facts.weight_class is not None:
        return f"{model}2500" if profile.facts.weight_class in _HEAVY_PICKUP else f"{model}1500"
    return model


def _front_springs(profile: VehicleProfile) -> Possible:
    listed = _listed("front_springs", profile)
    if listed is None and is_heavy(profile):
        return frozenset({"shock"})
    return listed or frozenset({"strut"})


def _front_axle(profile: VehicleProfile) -> Possible:
    drives = possible_drives(profile)
    if drives is not None and drives <= {Drive.FWD, Drive.AWD}:
        return frozenset({"independent"})
    return _listed("front_axle", profile)


def _rear_springs(profile: VehicleProfile) -> Possible:
    listed = _listed("rear_springs", profile)
    if listed is not None:
        return listed
    body, drives = profile.traits.body or profile.facts.body, possible_drives(profile)
    front = drives is not None and drives <= {Drive.FWD, Drive.AWD}
    newer = profile.year >= _LAST_LEAF_SUV
    coil = body is Body.CAR or (body is Body.VAN and front) or (body is Body.SUV and (front or newer))
    return frozenset({"coil"}) if coil and profile.year >= 1985 else None  # noqa: PLR2004 - the last leaf-sprung cars


def _coil_springs(profile: VehicleProfile) -> Possible:
    """Return the possible values: "yes" if either axle has coil springs, otherwise what carries the front axle."""
    return frozenset(
        front if front in _BOTH_AXLES or (front != "coil" and rear != "coil") else _YES
        for front in _front_carriers(profile)
        for rear in _rear_springs(profile) or {"coil", "leaf"}
    )


_BOTH_AXLES: Final = frozenset({"air", "leaf_only"})
_DRIVEN_ONLY: Final = "_4x4"


def _front_carriers(profile: VehicleProfile) -> frozenset[str]:
    listed = _listed("front_carrier", profile)
    if listed is None:
        return frozenset({"coil", "leaf"}) if is_heavy(profile) else frozenset({"coil"})
    always = frozenset(value for value in listed if not value.endswith(_DRIVEN_ONLY))
    if always:
        return always
    driven = frozenset(value.removesuffix(_DRIVEN_ONLY) for value in listed)
    drives = possible_drives(profile) or frozenset(Drive)
    undriven = {"coil"} if Drive.RWD in drives else set()
    return (driven if drives - {Drive.RWD} else frozenset()) | undriven


def _front_differential(profile: VehicleProfile) -> Possible:
    """Return the possible answers ("yes", "no") to whether the front axle has a differential with its own oil.

    The result is None if nothing is known. A differential inside a transaxle shares the transaxle's oil.
    """
    drives = possible_drives(profile)
    if drives is not None and drives <= {Drive.FWD, Drive.RWD}:
        return frozenset({_NO})
    if drives is None or drives & {Drive.FWD, Drive.RWD}:
        return frozenset({_YES, _NO}) if surely(_own_front_gears(profile), _YES) else None
    return _own_front_gears(profile)


def _own_front_gears(profile: VehicleProfile) -> Possible:
    listed = _listed("front_differential", profile)
    if listed is None and surely(possible_powertrains(profile), Powertrain.ELECTRIC):
        return frozenset({_NO})
    return listed


def _rear_arms(profile: VehicleProfile) -> Possible:
    """Return the possible answers to whether arms guide the rear wheels; leaf springs on a solid axle do without."""
    if surely(_rear_axle(profile), "independent"):
        return frozenset({_YES})
    springs = _rear_springs(profile)
    return None if springs is None else frozenset(_YES if spring == "coil" else _NO for spring in springs)


def _rear_axle(profile: VehicleProfile) -> Possible:
    listed = _listed("rear_axle", profile)
    if listed is not None:
        return listed
    if is_heavy(profile):
        return frozenset({"solid"})
    body, drives = profile.traits.body or profile.facts.body, possible_drives(profile)
    if body is Body.PICKUP or surely(_rear_springs(profile), "leaf"):
        return frozenset({"solid"})
    if surely(drives, Drive.AWD) or (body is Body.CAR and surely(drives, Drive.RWD) and profile.year >= 2015):  # noqa: PLR2004 - the last solid axles of cars
        return frozenset({"independent"})
    return None


def _rear_dampers(profile: VehicleProfile) -> Possible:
    """Return the kind of rear dampers: shock absorbers separate from the springs on a solid axle, otherwise struts."""
    return frozenset({"shock"}) if surely(_rear_axle(profile), "solid") else frozenset({"strut"})


def _half_shafts(profile: VehicleProfile) -> Possible:
    drives = possible_drives(profile)
    if drives is None:
        return None
    if drives <= {Drive.FWD, Drive.AWD} or (
        surely(drives, Drive.FOUR_WD) and surely(_front_axle(profile), "independent")
    ):
        return frozenset({_YES})
    if surely(drives, Drive.RWD):
        rear = _rear_axle(profile)
        return (
            None if rear is None or len(rear) > 1 else frozenset({_YES if rear == {"independent"} else _NO})
        )
    return None


def _rear_brakes(profile: VehicleProfile) -> Possible:
    listed = _listed("rear_brakes", profile)
    if listed is not None:
        return listed
    disc = make_key(profile.make) in ALL_DISC and profile.year >= 1998  # noqa: PLR2004 - drums were gone by then
    return frozenset({"disc"}) if disc else None


def _steering_gear(profile: VehicleProfile) -> Possible:
    listed = _listed("steering_gear", profile)
    if listed is not None:
        return listed
    drives, body = possible_drives(profile), profile.traits.body or profile.facts.body
    front = drives is not None and drives <= {Drive.FWD, Drive.AWD}
    electric = surely(possible_powertrains(profile), Powertrain.ELECTRIC)
    car = electric or (body is Body.CAR and profile.year >= 2000)  # noqa: PLR2004 - recirculating balls had left the cars
    return frozenset({"rack"}) if front or car else None


def _parking_brake(profile: VehicleProfile) -> Possible:
    if profile.year < 2002:  # noqa: PLR2004 - the first electric parking brake, of the BMW 7 Series
        return frozenset({"cable"})
    return frozenset({"electric"}) if make_key(profile.make) in _KEYLESS else None


def _front_upper_arms(profile: VehicleProfile) -> Possible:
    body = profile.traits.body or profile.facts.body
    if body is Body.PICKUP and possible_drives(profile) in {
        frozenset({Drive.RWD}),
        frozenset({Drive.FOUR_WD}),
    }:
        return frozenset({_YES})
    return None


def _full_hybrid(profile: VehicleProfile) -> Possible:
    """Return the possible answers ("yes", "no") to whether it is a hybrid with neither alternator nor starter.

    The result is None if nothing is known.
    """
    kinds = possible_powertrains(profile)
    if kinds is None:
        return None
    hybrid = kinds & {Powertrain.HYBRID, Powertrain.PLUG_IN_HYBRID}
    listed = _listed("full_hybrid", profile) if hybrid else frozenset({_NO})
    return listed if listed is None or hybrid == kinds else listed | {_NO}


def _accessory_belt(profile: VehicleProfile) -> Possible:
    """Return the possible answers ("yes", "no") to whether a belt drives the accessories, or None if unknown.

    Electric vehicles and some hybrids have electric accessories.
    """
    kinds = possible_powertrains(profile)
    if kinds is None:
        return None
    hybrid = kinds & {Powertrain.HYBRID, Powertrain.PLUG_IN_HYBRID}
    listed = _listed("accessory_belt", profile) if hybrid else None
    if hybrid == kinds:
        return listed
    return (listed or frozenset()) | {_NO if kinds - hybrid == {Powertrain.ELECTRIC} else _YES}


def _key_ignition(profile: VehicleProfile) -> Possible:
    if profile.year < 2003:  # noqa: PLR2004 - the first push-button start
        return frozenset({_YES})
    return frozenset({_NO}) if make_key(profile.make) in _KEYLESS else None


def _headlight_bulbs(profile: VehicleProfile) -> Possible:
    if make_key(profile.make) in _KEYLESS and profile.year >= 2017:  # noqa: PLR2004 - lamps are one unit from the Model 3 on
        return frozenset({_NO})
    return frozenset({_YES}) if profile.year < 2009 else None  # noqa: PLR2004 - the first LED headlights of volume


def _driveshaft(profile: VehicleProfile) -> Possible:
    if not surely(_listed("driveshaft", profile), _NO):
        return frozenset({_YES})
    four = (possible_drives(profile) or frozenset()) & {Drive.AWD, Drive.FOUR_WD}
    return frozenset({_YES, _NO}) if four else frozenset({_NO})


def _brake_booster(profile: VehicleProfile) -> Possible:
    if possible_powertrains(profile) in _HYBRIDS:
        return frozenset({"electric"} if make_key(profile.make) in _TOYOTA else {"electric", "vacuum"})
    return _listed("brake_booster", profile) or frozenset({"vacuum"})


def _compressor(profile: VehicleProfile) -> Possible:
    """Return what drives the A/C compressor of the powertrains that a vehicle may have."""
    kinds = possible_powertrains(profile)
    if kinds is None or Powertrain.HYBRID not in kinds:
        return (
            None if kinds is None else frozenset("electric" if kind in _PLUGGED else "belt" for kind in kinds)
        )
    toyota = make_key(profile.make) in _TOYOTA and profile.year >= _ELECTRIC_COMPRESSOR
    return frozenset({"electric"} if toyota and kinds == {Powertrain.HYBRID} else {"belt", "electric"})


def _belt_cvt(profile: VehicleProfile) -> Possible:
    """Return the possible answers to whether a CVT has a belt; that of few hybrids and of no truck frame has one."""
    kinds = possible_powertrains(profile)
    is_hybrid = kinds is not None and Powertrain.HYBRID in kinds
    hybrid = (_listed("belt_cvt", profile) or frozenset({_NO})) if is_hybrid else frozenset()
    if kinds in _HYBRIDS:
        return hybrid or frozenset({_NO})
    drives, listed = possible_drives(profile), _listed("transmission", profile) or frozenset()
    lengthwise = (
        drives is not None and drives <= {Drive.RWD, Drive.FOUR_WD} and Transmission.CVT not in listed
    )
    return hybrid | {_NO if lengthwise else _YES}


def _cabin_filter(profile: VehicleProfile) -> Possible:
    listed = _listed("cabin_filter", profile)
    if listed is None and profile.year < _FIRST_CABIN_FILTERS:
        return frozenset({_NO})
    return frozenset({_YES}) if listed is None and profile.year >= _CABIN_FILTERS_IN_ALL else listed


def _front_camera(profile: VehicleProfile) -> Possible:
    since = CAMERA_FROM.get(make_key(profile.make))
    return frozenset({_YES}) if since is not None and profile.year >= since else None


FITTINGS: Final[Mapping[str, Callable[[VehicleProfile], Possible]]] = {
    "front_springs": _front_springs,
    "coil_springs": _coil_springs,
    "front_axle": _front_axle,
    "front_differential": _front_differential,
    "rear_springs": _rear_springs,
    "rear_arms": _rear_arms,
    "rear_axle": _rear_axle,
    "rear_dampers": _rear_dampers,
    "half_shafts": _half_shafts,
    "rear_brakes": _rear_brakes,
    "steering_gear": _steering_gear,
    "parking_brake": _parking_brake,
    "front_upper_arms": _front_upper_arms,
    "full_hybrid": _full_hybrid,
    "accessory_belt": _accessory_belt,
    "tpms": _listed_or("tpms", "direct"),
    "transfer_case": _listed_or("transfer_case", _YES),
    "fuel_cap": _listed_or("fuel_cap", _YES),
    "ignition": lambda profile: sparks_of(profile, _model(profile)),
    "engine_cooling": lambda profile: cooling_of(profile, _model(profile)),
    "glow_plugs": lambda profile: glow_plugs_of(profile, is_heavy=is_heavy(profile)),
    "key_ignition": _key_ignition,
    "headlight_bulbs": _headlight_bulbs,
    "front_camera": _front_camera,
    "driveshaft": _driveshaft,
    "brake_booster": _brake_booster,
    "belt_cvt": _belt_cvt,
    "compressor": _compressor,
    "cabin_filter": _cabin_filter,
}
"""The kinds of equipment that ``fits`` in the book may name, with the functions that return the possible values."""
