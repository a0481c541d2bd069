"""Equipment that no fact covers: the table of models, then rules of thumb."""

import pytest

from repaircore.book.equipment import possible_fittings
from repaircore.kernel.facts import Engine, ValveTrain, VehicleFacts
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Body, Drive, Powertrain

UNLISTED = "Acme"


def vehicle(
    make: str = UNLISTED,
    model: str = "One",
    *,
    year: int = 2010,
    drives: str = "",
    body: Body | None = None,
    engine: Engine | None = None,
    weight_class: str | None = None,
) -> VehicleProfile:
    facts = VehicleFacts(
        drives=frozenset(map(Drive, drives.split())),
        body=body,
        engines=() if engine is None else (engine,),
        weight_class=weight_class,
    )
    return VehicleProfile(make=make, model=model, year=year, facts=facts)


def possible(kind: str, car: VehicleProfile) -> str:
    """Return the possible values as words, "?" if nothing is known."""
    found = possible_fittings(kind, car)
    return "?" if found is None else " ".join(sorted(found))


@pytest.mark.parametrize(
    ("car", "expected"),
    [
        (vehicle(), "?"),
        (vehicle(drives="fwd"), "yes"),
        (vehicle(drives="fwd awd"), "yes"),
        (vehicle(drives="4wd"), "?"),
        (vehicle("Ford", "F-150", drives="4wd"), "yes"),
        (vehicle("Jeep", "Wrangler", drives="4wd"), "?"),
        (vehicle("Ford", "F-150", drives="rwd 4wd"), "?"),
        (vehicle(drives="rwd"), "?"),
        (vehicle(drives="rwd", body=Body.PICKUP), "no"),
        (vehicle(drives="rwd", body=Body.CAR, year=2015), "yes"),
        (vehicle(drives="rwd", body=Body.CAR, year=2014), "?"),
    ],
)
def test_half_shafts_drive_independent_wheels(car: VehicleProfile, expected: str) -> None:
    assert possible("half_shafts", car) == expected


@pytest.mark.parametrize(
    ("car", "expected"),
    [
        (vehicle(), "?"),
        (vehicle(weight_class="8"), "solid"),
        (vehicle(weight_class="5"), "?"),
        (vehicle(drives="awd"), "independent"),
        (vehicle("Jeep", "Wrangler", drives="awd"), "solid"),
        (vehicle("Ford", "F-150"), "solid"),
    ],
)
def test_rear_axle_follows_the_springs_and_the_drive(car: VehicleProfile, expected: str) -> None:
    assert possible("rear_axle", car) == expected
    assert possible("rear_dampers", car) == ("shock" if expected == "solid" else "strut")


@pytest.mark.parametrize(
    ("car", "expected"),
    [
        (vehicle(), "?"),
        (vehicle(body=Body.CAR, year=1984), "?"),
        (vehicle(body=Body.CAR, year=1985), "coil"),
        (vehicle(body=Body.VAN), "?"),
        (vehicle(body=Body.VAN, drives="fwd"), "coil"),
        (vehicle(body=Body.SUV, year=2004), "?"),
        (vehicle(body=Body.SUV, year=2004, drives="awd"), "coil"),
        (vehicle(body=Body.SUV, year=2005), "coil"),
        (vehicle(body=Body.PICKUP), "?"),
    ],
)
def test_rear_springs_are_coils_except_in_pickups_old_suvs_and_vans(
    car: VehicleProfile, expected: str
) -> None:
    assert possible("rear_springs", car) == expected


@pytest.mark.parametrize(
    ("make", "family", "weight_class", "powertrain", "expected"),
    [
        ("Ford", None, None, Powertrain.DIESEL, "yes"),
        ("Ram", None, None, Powertrain.DIESEL, "no yes"),
        ("Ram", "Cummins 6.7", None, Powertrain.DIESEL, "no"),
        ("Ram", "EcoDiesel 3.0", None, Powertrain.DIESEL, "yes"),
        ("Ram", None, None, Powertrain.GAS, "no yes"),
        ("Freightliner", "Cummins 6.7", None, Powertrain.DIESEL, "no yes"),
        ("Ford", None, "6", Powertrain.DIESEL, "no yes"),
    ],
)
def test_cummins_and_heavy_trucks_may_have_no_glow_plugs(
    make: str, family: str | None, weight_class: str | None, powertrain: Powertrain, expected: str
) -> None:
    engine = Engine(powertrain=powertrain, family=family)

    assert possible("glow_plugs", vehicle(make, engine=engine, weight_class=weight_class)) == expected


