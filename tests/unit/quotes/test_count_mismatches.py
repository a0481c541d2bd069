"""Part counts of a line compared with those of the engine."""

import pytest
from attrs import evolve
from bench.forty_cars import CARS
from tests.unit.quotes.test_comparison import UNTAUGHT

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.kernel.facts import Engine
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import Verdict, assess
from repaircore.quotes.counts import CountMismatch, count_mismatch, with_count_mismatch
from repaircore.vehicle_facts.model import VehicleSpecs

PROBLEMS = {problem.slug: problem for problem in book().problems}
BY_NAME = {car.display_name: car for car in CARS}
TABLE = shipped_factor_table()
V8, V6, CASSETTE, HEMI = (
    "2019 Chevrolet Silverado",
    "2018 Jeep Wrangler",
    "2014 Chevrolet Cruze",
    "2015 Ram 1500",
)


def count(car: str, slug: str, words: str, *parts: str) -> CountMismatch | None:
    specs = BY_NAME[car]
    return count_mismatch(words, parts, PROBLEMS[slug], specs, TABLE.factors_for(specs))


def with_engines(specs: VehicleSpecs, *engines: Engine) -> VehicleSpecs:
    return evolve(specs, facts=evolve(specs.facts, engines=engines))


@pytest.mark.parametrize(
    ("car", "slug", "words", "stated", "has"),
    [
        (V8, "ignition-coil", "Silverado 4 ignition coils", 4, 8),
        (V8, "spark-plugs", "spark plugs (6)", 6, 8),
        (V6, "spark-plugs", "spark plugs 16 ct", 16, 6),
        (V6, "ignition-coil", "8 ignition coils", 8, 6),
        (HEMI, "spark-plugs", "spark plugs (8)", 8, 16),
        (V8, "ignition-coil", "replaced 4 of 8 ignition coils", 4, 8),
        (V8, "ignition-coil", "cyl 2 and 4 ignition coils", 2, 8),
        (V8, "ignition-coil", "replaced 1 ignition coil, 2 of the 8 coils", 2, 8),
        (V8, "ignition-coil", "ignition coils right bank (4)", 4, 8),
        (V6, "brake-rotors-front", "Front brake job 4 new rotors and pads", 4, 2),
        (V6, "brake-rotors-front", "front rotors (4)", 4, 2),
        (V6, "wheel-bearing-rear", "rear wheel bearings (4)", 4, 2),
    ],
)
def test_count_differs_from_that_of_the_engine(
    car: str, slug: str, words: str, stated: int, has: int
) -> None:
    found = count(car, slug, words)

    assert found is not None
    assert (found.stated, found.has) == (stated, has)
    assert str(has) in found.question


@pytest.mark.parametrize(
    ("car", "slug", "words"),
    [
        (V8, "ignition-coil", "8 ignition coils"),
        (V8, "spark-plugs", "spark plugs"),
        (HEMI, "spark-plugs", "16 spark plugs (16)"),
        (CASSETTE, "ignition-coil", "4 ignition coils"),  # one part with all four
        ("2009 Mazda RX-8", "ignition-coil", "4 ignition coils"),
        (V8, "spark-plugs", "spark plugs, both banks"),
        (V8, "spark-plugs", "spark plugs driver's side"),
        (V8, "spark-plugs", "spark plugs, left bank"),
        (V6, "spark-plugs", "spark plugs and coil boots (4)"),
        (V6, "brake-rotors-front", "front brake pads (4) and rotors (2)"),
        (V6, "brake-rotors-front", "front pads & rotors (4)"),
        (V6, "brake-rotors-front", "(4) front pads and rotors"),
        ("2000 Jeep Cherokee", "ignition-coil", "2 ignition coils"),
        (V8, "wheel-bearing-front", "both front wheel bearings"),
        (V8, "wheel-bearing-front", "left front wheel bearing"),
        (V8, "brake-rotors-front", "2 front rotors and pads"),
    ],
)
def test_usual_unstated_or_unknown_count_gives_nothing(car: str, slug: str, words: str) -> None:
    assert count(car, slug, words) is None


