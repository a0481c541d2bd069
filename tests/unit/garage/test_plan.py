"""The maintenance plans of vehicles of all kinds, from the shipped book."""

import pytest

from repaircore.adapters.shipped.book import book
from repaircore.book.oil_changes import OIL_CHANGES
from repaircore.garage.plan import PLANNED_SLUGS, plan_for
from repaircore.kernel.facts import CamDrive, Engine, Layout, Transmission, VehicleFacts
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Drive, Powertrain, Traits
from repaircore.schedules.due import Interval

BY_SLUG = {problem.slug: problem for problem in book().problems}


def vehicle(
    powertrain: Powertrain | None,
    year: int = 2018,
    cam: CamDrive | None = CamDrive.CHAIN,
    drive: Drive = Drive.FWD,
) -> VehicleProfile:
    layout = None if powertrain is Powertrain.ELECTRIC else Layout.INLINE
    engine = Engine(powertrain=powertrain, cylinders=4, layout=layout, cam_drive=cam)
    facts = VehicleFacts(engines=(engine,), drives=frozenset({drive}), transmission=Transmission.AUTOMATIC)
    return VehicleProfile(
        make="Toyota", model="Camry", year=year, traits=Traits(powertrain=powertrain), facts=facts
    )


def plan(profile: VehicleProfile, *, miles: int = 40_000) -> dict[str, Interval]:
    return {item.problem.slug: item.interval for item in plan_for(profile, BY_SLUG, miles=miles)}


def test_every_service_of_a_plan_is_in_the_book() -> None:
    assert BY_SLUG.keys() >= PLANNED_SLUGS


@pytest.mark.parametrize(
    ("powertrain", "year", "miles", "oil"),
    [
        (Powertrain.GAS, 2018, 200_000, "oil-change-synthetic"),
        (Powertrain.GAS, 2003, 148_000, "oil-change-high-mileage"),
        (Powertrain.GAS, 2003, 20_000, "oil-change"),
        (Powertrain.DIESEL, 2016, 126_000, "oil-change-diesel"),
        (Powertrain.HYBRID, 2018, 60_000, "oil-change-synthetic"),
        (Powertrain.HYBRID, 2006, 20_000, "oil-change-synthetic"),
        (Powertrain.PLUG_IN_HYBRID, 2020, 60_000, "oil-change-synthetic"),
        (None, 2018, 60_000, "oil-change-synthetic"),
    ],
)
def test_vehicle_with_an_engine_has_one_oil_change(
    powertrain: Powertrain | None, year: int, miles: int, oil: str
) -> None:
    found = plan(vehicle(powertrain, year), miles=miles)

    assert OIL_CHANGES & found.keys() == {oil}


@pytest.mark.parametrize(("miles", "oil"), [(74_999, "oil-change"), (75_000, "oil-change-high-mileage")])
def test_oil_for_high_mileage_is_from_75_000_miles(miles: int, oil: str) -> None:
    assert oil in plan(vehicle(Powertrain.GAS, 2003), miles=miles)


def test_electric_vehicle_has_neither_oil_nor_plugs() -> None:
    found = plan(vehicle(Powertrain.ELECTRIC, cam=None))

    assert "ev-annual-service" in found
    engines = {"spark-plugs", "engine-air-filter", "coolant-flush", "timing-belt", "fuel-filter-diesel"}
    assert not found.keys() & (OIL_CHANGES | engines)
    assert not found.keys() & {"tire-rotation", "cabin-air-filter"}, "the yearly service includes them"


def test_brake_pads_last_longer_on_a_hybrid() -> None:
    hybrid, gas = plan(vehicle(Powertrain.HYBRID)), plan(vehicle(Powertrain.GAS))

    assert (hybrid["brake-pads-front"].miles or 0) == 2 * (gas["brake-pads-front"].miles or 0)
    assert gas["brake-pads-front"].months is None


@pytest.mark.parametrize(("cam", "has_belt"), [(CamDrive.BELT, True), (CamDrive.CHAIN, False), (None, False)])
def test_timing_belt_is_planned_only_if_there_is_one(cam: CamDrive | None, *, has_belt: bool) -> None:
    assert ("timing-belt" in plan(vehicle(Powertrain.GAS, cam=cam))) is has_belt


def test_diesel_has_a_fuel_filter_and_no_plugs() -> None:
    found = plan(vehicle(Powertrain.DIESEL, drive=Drive.FOUR_WD))

    assert {"fuel-filter-diesel", "def-refill"} <= found.keys()
    assert "spark-plugs" not in found


def test_batteries_and_tires_are_replaced_by_age() -> None:
    found = plan(vehicle(Powertrain.GAS))

    assert found["battery-replacement"].miles is None
    assert found["battery-replacement"].months == BY_SLUG["battery-replacement"].recurrence.months
    assert found["tire-replacement-set"] == Interval(
        miles=BY_SLUG["tire-replacement-set"].recurrence.miles, months=120
    )
    oil = BY_SLUG["oil-change-synthetic"].recurrence
    assert found["oil-change-synthetic"] == Interval(miles=oil.miles, months=oil.months)
    assert found["spark-plugs"] == Interval(miles=BY_SLUG["spark-plugs"].recurrence.miles)


def test_plan_leaves_out_repairs_missing_from_the_book() -> None:
    found = list(plan_for(vehicle(Powertrain.GAS), {}, miles=0))

    assert found == []


@pytest.mark.parametrize(
    ("make", "year", "layout", "miles"),
    [
        ("Toyota", 1995, Layout.INLINE, 30_000),
        ("Toyota", 1996, Layout.INLINE, 90_000),
        ("Geo", 1996, Layout.INLINE, 30_000),
        ("Suzuki", 2001, Layout.INLINE, 30_000),
        ("Suzuki", 2002, Layout.INLINE, 90_000),
        ("Mazda", 2009, Layout.ROTARY, 30_000),
        ("Mazda", 2009, Layout.INLINE, 90_000),
    ],
)
def test_plain_spark_plugs_are_due_earlier(make: str, year: int, layout: Layout, miles: int) -> None:
    facts = VehicleFacts(engines=(Engine(powertrain=Powertrain.GAS, layout=layout),))
    profile = VehicleProfile(make=make, model="One", year=year, facts=facts)

    assert plan(profile)["spark-plugs"].miles == miles


@pytest.mark.parametrize(("year", "interval"), [(1996, (60_000, 72)), (1997, (95_000, 96))])
def test_old_timing_belts_are_due_earlier(year: int, interval: tuple[int, int]) -> None:
    found = plan(vehicle(Powertrain.GAS, year, CamDrive.BELT))["timing-belt"]

    assert (found.miles, found.months) == interval
