"""Vehicles that the repair book does not cover."""

import pytest

from repaircore.kernel.facts import VehicleFacts
from repaircore.vehicle_facts.book_limits import has_ceramic_brakes, outside_book_reason
from repaircore.vehicle_facts.model import Tier, VehicleSpecs


def decoded(
    make: str, model: str, weight_class: str | None = None, *, is_motorcycle: bool = False
) -> VehicleSpecs:
    facts = VehicleFacts(weight_class=weight_class, is_motorcycle=is_motorcycle)
    return VehicleSpecs(make=make, model=model, year=2014, facts=facts, source="test")


@pytest.mark.parametrize(
    ("about", "word"),
    [
        (decoded("IC Bus", "PB105", "7"), "buses"),
        (decoded("Motor Coach Industries", "D4500", "8"), "buses"),
        (decoded("Ford", "Motorhome Chassis", "6"), "motor homes"),
        (decoded("Freightliner", "B2 Bus Chassis", "7"), "buses"),
        (decoded("Freightliner", "Cascadia", "8"), "Class 7 and 8"),
        (decoded("Kenworth", "T8 Series"), "Class 7 and 8"),
        (decoded("Harley-Davidson", "FLHX"), "motorcycles"),
        (decoded("Honda", "CBR1000RR", "1A", is_motorcycle=True), "motorcycles"),
        (decoded("Ford", "F-650", "6"), "medium-duty"),
        (decoded("Ford", "F-750"), "medium-duty"),
        (decoded("Isuzu", "NPR-HD"), "medium-duty"),
        (decoded("Hino", "XJC720", "4"), "medium-duty"),
        (decoded("Chevrolet", "C7"), "medium-duty"),
    ],
)
def test_outside_book_reason_names_uncovered_vehicles(about: VehicleSpecs, word: str) -> None:
    assert word in (outside_book_reason(about, Tier.MAINSTREAM) or "")


@pytest.mark.parametrize(
    "about",
    [
        decoded("Ford", "E-450", "4"),
        decoded("Ford", "F-550", "5"),
        decoded("Freightliner", "Sprinter", "2G"),
        decoded("Freightliner", "Sprinter 3500", "3"),
        decoded("Ford", "F-150"),
        decoded("Isuzu", "Rodeo"),
        decoded("Chevrolet", "Corvette"),
        decoded("Chevrolet", "Silverado 4500HD", "5"),
        decoded("Honda", "Accord", "1C"),
    ],
)
def test_outside_book_reason_covers_vans_cutaways_and_pickups(about: VehicleSpecs) -> None:
    assert outside_book_reason(about, Tier.MAINSTREAM) is None


@pytest.mark.parametrize(
    ("make", "model", "trim", "ceramic"),
    [
        ("Porsche", "911", "GT3", True),
        ("Porsche", "911 GT3 RS", None, True),
        ("Porsche", "911", "Turbo S", True),
        ("Porsche", "911", "Turbo", False),
        ("Nissan", "GT-R", "NISMO", True),
        ("Nissan", "GT-R", "Premium", False),
        ("Chevrolet", "Corvette", "ZR1", True),
        ("Chevrolet", "Cruze", "Turbo Sedan", False),
        ("Volkswagen", "Beetle", "Turbo S", False),
        ("Hyundai", "Veloster", "Turbo Stick", False),
    ],
)
def test_ceramic_brakes_follow_make_and_version(
    make: str, model: str, trim: str | None, *, ceramic: bool
) -> None:
    about = VehicleSpecs(make=make, model=model, trim=trim, year=2018, source="test")

    assert has_ceramic_brakes(about) is ceramic
