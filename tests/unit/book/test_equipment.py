"""Equipment that decides whether a car can have a part: its ignition, springs and front axle."""

import pytest
from tests.unit.book.test_fit import BY_SLUG, DIESEL, GAS, drive, vehicle

from repaircore.book.equipment import possible_fittings
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.kernel.facts import Aspiration, Engine, Layout, ValveTrain
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Drive

FITS, MISFIT, UNKNOWN = FitOutcome.FITS, FitOutcome.DOES_NOT_FIT, FitOutcome.UNKNOWN


def gas(displacement: float | None = None, **more: object) -> Engine:
    return Engine(powertrain=GAS, displacement=displacement, **more)  # type: ignore[arg-type]


def outcomes(car: VehicleProfile, *slugs: str) -> list[FitOutcome]:
    return [check_fit(BY_SLUG[slug], car).outcome for slug in slugs]


@pytest.mark.parametrize(
    ("make", "model", "year", "engine", "kinds"),
    [
        ("Toyota", "Sienna", 2005, gas(3.3), frozenset({"coil_on_plug"})),
        ("Toyota", "Tundra", 2003, gas(3.4), frozenset({"wires"})),
        ("Lexus", "GS", 2002, gas(3.0), frozenset({"wires"})),
        ("Honda", "Element", 2007, gas(2.4), frozenset({"coil_on_plug"})),
        ("Honda", "CR-V", 1999, gas(2.0), frozenset({"distributor"})),
        ("Nissan", "Xterra", 2002, gas(3.3), frozenset({"distributor"})),
        ("Infiniti", "G35", 2005, gas(3.5), frozenset({"coil_on_plug"})),
        ("Ford", "Ranger", 2008, gas(4.0, valve_train=ValveTrain.SOHC), frozenset({"wires"})),
        ("Ford", "F-250", 2015, gas(6.2), frozenset({"wires"})),
        ("Ford", "Taurus", 2004, gas(3.0, valve_train=ValveTrain.OHV), frozenset({"wires"})),
        ("Ford", "Expedition", 2010, gas(5.4), frozenset({"coil_on_plug"})),
        ("GMC", "Sonoma", 2001, gas(4.3, valve_train=ValveTrain.OHV), frozenset({"distributor"})),
        ("GMC", "Yukon", 2005, gas(5.3, valve_train=ValveTrain.OHV), frozenset({"wires"})),
        ("Chevrolet", "TrailBlazer", 2006, gas(4.2), frozenset({"coil_on_plug"})),
        ("Jeep", "Grand Cherokee", 1996, gas(4.0), frozenset({"distributor"})),
        ("Jeep", "Wrangler", 2004, gas(4.0), frozenset({"coil_rail"})),
        ("Chrysler", "Town & Country", 2008, gas(3.8), frozenset({"wires"})),
        ("Dodge", "Charger", 2012, gas(5.7), frozenset({"coil_on_plug"})),
        ("Subaru", "Legacy", 2008, gas(2.5, layout=Layout.FLAT, family="EJ25"), frozenset({"wires"})),
        (
            "Subaru",
            "Legacy",
            2008,
            gas(2.5, layout=Layout.FLAT, family="EJ25 Turbo", aspiration=Aspiration.TURBO),
            frozenset({"coil_on_plug"}),
        ),
        ("Volkswagen", "Jetta", 2003, gas(2.0), frozenset({"wires"})),
        ("Volkswagen", "Rabbit", 2008, gas(2.5), frozenset({"coil_on_plug"})),
        ("BMW", "X5", 2004, gas(4.4), frozenset({"coil_on_plug"})),
        ("Mazda", "B-Series", 2004, gas(2.3), frozenset({"wires"})),
        ("Suzuki", "Aerio", 2004, gas(2.3), frozenset({"coil_on_plug", "wires", "distributor"})),
        ("Suzuki", "SX4", 2011, gas(2.0), frozenset({"coil_on_plug", "wires"})),
    ],
)
def test_ignition_follows_the_engine(
    make: str, model: str, year: int, engine: Engine, kinds: frozenset[str]
) -> None:
    assert possible_fittings("ignition", vehicle(make, model, year, engine)) == kinds


def test_ignition_of_an_unknown_engine_is_that_of_every_possible_one() -> None:
    assert possible_fittings("ignition", vehicle("Toyota", "Tacoma", 2003)) == frozenset(
        {"wires", "coil_on_plug"}
    )
    assert possible_fittings("ignition", vehicle("Lexus", "ES", 2005)) == frozenset({"coil_on_plug"})


def test_wires_and_distributor_do_not_fit_coils_on_plugs() -> None:
    car = vehicle("Acura", "TL", 2006, gas(3.2))

    assert outcomes(car, "spark-plug-wires", "distributor-cap-and-rotor") == [MISFIT, MISFIT]
    assert check_fit(BY_SLUG["spark-plug-wires"], car).reason == (
        "A 2006 Acura TL has a coil on each spark plug: it has no spark plug wires."
    )


