"""Repairs with special prices on some vehicles. Bounds are editorial, except the lower one of Tesla batteries."""

import pytest

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.adapters.shipped.vehicle_factors import job_rows, shipped_factor_table
from repaircore.kernel.facts import Engine, VehicleFacts
from repaircore.kernel.money import Cents
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.pricing.book_price import BookPrice, book_price
from repaircore.pricing.explanation import vehicle_step
from repaircore.vehicle_facts.model import VehicleSpecs

RATE: Cents = 145_00
YEAR = 2026
BOOK = {problem.slug: problem for problem in book().problems}
TABLE = shipped_factor_table()


def car(year: int, make: str, model: str, *engines: Engine, drive: Drive = Drive.FWD) -> VehicleSpecs:
    facts = VehicleFacts(engines=engines, drives=frozenset({drive}))
    return shipped_mechanics().complete(
        VehicleSpecs(make=make, model=model, year=year, facts=facts, source="test")
    )


def gas(displacement: float, cylinders: int) -> Engine:
    return Engine(powertrain=Powertrain.GAS, displacement=displacement, cylinders=cylinders)


def diesel(displacement: float, cylinders: int) -> Engine:
    return Engine(powertrain=Powertrain.DIESEL, displacement=displacement, cylinders=cylinders)


ELECTRIC = Engine(powertrain=Powertrain.ELECTRIC)
CORVETTE = car(2006, "Chevrolet", "Corvette", gas(6.0, 8), drive=Drive.RWD)
CARAVAN = car(2014, "Dodge", "Grand Caravan", gas(3.6, 6))
CRUZE = car(2014, "Chevrolet", "Cruze", gas(1.4, 4))
POWER_STROKE = car(2017, "Ford", "F-250", diesel(6.7, 8), drive=Drive.FOUR_WD)


def price(about: VehicleSpecs, slug: str) -> BookPrice:
    return book_price(BOOK[slug], TABLE.factors_for(about), national_rate=RATE, year=YEAR)


@pytest.mark.parametrize(
    ("about", "slug", "low", "high"),
    [
        (car(2019, "Tesla", "Model 3", ELECTRIC, drive=Drive.RWD), "battery-replacement", 118, 250),
        (car(2020, "Tesla", "Model S", ELECTRIC, drive=Drive.AWD), "battery-replacement", 118, 250),
        (CORVETTE, "clutch-replacement", 1400, 2200),
        (CARAVAN, "water-pump", 450, 800),
        (CRUZE, "ignition-coil", 120, 250),
        (car(2008, "Ford", "F-150", gas(5.4, 8), drive=Drive.FOUR_WD), "spark-plugs", 450, 900),
    ],
    ids=lambda value: value.display_name if isinstance(value, VehicleSpecs) else str(value),
)
def test_special_price_is_within_its_bounds(about: VehicleSpecs, slug: str, low: float, high: float) -> None:
    assert low <= price(about, slug).total / 100 <= high


def test_one_coil_cassette_costs_more_than_one_coil_and_is_one_part() -> None:
    (cassette,), (coil,) = price(CRUZE, "ignition-coil").parts, price(CARAVAN, "ignition-coil").parts

    assert (cassette.quantity, coil.quantity) == (1, 1)
    assert cassette.price > coil.price


def test_large_diesel_has_two_batteries_with_an_explanation() -> None:
    problem, factors = BOOK["battery-replacement"], TABLE.factors_for(POWER_STROKE)
    result = price(POWER_STROKE, problem.slug)
    step = vehicle_step(problem, factors, result, year=YEAR)

    assert [part.quantity for part in result.parts] == [2, 1]
    assert step is not None
    assert "pair of batteries" in step.text


@pytest.mark.parametrize(
    "about",
    [
        car(2016, "Chevrolet", "Malibu", gas(2.5, 4)),
        car(2014, "Chevrolet", "Cruze"),
        car(2015, "Ford", "F-150", gas(3.5, 6), drive=Drive.RWD),
        car(2019, "Nissan", "Leaf", ELECTRIC),
    ],
    ids=lambda about: f"{about.display_name} {len(about.facts.engines)}",
)
def test_other_vehicles_are_priced_by_their_factors(about: VehicleSpecs) -> None:
    assert TABLE.factors_for(about).jobs == ()


@pytest.mark.parametrize(
    "about",
    [
        car(2017, "Ford", "F-250", gas(6.2, 8)),
        car(2017, "Ford", "F-250", gas(6.2, 8), diesel(6.7, 8)),
        car(2012, "Jeep", "Wrangler", gas(3.6, 6)),
    ],
    ids=lambda about: f"{about.display_name} {len(about.facts.engines)}",
)
def test_solid_front_axle_has_four_ball_joints(about: VehicleSpecs) -> None:
    assert [job.repair for job in TABLE.factors_for(about).jobs] == ["ball-joint"]
    assert price(about, "ball-joint").parts[0].quantity == 4


def test_row_with_years_does_not_apply_to_older_vehicles() -> None:
    corvette = car(1990, "Chevrolet", "Corvette", gas(5.7, 8))

    assert [job.repair for job in TABLE.factors_for(corvette).jobs] == ["timing-chain"]


@pytest.mark.parametrize(
    ("about", "slug", "low", "high"),
    [
        (car(2015, "Ford", "Explorer", gas(3.5, 6), drive=Drive.FOUR_WD), "water-pump", 8, 12),
        (car(2010, "Ford", "Edge", gas(3.5, 6)), "water-pump", 8, 12),
        (car(2013, "Lincoln", "MKZ", gas(3.7, 6)), "water-pump", 8, 12),
        (car(2012, "Ford", "F-150", gas(3.7, 6), drive=Drive.RWD), "water-pump", 2, 4),
        (car(2013, "Ford", "Mustang", gas(3.7, 6), drive=Drive.RWD), "water-pump", 2, 4),
        (car(2016, "GMC", "Sierra 1500", gas(5.3, 8), drive=Drive.FOUR_WD), "timing-chain", 5, 8),
        (car(2015, "Ram", "1500", gas(5.7, 8), drive=Drive.FOUR_WD), "timing-chain", 5, 8),
        (car(2003, "Chevrolet", "Blazer", gas(4.3, 6), drive=Drive.FOUR_WD), "timing-chain", 5, 8),
        (car(2003, "Buick", "LeSabre", gas(3.8, 6)), "timing-chain", 5, 8),
        (car(2015, "Ford", "F-150", gas(5.0, 8), drive=Drive.FOUR_WD), "timing-chain", 8, 12),
    ],
    ids=lambda value: value.display_name if isinstance(value, VehicleSpecs) else str(value),
)
def test_hours_depend_on_the_position_of_the_chain(
    about: VehicleSpecs, slug: str, low: float, high: float
) -> None:
    assert low <= price(about, slug).hours <= high


def test_every_row_has_a_repair_of_the_book() -> None:
    assert {row.job.repair for row in TABLE.jobs} <= set(BOOK)


@pytest.mark.parametrize(
    "change", ['source = ""', 'source = "editorial"\nparts = 0', 'source = "editorial"\ndisplacement = [5.4]']
)
def test_row_without_a_source_or_with_impossible_factors_or_unknown_keys_is_refused(change: str) -> None:
    with pytest.raises(ValueError, match="water-pump"):
        job_rows(f'[[job]]\nrepair = "water-pump"\nmakes = ["ford"]\nwhy = "so"\n{change}\n')
