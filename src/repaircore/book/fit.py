"""Whether a repair fits, may fit or does not fit a vehicle, with the reason in plain words."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from repaircore.book.equipment import (
    possible_aspirations,
    possible_brakes,
    possible_drives,
    possible_fittings,
    possible_layouts,
    possible_power_steering,
    possible_powertrains,
    possible_transmissions,
    surely,
)
from repaircore.book.model import Fits, Problem
from repaircore.kernel.facts import (
    Aspiration,
    BrakeSystem,
    CamDrive,
    Layout,
    PowerSteering,
    Transmission,
    ValveTrain,
)
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.kernel.wording import join_words


class FitOutcome(StrEnum):
    """Whether a repair fits a vehicle."""

    FITS = "fits"
    DOES_NOT_FIT = "does_not_fit"
    UNKNOWN = "unknown"


@frozen(kw_only=True)
class Fit:
    """The outcome, and its reason unless the repair fits."""

    outcome: FitOutcome
    reason: str | None = None


FITS: Final = Fit(outcome=FitOutcome.FITS)


@frozen(kw_only=True)
class ProblemFit:
    """A repair and whether it fits a vehicle."""

    problem: Problem
    fit: Fit


_WORDS: Final[Sequence[tuple[StrEnum, str]]] = (
    (Powertrain.GAS, "has a gasoline engine"),
    (Powertrain.DIESEL, "has a diesel engine"),
    (Powertrain.HYBRID, "is a hybrid"),
    (Powertrain.PLUG_IN_HYBRID, "is a plug-in hybrid"),
    (Powertrain.ELECTRIC, "is electric"),
    (Drive.FWD, "has front-wheel drive"),
    (Drive.RWD, "has rear-wheel drive"),
    (Drive.AWD, "has all-wheel drive"),
    (Drive.FOUR_WD, "has four-wheel drive"),
    (Body.CAR, "is a car"),
    (Body.SUV, "is an SUV"),
    (Body.PICKUP, "is a pickup"),
    (Body.VAN, "is a van"),
    (Layout.INLINE, "has an inline engine"),
    (Layout.V, "has a V engine"),
    (Layout.FLAT, "has a flat engine"),
    (Layout.W, "has a W engine"),
    (Layout.ROTARY, "has a rotary engine"),
    (ValveTrain.OHV, "has a pushrod engine"),
    (ValveTrain.SOHC, "has an engine with a single overhead camshaft"),
    (ValveTrain.DOHC, "has an engine with two overhead camshafts"),
    (CamDrive.BELT, "has an engine with a timing belt"),
    (CamDrive.CHAIN, "has an engine with a timing chain"),
    (CamDrive.GEAR, "has an engine with timing gears"),
    (Aspiration.NATURAL, "has an engine without a turbocharger"),
    (Aspiration.TURBO, "has a turbocharged engine"),
    (Aspiration.SUPERCHARGED, "has a supercharged engine"),
    (Aspiration.TURBO_AND_SUPERCHARGED, "has a turbocharged and supercharged engine"),
    (Transmission.AUTOMATIC, "has an automatic transmission"),
    (Transmission.MANUAL, "has a manual transmission"),
    (Transmission.CVT, "has a CVT"),
    (Transmission.DUAL_CLUTCH, "has a dual-clutch transmission"),
    (Transmission.SINGLE_SPEED, "has a single-speed transmission"),
    (BrakeSystem.HYDRAULIC, "has hydraulic brakes"),
    (BrakeSystem.AIR, "has air brakes"),
    (PowerSteering.HYDRAULIC, "has hydraulic power steering"),
    (PowerSteering.ELECTRIC, "has electric power steering"),
    (PowerSteering.ELECTRO_HYDRAULIC, "has electro-hydraulic power steering"),
    (PowerSteering.NONE, "has no power steering"),
)
_HAS: Final[Mapping[type[StrEnum], Mapping[object, str]]] = {
    kind: {value: words for value, words in _WORDS if type(value) is kind}
    for kind in {type(value) for value, _ in _WORDS}
}
"""The words for a vehicle's values, by type, because values of two types may be the same string ("electric")."""
_FITTING_HAS: Final[Mapping[tuple[str, str], str]] = {
    ("front_springs", "shock"): "has separate shock absorbers and springs in front",
    ("front_springs", "strut"): "has struts in front",
    ("coil_springs", "yes"): "has coil springs",
    ("coil_springs", "torsion"): "has torsion bars in front and leaf springs in the rear",
    ("coil_springs", "leaf"): "has leaf springs in front and in the rear",
    ("coil_springs", "leaf_only"): "has transverse leaf springs in front and in the rear",
    ("coil_springs", "air"): "has air springs in front and in the rear",
    ("front_differential", "yes"): "has a front differential with its own oil",
    ("front_differential", "no"): "has no separate front differential",
    ("front_axle", "solid"): "has a solid front axle",
    ("front_axle", "independent"): "has independent front suspension",
    ("rear_springs", "leaf"): "has leaf springs in the rear",
    ("rear_springs", "coil"): "has coil springs in the rear",
    ("rear_dampers", "shock"): "has separate shock absorbers and springs in the rear",
    ("rear_dampers", "strut"): "has struts in the rear",
    ("rear_axle", "solid"): "has a solid rear axle",
    ("rear_axle", "independent"): "has independent rear suspension",
    ("half_shafts", "no"): "drives a solid rear axle",
    ("half_shafts", "yes"): "drives its wheels through half shafts",
    ("rear_brakes", "disc"): "has disc brakes in the rear",
    ("rear_brakes", "drum"): "has drum brakes in the rear",
    ("steering_gear", "rack"): "has rack-and-pinion steering",
    ("steering_gear", "box"): "has a steering gearbox",
    ("parking_brake", "cable"): "has a cable-operated parking brake",
    ("parking_brake", "electric"): "has an electric parking brake",
    ("front_upper_arms", "yes"): "has upper control arms in front",
    ("transfer_case", "yes"): "has a transfer case",
    ("transfer_case", "no"): "splits its power inside the transmission",
    ("full_hybrid", "yes"): "charges and starts with its hybrid motors",
    ("full_hybrid", "no"): "charges and starts without hybrid motors",
    ("accessory_belt", "no"): "runs its pumps and compressor on electricity",
    ("accessory_belt", "yes"): "drives its accessories with a belt",
    ("tpms", "indirect"): "reads tire pressure from the wheel speed sensors",
    ("tpms", "direct"): "has a pressure sensor in each wheel",
    ("fuel_cap", "none"): "has a capless fuel filler",
    ("fuel_cap", "yes"): "has a fuel cap",
    ("ignition", "coil_on_plug"): "has a coil on each spark plug",
    ("ignition", "coil_rail"): "has its coils in a rail on the spark plugs",
    ("ignition", "wires"): "has coils with spark plug wires",
    ("ignition", "distributor"): "has a distributor",
    ("engine_cooling", "air"): "has an air-cooled engine",
    ("engine_cooling", "liquid"): "has liquid cooling",
    ("glow_plugs", "yes"): "starts cold with glow plugs",
    ("glow_plugs", "no"): "starts cold with a heater in the intake",
    ("key_ignition", "no"): "starts without turning a key",
    ("key_ignition", "yes"): "starts by turning a key",
    ("headlight_bulbs", "no"): "has sealed LED headlights",
    ("headlight_bulbs", "yes"): "has replaceable headlight bulbs",
    ("front_camera", "yes"): "has a camera behind the windshield",
    ("driveshaft", "yes"): "has a driveshaft to the rear axle",
    ("driveshaft", "no"): "has its transmission at the driven rear axle",
    ("brake_booster", "vacuum"): "has a vacuum brake booster",
    ("brake_booster", "hydraulic"): "has a hydraulic brake booster",
    ("brake_booster", "electric"): "has an electric brake booster",
    ("belt_cvt", "yes"): "has a CVT with a belt",
    ("belt_cvt", "no"): "has a transmission without a belt",
    ("compressor", "belt"): "drives its A/C compressor with a belt",
    ("compressor", "electric"): "has an electric A/C compressor",
    ("cabin_filter", "yes"): "filters the air of its cabin",
    ("cabin_filter", "no"): "has a heater without an air filter",
    ("rear_arms", "yes"): "has control arms in the rear",
    ("rear_arms", "no"): "has leaf springs in the rear",
}
_FITTING_NAMES: Final[Mapping[str, str]] = {
    "coil_springs": "suspension",
    "front_differential": "front axle",
    "front_springs": "front suspension",
    "front_axle": "front axle",
    "rear_springs": "rear suspension",
    "rear_dampers": "rear suspension",
    "rear_axle": "rear axle",
    "half_shafts": "axles",
    "rear_brakes": "rear brake type",
    "steering_gear": "steering gear",
    "parking_brake": "parking brake type",
    "front_upper_arms": "front suspension",
    "transfer_case": "transfer case",
    "full_hybrid": "hybrid type",
    "accessory_belt": "accessory drive",
    "tpms": "tire pressure monitor",
    "fuel_cap": "fuel filler",
    "ignition": "ignition type",
    "engine_cooling": "engine cooling",
    "glow_plugs": "cold start aid",
    "key_ignition": "ignition switch",
    "headlight_bulbs": "headlight type",
    "front_camera": "driver assistance equipment",
    "driveshaft": "driveline",
    "brake_booster": "brake booster",
    "belt_cvt": "transmission type",
    "cabin_filter": "heater equipment",
    "compressor": "A/C compressor",
    "rear_arms": "rear suspension",
}