@pytest.mark.parametrize(
    ("make", "model", "year", "drives", "outcome"),
    [
        ("GMC", "Sierra 3500HD", 2008, drive(Drive.RWD), MISFIT),
        ("Chevrolet", "Silverado 2500HD", 2015, drive(Drive.FOUR_WD), MISFIT),
        ("GMC", "Sierra 1500", 2003, drive(Drive.FOUR_WD), MISFIT),
        ("GMC", "Sierra 1500", 2003, drive(Drive.RWD), FITS),
        ("GMC", "Sierra 1500", 2003, frozenset(), UNKNOWN),
        ("GMC", "Yukon", 2004, drive(Drive.FOUR_WD), FITS),  # coils in the rear
        ("Mazda", "B-Series", 2003, drive(Drive.FOUR_WD), MISFIT),
        ("Mercury", "Mountaineer", 1999, drive(Drive.RWD), MISFIT),
        ("Dodge", "Dakota", 2001, drive(Drive.FOUR_WD), MISFIT),
        ("Dodge", "Dakota", 2001, drive(Drive.RWD), FITS),
        ("Nissan", "Xterra", 2001, drive(Drive.RWD), MISFIT),
        ("Nissan", "Xterra", 2008, drive(Drive.FOUR_WD), FITS),
        ("Toyota", "4Runner", 1994, drive(Drive.FOUR_WD), FITS),
        ("Ford", "F-350", 2002, drive(Drive.FOUR_WD), MISFIT),
        ("Ford", "F-350", 2012, drive(Drive.FOUR_WD), FITS),
        ("Freightliner", "Sprinter", 2010, drive(Drive.RWD), MISFIT),
        ("Chevrolet", "Corvette", 2008, drive(Drive.RWD), MISFIT),
        ("Tesla", "Model X", 2019, drive(Drive.AWD), MISFIT),
        ("Land Rover", "Range Rover", 2014, drive(Drive.FOUR_WD), MISFIT),
        ("Hyundai", "Elantra", 2014, drive(Drive.FWD), FITS),
    ],
)
def test_coil_springs_fit_where_an_axle_has_them(
    make: str, model: str, year: int, drives: frozenset[Drive], outcome: FitOutcome
) -> None:
    assert outcomes(vehicle(make, model, year, drives=drives), "coil-spring") == [outcome]


def test_misfit_names_what_carries_the_vehicle() -> None:
    truck = vehicle("Chevrolet", "Silverado 3500HD", 2005, drives=drive(Drive.FOUR_WD))
    van = vehicle("Rivian", "R1S", 2023, drives=drive(Drive.AWD))

    assert check_fit(BY_SLUG["coil-spring"], truck).reason == (
        "A 2005 Chevrolet Silverado 3500HD has torsion bars in front and leaf springs in the rear: it has no coil springs."
    )
    assert check_fit(BY_SLUG["coil-spring"], van).reason == (
        "A 2023 Rivian R1S has air springs in front and in the rear: it has no coil springs."
    )


@pytest.mark.parametrize(
    ("make", "model", "year", "drives", "outcome"),
    [
        ("Toyota", "4Runner", 2012, drive(Drive.FOUR_WD), FITS),
        ("Jeep", "Wrangler", 2015, drive(Drive.FOUR_WD), FITS),
        ("Ram", "2500", 2018, drive(Drive.FOUR_WD), FITS),
        ("Subaru", "Forester", 2010, drive(Drive.AWD), FITS),
        ("Ford", "Ranger", 2005, drive(Drive.RWD), MISFIT),
        ("Honda", "CR-V", 2015, drive(Drive.AWD), MISFIT),
        ("Toyota", "RAV4", 2018, drive(Drive.FOUR_WD), MISFIT),
        ("Honda", "Civic", 2015, drive(Drive.FWD), MISFIT),
        ("Nissan", "Frontier", 2010, frozenset(), UNKNOWN),
        ("Saab", "9-2X", 2005, drive(Drive.AWD), UNKNOWN),
    ],
)
def test_front_differential_is_on_longitudinal_front_drives(
    make: str, model: str, year: int, drives: frozenset[Drive], outcome: FitOutcome
) -> None:
    car = vehicle(make, model, year, Engine(powertrain=GAS), drives=drives)

    assert (
        outcomes(car, "front-differential-fluid", "front-differential-seal", "front-differential-rebuild")
        == [outcome] * 3
    )


def test_diesel_has_no_ignition() -> None:
    assert (
        possible_fittings(
            "ignition", vehicle("Ram", "3500", 2010, Engine(powertrain=DIESEL, displacement=6.7))
        )
        is None
    )
