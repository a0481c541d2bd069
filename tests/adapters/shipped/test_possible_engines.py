"""A model without an engine is priced within the range of its possible engines."""

from datetime import UTC, datetime

import pytest
from attrs import evolve

from repaircore.adapters.lookups.vin_catalog import VinCatalog, shipped_catalog
from repaircore.adapters.lookups.vpic_names import VpicModelNames
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.book.model import Problem
from repaircore.kernel.money import Cents
from repaircore.kernel.traits import Drive
from repaircore.pricing.book_price import BookPrice, book_price
from repaircore.vehicle_facts.model import VehicleSpecs

RATE: Cents = 145_00
YEAR = 2026
CATALOG = VinCatalog(shipped_catalog())
NAMES = VpicModelNames(
    catalog=CATALOG,
    known=lambda _year, _make, _model: (),
    mechanics=shipped_mechanics,
    clock=lambda: datetime(YEAR, 6, 1, tzinfo=UTC),
)
TABLE = shipped_factor_table()
ENGINE_REPAIRS = [one for one in book().problems if one.labor_factors]
MODELS = [
    (2018, "Ford", "F-150"),
    (2019, "Ram", "1500"),
    (2016, "Chevrolet", "Silverado 1500"),
    (2016, "Honda", "Accord"),
    (2015, "Toyota", "Camry"),
    (2013, "Ford", "Explorer"),
    (2014, "Mercedes-Benz", "E-Class"),
    (2012, "BMW", "5 Series"),
    (2017, "Ford", "F-250"),
    (2016, "Subaru", "Outback"),
    (2014, "Chevrolet", "Camaro"),
    (2017, "Dodge", "Charger"),
    (2019, "Hyundai", "Kona"),
]


def by_name(year: int, make: str, model: str) -> VehicleSpecs:
    found = NAMES.find(year, make, model)
    assert found is not None
    return found


def price(problem: Problem, about: VehicleSpecs) -> BookPrice:
    return book_price(problem, TABLE.factors_for(about), national_rate=RATE, year=YEAR)


def with_each_engine(about: VehicleSpecs, problem: Problem) -> list[VehicleSpecs]:
    each = [evolve(about, facts=evolve(about.facts, engines=(one,))) for one in about.facts.engines]
    return [one for one in each if check_fit(problem, one.profile).outcome is not FitOutcome.DOES_NOT_FIT]


@pytest.mark.parametrize(("year", "make", "model"), MODELS)
def test_price_without_an_engine_is_within_that_of_possible_engines(year: int, make: str, model: str) -> None:
    about = by_name(year, make, model)
    for problem in ENGINE_REPAIRS:
        prices = [price(problem, one) for one in with_each_engine(about, problem)]
        if not prices:
            continue
        unknown = price(problem, about)

        hours, totals = [one.hours for one in prices], [one.total for one in prices]
        assert min(hours) - 1e-9 <= unknown.hours <= max(hours) + 1e-9, problem.slug
        assert min(totals) - 0.01 <= unknown.total <= max(totals) + 0.01, problem.slug


def test_pickup_with_v6_and_v8_is_not_priced_as_a_car() -> None:
    about = by_name(2018, "Ford", "F-150")

    assert len(about.facts.engines) > 1
    assert about.facts.cylinders is None
    assert price(next(one for one in ENGINE_REPAIRS if one.slug == "spark-plugs"), about).hours > 1.4


def test_transit_had_no_all_wheel_drive_before_2020() -> None:
    assert by_name(2019, "Ford", "Transit").facts.drives == {Drive.RWD}
    assert Drive.AWD in by_name(2021, "Ford", "Transit").facts.drives


def test_camry_of_2018_has_the_new_engine() -> None:
    families = {one.family for one in by_name(2018, "Toyota", "Camry").facts.engines}

    assert "Dynamic Force 2.5" in families
    assert "2AR-FE" not in families


def test_wrx_of_2013_has_the_old_turbo() -> None:
    engines = by_name(2013, "Subaru", "Impreza WRX").facts.engines

    assert {one.family for one in engines} == {"EJ25 Turbo"}
