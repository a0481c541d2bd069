"""Parse the mechanical facts in a row of vPIC elements, from the installed data or from NHTSA's service.

A row maps the codes of elements (``DisplacementL``, ``EngineCylinders``) to their values. Nothing is guessed: an empty
element becomes None, and an ambiguous one ("4x2") becomes every value that it allows.
"""

import math
import re
from collections.abc import Mapping
from typing import Final, TypeAlias, TypeVar

from repaircore.kernel.facts import (
    Aspiration,
    BrakeSystem,
    Engine,
    Fuel,
    Layout,
    Transmission,
    ValveTrain,
    VehicleFacts,
)
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.vehicle_facts.elements import body_of, drive_of, powertrain_of

T = TypeVar("T")

VpicRow: TypeAlias = Mapping[str, str]
"""The values of elements by their codes; empty elements are absent."""

_MOST_LITERS: Final = 20.0
_MOST_CYLINDERS: Final = 24
_MOST_HORSEPOWER: Final = 2500
_MOST_KWH: Final = 1000.0

_WINDSOR: Final = 4.9
"""Ford's 302 displaces 4.94 liters, but is called a 5.0 everywhere."""
_FORDS: Final = frozenset({"ford", "lincoln", "mercury"})
_EIGHT: Final = 8

_LAYOUTS: Final = (
    ("in-line", Layout.INLINE),
    ("v-shaped", Layout.V),
    ("horizontally opposed", Layout.FLAT),
    ("w shaped", Layout.W),
    ("rotary", Layout.ROTARY),
)
_VALVES: Final = (
    ("dual overhead", ValveTrain.DOHC),
    ("single overhead", ValveTrain.SOHC),
    ("overhead valve", ValveTrain.OHV),
)
_TRANSMISSIONS: Final = (
    ("continuously variable", Transmission.CVT),
    ("(e-cvt)", Transmission.CVT),
    ("dual-clutch", Transmission.DUAL_CLUTCH),
    ("direct drive", Transmission.SINGLE_SPEED),
    ("automated manual", Transmission.AUTOMATIC),
    ("manual", Transmission.MANUAL),
    ("automatic", Transmission.AUTOMATIC),
)
_FUELS: Final = (
    ("flexible", Fuel.FLEX),
    ("diesel", Fuel.DIESEL),
    ("natural gas", Fuel.CNG),
    ("propane", Fuel.PROPANE),
    ("electric", Fuel.ELECTRICITY),
    ("hydrogen", Fuel.HYDROGEN),
    ("fuel cell", Fuel.HYDROGEN),
    ("ethanol", Fuel.FLEX),
    ("methanol", Fuel.FLEX),
    ("gasoline", Fuel.GASOLINE),
)
_SECONDARY: Final = (("ethanol", Fuel.FLEX), ("methanol", Fuel.FLEX), ("natural gas", Fuel.GASOLINE_CNG))
_DRIVES: Final = {
    "4x2": frozenset({Drive.FWD, Drive.RWD}),
    "2wd/4wd": frozenset({Drive.FWD, Drive.RWD, Drive.FOUR_WD}),
    "6x4": frozenset({Drive.RWD}),
    "6x2": frozenset({Drive.RWD}),
    "8x4": frozenset({Drive.RWD}),
    "8x2": frozenset({Drive.RWD}),
    "6x6": frozenset({Drive.FOUR_WD}),
    "8x6": frozenset({Drive.FOUR_WD}),
    "8x8": frozenset({Drive.FOUR_WD}),
}
_CLASS: Final = re.compile(r"class (\d[a-h]?)\b", re.IGNORECASE)
_TURBO: Final = re.compile(r"\b(turbo\w*|gtdi|ecoboost|tsi|tfsi|tdi|t-?gdi|bi-?turbo)\b", re.IGNORECASE)
_SUPERCHARGED: Final = re.compile(r"\b(super-?charg\w*|s/c|kompressor)\b", re.IGNORECASE)
_NATURAL: Final = re.compile(r"\b(naturally aspirated|na)\b", re.IGNORECASE)
_CODE: Final = re.compile(r"[A-Za-z0-9.-]*[A-Za-z][A-Za-z0-9.-]*\d[A-Za-z0-9./-]*|[A-Z]{2,3} ?\d{3}")
_LONGEST_CODE: Final = 24


def parse_facts(row: VpicRow, *, names: tuple[str | None, ...] = ()) -> VehicleFacts:
    """Return the facts in a row; ``names`` are the model, trim and series, which may mention a fuel or drive."""
    engine = engine_of(row, names=names)
    drives = drives_of(row.get("DriveType"), *names)
    doors = _number(row, "Doors", 9)
    found = {
        "body": body_of(row.get("BodyClass"), row.get("VehicleType")),
        "doors": None if doors is None else int(doors),
        "engines": () if engine == Engine() else (engine,),
        "drives": drives,
        "transmission": _first(_TRANSMISSIONS, row.get("TransmissionStyle")),
        "weight_class": weight_class_of(row),
        "brakes": _brakes(row.get("BrakeSystemType")),
        "is_motorcycle": is_motorcycle(row),
    }
    sources = {name: "vpic" for name, value in found.items() if value}
    return VehicleFacts(sources=sources, **found)  # type: ignore[arg-type] # each value is made for its field above


def is_motorcycle(row: VpicRow) -> bool:
    """Return whether the vehicle type in a row is a motorcycle."""
    return row.get("VehicleType", "").casefold() == "motorcycle"


