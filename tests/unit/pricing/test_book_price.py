"""The book's price on vehicles whose engine, age and make are known."""

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.book.model import PartNeed, Per, Problem
from repaircore.kernel.facts import CamDrive, Engine, Layout, ValveTrain, VehicleFacts
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.pricing.book_price import (
    PRICES,
    BookPrice,
    book_price,
    commonest,
    hours_factor,
    parts_factor,
    quantity_of,
    shares,
    tier_prices,
)
from repaircore.pricing.estimator import breakdown_of, outlook
from repaircore.pricing.explanation import vehicle_step
from repaircore.pricing.model import Breakdown, PartsTier
from repaircore.pricing.places import Market
from repaircore.pricing.variances import variances_of
from repaircore.transactions.evidence import History, Lineage
from repaircore.vehicle_facts.model import Amounts, Factors, VehicleSpecs

BOOK = {problem.slug: problem for problem in book().problems}
TABLE = shipped_factor_table()
RATE = 145_00
YEAR = 2026


def decoded(make: str, model: str, year: int, drive: Drive, body: Body, **engine: Any) -> VehicleSpecs:
    facts = VehicleFacts(drives=frozenset({drive}), engines=(Engine(**engine),))
    return VehicleSpecs(make=make, model=model, year=year, body=body, facts=facts, source="test")


def gas(cylinders: int, displacement: float, layout: Layout) -> dict[str, Any]:
    return {
        "powertrain": Powertrain.GAS,
        "cylinders": cylinders,
        "displacement": displacement,
        "layout": layout,
    }


F150 = decoded("Ford", "F-150", 2015, Drive.FOUR_WD, Body.PICKUP, **gas(8, 5.0, Layout.V))
COROLLA = decoded("Toyota", "Corolla", 2015, Drive.FWD, Body.CAR, **gas(4, 1.8, Layout.INLINE))
CAMRY_V6 = decoded("Toyota", "Camry", 2015, Drive.FWD, Body.CAR, **gas(6, 3.5, Layout.V))
CAMRY_I4 = decoded("Toyota", "Camry", 2015, Drive.FWD, Body.CAR, **gas(4, 2.5, Layout.INLINE))
HEMI = decoded("Ram", "1500", 2015, Drive.FOUR_WD, Body.PICKUP, **gas(8, 5.7, Layout.V))
RX8 = decoded("Mazda", "RX-8", 2009, Drive.RWD, Body.CAR, **gas(2, 1.3, Layout.ROTARY))
CUMMINS = decoded(
    "Ram",
    "2500",
    2015,
    Drive.FOUR_WD,
    Body.PICKUP,
    powertrain=Powertrain.DIESEL,
    cylinders=6,
    displacement=6.7,
    layout=Layout.INLINE,
)
POWER_STROKE = evolve(
    CUMMINS,
    facts=evolve(CUMMINS.facts, engines=(evolve(CUMMINS.facts.engines[0], cylinders=8, layout=Layout.V),)),
)


def price(slug: str, car: VehicleSpecs, **choice: Any) -> BookPrice:
    return book_price(BOOK[slug], TABLE.factors_for(car), national_rate=RATE, year=YEAR, **choice)


def quantities(slug: str, car: VehicleSpecs) -> dict[str, int]:
    return {part.name: part.quantity for part in price(slug, car).parts}


@pytest.mark.parametrize(
    ("car", "plugs"), [(F150, 8), (COROLLA, 4), (CAMRY_V6, 6), (HEMI, 16), (RX8, 4)], ids=str
)
def test_spark_plugs_follow_the_engine(car: VehicleSpecs, plugs: int) -> None:
    assert quantities("spark-plugs", car)["Spark plug"] == plugs


@pytest.mark.parametrize(("car", "quarts"), [(F150, 8), (COROLLA, 5), (CAMRY_V6, 7), (HEMI, 7)], ids=str)
def test_oil_follows_the_engine(car: VehicleSpecs, quarts: int) -> None:
    assert quantities("oil-change-synthetic", car)["Full synthetic engine oil, quart"] == quarts


