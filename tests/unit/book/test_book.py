"""Plausibility of the shipped repair book."""

import re
from collections import Counter
from importlib.resources import files

import pytest

from repaircore.adapters.shipped.book import Book, book, symptoms
from repaircore.adapters.shipped.edition import edition
from repaircore.book.identifiers import parse_slug
from repaircore.book.model import Category, Problem, Safety, Urgency, Wear
from repaircore.kernel.traits import Body, Drive, Powertrain, Traits

LABOR_RATE = 145
"""Dollars an hour: the typical rate behind the book's prices."""
COMBUSTION = frozenset(Powertrain) - {Powertrain.ELECTRIC}
PLUGS = {Powertrain.ELECTRIC, Powertrain.PLUG_IN_HYBRID}
BATTERY_DRIVEN = {Powertrain.ELECTRIC, Powertrain.PLUG_IN_HYBRID, Powertrain.HYBRID}
NOT_ELECTRIC_CATEGORIES = {
    "engine",
    "timing-and-belts",
    "fuel",
    "ignition",
    "air-intake-and-turbo",
    "exhaust",
    "emissions",
    "automatic-transmission",
    "clutch-and-manual-transmission",
}
COMBUSTION_ONLY = {
    "oil-change",
    "oil-change-synthetic",
    "oil-change-high-mileage",
    "oil-change-diesel",
    "engine-air-filter",
    "fuel-filter-diesel",
    "def-refill",
    "scheduled-service-30k",
    "scheduled-service-60k",
    "scheduled-service-100k",
    "emissions-test",
    "evap-smoke-test",
    "compression-leak-down-test",
    "thermostat",
    "water-pump",
    "alternator",
    "starter-motor",
    "starter-relay",
    "glow-plugs",
    "glow-plug-control-module",
    "engine-control-module",
    "power-steering-pump",
    "power-steering-hose",
    "power-steering-flush",
    "brake-booster",
    "ac-compressor",
    "transfer-case-fluid",
    "transfer-case-replacement",
    "driveshaft-u-joint",
}
DIESEL_ONLY = {
    "oil-change-diesel",
    "fuel-filter-diesel",
    "def-refill",
    "glow-plugs",
    "glow-plug-control-module",
    "diesel-fuel-injector",
    "diesel-injection-pump",
    "dpf-cleaning",
    "dpf-replacement",
    "def-tank-module",
    "nox-sensor",
}
SPARK_ONLY = {
    "spark-plugs",
    "ignition-coil",
    "spark-plug-wires",
    "evap-purge-valve",
}
DRIVESHAFT = {
    "driveshaft-u-joint",
    "driveshaft-assembly",
    "driveshaft-center-bearing",
    "rear-differential-fluid",
}

BOOK = book()
BY_SLUG = {problem.slug: problem for problem in BOOK.problems}


@pytest.fixture(scope="module")
def shipped() -> Book:
    return BOOK


def problems_for(traits: Traits) -> list[Problem]:
    return [repair for repair in BOOK.problems if repair.fits.allows(traits)]


def test_book_is_large_enough(shipped: Book) -> None:
    assert len(shipped.categories) >= 20
    assert len(shipped.problems) >= 220
    assert min(Counter(repair.parent for repair in shipped.problems).values()) >= 5


def test_ids_and_slugs_are_unique(shipped: Book) -> None:
    entries: list[Category | Problem] = [*shipped.categories, *shipped.problems]

    assert len({entry.id for entry in entries}) == len({entry.slug for entry in entries}) == len(entries)


def test_names_and_descriptions_are_unique(shipped: Book) -> None:
    entries: list[Category | Problem] = [*shipped.categories, *shipped.problems]

    assert len({entry.name.lower() for entry in entries}) == len(entries)
    assert len({entry.description for entry in entries}) == len(entries)


def test_repair_ids_count_within_their_category(shipped: Book) -> None:
    for category in shipped.categories:
        ids = [repair.id for repair in shipped.problems if repair.parent == category]
        assert ids == [category.id * 100 + number for number in range(1, len(ids) + 1)]


def test_repair_of_the_examples_exists() -> None:
    assert BY_SLUG["brake-pads-front"].name == "Front Brake Pads"