def engine_of(row: VpicRow, *, names: tuple[str | None, ...] = ()) -> Engine:
    """Return the engine in a row, with None for what is unknown; ``names`` are as in ``parse_facts``."""
    powertrain = powertrain_in(row, names)
    code = row.get("EngineModel")
    if powertrain is Powertrain.ELECTRIC:
        fuel = _first(_FUELS, row.get("FuelTypePrimary")) or Fuel.ELECTRICITY
        return Engine(
            powertrain=powertrain,
            fuel=fuel,
            horsepower=_whole(row, "EngineHP", _MOST_HORSEPOWER),
            battery=_number(row, "BatteryKWh", _MOST_KWH),
        )
    cylinders = _whole(row, "EngineCylinders", _MOST_CYLINDERS)
    return Engine(
        powertrain=powertrain,
        fuel=_fuel(row, powertrain),
        displacement=liters(row, cylinders),
        cylinders=cylinders,
        layout=_first(_LAYOUTS, row.get("EngineConfiguration")),
        valve_train=_first(_VALVES, row.get("ValveTrainDesign")),
        aspiration=_aspiration(row),
        horsepower=_whole(row, "EngineHP", _MOST_HORSEPOWER),
        battery=_number(row, "BatteryKWh", _MOST_KWH),
        code=_code(code),
    )


def powertrain_in(row: VpicRow, names: tuple[str | None, ...]) -> Powertrain | None:
    """Return the powertrain in a row, or None if it is unknown."""
    fuels = [row[name] for name in ("FuelTypePrimary", "FuelTypeSecondary") if name in row]
    return powertrain_of(electrification=row.get("ElectrificationLevel"), fuels=fuels, names=names)


def liters(row: VpicRow, cylinders: int | None) -> float | None:
    """Return the displacement as the maker rounds it (2.998832712 is 3.0, Ford's 302 is 5.0), or None if unknown."""
    exact = _number(row, "DisplacementL", _MOST_LITERS)
    if exact is None:
        return None
    rounded = round(exact + 1e-9, 1)
    is_windsor = rounded == _WINDSOR and cylinders == _EIGHT and row.get("Make", "").casefold() in _FORDS
    return 5.0 if is_windsor else rounded or None


def drives_of(drive_type: str | None, *names: str | None) -> frozenset[Drive]:
    """Return the possible drives: one, those that an ambiguous type such as "4x2" allows, or none if unknown."""
    known = drive_of(drive_type)
    if known is not None:
        return frozenset({known})
    open_still = _DRIVES.get((drive_type or "").casefold(), frozenset())
    named = drive_of(*names)
    if named is not None and (not open_still or named in open_still):
        return frozenset({named})
    return open_still


def weight_class_of(row: VpicRow) -> str | None:
    """Return the GVWR class as NHTSA writes it, or None if the row has none or a range of classes."""
    first, last = (_CLASS.search(row.get(name, "")) for name in ("GVWR", "GVWR_to"))
    if first is None:
        return None
    if last is not None and last[1][0] != first[1][0]:
        return None
    return first[1].upper()


def _brakes(system: str | None) -> BrakeSystem | None:
    text = (system or "").casefold()
    if "air" in text and "hydraulic" in text:
        return None
    if "air" in text:
        return BrakeSystem.AIR
    return BrakeSystem.HYDRAULIC if "hydraulic" in text else None


def _aspiration(row: VpicRow) -> Aspiration | None:
    words = " ".join(row.get(name, "") for name in ("EngineModel", "OtherEngineInfo", "Trim", "Series"))
    turbo = row.get("Turbo") == "Yes" or bool(_TURBO.search(words))
    charged = bool(_SUPERCHARGED.search(words))
    if turbo and charged:
        return Aspiration.TURBO_AND_SUPERCHARGED
    if turbo or charged:
        return Aspiration.TURBO if turbo else Aspiration.SUPERCHARGED
    natural = row.get("Turbo") == "No" or bool(_NATURAL.search(words))
    return Aspiration.NATURAL if natural else None


def _fuel(row: VpicRow, powertrain: Powertrain | None) -> Fuel | None:
    primary = _first(_FUELS, row.get("FuelTypePrimary"))
    if primary is Fuel.ELECTRICITY and powertrain is not None:  # a hybrid's motor; its engine burns fuel
        return _first(_FUELS, row.get("FuelTypeSecondary")) or Fuel.GASOLINE
    if powertrain is Powertrain.DIESEL:
        return Fuel.DIESEL
    if primary is Fuel.GASOLINE:
        return _first(_SECONDARY, row.get("FuelTypeSecondary")) or primary
    return primary


def _code(name: str | None) -> str | None:
    """Return the maker's code at the start of an engine's name ("L83 - Spark Ignited …"), or None if there is none."""
    head = (name or "").split(" - ")[0].split(",")[0].strip()
    return head if len(head) <= _LONGEST_CODE and _CODE.search(head) else None


def _first(table: tuple[tuple[str, T], ...], text: str | None) -> T | None:
    folded = (text or "").casefold()
    return next((value for phrase, value in table if phrase in folded), None)


def _whole(row: VpicRow, name: str, most: float) -> int | None:
    number = _number(row, name, most)
    return None if number is None else round(number)


def _number(row: VpicRow, name: str, most: float) -> float | None:
    """Return a positive number up to ``most``, or None."""
    try:
        number = float(row.get(name, "nan"))
    except ValueError:
        return None
    return number if math.isfinite(number) and 0 < number <= most else None
