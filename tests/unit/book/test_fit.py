"""Fit of the shipped book's repairs to vehicles with known equipment."""

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.book.equipment import FITTINGS, possible_fittings
from repaircore.book.fit import FitOutcome, alternatives, check_fit, list_fitting
from repaircore.book.fittings_table import ROWS
from repaircore.kernel.facts import (
    Aspiration,
    CamDrive,
    Engine,
    Layout,
    PowerSteering,
    Transmission,
    ValveTrain,
    VehicleFacts,
)
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Body, Drive, Powertrain, Traits

BOOK = book().problems
BY_SLUG = {problem.slug: problem for problem in BOOK}
GAS, DIESEL, HYBRID, PLUG_IN, ELECTRIC = Powertrain


def vehicle(make: str, model: str, year: int, engine: Engine | None = None, **facts: Any) -> VehicleProfile:
    engines = () if engine is None else (engine,)
    return VehicleProfile(make=make, model=model, year=year, facts=VehicleFacts(engines=engines, **facts))


def drive(value: Drive) -> frozenset[Drive]:
    return frozenset({value})


MODEL_3 = vehicle("Tesla", "Model 3", 2020, Engine(powertrain=ELECTRIC, battery=75), drives=drive(Drive.RWD))
WRANGLER = vehicle(
    "Jeep",
    "Wrangler",
    2018,
    Engine(powertrain=GAS, cylinders=6, layout=Layout.V, cam_drive=CamDrive.CHAIN),
    drives=drive(Drive.FOUR_WD),
)
COROLLA = vehicle(
    "Toyota",
    "Corolla",
    2015,
    Engine(powertrain=GAS, cylinders=4, aspiration=Aspiration.NATURAL, cam_drive=CamDrive.CHAIN),
    drives=drive(Drive.FWD),
    transmission=Transmission.AUTOMATIC,
)
POWER_STROKE = vehicle(
    "Ford", "F-250", 2019, Engine(powertrain=DIESEL, cylinders=8, layout=Layout.V), weight_class="2H"
)
GOLD_WING = vehicle("Honda", "Gold Wing", 2015, weight_class="1A", is_motorcycle=True)
SILVERADO = vehicle(
    "Chevrolet",
    "Silverado",
    2019,
    Engine(powertrain=GAS, cylinders=8, layout=Layout.V, valve_train=ValveTrain.OHV),
)
T680 = vehicle("Kenworth", "T680", 2018, Engine(powertrain=DIESEL), weight_class="8")


@pytest.mark.parametrize(
    ("car", "slug", "reason"),
    [
        (MODEL_3, "spark-plugs", "A 2020 Tesla Model 3 is electric: it has no spark plugs."),
        (
            MODEL_3,
            "oil-change",
            "A 2020 Tesla Model 3 is electric: it has no gasoline-engine oil to change.",
        ),
        (
            WRANGLER,
            "ev-battery",
            "A 2018 Jeep Wrangler has a gasoline engine: it has no high-voltage battery that drives it alone.",
        ),
        (POWER_STROKE, "spark-plugs", "A 2019 Ford F-250 has a diesel engine: it has no spark plugs."),
        (
            COROLLA,
            "timing-belt",
            "A 2015 Toyota Corolla has an engine with a timing chain: it has no timing belt.",
        ),
        (
            COROLLA,
            "rear-differential-fluid",
            "A 2015 Toyota Corolla has front-wheel drive: it has no rear differential with gear oil.",
        ),
        (
            COROLLA,
            "clutch-replacement",
            "A 2015 Toyota Corolla has an automatic transmission: it has no clutch pedal and clutch.",
        ),
        (
            COROLLA,
            "power-steering-pump",
            "A 2015 Toyota Corolla has electric power steering: it has no belt-driven power steering pump.",
        ),
        (
            COROLLA,
            "turbocharger",
            "A 2015 Toyota Corolla has an engine without a turbocharger: it has no turbocharger.",
        ),
        (
            SILVERADO,
            "timing-belt",
            "A 2019 Chevrolet Silverado has an engine with a timing chain: it has no timing belt.",
        ),
        (
            vehicle("Honda", "Civic", 2015),
            "distributor-cap-and-rotor",
            "A 2015 Honda Civic has a coil on each spark plug: it has no distributor.",
        ),
        (
            vehicle("Honda", "Civic", 1990),
            "backup-camera",
            "A 1990 Honda Civic is too old for this repair: no vehicle before 2000 had a backup camera.",
        ),
    ],
)
def test_check_fit_explains_a_misfit(car: VehicleProfile, slug: str, reason: str) -> None:
    fit = check_fit(BY_SLUG[slug], car)

    assert (fit.outcome, fit.reason) == (FitOutcome.DOES_NOT_FIT, reason)