def test_book_price_is_within_its_bounds() -> None:
    for repair in BOOK.problems:
        price = repair.labor_hours * LABOR_RATE * 100 + repair.parts_total
        assert 0 < repair.low < price < repair.high, repair.slug
        assert 0.4 <= repair.low / price <= 0.9, repair.slug
        assert 1.2 <= repair.high / price <= 2.2, repair.slug


def test_hours_and_parts_are_plausible() -> None:
    for repair in BOOK.problems:
        assert 0.1 <= repair.labor_hours <= 26, repair.slug
        assert round(repair.labor_hours * 10) == pytest.approx(repair.labor_hours * 10), repair.slug
        assert all(1 <= part.quantity <= 12 and 100 <= part.price <= 2_000_000 for part in repair.parts), (
            repair.slug
        )
        assert all(part.name == part.name.strip() != "" for part in repair.parts), repair.slug


def test_slugs_are_well_formed_and_keywords_lower_case() -> None:
    for repair in BOOK.problems:
        assert parse_slug(repair.slug) == repair.slug, repair.slug
        assert len(repair.keywords) >= 3, repair.slug
        assert all(word == word.lower().strip() != "" for word in repair.keywords), repair.slug
        assert len(set(repair.keywords)) == len(repair.keywords), repair.slug


def test_description_is_more_than_one_sentence() -> None:
    for repair in BOOK.problems:
        assert len(re.findall(r"[.?!](?:\s|$)", repair.description)) >= 2, repair.slug
        assert 100 <= len(repair.description) <= 700, repair.slug
        assert repair.description == " ".join(repair.description.split()), repair.slug


def test_references_of_a_repair_exist() -> None:
    known = symptoms()
    for repair in BOOK.problems:
        assert set(repair.followups) <= set(BY_SLUG) - {repair.slug}, repair.slug
        assert len(set(repair.followups)) == len(repair.followups), repair.slug
        assert repair.symptoms, repair.slug
        assert all(symptom.slug in known and 0 < symptom.share < 1 for symptom in repair.symptoms), (
            repair.slug
        )


def test_followups_fit_some_vehicle_that_the_repair_fits() -> None:
    for repair in BOOK.problems:
        mine = repair.fits.powertrains or frozenset(Powertrain)
        for name in repair.followups:
            assert mine & (BY_SLUG[name].fits.powertrains or frozenset(Powertrain)), (repair.slug, name)


def test_repair_recurs_after_a_plausible_time() -> None:
    for repair in BOOK.problems:
        recurrence = repair.recurrence
        assert 5_000 <= recurrence.miles <= 300_000, repair.slug
        assert 6 <= recurrence.months <= 300, repair.slug
        assert 400 <= recurrence.miles / recurrence.months <= 2000, repair.slug


def test_urgency_and_safety_to_drive_agree() -> None:
    for repair in BOOK.problems:
        if repair.safe_to_drive is Safety.NO:
            assert repair.urgency in {Urgency.STOP, Urgency.NOW}, repair.slug
        if repair.urgency is Urgency.STOP:
            assert repair.safe_to_drive is not Safety.YES, repair.slug
        if repair.urgency is Urgency.COMFORT:
            assert repair.safe_to_drive is Safety.YES, repair.slug
        if repair.recurrence.kind is Wear.SCHEDULE:
            assert repair.safe_to_drive is Safety.YES, repair.slug


def test_every_symptom_is_explained_by_a_repair() -> None:
    used = {symptom.slug for repair in BOOK.problems for symptom in repair.symptoms}

    assert set(symptoms()) == used


def test_every_repair_has_a_characteristic_symptom() -> None:
    uncharacteristic = {
        repair.slug for repair in BOOK.problems if max(one.share for one in repair.symptoms) < 0.3
    }

    assert uncharacteristic <= {"pre-purchase-inspection", "module-software-update"}


def test_symptom_names_are_unique() -> None:
    names = list(symptoms().values())

    assert len(set(names)) == len(names)
    assert all(parse_slug(name) for name in symptoms())


@pytest.mark.parametrize("name", sorted(NOT_ELECTRIC_CATEGORIES))
def test_electric_vehicle_has_no_engine_or_gearbox_repairs(name: str) -> None:
    assert not [
        repair.slug
        for repair in problems_for(Traits(powertrain=Powertrain.ELECTRIC))
        if repair.parent.slug == name
    ]


