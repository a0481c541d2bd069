"""Forty cars of all kinds, and what the repair book makes of them: ``python -m bench.forty_cars > docs/reference/forty-cars.md``.

The facts of each car stand here as their makers publish them, and are completed as those of a VIN are: the table shows the book and the
project's own tables, not the decoder.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from attrs import frozen

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem
from repaircore.kernel.facts import (
    Aspiration,
    CamDrive,
    Engine,
    Layout,
    Transmission,
    ValveTrain,
    VehicleFacts,
)
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.pricing.book_price import quantity_of
from repaircore.vehicle_facts.model import Factors, VehicleSpecs

BOOK: Final = {problem.slug: problem for problem in book().problems}
_NOTABLE: Final = (
    "spark-plugs",
    "timing-belt",
    "timing-chain",
    "rear-differential-fluid",
    "transfer-case-fluid",
    "clutch-replacement",
    "turbocharger",
    "power-steering-pump",
    "def-refill",
    "ev-battery",
    "hybrid-battery",
    "brake-shoes-rear",
    "leaf-spring",
)
_OIL: Final = ("oil-change-synthetic", "oil-change-diesel")
_HEAD: Final = (
    "car",
    "plugs",
    "coils",
    "oil, quarts",
    *(BOOK[slug].name.lower() for slug in _NOTABLE),
)
_MARKS: Final = {FitOutcome.FITS: "yes", FitOutcome.DOES_NOT_FIT: "no", FitOutcome.UNKNOWN: "?"}


@frozen(kw_only=True)
class Row:
    """What the book makes of one car."""

    car: str
    plugs: int | None
    coils: int | None
    oil: float | None
    fits: Sequence[FitOutcome]


def _car(
    name: str,
    engine: str,
    drive: str,
    body: str,
    *,
    cam: str | None = None,
    valves: str | None = None,
    turbo: bool = False,
    **facts: Any,
) -> VehicleSpecs:
    """Read "2015 Ford F-150" and "gas V8 5.0", "electric 75" or "diesel I6 6.7"."""
    year, make, model = name.split(" ", 2)
    make = make.replace("_", " ")
    wheels = frozenset({Drive(drive)})
    kind, *rest = engine.split(" ")
    powertrain = Powertrain(kind)
    if powertrain is Powertrain.ELECTRIC:
        one = Engine(powertrain=powertrain, battery=float(rest[0]))
    else:
        shape, displacement = rest
        layouts = {"I": Layout.INLINE, "V": Layout.V, "F": Layout.FLAT, "R": Layout.ROTARY}
        one = Engine(
            powertrain=powertrain,
            displacement=float(displacement),
            cylinders=int(shape[1:]),
            layout=layouts[shape[0]],
            cam_drive=None if cam is None else CamDrive(cam),
            valve_train=None if valves is None else ValveTrain(valves),
            aspiration=Aspiration.TURBO if turbo else Aspiration.NATURAL,
        )
    specs = VehicleSpecs(
        make=make,
        model=model,
        year=int(year),
        body=Body(body),
        powertrain=powertrain,
        facts=VehicleFacts(body=Body(body), drives=wheels, engines=(one,), **facts),
        source="editorial",
    )
    return shipped_mechanics().complete(specs)


_AUTO, _STICK, _CVT = Transmission.AUTOMATIC, Transmission.MANUAL, Transmission.CVT
CARS: Final = (
    _car("2015 Toyota Corolla", "gas I4 1.8", "fwd", "car", cam="chain", valves="dohc", transmission=_CVT),
    _car("2018 Toyota Camry", "gas I4 2.5", "fwd", "car", cam="chain", valves="dohc", transmission=_AUTO),
    _car("2015 Toyota Camry", "gas V6 3.5", "fwd", "car", cam="chain", valves="dohc", transmission=_AUTO),
    _car("2012 Toyota Prius", "hybrid I4 1.8", "fwd", "car", cam="chain", valves="dohc"),
    _car("2020 Toyota RAV4", "gas I4 2.5", "awd", "suv", cam="chain", valves="dohc", transmission=_AUTO),
    _car("2015 Toyota Tacoma", "gas V6 4.0", "4wd", "pickup", cam="chain", valves="dohc", transmission=_AUTO),
    _car("2015 Toyota Tundra", "gas V8 5.7", "4wd", "pickup", cam="chain", valves="dohc", transmission=_AUTO),
    _car("2003 Honda Accord", "gas V6 3.0", "fwd", "car", cam="belt", valves="sohc", transmission=_AUTO),
    _car(
        "2018 Honda Civic",
        "gas I4 1.5",
        "fwd",
        "car",
        cam="chain",
        valves="dohc",
        turbo=True,
        transmission=_CVT,
    ),
    _car("2012 Honda Pilot", "gas V6 3.5", "awd", "suv", cam="belt", valves="sohc", transmission=_AUTO),
    _car(
        "2019 Honda CR-V",
        "gas I4 1.5",
        "awd",
        "suv",
        cam="chain",
        valves="dohc",
        turbo=True,
        transmission=_CVT,
    ),
    _car("2015 Ford F-150", "gas V8 5.0", "4wd", "pickup", cam="chain", valves="dohc", transmission=_AUTO),
    _car(
        "2018 Ford F-150",
        "gas V6 3.5",
        "4wd",
        "pickup",
        cam="chain",
        valves="dohc",
        turbo=True,
        transmission=_AUTO,
    ),
    _car(
        "2017 Ford F-250",
        "diesel V8 6.7",
        "4wd",
        "pickup",
        cam="gear",
        valves="ohv",
        turbo=True,
        transmission=_AUTO,
        weight_class="2H",
    ),
    _car("2022 Ford F-150 Lightning", "electric 98", "awd", "pickup"),
    _car("2017 Ford Mustang", "gas V8 5.0", "rwd", "car", cam="chain", valves="dohc", transmission=_STICK),
    _car(
        "2016 Ford Escape",
        "gas I4 1.6",
        "fwd",
        "suv",
        cam="belt",
        valves="dohc",
        turbo=True,
        transmission=_AUTO,
    ),
    _car(
        "2019 Chevrolet Silverado",
        "gas V8 5.3",
        "4wd",
        "pickup",
        valves="ohv",
        transmission=_AUTO,
        weight_class="2E",
    ),
    _car(
        "2016 Chevrolet Silverado 2500",
        "diesel V8 6.6",
        "4wd",
        "pickup",
        cam="gear",
        valves="ohv",
        turbo=True,
        transmission=_AUTO,
        weight_class="2H",
    ),
    _car(
        "2014 Chevrolet Cruze",
        "gas I4 1.4",
        "fwd",
        "car",
        cam="chain",
        valves="dohc",
        turbo=True,
        transmission=_AUTO,
    ),
    _car("2017 Chevrolet Bolt EV", "electric 60", "fwd", "car"),
    _car("2016 Chevrolet Tahoe", "gas V8 5.3", "4wd", "suv", valves="ohv", transmission=_AUTO),
    _car("2015 Ram 1500", "gas V8 5.7", "4wd", "pickup", valves="ohv", transmission=_AUTO),
    _car(
        "2018 Ram 2500",
        "diesel I6 6.7",
        "4wd",
        "pickup",
        cam="gear",
        valves="ohv",
        turbo=True,
        transmission=_AUTO,
        weight_class="2H",
    ),
    _car("2018 Jeep Wrangler", "gas V6 3.6", "4wd", "suv", cam="chain", valves="dohc", transmission=_AUTO),
    _car("2000 Jeep Cherokee", "gas I6 4.0", "4wd", "suv", cam="chain", valves="ohv", transmission=_AUTO),
    _car(
        "2016 Dodge Grand Caravan", "gas V6 3.6", "fwd", "van", cam="chain", valves="dohc", transmission=_AUTO
    ),
    _car("2016 Nissan Altima", "gas I4 2.5", "fwd", "car", cam="chain", valves="dohc", transmission=_CVT),
    _car("2016 Nissan Rogue", "gas I4 2.5", "awd", "suv", cam="chain", valves="dohc", transmission=_CVT),
    _car("2015 Nissan Leaf", "electric 24", "fwd", "car"),
    _car("2011 Subaru Outback", "gas F4 2.5", "awd", "suv", cam="belt", valves="sohc", transmission=_CVT),
    _car("2019 Subaru Forester", "gas F4 2.5", "awd", "suv", cam="chain", valves="dohc", transmission=_CVT),
    _car(
        "2014 Volkswagen Jetta",
        "diesel I4 2.0",
        "fwd",
        "car",
        cam="belt",
        valves="dohc",
        turbo=True,
        transmission=_STICK,
    ),
    _car(
        "2013 BMW 328i",
        "gas I4 2.0",
        "rwd",
        "car",
        cam="chain",
        valves="dohc",
        turbo=True,
        transmission=_AUTO,
    ),
    _car(
        "2016 Mercedes-Benz C-Class",
        "gas I4 2.0",
        "rwd",
        "car",
        cam="chain",
        valves="dohc",
        turbo=True,
        transmission=_AUTO,
    ),
    _car(
        "2017 Audi Q5", "gas I4 2.0", "awd", "suv", cam="chain", valves="dohc", turbo=True, transmission=_AUTO
    ),
    _car("2009 Mazda RX-8", "gas R2 1.3", "rwd", "car", transmission=_STICK),
    _car("2020 Tesla Model 3", "electric 75", "rwd", "car"),
    _car("2018 Hyundai Elantra", "gas I4 2.0", "fwd", "car", cam="chain", valves="dohc", transmission=_AUTO),
    _car("1995 Honda Civic", "gas I4 1.6", "fwd", "car", cam="belt", valves="sohc", transmission=_STICK),
)


def rows() -> Iterator[Row]:
    """Ask the book about each car."""
    table = shipped_factor_table()
    for car in CARS:
        factors, engine = table.factors_for(car), car.facts.engines[0]
        amounts = factors.amounts
        spark = check_fit(BOOK["spark-plugs"], car.profile).outcome is FitOutcome.FITS
        yield Row(
            car=_named(car, engine),
            plugs=quantity_of(_plug(BOOK["spark-plugs"]), amounts) if spark else None,
            coils=_coils(car, engine, factors) if spark else None,
            oil=amounts.oil,
            fits=[check_fit(BOOK[slug], car.profile).outcome for slug in _NOTABLE],
        )


def page() -> str:
    """Return the page of the documentation."""
    lines = [
        "# Forty cars",
        "",
        "What the repair book makes of forty cars of all kinds: how many spark plugs and coils and how much oil they take, and",
        "which repairs fit them. “?” is what their facts leave open, a dash what they do not have. The page is written by",
        "`python -m bench.forty_cars > docs/reference/forty-cars.md`; the facts of each car stand in that file.",
        "",
        f"| {' | '.join(_HEAD)} |",
        f"|{'---|' * len(_HEAD)}",
        *(_line(row) for row in rows()),
    ]
    return "\n".join(lines) + "\n"


_DISTRIBUTORS: Final = 2002
"""The last year in which some of these cars have fewer coils than cylinders."""


def _line(row: Row) -> str:
    numbers = ["—" if value is None else f"{value:g}" for value in (row.plugs, row.coils, row.oil)]
    return f"| {' | '.join([row.car, *numbers, *(_MARKS[one] for one in row.fits)])} |"


def _coils(car: VehicleSpecs, engine: Engine, factors: Factors) -> int | None:
    """Return the number of ignition coils: one a cylinder since distributors are gone, and four on the last rotary.

    A cassette is one part, and a coil costs otherwise where there is one.
    """
    if factors.job("ignition-coil") is not None:
        return 1
    if car.year <= _DISTRIBUTORS or engine.cylinders is None:
        return None
    return 2 * engine.cylinders if engine.layout is Layout.ROTARY else engine.cylinders


def _named(car: VehicleSpecs, engine: Engine) -> str:
    if engine.battery is not None:
        return f"{car.display_name}, {engine.battery:g} kWh"
    diesel = " diesel" if engine.powertrain is Powertrain.DIESEL else ""
    return f"{car.display_name}, {engine.displacement:.1f} l{diesel}"


def _plug(problem: Problem) -> Any:
    return problem.parts[0]


ROWS: Final = tuple(rows())

if __name__ == "__main__":
    sys.stdout.write(page())