@pytest.mark.parametrize(
    ("car", "slug"),
    [
        (MODEL_3, "ev-battery"),
        (MODEL_3, "electric-steering-rack"),
        (WRANGLER, "spark-plugs"),
        (WRANGLER, "transfer-case-fluid"),
        (COROLLA, "timing-chain"),
        (COROLLA, "transmission-fluid-service"),
        (POWER_STROKE, "diesel-fuel-injector"),
        (POWER_STROKE, "turbocharger"),
        (POWER_STROKE, "steering-gearbox"),
        (SILVERADO, "spark-plug-wires"),
        (vehicle("Toyota", "Camry", 2015), "brake-pads-front"),
    ],
)
def test_check_fit_accepts_known_equipment(car: VehicleProfile, slug: str) -> None:
    assert check_fit(BY_SLUG[slug], car).outcome is FitOutcome.FITS


@pytest.mark.parametrize(
    ("slug", "reason"),
    [
        (
            "timing-belt",
            "Fits only a vehicle that has an engine with a timing belt; the cam drive of this 2012 Kia Rio is not known.",
        ),
        (
            "sunroof-motor",
            "Fits only vehicles with a sunroof; it is unknown whether this 2012 Kia Rio has one.",
        ),
    ],
)
def test_check_fit_explains_what_is_unknown(slug: str, reason: str) -> None:
    car = vehicle("Kia", "Rio", 2012, Engine(powertrain=GAS))
    fit = check_fit(BY_SLUG[slug], car)

    assert (fit.outcome, fit.reason) == (FitOutcome.UNKNOWN, reason)


def test_check_fit_considers_every_possible_engine() -> None:
    both = VehicleFacts(engines=(Engine(powertrain=GAS), Engine(powertrain=DIESEL)))
    car = VehicleProfile(make="Ford", model="F-250", year=2019, facts=both)

    assert check_fit(BY_SLUG["spark-plugs"], car).outcome is FitOutcome.UNKNOWN
    assert check_fit(BY_SLUG["serpentine-belt"], car).outcome is FitOutcome.FITS
    assert check_fit(BY_SLUG["charge-port"], car).outcome is FitOutcome.DOES_NOT_FIT


def test_check_fit_prefers_facts_to_usual_traits() -> None:
    car = VehicleProfile(
        make="Jeep",
        model="Wrangler",
        year=2022,
        traits=Traits(powertrain=GAS),
        facts=VehicleFacts(engines=(Engine(powertrain=PLUG_IN),)),
    )

    assert check_fit(BY_SLUG["plug-in-hybrid-battery"], car).outcome is FitOutcome.FITS


def test_truck_of_class_8_has_air_brakes_and_one_of_class_7_may() -> None:
    facts = evolve(T680.facts, weight_class="7")

    assert check_fit(BY_SLUG["brake-pads-front"], T680).outcome is FitOutcome.DOES_NOT_FIT
    assert check_fit(BY_SLUG["brake-pads-front"], evolve(T680, facts=facts)).outcome is FitOutcome.UNKNOWN


