"""The offline models use a vehicle's engine and amounts, and still differ from the book."""

from typing import Any

import pytest

from repaircore.adapters.ai.offline import component_price, regression_price
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.kernel.facts import Engine, Layout, VehicleFacts
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.pricing.book_price import book_price
from repaircore.testing.builders import a_question, a_vehicle
from repaircore.vehicle_facts.model import VehicleSpecs

BOOK = {problem.slug: problem for problem in book().problems}
RATE = 145_00
YEAR = 2026


def car(make: str, model: str, year: int, drive: Drive, **engine: Any) -> VehicleSpecs:
    facts = VehicleFacts(drives=frozenset({drive}), engines=(Engine(**engine),))
    return VehicleSpecs(make=make, model=model, year=year, body=Body.CAR, facts=facts, source="test")


def accord(cylinders: int, liters: float, layout: Layout) -> VehicleSpecs:
    gas = {"powertrain": Powertrain.GAS, "cylinders": cylinders, "displacement": liters, "layout": layout}
    return car("Honda", "Accord", 2016, Drive.FWD, **gas)


def electric(make: str, model: str, year: int, kwh: float) -> VehicleSpecs:
    return car(make, model, year, Drive.FWD, powertrain=Powertrain.ELECTRIC, battery=kwh)


FOUR, SIX = accord(4, 2.4, Layout.INLINE), accord(6, 3.5, Layout.V)
LEAF, MODEL_3 = electric("Nissan", "Leaf", 2013, 24), electric("Tesla", "Model 3", 2020, 75)


def figures(slug: str, about: VehicleSpecs) -> tuple[float, float, float]:
    """Return the prices of the book, model A and model B, in dollars."""
    problem, factors = BOOK[slug], shipped_factor_table().factors_for(about)
    question = a_question(
        problem=problem,
        vehicle=a_vehicle(specs=about),
        factors=factors,
        state="OH",
        labor_rate=RATE,
        national_rate=RATE,
        year=YEAR,
    )
    local = book_price(problem, factors, national_rate=RATE, year=YEAR).total
    return local / 100, component_price(question) / 100, regression_price(question) / 100


def test_both_models_price_plugs_higher_for_a_v6_than_for_a_four() -> None:
    for four, six in zip(figures("spark-plugs", FOUR), figures("spark-plugs", SIX), strict=True):
        assert six > 1.3 * four


def test_both_models_price_a_battery_pack_by_its_kwh() -> None:
    small, large = figures("ev-battery", LEAF), figures("ev-battery", MODEL_3)

    for less, more in zip(small, large, strict=True):
        assert more > 1.6 * less


def test_both_models_use_the_repairs_with_special_prices_for_a_vehicle() -> None:
    local, a, b = figures("battery-replacement", MODEL_3)

    assert max(a, b) < 1.5 * local


@pytest.mark.parametrize(
    ("slug", "about"),
    [
        ("spark-plugs", FOUR),
        ("spark-plugs", SIX),
        ("ev-battery", LEAF),
        ("ev-battery", MODEL_3),
        ("battery-replacement", MODEL_3),
    ],
    ids=lambda value: value.display_name if isinstance(value, VehicleSpecs) else value,
)
def test_both_models_differ_from_the_book_and_each_other(slug: str, about: VehicleSpecs) -> None:
    local, a, b = figures(slug, about)

    for one, other in ((a, local), (b, local), (a, b)):
        assert abs(one / other - 1) > 0.01
        assert 1 / 2.2 < one / other < 2.2