_OF_FOUR_WHEELS: Final = frozenset(
    [
        *(
            "coil_springs",
            "front_springs",
            "front_axle",
            "front_differential",
            "rear_springs",
            "rear_axle",
            "rear_dampers",
            "half_shafts",
            "steering_gear",
        ),
        *("front_upper_arms", "transfer_case", "full_hybrid", "rear_brakes", "parking_brake", "front_camera"),
        *("driveshaft", "brake_booster", "belt_cvt", "cabin_filter", "compressor", "rear_arms"),
    ]
)
"""Equipment that no motorcycle has."""


@frozen(kw_only=True)
class _Criterion:
    """The values that a repair needs, the values that the vehicle may have, and the words for both."""

    name: str
    needed: Collection[object]
    possible: Collection[object] | None
    words: Mapping[object, str]
    perhaps: Collection[object] = field(factory=frozenset)
    doubt: str | None = None

    def check(self, vehicle: VehicleProfile, part: str | None) -> Fit:
        """Return whether the vehicle has a needed value; ``part`` names the part that it lacks if it does not."""
        if self.possible is None:
            return self._unknown(vehicle, part)
        if not set(self.possible) & ({*self.needed} | {*self.perhaps}):
            return self._misfit(vehicle, part)
        return FITS if set(self.possible) <= set(self.needed) else self._unknown(vehicle, part)

    def _misfit(self, vehicle: VehicleProfile, part: str | None) -> Fit:
        has = [self.words[value] for value in sorted(self.possible or (), key=str)]
        misfit = f"it has no {part}" if part else f"this repair is for a vehicle that {self._need()}"
        reason = f"A {vehicle.name} {join_words(has, 'or')}: {misfit}."
        return Fit(outcome=FitOutcome.DOES_NOT_FIT, reason=reason)

    def _unknown(self, vehicle: VehicleProfile, part: str | None) -> Fit:
        if self.possible is not None and set(self.possible) <= {*self.needed} | {*self.perhaps}:
            reason = (
                f"Only some vehicles like the {vehicle.name} have this part{f': {part}' if part else ''}."
                if self.doubt is None
                else f"Unknown for the {vehicle.name}: {self.doubt}."
            )
        else:
            reason = f"Fits only a vehicle that {self._need()}; the {self.name} of this {vehicle.name} is not known."
        return Fit(outcome=FitOutcome.UNKNOWN, reason=reason)

    def _need(self) -> str:
        return join_words([self.words[value] for value in sorted(self.needed, key=str)], "or")


