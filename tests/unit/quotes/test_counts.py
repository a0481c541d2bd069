import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.quotes.test_comparison import EXPECTED, UNTAUGHT

from repaircore.adapters.shipped.book import book
from repaircore.quotes.comparison import Expected
from repaircore.quotes.counts import count_factor, for_count

PROBLEMS = {problem.slug: problem for problem in book().problems}


@pytest.mark.parametrize(
    ("slug", "description", "parts", "factor"),
    [
        ("wheel-bearing-front", "front wheel bearings, both sides", (), 2),
        ("wheel-bearing-front", "LF wheel bearing", (), 1),
        ("wheel-bearing-front", "LF/RF wheel bearings", (), 2),
        ("wheel-bearing-front", "front wheel bearing", ("2 × hub and bearing assembly",), 2),
        ("wheel-bearing-front", "front wheel bearing", ("2 × cotter pin",), 1),
        ("tie-rod-end-outer", "outer tie rod end, left", (), 0.5),
        ("tie-rod-end-outer", "outer tie rod ends (2)", (), 1),
        ("control-arm-front-lower", "front lower control arms", ("Control arm LH", "Control arm RH"), 1),
        ("ignition-coil", "ignition coils (all 4)", (), 4),
        ("ignition-coil", "all 6 coils", (), 6),
        ("ignition-coil", "R&R all six coils", (), 6),
        ("ignition-coil", "six new ignition coils", (), 6),
        ("ignition-coil", "coils, set of four", (), 4),
        ("ignition-coil", "coil cyl 6", (), 1),
        ("ignition-coil", "cyl 6 coils", (), 1),
        ("ignition-coil", "V6 coils", (), 1),
        ("fuel-injector", "4 fuel injectors", (), 4),
        ("spark-plugs", "4 plugs", (), 1),
        ("brake-caliper-front", "both fronts", (), 2),
        ("brake-pads-front", "front brake pads, both sides", (), 1),
        ("spark-plugs", "spark plugs (6)", (), 1),
        ("ignition-coil", "ignition coils 4 ct", (), 4),
        ("ignition-coil", "ignition coils, 6 pcs", (), 6),
        ("ignition-coil", "coil, part 4 count", (), 4),
        ("ignition-coil", "ignition coils, right bank (4)", (), 4),
        ("ignition-coil", "spark plugs (8) and coil", (), 1),
        ("brake-rotors-front", "front brake pads (4) and rotors (2)", (), 1),
        ("oil-change-synthetic", "oil change x2", (), 1),
        ("alternator", "alternator", (), 1),
        ("alternator", "alternator (9)", (), 1),
    ],
)
def test_count_factor_reads_the_number_of_replaced_parts(
    slug: str, description: str, parts: tuple[str, ...], factor: float
) -> None:
    assert count_factor(description, parts, PROBLEMS[slug]) == factor