@pytest.mark.parametrize(
    ("make", "valves", "year", "expected"),
    [
        (UNLISTED, None, 1983, "distributor"),
        (UNLISTED, None, 1984, "coil_on_plug distributor wires"),
        (UNLISTED, None, 2008, "coil_on_plug distributor wires"),
        (UNLISTED, None, 2009, "coil_on_plug wires"),
        (UNLISTED, None, 2016, "coil_on_plug wires"),
        (UNLISTED, None, 2017, "coil_on_plug"),
        ("GMC", None, 2017, "coil_on_plug coil_rail wires"),
        ("GMC", ValveTrain.SOHC, 2017, "coil_on_plug coil_rail"),
        ("GMC", ValveTrain.OHV, 1998, "coil_on_plug distributor wires"),
        ("GMC", ValveTrain.OHV, 1999, "wires"),
        (UNLISTED, ValveTrain.OHV, 1999, "coil_on_plug distributor wires"),
        (UNLISTED, ValveTrain.DOHC, 2012, "coil_on_plug wires"),
        (UNLISTED, ValveTrain.DOHC, 2013, "coil_on_plug"),
        ("GMC", ValveTrain.DOHC, 2013, "coil_on_plug coil_rail"),
    ],
)
def test_ignition_follows_the_year_the_maker_and_the_valves(
    make: str, valves: ValveTrain | None, year: int, expected: str
) -> None:
    engine = None if valves is None else Engine(powertrain=Powertrain.GAS, valve_train=valves)

    assert possible("ignition", vehicle(make, year=year, engine=engine)) == expected


@pytest.mark.parametrize(
    ("kind", "car", "expected"),
    [
        ("front_springs", vehicle(), "strut"),
        ("front_springs", vehicle(weight_class="7"), "shock"),
        ("front_axle", vehicle(drives="awd"), "independent"),
        ("front_axle", vehicle(drives="4wd"), "?"),
        ("front_upper_arms", vehicle(body=Body.PICKUP, drives="4wd"), "yes"),
        ("front_upper_arms", vehicle(body=Body.PICKUP, drives="fwd"), "?"),
        ("front_upper_arms", vehicle(body=Body.SUV, drives="4wd"), "?"),
        ("rear_brakes", vehicle("Volvo", year=1997), "?"),
        ("rear_brakes", vehicle("Volvo", year=1998), "disc"),
        ("rear_brakes", vehicle(year=1998), "?"),
        ("steering_gear", vehicle(), "?"),
        ("steering_gear", vehicle(drives="fwd"), "rack"),
        ("steering_gear", vehicle(body=Body.CAR, year=1999), "?"),
        ("steering_gear", vehicle(body=Body.CAR, year=2000), "rack"),
        ("steering_gear", vehicle(engine=Engine(powertrain=Powertrain.ELECTRIC)), "rack"),
        ("parking_brake", vehicle(year=2001), "cable"),
        ("parking_brake", vehicle(year=2002), "?"),
        ("parking_brake", vehicle("Tesla", year=2015), "electric"),
        ("key_ignition", vehicle(year=2002), "yes"),
        ("key_ignition", vehicle(year=2003), "?"),
        ("key_ignition", vehicle("Tesla", year=2015), "no"),
        ("engine_cooling", vehicle(year=1997), "liquid"),
        ("engine_cooling", vehicle("Porsche", "911", year=1998), "air"),
        ("engine_cooling", vehicle("Porsche", "911", year=1999), "liquid"),
        ("engine_cooling", vehicle("Porsche", "Boxster", year=1998), "liquid"),
        ("engine_cooling", vehicle("Volkswagen", "Vanagon", year=1982), "air"),
        ("engine_cooling", vehicle("Volkswagen", "Vanagon", year=1986), "liquid"),
        ("headlight_bulbs", vehicle(year=2008), "yes"),
        ("headlight_bulbs", vehicle(year=2009), "?"),
        ("headlight_bulbs", vehicle("Tesla", year=2016), "?"),
        ("headlight_bulbs", vehicle("Tesla", year=2017), "no"),
        ("headlight_bulbs", vehicle(year=2017), "?"),
        ("front_camera", vehicle("Toyota", year=2018), "?"),
        ("front_camera", vehicle("Toyota", year=2019), "yes"),
        ("front_camera", vehicle(year=2024), "?"),
    ],
)
def test_rules_of_thumb_hold_from_their_years_on(kind: str, car: VehicleProfile, expected: str) -> None:
    assert possible(kind, car) == expected