def check_fit(problem: Problem, vehicle: VehicleProfile) -> Fit:
    """Return whether a repair fits a vehicle, with the reason if it does not or if that is unknown.

    A single criterion that is not met rules the repair out, whatever else is unknown.
    """
    if vehicle.facts.is_motorcycle:
        return _on_motorcycle(problem.fits, vehicle)
    unknown: Fit | None = None
    for judged in _checks(problem.fits, vehicle):
        if judged.outcome is FitOutcome.DOES_NOT_FIT:
            return judged
        if judged.outcome is FitOutcome.UNKNOWN and unknown is None:
            unknown = judged
    return unknown or FITS


def _on_motorcycle(fits: Fits, vehicle: VehicleProfile) -> Fit:
    """Return whether a repair may fit a motorcycle; the book knows too little to say that any does."""
    if fits.bodies or fits.drives or not fits.fittings.keys().isdisjoint(_OF_FOUR_WHEELS):
        reason = f"A {vehicle.name} is a motorcycle: this repair is for vehicles with four wheels."
        return Fit(outcome=FitOutcome.DOES_NOT_FIT, reason=reason)
    judged = [fit for fit in _checks(fits, vehicle) if fit.outcome is FitOutcome.DOES_NOT_FIT]
    reason = f"The repair book does not cover motorcycles, so it is unknown whether this repair fits a {vehicle.name}."
    return judged[0] if judged else Fit(outcome=FitOutcome.UNKNOWN, reason=reason)


def list_fitting(problems: Iterable[Problem], vehicle: VehicleProfile) -> Sequence[ProblemFit]:
    """List the repairs that fit a vehicle, followed by those that may fit, both in the given order."""
    judged = [ProblemFit(problem=problem, fit=check_fit(problem, vehicle)) for problem in problems]
    return [
        *(each for each in judged if each.fit.outcome is FitOutcome.FITS),
        *(each for each in judged if each.fit.outcome is FitOutcome.UNKNOWN),
    ]


