from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.quotes.test_comparison import UNTAUGHT

from repaircore.adapters.shipped.overlaps import shipped_overlaps
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import Expected
from repaircore.quotes.together import JointPrice, QuotedJob, charged_twice_amount, included_in, joint_prices
from repaircore.vehicle_facts.overlap import OverlapFacts

USUAL = evolve(UNTAUGHT, items={"Water pump": UNTAUGHT.parts})
UNDER_BELT = OverlapFacts(is_pump_under_belt=True)
NAMES = {
    "brake-pads-front": ("Front Brake Pads", {"pad"}),
    "brake-rotors-front": ("Front Brake Rotors and Pads", {"rotor", "pad"}),
    "brake-caliper-front": ("Front Brake Caliper", {"caliper"}),
    "wheel-bearing-front": ("Front Wheel Bearing", {"wheel", "bearing"}),
    "ball-joint": ("Ball Joint", {"ball", "joint"}),
    "control-arm-front-lower": ("Front Lower Control Arm", {"control", "arm"}),
    "timing-belt": ("Timing Belt", {"timing", "belt"}),
    "water-pump": ("Water Pump", {"water", "pump"}),
}


def job(slug: str, words: str | None = None, *, total: int = 300_00) -> QuotedJob:
    name, core = NAMES[slug]
    line = QuoteLine(total=total, description=words or name)
    return QuotedJob(line=line, slug=slug, name=name, core=frozenset(core), expected=USUAL)


def joint(*jobs: QuotedJob, facts: OverlapFacts = UNDER_BELT) -> Sequence[JointPrice]:
    return joint_prices(jobs, shipped_overlaps(), facts)


def questioned(*jobs: QuotedJob, facts: OverlapFacts = UNDER_BELT) -> list[bool]:
    return [one.charged_twice is not None for one in joint(*jobs, facts=facts)]


@pytest.mark.parametrize(
    ("one", "other", "average", "hours"),
    [
        ("brake-caliper-front", "brake-pads-front", 300_00, 0.625),
        ("ball-joint", "brake-pads-front", 354_00, 1.0),
    ],
)
def test_shared_work_takes_its_share_of_the_labor_off_and_is_questioned_above_the_rest(
    one: str, other: str, average: int, hours: float
) -> None:
    left = joint(job(one), job(other))[1].expected
    assert left is not None
    within, above = (joint(job(one), job(other, total=total))[1] for total in (left.high, left.high + 1))

    assert (left.average, left.hours, left.parts) == (average, hours, USUAL.parts)
    assert (left.low, left.high) == pytest.approx(
        (USUAL.low * average / USUAL.average, USUAL.high * average / USUAL.average), abs=1
    )
    assert left.center == pytest.approx(USUAL.center * average / USUAL.average)
    assert within.questions == ()
    assert [question.endswith("Is that labor charged once?") for question in above.questions] == [True]


def test_shared_work_takes_no_more_off_than_the_labor_of_the_other_repair() -> None:
    quick = evolve(job("brake-caliper-front"), expected=evolve(USUAL, average=USUAL.parts + 10_00))
    left = joint(quick, job("brake-pads-front"))[1].expected

    assert left is not None
    assert left.average == USUAL.average - 10_00


def test_part_of_another_repair_is_charged_twice() -> None:
    pads, rotors = joint(job("brake-pads-front"), job("brake-rotors-front", "Front rotors and pads"))

    assert pads.expected is None
    assert pads.charged_twice == (
        "Front Brake Pads are part of Front Brake Rotors and Pads on this quote: they should be charged only once."
    )
    assert pads.questions
    assert rotors == JointPrice(expected=USUAL)


def test_repair_on_several_lines_is_charged_twice_from_the_second_line() -> None:
    first, second, third = joint(*[job("water-pump")] * 3)

    assert first == JointPrice(expected=USUAL)
    assert second == third
    assert second.charged_twice == "Water Pump is on this quote twice: it should be charged only once."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Left front wheel bearing", "Right front wheel bearing"),
        ("LF wheel bearing", "RF wheel bearing"),
        ("Wheel bearing, driver's side", "Wheel bearing, passenger side"),
        ("Front wheel bearing", "Rear wheel bearing"),
        ("Wheel bearing #1", "Wheel bearing #2"),
    ],
)
def test_same_part_in_two_positions_is_charged_for_each(one: str, other: str) -> None:
    jobs = [job("wheel-bearing-front", one), job("wheel-bearing-front", other)]

    assert joint(*jobs) == (JointPrice(expected=USUAL),) * 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Left front wheel bearing", "LF wheel bearing"),
        ("Both front wheel bearings", "Right front wheel bearing"),
        ("Front wheel bearing", "Left wheel bearing"),
    ],
)
def test_synonyms_of_a_position_are_the_same_position(one: str, other: str) -> None:
    assert questioned(job("wheel-bearing-front", one), job("wheel-bearing-front", other)) == [False, True]