def test_diesel_takes_diesel_oil() -> None:
    assert quantities("oil-change-diesel", CUMMINS)["Diesel engine oil, quart"] == 12


@pytest.mark.parametrize(
    ("engine", "has_tubes"),
    [
        ({"valve_train": ValveTrain.OHV}, False),
        ({"valve_train": ValveTrain.OHV, "plugs_per_cylinder": 2}, True),
        ({"valve_train": ValveTrain.DOHC}, True),
        ({"valve_train": None}, True),
        ({"powertrain": Powertrain.DIESEL}, False),
    ],
    ids=str,
)
def test_tube_seals_are_included_where_plugs_sit_in_tubes(engine: dict[str, Any], *, has_tubes: bool) -> None:
    facts = evolve(F150.facts, engines=(evolve(F150.facts.engines[0], **engine),))
    parts = quantities("valve-cover-gasket", evolve(F150, facts=facts))

    assert parts["Valve cover gasket set"] == 1
    assert ("Spark plug tube seal set" in parts) is has_tubes


def test_unknown_engine_gets_the_books_number() -> None:
    unknown = VehicleSpecs(make="Ford", model="F-150", year=2015, source="test")

    assert quantities("spark-plugs", unknown)["Spark plug"] == 4


def test_middle_one_of_the_possible_engines_counts() -> None:
    facts = VehicleFacts(engines=(*CAMRY_I4.facts.engines, *CAMRY_V6.facts.engines))
    either = evolve(CAMRY_I4, facts=facts)
    mostly_six = evolve(facts, engines=(*facts.engines, evolve(CAMRY_V6.facts.engines[0], displacement=3.0)))

    assert TABLE.factors_for(either).amounts.plugs == 4
    assert TABLE.factors_for(evolve(either, facts=mostly_six)).amounts.plugs == 6
    assert len(TABLE.factors_for(either).possible) == 2
    assert TABLE.factors_for(CAMRY_I4).possible == ()


def test_battery_pack_without_a_capacity_is_priced_by_the_models_usual_one() -> None:
    leaf, bolt = (
        decoded(make, model, 2015, Drive.FWD, Body.CAR, powertrain=Powertrain.ELECTRIC)
        for make, model in (("Nissan", "Leaf"), ("Chevrolet", "Bolt EV"))
    )

    assert TABLE.factors_for(leaf).amounts.battery == 24
    assert price("ev-battery", leaf).parts[0].price < price("ev-battery", bolt).parts[0].price / 2


def test_inline_truck_diesel_has_its_water_pump_in_front() -> None:
    assert price("water-pump", CUMMINS).hours < 0.6 * price("water-pump", POWER_STROKE).hours
    assert price("head-gasket", CUMMINS).hours == pytest.approx(price("head-gasket", POWER_STROKE).hours)


def test_buried_rear_bank_takes_longer() -> None:
    assert price("spark-plugs", CAMRY_V6).hours > 1.8 * price("spark-plugs", CAMRY_I4).hours
    assert price("alternator", F150).hours < price("alternator", CAMRY_I4).hours
    assert price("brake-pads-front", CAMRY_V6).hours == price("brake-pads-front", CAMRY_I4).hours


BELT = {"cam_drive": CamDrive.BELT}
FORESTER = decoded("Subaru", "Forester", 2008, Drive.AWD, Body.SUV, **gas(4, 2.5, Layout.FLAT), **BELT)
CIVIC = decoded("Honda", "Civic", 2004, Drive.FWD, Body.CAR, **gas(4, 1.7, Layout.INLINE), **BELT)
PILOT = decoded("Honda", "Pilot", 2015, Drive.AWD, Body.SUV, **gas(6, 3.5, Layout.V), **BELT)
LX470 = decoded("Lexus", "LX", 2004, Drive.FOUR_WD, Body.SUV, **gas(8, 4.7, Layout.V), **BELT)
RANGER = decoded("Ford", "Ranger", 1999, Drive.RWD, Body.PICKUP, **gas(4, 2.5, Layout.INLINE), **BELT)