def test_electric_power_steering_is_not_electric_drive() -> None:
    car = vehicle("Kia", "Rio", 2012, Engine(powertrain=GAS), power_steering=PowerSteering.ELECTRIC)

    assert check_fit(BY_SLUG["power-steering-flush"], car).outcome is FitOutcome.DOES_NOT_FIT


def test_list_fitting_puts_certain_fits_first() -> None:
    found = [item.fit.outcome for item in list_fitting(BOOK, COROLLA)]
    first_unknown = found.index(FitOutcome.UNKNOWN)

    assert {*found[:first_unknown]} == {FitOutcome.FITS}
    assert {*found[first_unknown:]} == {FitOutcome.UNKNOWN}
    assert len(found) < len(BOOK)


def test_alternatives_are_the_closest_fitting_repairs() -> None:
    nearest = alternatives(BY_SLUG["oil-change"], BOOK, POWER_STROKE)
    assert nearest[0].slug == "oil-change-diesel"
    for problem in alternatives(BY_SLUG["steering-rack"], BOOK, COROLLA):
        assert check_fit(problem, COROLLA).outcome is FitOutcome.FITS


@given(
    powertrain=st.sampled_from(Powertrain),
    drives=st.frozensets(st.sampled_from(Drive), min_size=1),
    body=st.sampled_from([None, *Body]),
    year=st.integers(min_value=1981, max_value=2027),
    problem=st.sampled_from(BOOK),
)
def test_knowing_more_never_turns_a_misfit_into_a_fit(
    powertrain: Powertrain, drives: frozenset[Drive], body: Body | None, year: int, problem: Any
) -> None:
    wide = VehicleProfile(
        make="Kia", model="Rio", year=year, traits=Traits(body=body), facts=VehicleFacts(drives=drives)
    )
    narrow = VehicleProfile(
        make="Kia",
        model="Rio",
        year=year,
        traits=Traits(body=body),
        facts=VehicleFacts(drives=drives, engines=(Engine(powertrain=powertrain),)),
    )
    if check_fit(problem, wide).outcome is FitOutcome.DOES_NOT_FIT:
        assert check_fit(problem, narrow).outcome is FitOutcome.DOES_NOT_FIT


def test_every_reason_mentions_the_part_or_the_unknown() -> None:
    for car in (MODEL_3, WRANGLER, COROLLA, POWER_STROKE, SILVERADO, T680):
        for problem in BOOK:
            fit = check_fit(problem, car)
            assert (fit.reason is None) == (fit.outcome is FitOutcome.FITS), problem.slug
            assert fit.reason is None or fit.reason.endswith("."), problem.slug


def test_book_names_only_known_equipment() -> None:
    for problem in BOOK:
        for kind, values in problem.fits.fittings.items():
            assert values, problem.slug
            possible_fittings(kind, COROLLA)

    assert {"power_steering", "transmission"} | FITTINGS.keys() >= ROWS.keys()


@pytest.mark.parametrize(
    ("make", "model", "powertrain", "slug", "outcome"),
    [
        ("Toyota", "RAV4", HYBRID, "alternator", FitOutcome.DOES_NOT_FIT),
        ("Toyota", "RAV4", HYBRID, "starter-motor", FitOutcome.DOES_NOT_FIT),
        ("Toyota", "RAV4", GAS, "alternator", FitOutcome.FITS),
        ("Chevrolet", "Malibu", HYBRID, "alternator", FitOutcome.UNKNOWN),
        ("Chevrolet", "Malibu", GAS, "starter-motor", FitOutcome.FITS),
    ],
)
def test_full_hybrid_has_neither_alternator_nor_starter(
    make: str, model: str, powertrain: Powertrain, slug: str, outcome: FitOutcome
) -> None:
    car = vehicle(make, model, 2017, Engine(powertrain=powertrain))

    assert check_fit(BY_SLUG[slug], car).outcome is outcome