def test_labor_and_parts_of_one_repair_may_be_on_two_lines() -> None:
    parts = job("water-pump", total=USUAL.average // 2)
    labor = job("water-pump", "Water pump labor", total=USUAL.average // 2)
    expensive = job("water-pump", "Water pump labor", total=USUAL.high)

    assert joint(parts, labor)[1] == JointPrice(expected=None)
    assert questioned(parts, expensive) == [False, True]


def test_labor_on_its_own_line_is_added_to_that_of_the_parts() -> None:
    parts = job("water-pump", total=USUAL.high)
    labor = evolve(
        parts, line=QuoteLine(total=100_00, description="Water pump", parts_total=0, labor_hours=1.0)
    )
    (_, found) = joint(parts, labor)

    assert found.charged_twice is not None
    assert found.charged_twice.startswith("The labor and the parts of Water Pump are on two lines: together")
    assert found.questions == (
        "How many hours of labor does Water Pump take in total, and what do its parts cost?",
    )


def test_one_price_may_be_split_between_a_repair_and_its_part() -> None:
    belt = job("timing-belt", total=USUAL.average // 2)
    pump = job("water-pump", total=USUAL.average // 2)

    assert questioned(belt, pump) == [False, False]
    assert questioned(belt, evolve(pump, line=evolve(pump.line, total=USUAL.high))) == [False, True]


def test_pump_not_driven_by_the_belt_is_not_part_of_the_belt_job() -> None:
    jobs = [job("timing-belt", total=USUAL.high), job("water-pump", total=USUAL.high)]

    assert questioned(*jobs, facts=OverlapFacts(is_pump_under_belt=False)) == [False, False]
    assert questioned(*jobs, facts=OverlapFacts()) == [False, False]
    assert questioned(*jobs) == [False, True]


def test_repair_on_the_left_includes_no_part_of_one_on_the_right() -> None:
    arm = job("control-arm-front-lower", "Left lower control arm", total=USUAL.high)

    assert questioned(arm, job("ball-joint", "Left ball joint", total=USUAL.high)) == [False, True]
    assert questioned(arm, job("ball-joint", "Right ball joint", total=USUAL.high)) == [False, False]


def test_shared_labor_is_expected_once_and_questioned_when_charged_twice() -> None:
    pads = job("brake-pads-front")
    usual, expensive = (job("brake-caliper-front", total=total) for total in (USUAL.low, USUAL.high))

    found = [
        next(one for one in joint(pads, caliper) if one.expected != USUAL) for caliper in (usual, expensive)
    ]

    for one in found:
        assert one.expected is not None
        assert one.expected.average < USUAL.average
        assert one.charged_twice is None


@given(jobs=st.lists(st.sampled_from(sorted(NAMES)).map(job), max_size=8))
def test_joint_price_is_positive_and_at_most_the_separate_prices(jobs: list[QuotedJob]) -> None:
    prices = [one.expected for one in joint(*jobs)]

    assert len(prices) == len(jobs)
    assert not jobs or any(one is not None for one in prices)
    for one in prices:
        assert one is None or 0 < one.low <= one.average <= one.high <= USUAL.high


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Coolant 2 gal", "Water Pump"),
        ("Coolant (dexcool)", "Water Pump"),
        ("water pump gasket", "Water Pump"),
        ("water pump", None),  # the part itself is what the repair is about
        ("coolant reservoir", None),
        ("coolant flush", None),
        ("Oil", None),
        ("", None),
    ],
)
def test_fluids_and_small_parts_belong_to_the_repair_that_includes_them(words: str, name: str | None) -> None:
    items = {"Water pump": 100_00, "Water pump gasket": 15_00, "Coolant, gallon": 48_00}
    pump = evolve(job("water-pump"), expected=evolve(USUAL, items=items))

    assert included_in(words, [pump]) == name
    assert included_in(words, []) is None


def stated(slug: str, words: str, **fields: Any) -> QuotedJob:
    plain = job(slug, words)
    return evolve(plain, line=evolve(plain.line, **fields))


@pytest.mark.parametrize(
    ("first", "second", "charged_twice"),
    [
        (stated("water-pump", "Water pump", total=USUAL.high - 50_00), stated("water-pump", "Water pump labor", total=50_00), None),
        (
            stated("water-pump", "Water pump", total=USUAL.high - 50_00),
            stated("water-pump", "Water pump labor", total=50_01),
            "Water Pump is on this quote twice: it should be charged only once.",
        ),
        (
            stated("water-pump", "Water pump", total=USUAL.high - 50_00),
            stated("water-pump", "Water pump", total=50_01, parts_total=0),
            (f"The labor and the parts of Water Pump are on two lines: together they cost ${USUAL.high / 100 + 0.01:.2f}, "
            f"when at most ${USUAL.high / 100:.2f} is usual."),
        ),
        (
            stated("water-pump", "Water pump", total=50_01, parts_total=0),
            stated("water-pump", "Water pump", total=USUAL.high - 50_00),
            (f"The labor and the parts of Water Pump are on two lines: together they cost ${USUAL.high / 100 + 0.01:.2f}, "
            f"when at most ${USUAL.high / 100:.2f} is usual."),
        ),
        (
            stated("water-pump", "Water pump", total=10_00, parts_total=0),
            stated("water-pump", "Water pump labor", total=10_00, parts_total=0),
            "Water Pump is on this quote twice: it should be charged only once.",
        ),
    ],
)  # fmt: skip
def test_two_lines_of_one_repair_are_its_labor_and_its_parts_up_to_the_usual_price(
    first: QuotedJob, second: QuotedJob, charged_twice: str | None
) -> None:
    before, after = joint(first, second)

    assert before == JointPrice(expected=USUAL)
    assert (after.expected, after.charged_twice) == (None, charged_twice)


def test_line_that_repeats_a_repair_is_compared_with_the_first_of_its_lines() -> None:
    left, right = (
        job("wheel-bearing-front", "Left wheel bearing"),
        job("wheel-bearing-front", "Right wheel bearing"),
    )

    assert questioned(left, right, left, right) == [False, False, True, True]


def test_longest_of_several_lines_of_a_repair_decides_which_repair_saves_hours() -> None:
    pads = job("brake-pads-front")
    left, right = (
        evolve(
            job("brake-caliper-front", f"{side} caliper"),
            expected=evolve(USUAL, hours=hours),
        )
        for side, hours in (("Left", 2.0), ("Right", 0.5))
    )
    prices = joint(left, right, pads)

    assert [one.expected for one in prices[:2]] == [left.expected, right.expected]
    assert prices[2].expected is not None
    assert prices[2].expected.hours == pytest.approx(0.625)


def test_one_repair_includes_one_line_of_a_part_of_it() -> None:
    rotors = job("brake-rotors-front", "Front rotors and pads", total=USUAL.high)
    left, right = (job("brake-pads-front", f"{side} brake pads") for side in ("Left", "Right"))

    assert [one.expected is None for one in joint(rotors, left, right)] == [False, True, False]
    assert [one.expected is None for one in joint(left, right, rotors)] == [True, False, False]


@pytest.mark.parametrize(("more", "is_twice"), [(0, False), (1, True)])
def test_repair_and_its_part_are_charged_twice_from_a_cent_above_the_usual_price(
    more: int,
    is_twice: bool,  # noqa: FBT001 - a column of the table
) -> None:
    belt, pump = job("timing-belt", total=USUAL.high - 100_00), job("water-pump", total=100_00 + more)
    left = joint(belt, pump)[1].expected
    allowed = USUAL.high + (0 if left is None else left.high)
    belt = job("timing-belt", total=allowed - 100_00)

    assert questioned(belt, pump) == [False, is_twice]


def test_contained_repair_names_both_in_its_sentence_and_its_question() -> None:
    found = joint(
        job("timing-belt", "Timing belt and water pump", total=USUAL.low), job("water-pump", total=50_00)
    )[1]

    assert (found.charged_twice, found.questions) == (
        "Water Pump is part of Timing Belt on this quote: it should be charged only once.",
        ("Does the price of Timing Belt include Water Pump, and will the second charge be removed?",),
    )


def test_repair_without_words_of_its_own_is_named_by_no_other_line() -> None:
    belt = job("timing-belt", "Timing belt and water pump", total=USUAL.low)
    pump = evolve(job("water-pump", total=50_00), core=frozenset())

    assert questioned(belt, pump) == [False, False]


@pytest.mark.parametrize(
    ("total", "left", "excess"),
    [(300_00, None, 300_00), (USUAL.high, USUAL, 0), (USUAL.high + 1, USUAL, 1), (1_00, USUAL, 0)],
)
def test_charged_twice_amount_is_what_exceeds_the_rest(
    total: int, left: Expected | None, excess: int
) -> None:
    assert charged_twice_amount(total, left) == excess


@pytest.mark.parametrize(
    ("name", "charged_twice"),
    [
        ("Ball Joint (front)", "Ball Joint (front) is on this quote twice: it should be charged only once."),
        ("Ball Joints (front)", "Ball Joints (front) are on this quote twice: they should be charged only once."),
        ("Bypass", "Bypass is on this quote twice: it should be charged only once."),
    ],
)  # fmt: skip
def test_sentence_agrees_with_the_name_of_the_repair(name: str, charged_twice: str) -> None:
    one = evolve(job("ball-joint"), name=name)

    assert joint(one, one)[1].charged_twice == charged_twice


def test_other_work_on_a_repair_does_not_make_its_part_a_second_charge() -> None:
    rotors = job("brake-rotors-front", "Front rotors", total=USUAL.low)
    pads = job("brake-pads-front", total=10_00)
    caliper = job("brake-caliper-front", total=5 * USUAL.high)
    quick = evolve(caliper, expected=evolve(USUAL, hours=0.5))

    assert questioned(rotors, pads, quick) == [False, False, False]
    assert questioned(rotors, pads, caliper) == [False, False, False]


def test_labor_alone_of_a_repair_without_parts_is_the_whole_repair() -> None:
    one = evolve(stated("ball-joint", "Ball joint", total=10_00), expected=evolve(USUAL, parts=0))
    again = evolve(one, line=evolve(one.line, parts_total=0))

    assert questioned(one, again) == [False, True]
