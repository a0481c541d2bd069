"""How far the offline models are from the repair book, over every repair on twelve cars.

``python -m tests.adapters.ai.test_offline_agreement`` prints the table that docs/decisions/offline-models.md shows.
"""

import math
from collections.abc import Iterator
from statistics import correlation, median

import pytest
from attrs import evolve, frozen

from repaircore.adapters.ai.offline import component_price, regression_price
from repaircore.adapters.ai.offline_tables import component_table
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.prices import read_labor_rates
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.book.model import Problem
from repaircore.kernel.money import round_half_up
from repaircore.kernel.traits import Body
from repaircore.pricing.aggregation import is_plausible
from repaircore.pricing.book_price import book_price
from repaircore.pricing.places import Market
from repaircore.testing.builders import a_question, a_vehicle
from repaircore.vehicle_facts.model import VehicleSpecs

CARS = [
    ("Honda", "Civic", 2015, Body.CAR, "OH", "43004"),
    ("Toyota", "Camry", 2018, Body.CAR, "TX", "77002"),
    ("Ford", "F-150", 2017, Body.PICKUP, "MS", "38610"),
    ("Ford", "F-250", 2016, Body.PICKUP, "MT", "59215"),
    ("Chevrolet", "Equinox", 2019, Body.SUV, "IL", "60601"),
    ("Jeep", "Wrangler", 2014, Body.SUV, "CO", "80202"),
    ("BMW", "330i", 2018, Body.CAR, "CA", "94103"),
    ("Mercedes-Benz", "E-Class", 2016, Body.CAR, "NY", "10001"),
    ("Hyundai", "Elantra", 2013, Body.CAR, "FL", "33101"),
    ("Subaru", "Outback", 2012, Body.SUV, "WA", "98101"),
    ("Dodge", "Grand Caravan", 2011, Body.VAN, "MI", "48201"),
    ("Lexus", "RX 350", 2020, Body.SUV, "MA", "02108"),
]
YEAR = 2026
RATES = read_labor_rates()


@frozen
class Figures:
    """The prices of the book, model A and model B for one repair on one car, in cents."""

    book: int
    a: int
    b: int


def figures_of(problem: Problem, car: tuple[str, str, int, Body, str, str]) -> Figures:
    make, model, year, body, state, zip_code = car
    about = VehicleSpecs(make=make, model=model, year=year, body=body, source="test")
    factors, rate = shipped_factor_table().factors_for(about), RATES.at(zip_code, state).rate
    local = book_price(problem, factors, national_rate=RATES.national)
    question = a_question(
        problem=problem,
        vehicle=a_vehicle(specs=about),
        factors=factors,
        state=state,
        labor_rate=rate,
        national_rate=RATES.national,
        year=YEAR,
    )
    market = Market(rate=rate, national_rate=RATES.national)
    return Figures(
        round_half_up(local.total * market.factor(local.labor_share)),
        round_half_up(component_price(question)),
        round_half_up(regression_price(question)),
    )


def all_figures() -> Iterator[Figures]:
    for car in CARS:
        for problem in book().problems:
            yield figures_of(problem, car)


@pytest.fixture(scope="module")
def figures() -> list[Figures]:
    return list(all_figures())


def off(pairs: list[tuple[int, int]]) -> list[float]:
    return [math.log(one / other) for one, other in pairs]


def test_both_models_are_plausible_and_differ_from_the_book_and_each_other(figures: list[Figures]) -> None:
    pairs = {
        "A": [(one.a, one.book) for one in figures],
        "B": [(one.b, one.book) for one in figures],
        "A and B": [(one.a, one.b) for one in figures],
    }

    for name, some in pairs.items():
        assert 0.10 <= median(abs(error) for error in off(some)) <= 0.30, name
        assert abs(median(off(some))) <= 0.15, name
        first, second = zip(*[(math.log(x), math.log(y)) for x, y in some], strict=True)

        assert correlation(first, second) >= 0.9, name
        assert sum(x == y for x, y in some) <= len(some) / 500, name


def test_every_figure_is_plausible(figures: list[Figures]) -> None:
    problems = [problem for _ in CARS for problem in book().problems]
    for problem, found in zip(problems, figures, strict=True):
        assert is_plausible(found.a, problem), problem.slug
        assert is_plausible(found.b, problem), problem.slug


def test_every_repair_of_the_book_is_in_the_table() -> None:
    table = component_table()
    problems = book().problems

    assert {problem.slug for problem in problems} == table.prices.keys()
    assert {problem.parent.slug for problem in problems} == table.labor_shares.keys()


def test_custom_repair_is_priced_by_its_hours() -> None:
    brakes = next(one for one in book().problems if one.slug == "brake-pads-front")
    found = figures_of(evolve(brakes, slug="an-operators-own"), CARS[0])

    assert 0.5 < found.a / found.b < 2


def main() -> None:
    """Print the table of the documentation."""
    figures = list(all_figures())
    for name, some in (
        ("A and the book", [(one.a, one.book) for one in figures]),
        ("B and the book", [(one.b, one.book) for one in figures]),
        ("A and B", [(one.a, one.b) for one in figures]),
    ):
        errors = off(some)
        sizes = sorted(abs(error) for error in errors)
        first, second = zip(*[(math.log(x), math.log(y)) for x, y in some], strict=True)
        print(  # noqa: T201 - a program for authors of the documentation
            f"| {name} | {median(sizes):.2f} | {sizes[int(0.9 * len(sizes))]:.2f} | {median(errors):+.2f}"
            f" | {correlation(first, second):.2f} | {sum(x == y for x, y in some)} of {len(some):,} |"
        )


if __name__ == "__main__":
    main()