@pytest.mark.parametrize("car", [FORESTER, CIVIC, PILOT, LX470], ids=lambda car: car.model)
def test_water_pump_under_the_timing_belt_takes_at_least_the_belts_hours(car: VehicleSpecs) -> None:
    assert price("water-pump", car).hours >= price("timing-belt", car).hours
    step = vehicle_step(BOOK["water-pump"], TABLE.factors_for(car), price("water-pump", car), year=YEAR)

    assert step is not None
    assert "The timing belt has to come off first" in step.text


def test_water_pump_next_to_the_timing_belt_takes_its_own_hours() -> None:
    engine = RANGER.facts.engines[0]
    chain = evolve(RANGER, facts=evolve(RANGER.facts, engines=(evolve(engine, cam_drive=CamDrive.CHAIN),)))

    assert price("water-pump", RANGER).hours == price("water-pump", chain).hours
    assert price("water-pump", RANGER).hours < price("timing-belt", RANGER).hours


def test_converter_of_an_old_car_is_aftermarket_and_falls_faster_than_other_parts() -> None:
    def share(slug: str) -> float:
        old, middle = (
            price(slug, evolve(CAMRY_I4, year=year), tier=PartsTier.AFTERMARKET) for year in (2004, 2016)
        )
        return old.parts[0].price / middle.parts[0].price

    assert share("catalytic-converter") == pytest.approx(0.64)
    assert share("alternator") == pytest.approx(0.856)


def battery(kwh: float) -> float:
    car = decoded("Tesla", "Model 3", 2020, Drive.RWD, Body.CAR, powertrain=Powertrain.ELECTRIC, battery=kwh)
    pack, *_ = price("ev-battery", car).parts
    return pack.price


def test_traction_battery_is_priced_by_its_capacity() -> None:
    assert battery(80) == pytest.approx(2 * battery(40))


def test_parts_are_original_for_a_new_car_and_aftermarket_for_an_old_one() -> None:
    assert commonest(1) is PartsTier.OEM
    assert commonest(9) is PartsTier.AFTERMARKET
    assert commonest(25) is PartsTier.ECONOMY


def test_starter_of_a_1990_car_costs_less_than_one_of_2020() -> None:
    cars = [evolve(COROLLA, year=year) for year in (1990, 2005, 2020)]
    parts = [price("starter-motor", car).parts_total for car in cars]

    assert parts == sorted(parts)


@given(age=st.integers(min_value=0, max_value=60))
def test_shares_of_grades_sum_to_one_and_move_little_with_age(age: int) -> None:
    assert sum(shares(age).values()) == pytest.approx(100)
    assert 0.8 <= parts_factor(age, common=True) <= 1 <= hours_factor(age) <= 1.1
    assert parts_factor(age, common=False) == 1


def test_grade_can_be_chosen_and_fluids_cost_the_same_in_each() -> None:
    economy, oem = (price("water-pump", COROLLA, tier=tier) for tier in (PartsTier.ECONOMY, PartsTier.OEM))
    for cheap, dear in zip(economy.parts, oem.parts, strict=True):
        expected = PRICES[PartsTier.OEM] / PRICES[PartsTier.ECONOMY] if cheap.graded else 1

        assert dear.price / cheap.price == pytest.approx(expected)

    assert economy.hours == oem.hours
    assert price("oil-change-synthetic", COROLLA).tier is PartsTier.AFTERMARKET
    assert price("coolant-flush", COROLLA).tier is None


def breakdown(tier: PartsTier) -> Breakdown:
    seen = outlook(
        price("spark-plugs", COROLLA),
        History(lineage=Lineage(make="Toyota", model="Corolla", year=2015)),
        market=Market(rate=157_31, national_rate=RATE, price_level=1.037),
        variances=variances_of(0.2),
    )
    return breakdown_of(seen.with_book(price("spark-plugs", COROLLA, tier=tier)))