def alternatives(
    problem: Problem, problems: Iterable[Problem], vehicle: VehicleProfile, *, limit: int = 3
) -> Sequence[Problem]:
    """List the closest repairs in the same category that fit, those with the most words in common first."""
    words = _words(problem)
    alike = [
        (len(words & _words(other)) / len(words | _words(other)), other)
        for other in problems
        if other.parent.id == problem.parent.id and other.id != problem.id
    ]
    ranked = sorted(alike, key=lambda scored: (-scored[0], scored[1].id))
    return [other for _, other in ranked if check_fit(other, vehicle).outcome is FitOutcome.FITS][:limit]


def _words(problem: Problem) -> frozenset[str]:
    return frozenset(problem.slug.split("-"))


def _checks(fits: Fits, vehicle: VehicleProfile) -> Iterator[Fit]:
    for criterion in _criteria(fits, vehicle):
        yield criterion.check(vehicle, fits.part)
    yield from _years(fits, vehicle)


def _criteria(fits: Fits, vehicle: VehicleProfile) -> Iterator[_Criterion]:
    for name, kind_of, needed, find in _KINDS:
        wanted = needed(fits)
        perhaps: Collection[object] = fits.perhaps if name == "powertrain" else ()
        if wanted or perhaps:
            yield _Criterion(
                name=name,
                needed=wanted,
                possible=find(vehicle),
                words=_HAS[kind_of],
                perhaps=perhaps,
                doubt=fits.doubt,
            )
    for kind, values in fits.fittings.items():
        yield _Criterion(
            name=_FITTING_NAMES[kind],
            needed=values,
            possible=possible_fittings(kind, vehicle),
            words={value: words for (of, value), words in _FITTING_HAS.items() if of == kind},
        )


def _years(fits: Fits, vehicle: VehicleProfile) -> Iterator[Fit]:
    years, thing = fits.years, fits.option or fits.part or "this part"
    if years.first is not None and vehicle.year < years.first:
        reason = f"A {vehicle.name} is too old for this repair: no vehicle before {years.first} had {thing}."
        yield Fit(outcome=FitOutcome.DOES_NOT_FIT, reason=reason)
    elif years.last is not None and vehicle.year > years.last:
        reason = f"A {vehicle.name} is too new for this repair: no vehicle after {years.last} had {thing}."
        yield Fit(outcome=FitOutcome.DOES_NOT_FIT, reason=reason)
    elif fits.option is not None and (years.all_from is None or vehicle.year < years.all_from):
        reason = f"Fits only vehicles with {fits.option}; it is unknown whether this {vehicle.name} has {_pronoun(fits.option)}."
        yield Fit(outcome=FitOutcome.UNKNOWN, reason=reason)


def _pronoun(option: str) -> str:
    return "one" if option.startswith(("a ", "an ")) else "it"


def _body(vehicle: VehicleProfile) -> frozenset[Body] | None:
    body = vehicle.facts.body or vehicle.traits.body
    return None if body is None else frozenset({body})


def _valve_trains(vehicle: VehicleProfile) -> frozenset[ValveTrain] | None:
    known = [engine.valve_train for engine in vehicle.facts.engines]
    return None if not known or None in known else frozenset(value for value in known if value is not None)


def _cam_drives(vehicle: VehicleProfile) -> frozenset[CamDrive] | None:
    """Return the possible cam drives, or None if unknown.

    A gasoline V engine with pushrods has a chain; any other engine with pushrods has a chain or gears.
    """
    known = [engine.cam_drive for engine in vehicle.facts.engines]
    if known and None not in known:
        return frozenset(value for value in known if value is not None)
    if surely(_valve_trains(vehicle), ValveTrain.OHV):
        gasoline_v = surely(possible_powertrains(vehicle), Powertrain.GAS) and possible_layouts(vehicle) == {
            Layout.V
        }
        return frozenset({CamDrive.CHAIN}) if gasoline_v else frozenset({CamDrive.CHAIN, CamDrive.GEAR})
    return None


_KINDS: Final[
    Sequence[
        tuple[
            str,
            type[StrEnum],
            Callable[[Fits], Collection[object]],
            Callable[[VehicleProfile], Collection[object] | None],
        ]
    ]
] = (
    ("powertrain", Powertrain, lambda fits: fits.powertrains, possible_powertrains),
    ("drive", Drive, lambda fits: fits.drives, possible_drives),
    ("body", Body, lambda fits: fits.bodies, _body),
    ("engine layout", Layout, lambda fits: fits.layouts, possible_layouts),
    ("valve train", ValveTrain, lambda fits: fits.valve_trains, _valve_trains),
    ("cam drive", CamDrive, lambda fits: fits.cam_drives, _cam_drives),
    ("air intake", Aspiration, lambda fits: fits.aspirations, possible_aspirations),
    ("transmission", Transmission, lambda fits: fits.transmissions, possible_transmissions),
    ("brake type", BrakeSystem, lambda fits: fits.brakes, possible_brakes),
    ("power steering", PowerSteering, lambda fits: fits.power_steering, possible_power_steering),
)