@pytest.mark.parametrize(
    ("slug", "description", "factor"),
    [
        ("ignition-coil", "4 cyl engine ignition coils", 1),
        ("ignition-coil", "6 cylinder ignition coils", 1),
        ("ignition-coil", "misfire on all 4 cylinders, replaced coil", 1),
        ("ignition-coil", "2.5L 4 cyl, 4 coils", 4),
        ("ignition-coil", "Mazda 3 ignition coils", 1),
        ("ignition-coil", "2015 MAZDA 3 COILS", 1),
        ("ignition-coil", "Mazda CX 5 ignition coils", 1),
        ("ignition-coil", "CX 5 ignition coils", 1),
        ("ignition-coil", "model 3 ignition coils", 1),
        ("ignition-coil", "BMW 3 series ignition coils", 1),
        ("ignition-coil", "BMW 5 series ignition coils", 1),
        ("ignition-coil", "3 series coils", 1),
        ("ignition-coil", "BMW X3 ignition coils", 1),
        ("ignition-coil", "2016 X5 ignition coils", 1),
        ("ignition-coil", "Audi A 4 coils", 1),
        ("ignition-coil", "Volvo V 4 coils", 1),
        ("ignition-coil", "my Land Rover 3 coils", 1),
        ("ignition-coil", "my Land Rover Sport 3 coils", 1),
        ("ignition-coil", "Honda Accord sedan 4 new coils", 4),
        ("ignition-coil", "Honda oem replacement front 4 new coils", 4),
        (
            "ignition-coil",
            "Mazda 3 coils, as recommended at the last inspection of this car in May of last year",
            1,
        ),
        ("ignition-coil", "coils (8)", 8),
        ("ignition-coil", "coils (9)", 1),
        ("ignition-coil", "(0) coils, all 4", 1),
        ("tie-rod-end-outer", "outer tie rod ends (1)", 0.5),
        ("tie-rod-end-outer", "outer tie rod ends (0)", 1),
        ("brake-rotors-front", "rotors and pads (4)", 1),
        ("brake-rotors-front", "rotors (4)", 2),
        ("ignition-coil", "Honda Accord 4 ignition coils", 1),
        ("ignition-coil", "Land Rover 3 coils", 1),
        ("ignition-coil", "2 yr warranty ignition coils", 1),
        ("ignition-coil", "two year warranty ignition coils", 1),
        ("ignition-coil", "ignition coils (2) yr warranty", 1),
        ("ignition-coil", "2 hours labor ignition coils", 1),
        ("ignition-coil", "2 hrs labor six coils", 6),
        ("ignition-coil", "2015 4x coils", 1),
        ("ignition-coil", "BMW X4 coils", 1),
        ("ignition-coil", "coils x4", 4),
        ("ignition-coil", "coils x4 cyl", 1),
        ("ignition-coil", "coils (4) hours", 1),
        ("ignition-coil", "cyl (4) coils", 1),
        ("ignition-coil", "cyl 2 and 4 coils", 2),
        ("ignition-coil", "cyl #2 & 4 coils", 2),
        ("ignition-coil", "cyl 2, 5 coils", 2),
        ("ignition-coil", "cylinders 1, 3 and #5 ignition coils", 3),
        ("ignition-coil", "cylinders two and four coils", 2),
        ("ignition-coil", "coils on cyl. 2 & 4", 2),
        ("ignition-coil", "coils, cyl 1-4", 1),
        ("ignition-coil", "coils cyl 1, 2 to 5", 1),
        ("ignition-coil", "cylinder two coil", 1),
        ("ignition-coil", "cyl 2 and 4 misfire, replaced coil", 1),
        ("ignition-coil", "cyl 1 and 3 misfire, replaced all 4 coils", 4),
        ("ignition-coil", "cylinder no. 4 coils", 1),
        ("ignition-coil", "coils #2 and 4, 4 plugs", 1),
        ("ignition-coil", "#2 and 4 coils", 1),
        ("ignition-coil", "replaced 1 of 4 coils", 1),
        ("ignition-coil", "replaced one of the two coils", 1),
        ("ignition-coil", "replaced 2 out of 6 ignition coils", 2),
        ("ignition-coil", "one each of 4 coils", 1),
        ("ignition-coil", "6 plugs & 6 coils", 6),
        ("ignition-coil", "4 plugs and coils", 1),
        ("ignition-coil", "replacement of 4 coils", 4),
        ("ignition-coil", "R & R 4 new OEM ign coils", 4),
        ("ignition-coil", "4 Denso coils", 4),
        ("ignition-coil", "ignition coils x4", 4),
        ("ignition-coil", "coils 4 x 4 truck", 1),
        ("ignition-coil", "coils qty 2", 2),
        ("ignition-coil", "coil, cyl (4)", 1),
        ("fuel-injector", "six new injectors", 6),
        ("fuel-injector", "injectors, set of four", 4),
        ("rear-control-arms", "Mazda 3 control arms", 1),
        ("rear-control-arms", "Mazda 3: 2 rear control arms", 1),
        ("rear-control-arms", "4 wheel drive rear control arms", 1),
        ("struts-front", "both front struts", 1),
        ("air-spring", "both front air springs", 2),
        ("oxygen-sensor-upstream", "bank two oxygen sensor", 1),
        ("brake-wheel-cylinder", "4 cyl wheel cylinders", 1),
        ("brake-wheel-cylinder", "4 wheel cylinders", 2),
        ("tire-replacement-single", "2 front tires", 2),
        ("tire-replacement-single", "(4) tires", 4),
        ("tire-replacement-single", "qty 2 tires", 2),
        ("tire-replacement-single", "tires x4", 4),
        ("tire-replacement-single", "4x tires", 4),
        ("tire-replacement-single", "replace two tires", 2),
        ("tire-replacement-single", "4 Michelin all season tires", 4),
        ("diesel-fuel-injector", "6 diesel fuel injectors", 6),
        ("tpms-sensor", "4 TPMS sensors", 4),
        ("oxygen-sensor-upstream", "2 upstream O2 sensors", 2),
        ("door-lock-actuator", "all 4 door lock actuators", 4),
        ("door-lock-actuator", "4 door sedan lock actuators", 1),
        ("ignition-coil", "two door coupe, ignition coils", 1),
        ("wheel-stud", "replaced 5 lug studs", 5),
        ("exterior-light-bulb", "Tail lamp bulbs 7443 x2", 2),
        pytest.param("ignition-coil", "cyl 1, " * 40, 1, id="an endless list"),
    ],
)
def test_count_factor_ignores_numbers_of_other_things(slug: str, description: str, factor: float) -> None:
    assert count_factor(description, (), PROBLEMS[slug]) == factor