@pytest.mark.parametrize(
    ("make", "model", "outcome"),
    [
        ("Subaru", "Outback", FitOutcome.DOES_NOT_FIT),
        ("Audi", "Q5", FitOutcome.DOES_NOT_FIT),
        ("Toyota", "RAV4", FitOutcome.FITS),
    ],
)
def test_center_differential_is_not_a_transfer_case(make: str, model: str, outcome: FitOutcome) -> None:
    car = vehicle(make, model, 2016, Engine(powertrain=GAS), drives=drive(Drive.AWD))

    assert check_fit(BY_SLUG["transfer-case-fluid"], car).outcome is outcome


@pytest.mark.parametrize(
    ("slug", "reason"),
    [
        ("oil-change", "Unknown for the 2012 Chevrolet Volt: which of the oil changes it takes."),
        (
            "serpentine-belt",
            "Only some vehicles like the 2012 Chevrolet Volt have this part: accessory drive belt.",
        ),
    ],
)
def test_check_fit_explains_the_doubt_about_a_plug_in(slug: str, reason: str) -> None:
    volt = vehicle("Chevrolet", "Volt", 2012, Engine(powertrain=PLUG_IN, cylinders=4, displacement=1.4))
    fit = check_fit(BY_SLUG[slug], volt)

    assert (fit.outcome, fit.reason) == (FitOutcome.UNKNOWN, reason)


@pytest.mark.parametrize("slug", ["struts-front", "steering-rack", "cv-axle", "power-liftgate-strut"])
def test_check_fit_rejects_four_wheel_repairs_for_a_motorcycle(slug: str) -> None:
    fit = check_fit(BY_SLUG[slug], GOLD_WING)

    assert fit.outcome is FitOutcome.DOES_NOT_FIT
    assert "is a motorcycle" in (fit.reason or "")


def test_check_fit_is_never_certain_for_a_motorcycle() -> None:
    outcomes = {check_fit(problem, GOLD_WING).outcome for problem in BOOK}

    assert outcomes == {FitOutcome.DOES_NOT_FIT, FitOutcome.UNKNOWN}


@pytest.mark.parametrize(
    ("make", "model", "year", "body"),
    [
        ("Chevrolet", "Tahoe", 2002, Body.SUV),
        ("Chevrolet", "Suburban", 1998, Body.SUV),
        ("Ford", "Crown Victoria", 2008, Body.CAR),
        ("Chevrolet", "Silverado", 2010, Body.PICKUP),
        ("Jeep", "Liberty", 2006, Body.SUV),
    ],
)
def test_solid_driven_axle_has_no_struts(make: str, model: str, year: int, body: Body) -> None:
    car = vehicle(make, model, year, body=body, drives=drive(Drive.RWD))

    assert check_fit(BY_SLUG["struts-rear"], car).outcome is FitOutcome.DOES_NOT_FIT
    assert check_fit(BY_SLUG["shock-absorbers-rear"], car).outcome is FitOutcome.FITS


@pytest.mark.parametrize(
    ("make", "model", "year"),
    [
        ("Chevrolet", "GMT-400", 1995),
        ("Chevrolet", "C1500", 1992),
        ("Chevrolet", "K1500", 1997),
        ("GMC", "Sierra", 1996),
        ("GMC", "Yukon", 1999),
        ("Chevrolet", "Tahoe", 1999),
    ],
)
def test_torsion_bars_and_coils_have_separate_shock_absorbers(make: str, model: str, year: int) -> None:
    car = vehicle(make, model, year, drives=drive(Drive.FOUR_WD))

    assert check_fit(BY_SLUG["struts-front"], car).outcome is FitOutcome.DOES_NOT_FIT
    assert check_fit(BY_SLUG["shock-absorbers-front"], car).outcome is FitOutcome.FITS


def test_struts_fit_a_car_that_has_them() -> None:
    camry = vehicle("Toyota", "Camry", 2015, body=Body.CAR, drives=drive(Drive.FWD))

    assert {check_fit(BY_SLUG[slug], camry).outcome for slug in ("struts-front", "struts-rear")} == {
        FitOutcome.FITS
    }