@pytest.mark.parametrize("name", sorted(COMBUSTION_ONLY))
def test_repair_excludes_electric_vehicles(name: str) -> None:
    assert not BY_SLUG[name].fits.allows(Traits(powertrain=Powertrain.ELECTRIC))


@pytest.mark.parametrize("name", sorted(DIESEL_ONLY))
def test_repair_is_for_diesels_only(name: str) -> None:
    assert BY_SLUG[name].fits.powertrains == {Powertrain.DIESEL}


@pytest.mark.parametrize("name", sorted(SPARK_ONLY))
def test_repair_excludes_diesels(name: str) -> None:
    fits = BY_SLUG[name].fits

    assert not fits.allows(Traits(powertrain=Powertrain.DIESEL))
    assert fits.allows(Traits(powertrain=Powertrain.GAS))


@pytest.mark.parametrize("name", sorted(DRIVESHAFT))
def test_repair_excludes_front_wheel_drive(name: str) -> None:
    fits = BY_SLUG[name].fits

    assert not fits.allows(Traits(drive=Drive.FWD))
    assert fits.allows(Traits(drive=Drive.RWD, powertrain=Powertrain.GAS))


def test_high_voltage_parts_are_for_vehicles_that_have_them() -> None:
    for repair in BOOK.problems:
        traction = {"hybrid-warning", "ev-warning", "ev-range-loss", "ev-no-charge", "ev-slow-charge"}
        if repair.parent.slug == "hybrid-and-electric":
            assert repair.fits.powertrains, repair.slug
            assert repair.fits.powertrains <= BATTERY_DRIVEN, repair.slug
            assert (
                traction & {symptom.slug for symptom in repair.symptoms}
                or repair.slug == "hybrid-battery-fan"
            ), repair.slug
        if repair.slug in {"on-board-charger", "charge-port"}:
            assert repair.fits.powertrains == PLUGS, repair.slug


@pytest.mark.parametrize(
    ("traits", "least", "most"),
    [
        (Traits(powertrain=Powertrain.GAS), 260, 303),
        (Traits(powertrain=Powertrain.DIESEL), 230, 290),
        (Traits(powertrain=Powertrain.HYBRID), 220, 310),
        (Traits(powertrain=Powertrain.PLUG_IN_HYBRID), 215, 300),
        (Traits(powertrain=Powertrain.ELECTRIC), 130, 190),
        (Traits(drive=Drive.FWD), 290, 320),
        (Traits(drive=Drive.RWD), 300, 329),
        (Traits(drive=Drive.AWD), 300, 329),
        (Traits(drive=Drive.FOUR_WD), 300, 329),
        (Traits(body=Body.CAR), 300, 329),
        (Traits(body=Body.SUV), 310, 329),
        (Traits(body=Body.PICKUP), 300, 329),
        (Traits(body=Body.VAN), 300, 329),
    ],
    ids=str,
)
def test_each_kind_of_vehicle_has_a_plausible_number_of_repairs(
    traits: Traits, least: int, most: int
) -> None:
    assert least <= len(problems_for(traits)) <= most


@pytest.mark.parametrize("axle", ["front", "rear"])
def test_pads_cost_the_same_with_and_without_rotors(axle: str) -> None:
    pads, rotors = (
        {part.name: part.price for part in BY_SLUG[f"brake-{what}-{axle}"].parts}
        for what in ("pads", "rotors")
    )

    assert pads == {name: price for name, price in rotors.items() if "rotor" not in name}


def test_every_file_states_its_price_year_and_source() -> None:
    pages = [page for page in (files("repaircore.data") / "book").iterdir() if page.name.endswith(".toml")]
    assert len(pages) == len(BOOK.categories) + 1
    for page in pages:
        header = page.read_text("utf-8").partition("[")[0]
        assert "Source: " in header, page.name
        assert page.name == "symptoms.toml" or re.search(r"Prices: .*US.*\b20\d\d\b", header), page.name


def test_edition_is_stable() -> None:
    assert re.fullmatch(r"[0-9a-f]{8}", edition())
    assert edition() == edition()