@given(usual=EXPECTED, factor=st.sampled_from([0.5, 2.0, 3.0, 4.0]))
def test_for_count_costs_more_in_total_and_less_per_piece(usual: Expected, factor: float) -> None:
    found = for_count(usual, factor)

    assert found.low <= found.average <= found.high
    assert (found.average > usual.average) == (factor > 1)
    assert (found.average < usual.average * factor) == (factor > 1) or usual.parts == usual.average
    assert abs(found.parts + found.hours * found.rate - found.average) <= 2 + 0.01 * found.average


USUAL = evolve(
    UNTAUGHT,
    low=100_00,
    average=200_00,
    high=400_00,
    hours=1.0,
    rate=120_00,
    parts=80_00,
    center=190_00.0,
    items={"Coil": 70_00, "Boot": 10_00},
)


@pytest.mark.parametrize(
    ("factor", "amounts", "hours", "items"),
    [
        (1, (100_00, 200_00, 400_00, 80_00), 1.0, {"Coil": 70_00, "Boot": 10_00}),
        (2, (176_00, 352_00, 704_00, 160_00), 1.6, {"Coil": 140_00, "Boot": 20_00}),
        (0.5, (62_00, 124_00, 248_00, 40_00), 0.7, {"Coil": 35_00, "Boot": 5_00}),
    ],
)
def test_for_count_multiplies_parts_and_sixty_percent_of_the_labor(
    factor: float, amounts: tuple[int, int, int, int], hours: float, items: dict[str, int]
) -> None:
    found = for_count(USUAL, factor)

    assert (found.low, found.average, found.high, found.parts) == amounts
    assert found.hours == pytest.approx(hours)
    assert found.rate == 120_00
    assert found.items == items
    assert found.center == pytest.approx(190_00 * amounts[1] / 200_00)


def test_for_count_is_at_least_a_cent() -> None:
    cent = evolve(USUAL, low=1, average=1, high=1, hours=0.0, parts=0, items={}, center=1.0)
    found = for_count(cent, 1 / 8)

    assert (found.low, found.average, found.high) == (1, 1, 1)