@pytest.mark.parametrize(
    ("make", "model", "outcome"),
    [
        ("Volkswagen", "Jetta", FitOutcome.UNKNOWN),
        ("Volkswagen", "Golf", FitOutcome.UNKNOWN),
        ("Audi", "A3", FitOutcome.UNKNOWN),
        ("Ram", "2500", FitOutcome.DOES_NOT_FIT),
    ],
)
def test_only_the_tdi_among_diesels_may_have_a_dual_clutch(
    make: str, model: str, outcome: FitOutcome
) -> None:
    car = vehicle(make, model, 2013, Engine(powertrain=DIESEL, cylinders=4))

    assert check_fit(BY_SLUG["dual-clutch-pack"], car).outcome is outcome


def test_struts_are_never_certain_for_exotic_cars_and_trucks() -> None:
    ferrari = vehicle("Ferrari", "488", 2020, body=Body.CAR, drives=drive(Drive.RWD))
    medium = vehicle("Isuzu", "NPR", 2018, drives=drive(Drive.RWD))

    assert check_fit(BY_SLUG["struts-front"], ferrari).outcome is FitOutcome.UNKNOWN
    assert check_fit(BY_SLUG["struts-front"], medium).outcome is FitOutcome.DOES_NOT_FIT


def test_shock_absorbers_fit_any_drive() -> None:
    astro = vehicle("Chevrolet", "Astro", 2001, body=Body.VAN, drives=drive(Drive.AWD))

    assert check_fit(BY_SLUG["shock-absorbers-front"], astro).outcome is FitOutcome.FITS


@pytest.mark.parametrize(
    ("make", "model", "year", "powertrain", "outcome"),
    [
        ("Toyota", "Prius", 2012, HYBRID, FitOutcome.DOES_NOT_FIT),
        ("Toyota", "Prius", 2007, HYBRID, FitOutcome.UNKNOWN),
        ("Lexus", "ES 300h", 2014, HYBRID, FitOutcome.DOES_NOT_FIT),
        ("Honda", "Accord", 2016, HYBRID, FitOutcome.DOES_NOT_FIT),
        ("Honda", "Accord", 2016, GAS, FitOutcome.FITS),
        ("Chevrolet", "Malibu", 2016, HYBRID, FitOutcome.UNKNOWN),
        ("Ford", "F-250", 2016, DIESEL, FitOutcome.FITS),
    ],
)
def test_hybrid_with_electric_pumps_has_no_accessory_belt(
    make: str, model: str, year: int, powertrain: Powertrain, outcome: FitOutcome
) -> None:
    car = vehicle(make, model, year, Engine(powertrain=powertrain))

    for slug in ("serpentine-belt", "serpentine-belt-tensioner", "idler-pulley"):
        assert check_fit(BY_SLUG[slug], car).outcome is outcome


def test_electric_car_has_no_accessory_belt() -> None:
    leaf = vehicle("Nissan", "Leaf", 2018, Engine(powertrain=ELECTRIC))

    assert possible_fittings("accessory_belt", leaf) == frozenset({"no"})


@pytest.mark.parametrize(
    ("powertrain", "outcome"),
    [
        (HYBRID, FitOutcome.DOES_NOT_FIT),  # its engine warms the cabin
        (PLUG_IN, FitOutcome.UNKNOWN),
        (ELECTRIC, FitOutcome.FITS),
        (GAS, FitOutcome.DOES_NOT_FIT),
    ],
)
def test_only_vehicles_that_plug_in_have_a_high_voltage_cabin_heater(
    powertrain: Powertrain, outcome: FitOutcome
) -> None:
    car = vehicle("Toyota", "Prius", 2018, Engine(powertrain=powertrain))

    assert check_fit(BY_SLUG["electric-cabin-heater"], car).outcome is outcome
