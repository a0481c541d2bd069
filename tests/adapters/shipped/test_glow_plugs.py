"""Glow plugs: which diesels have them, and how many."""

from functools import partial

import pytest
from tests.adapters.shipped import decoded

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.kernel.traits import Powertrain
from repaircore.pricing.book_price import book_price
from repaircore.vehicle_facts.model import VehicleSpecs

BOOK = {problem.slug: problem for problem in book().problems}
REPAIRS = ("glow-plugs", "glow-plug-control-module")


vehicle = partial(decoded.vehicle, powertrain=Powertrain.DIESEL)


@pytest.mark.parametrize("slug", REPAIRS)
@pytest.mark.parametrize(
    ("about", "outcome"),
    [
        (vehicle(2006, "Ford", "F-250", liters=6.0, cylinders=8), FitOutcome.FITS),
        (vehicle(2012, "Volkswagen", "Jetta", liters=2.0, cylinders=4), FitOutcome.FITS),
        (vehicle(2016, "Ram", "1500", liters=3.0, cylinders=6), FitOutcome.FITS),
        (vehicle(2016, "Ram", "2500", liters=6.7, cylinders=6), FitOutcome.DOES_NOT_FIT),
        (
            vehicle(2016, "Ford", "F-250", liters=6.2, cylinders=8, powertrain=Powertrain.GAS),
            FitOutcome.DOES_NOT_FIT,
        ),
    ],
    ids=lambda value: value.display_name if isinstance(value, VehicleSpecs) else str(value),
)
def test_glow_plugs_fit_the_diesels_that_have_them(
    about: VehicleSpecs, outcome: FitOutcome, slug: str
) -> None:
    assert check_fit(BOOK[slug], about.profile).outcome is outcome


def test_diesel_with_an_unknown_cold_start_aid_may_have_glow_plugs() -> None:
    unknown = VehicleSpecs(make="Ram", model="2500", year=2016, powertrain=Powertrain.DIESEL, source="test")

    assert check_fit(BOOK["glow-plugs"], unknown.profile).outcome is FitOutcome.UNKNOWN


@pytest.mark.parametrize(("liters", "cylinders"), [(6.7, 8), (3.2, 5), (1.6, 4)])
def test_diesel_has_a_glow_plug_for_each_cylinder(liters: float, cylinders: int) -> None:
    factors = shipped_factor_table().factors_for(
        vehicle(2016, "Ford", "Transit", liters=liters, cylinders=cylinders)
    )
    (plugs,) = book_price(BOOK["glow-plugs"], factors, national_rate=145_00, year=2026).parts

    assert plugs.quantity == cylinders
