import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.quotes.test_comparison import EXPECTED

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
        ("oil-change-synthetic", "oil change x2", (), 1),
        ("alternator", "alternator", (), 1),
        ("alternator", "alternator (9)", (), 1),
    ],
)
def test_count_factor_reads_how_many_are_replaced(
    slug: str, description: str, parts: tuple[str, ...], factor: float
) -> None:
    assert count_factor(description, parts, PROBLEMS[slug]) == factor


@given(usual=EXPECTED, factor=st.sampled_from([0.5, 2.0, 3.0, 4.0]))
def test_for_count_costs_more_for_more_and_less_by_the_piece(usual: Expected, factor: float) -> None:
    found = for_count(usual, factor)

    assert found.low <= found.average <= found.high
    assert (found.average > usual.average) == (factor > 1)
    assert (found.average < usual.average * factor) == (factor > 1) or usual.parts == usual.average
    assert abs(found.parts + found.hours * found.rate - found.average) <= 2 + 0.01 * found.average