def test_price_of_a_grade_does_not_depend_on_the_chosen_grade() -> None:
    factors = TABLE.factors_for(COROLLA)
    answers = [
        tier_prices(price("spark-plugs", COROLLA, tier=query), breakdown, factors, year=YEAR)
        for query in PartsTier
    ]

    assert answers[0] == answers[1] == answers[2]
    for tier, parts, total, _ in answers[0]:
        assert (parts, total) == (breakdown(tier).parts_total, breakdown(tier).total)
    totals = [total for _, _, total, _ in answers[0]]

    assert totals == sorted(totals)


@pytest.mark.parametrize(
    ("make", "model", "weight_class"),
    [
        ("Ferrari", "488", None),
        ("Rolls-Royce", "Ghost", None),
        ("Kenworth", "T680", None),
        ("Ford", "F-750", "7"),
    ],
)
def test_vehicle_outside_the_book_has_a_wider_range_and_a_reason(
    make: str, model: str, weight_class: str | None
) -> None:
    car = VehicleSpecs(
        make=make, model=model, year=2018, facts=VehicleFacts(weight_class=weight_class), source="test"
    )
    factors, problem = TABLE.factors_for(car), BOOK["brake-pads-front"]
    wide = book_price(problem, factors, national_rate=RATE, year=YEAR)

    assert wide.spread > price("brake-pads-front", COROLLA).spread
    step = vehicle_step(problem, factors, wide, year=YEAR)

    assert step is not None
    assert "does not cover" in step.text


def test_only_the_brakes_of_a_car_with_ceramic_brakes_are_outside_the_book() -> None:
    car = VehicleSpecs(make="Porsche", model="911", trim="GT3", year=2018, source="test")
    wider, usual = (
        price(slug, car).spread / price(slug, COROLLA).spread for slug in ("brake-pads-front", "alternator")
    )

    assert wider > 1
    assert usual == 1


def test_effect_of_the_vehicle_on_the_price_is_explained() -> None:
    result = price("spark-plugs", F150)
    step = vehicle_step(BOOK["spark-plugs"], TABLE.factors_for(F150), result, year=YEAR)

    assert step is not None
    assert step.text == (
        "Hours are for a V8. This vehicle takes 8 spark plugs. "
        "Parts are aftermarket, as on 60% of invoices at 11 years. Its age moves hours +1% and parts −1%."
    )
    assert step.value == pytest.approx(result.total / 100, abs=0.005)


def test_hours_are_not_said_to_be_those_of_an_engine_that_the_repair_does_not_depend_on() -> None:
    result = price("brake-pads-front", F150)
    step = vehicle_step(BOOK["brake-pads-front"], TABLE.factors_for(F150), result, year=YEAR)

    assert step is not None
    assert "Hours are for" not in step.text


def test_hours_are_those_of_every_engine_that_the_vehicle_may_have() -> None:
    v6, v8 = (Engine(**gas(cylinders, 3.6, Layout.V)) for cylinders in (6, 8))
    ram = evolve(HEMI, facts=evolve(HEMI.facts, engines=(v6, v8)))
    step = vehicle_step(
        BOOK["valve-cover-gasket"], TABLE.factors_for(ram), price("valve-cover-gasket", ram), year=YEAR
    )

    assert step is not None
    assert "Hours are for a longitudinal V6 or a V8." in step.text


def test_part_that_the_vehicle_does_not_have_is_not_stated() -> None:
    step = vehicle_step(
        BOOK["valve-cover-gasket"],
        TABLE.factors_for(CUMMINS),
        price("valve-cover-gasket", CUMMINS),
        year=YEAR,
    )

    assert step is not None
    assert step.text.startswith("Hours are for an inline truck diesel engine. Parts are ")


@given(problem=st.sampled_from([*BOOK.values()]), year=st.integers(min_value=1985, max_value=2027))
def test_every_repair_has_a_positive_price_at_every_age(problem: Problem, year: int) -> None:
    factors = evolve(Factors(labor=1.0, parts=1.0), year=year)
    result = book_price(problem, factors, national_rate=RATE, year=YEAR)

    assert result.total > 0
    assert all(quantity_of(part, factors.amounts) == part.quantity for part in problem.parts)