def test_vehicle_without_known_engines_has_no_known_number_of_coils() -> None:
    specs = BY_NAME[V8]
    unknown = evolve(specs, facts=evolve(specs.facts, engines=()))
    factors = TABLE.factors_for(specs)

    assert count_mismatch("4 ignition coils", (), PROBLEMS["ignition-coil"], specs, factors) is not None
    assert count_mismatch("4 ignition coils", (), PROBLEMS["ignition-coil"], unknown, factors) is None


def test_counts_of_parts_below_a_line_are_compared_too() -> None:
    found = count(V8, "spark-plugs", "tune up", "6 × Spark plug")

    assert found is not None
    assert found.stated == 6


def test_factor_is_the_share_of_the_engines_parts_and_at_most_all() -> None:
    plugs, coils, more = (
        count(V8, "spark-plugs", "spark plugs (6)"),
        count(V8, "ignition-coil", "4 ignition coils"),
        count(V6, "spark-plugs", "spark plugs (8)"),
    )
    assert plugs is not None
    assert coils is not None
    assert more is not None
    assert plugs.factor(PROBLEMS["spark-plugs"]) == 6 / 8
    assert coils.factor(PROBLEMS["ignition-coil"]) == 4
    assert more.factor(PROBLEMS["spark-plugs"]) == 1


def test_more_parts_than_the_engine_has_is_at_least_high_and_fewer_is_unchanged() -> None:
    fair = assess(QuoteLine(total=UNTAUGHT.average), UNTAUGHT)
    more, fewer = count(V6, "spark-plugs", "spark plugs (8)"), count(V8, "spark-plugs", "spark plugs (6)")

    assert more is not None
    assert fewer is not None
    assert with_count_mismatch(fair, more).verdict is Verdict.HIGH
    assert with_count_mismatch(fair, more).reason.text.startswith(
        "The quote has 8 spark plugs, but a 2018 Jeep"
    )
    assert with_count_mismatch(fair, fewer).verdict is Verdict.FAIR
    assert with_count_mismatch(fair, fewer).reason.text.startswith("For 6 of its 8 spark plugs: ")


@pytest.mark.parametrize(
    ("car", "slug", "words", "question"),
    [
        (V6, "spark-plugs", "spark plugs (8)", "Why 8 spark plugs, when this vehicle has 6?"),
        (
            V8,
            "ignition-coil",
            "4 ignition coils",
            "Which of the 8 ignition coils does the price cover, and how were they tested?",
        ),
        (
            V8,
            "spark-plugs",
            "spark plugs (6)",
            "This engine has 8 spark plugs: does the price cover all 8, or 6?",
        ),
    ],
)
def test_question_about_a_count_asks_why_which_or_whether_all(
    car: str, slug: str, words: str, question: str
) -> None:
    found = count(car, slug, words)

    assert found is not None
    assert found.question == question


SMALL_BLOCK = BY_NAME[V8].facts.engines[0]
ROTARY = BY_NAME["2009 Mazda RX-8"].facts.engines[0]
COIL_ON_PLUG = BY_NAME["2017 Ford Mustang"]


@pytest.mark.parametrize(
    ("specs", "has"),
    [
        (BY_NAME[V8], 8),
        (evolve(BY_NAME[V8], year=2003), 8),
        (evolve(BY_NAME[V8], year=2002), None),
        (with_engines(BY_NAME[V8], evolve(SMALL_BLOCK, cylinders=6)), None),
        (with_engines(BY_NAME[V8], SMALL_BLOCK, evolve(SMALL_BLOCK, cylinders=6)), None),
        (BY_NAME["2011 Subaru Outback"], None),
        (COIL_ON_PLUG, 8),
        (with_engines(COIL_ON_PLUG, *COIL_ON_PLUG.facts.engines, ROTARY), None),
    ],
)
def test_engine_has_a_coil_for_each_cylinder_on_its_plugs_or_with_short_wires(
    specs: VehicleSpecs, has: int | None
) -> None:
    found = count_mismatch(
        "2 ignition coils", (), PROBLEMS["ignition-coil"], specs, TABLE.factors_for(BY_NAME[V8])
    )

    assert (None if found is None else found.has) == has