@pytest.mark.parametrize(
    ("per", "amounts", "quantity"),
    [
        (Per.OIL_QUART, Amounts(oil=5.2), 5),
        (Per.OIL_QUART, Amounts(oil=5.25), 6),
        (Per.OIL_QUART, Amounts(oil=0.1), 1),
        (Per.OIL_QUART, Amounts(), 4),
        (Per.TRANSMISSION_QUART, Amounts(transmission_fluid=7.5), 8),
        (Per.COOLANT_GALLON, Amounts(coolant=3.0), 6),
        (Per.COOLANT_GALLON, Amounts(), 4),
        (Per.CYLINDER, Amounts(cylinders=6, plugs=12), 6),
        (Per.SPARK_PLUG, Amounts(cylinders=6, plugs=12), 12),
        (Per.SPARK_PLUG, Amounts(cylinders=6), 6),
        (Per.PLUG_TUBES, Amounts(plug_tubes=False, cylinders=6), 0),
        (Per.PLUG_TUBES, Amounts(plug_tubes=True, cylinders=6), 4),
        (Per.BATTERY_KWH, Amounts(battery=75), 4),
        (None, Amounts(cylinders=6), 4),
    ],
)
def test_quantity_follows_the_vehicle_in_whole_containers(
    per: Per | None, amounts: Amounts, quantity: int
) -> None:
    assert quantity_of(PartNeed(name="Part", quantity=4, price=10_00, per=per), amounts) == quantity


def test_traction_battery_has_no_grades() -> None:
    car = decoded("Rivian", "R1T", 2025, Drive.AWD, Body.PICKUP, powertrain=Powertrain.ELECTRIC, battery=135)
    oem, economy = (
        price("ev-battery", car, tier=tier).parts[0] for tier in (PartsTier.OEM, PartsTier.ECONOMY)
    )

    assert oem.price == economy.price


def test_quantity_common_to_all_possible_engines_is_stated_for_the_vehicle() -> None:
    either = evolve(
        HEMI, facts=evolve(HEMI.facts, engines=(*HEMI.facts.engines, Engine(**gas(8, 6.4, Layout.V))))
    )
    step = vehicle_step(
        BOOK["spark-plugs"], TABLE.factors_for(either), price("spark-plugs", either), year=YEAR
    )

    assert step is not None
    assert "This vehicle takes 16 spark plugs" in step.text
    assert "not known" not in step.text


def test_quantity_that_differs_between_possible_engines_is_stated_as_open() -> None:
    engines = (*CAMRY_I4.facts.engines, *CAMRY_V6.facts.engines)
    either = evolve(CAMRY_I4, facts=evolve(CAMRY_I4.facts, engines=engines))
    step = vehicle_step(
        BOOK["spark-plugs"], TABLE.factors_for(either), price("spark-plugs", either), year=YEAR
    )

    assert step is not None
    assert "Its engine is unknown; most vehicles like it take 4 spark plugs" in step.text


def test_spark_plugs_requested_for_a_diesel_are_one_for_each_cylinder() -> None:
    assert quantities("spark-plugs", POWER_STROKE)["Spark plug"] == 8


def test_plugs_of_a_three_valve_triton_take_three_hours() -> None:
    triton = decoded("Ford", "F-150", 2008, Drive.FOUR_WD, Body.PICKUP, **gas(8, 5.4, Layout.V))

    assert price("spark-plugs", triton).hours >= 3


def test_rotary_engine_is_not_called_four_cylinder() -> None:
    step = vehicle_step(BOOK["spark-plugs"], TABLE.factors_for(RX8), price("spark-plugs", RX8), year=YEAR)

    assert step is not None
    assert "four-cylinder" not in step.text


def test_911_takes_eight_quarts() -> None:
    car = decoded("Porsche", "911", 2016, Drive.RWD, Body.CAR, **gas(6, 3.0, Layout.FLAT))

    assert TABLE.factors_for(car).amounts.oil == 8
