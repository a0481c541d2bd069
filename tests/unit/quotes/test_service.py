"""Checks of whole quotes, on an empty database: what the words, the count and the other lines of a quote change."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve

from repaircore.core import Core, build
from repaircore.kernel.errors import Invalid
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import Verdict
from repaircore.quotes.model import CheckedLine, CheckedQuote
from repaircore.quotes.quote import Quote, QuotedSpecs
from repaircore.settings import Settings

ACCORD = QuotedSpecs(year=2003, make="Honda", model="Accord")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    core = build(Settings(database_url=f"sqlite:///{tmp_path_factory.mktemp('quotes') / 'x.db'}"))
    yield core
    core.close()


def check(core: Core, *lines: QuoteLine, specs: QuotedSpecs = ACCORD, force: bool = False) -> CheckedQuote:
    return core.quotes.check(Quote(specs=specs, zip_code="43215", lines=lines, force=force))


def checked(core: Core, words: str, total: int, **stated: Any) -> CheckedLine:
    line = evolve(QuoteLine(total=total, description=words), **stated)
    return check(core, line).lines[0]


def test_cheap_line_that_names_no_work_is_a_part_alone(core: Core) -> None:
    alternator = checked(core, "Alternator", 600_00)
    assert alternator.expected is not None
    least = math.ceil(0.4 * alternator.expected.low)

    assert checked(core, "Alternator", least).kind is LineKind.REPAIR
    below = checked(core, "Alternator", least - 1)
    assert (below.kind, below.problem, below.expected) == (LineKind.PART, None, None)


@pytest.mark.parametrize(
    ("words", "stated"),
    [
        ("Replace alternator", {}),
        ("Alternator", {"kind": LineKind.REPAIR}),
        ("Alternator", {"labor_hours": 0.5}),
        ("Alternator", {"problem_identifier": "alternator"}),
    ],
)
def test_cheap_line_that_names_work_is_a_cheap_repair(core: Core, words: str, stated: dict[str, Any]) -> None:
    found = checked(core, words, 50_00, **stated)

    assert found.kind is LineKind.REPAIR
    assert found.assessment is not None
    assert found.assessment.verdict is Verdict.LOW


def test_repair_of_two_parts_is_compared_with_the_price_of_two(core: Core) -> None:
    one = checked(core, "Left front wheel bearing", 400_00)
    both = checked(core, "Front wheel bearings, both sides", 400_00)

    assert one.expected is not None
    assert both.expected is not None
    assert one.assessment is not None
    assert both.assessment is not None
    assert both.expected.parts == 2 * one.expected.parts
    assert both.assessment.reason.text.startswith("For 2: ")
    assert not one.assessment.reason.text.startswith("For ")


def test_question_about_a_wrong_count_comes_first_of_three(core: Core) -> None:
    found = checked(
        core,
        "Replace front rotors (4)",
        2000_00,
        labor_hours=6.0,
        labor_rate=250_00,
        parts_total=500_00,
    )

    assert found.count_mismatch is not None
    assert found.questions[0] == found.count_mismatch.question
    assert len(found.questions) == 3


def test_pads_with_resurfaced_rotors_are_compared_with_more_labor(core: Core) -> None:
    pads, more = (
        checked(core, words, 400_00)
        for words in ("Front brake pads", "Front brake pads and resurface rotors")
    )

    assert pads.expected is not None
    assert more.expected is not None
    assert more.assessment is not None
    assert more.expected.hours == pytest.approx(pads.expected.hours + 0.6)
    assert more.assessment.reason.text.startswith("With the rotors resurfaced, not replaced: ")


@pytest.mark.parametrize("kind", [None, LineKind.PART])
def test_coolant_on_its_own_line_is_included_in_the_water_pump(core: Core, kind: LineKind | None) -> None:
    pump = QuoteLine(total=500_00, description="Replace water pump")
    coolant = QuoteLine(total=48_00, description="Coolant", kind=kind)
    found = check(core, pump, coolant)

    assert [line.included_in for line in found.lines] == [None, "Water Pump"]
    assert check(core, coolant).lines[0].included_in is None
    assert check(core, evolve(pump, total=-1_00), coolant).lines[1].included_in is None


def test_charge_is_included_in_no_repair(core: Core) -> None:
    pump = QuoteLine(total=500_00, description="Replace water pump")
    fee = QuoteLine(total=48_00, description="Coolant", kind=LineKind.FEE)

    assert check(core, pump, fee).lines[1].included_in is None


def test_part_without_labor_and_unclear_work_say_why_they_are_not_compared(core: Core) -> None:
    part, unclear, tax = check(
        core,
        QuoteLine(total=40_00, description="Hose", kind=LineKind.PART),
        QuoteLine(total=40_00, description="Blinker fluid thing", kind=LineKind.REPAIR),
        QuoteLine(total=4_00, description="Tax", kind=LineKind.TAX),
    ).lines

    assert part.unknown_because == (
        "This seems to be a part without its labor, which is not compared: parts differ in brand and grade."
    )
    assert unclear.unknown_because == "We could not tell which repair “Blinker fluid thing” is."
    assert (tax.unknown_because, tax.assessment is None) == (None, False)


def test_repair_that_the_vehicle_cannot_have_is_compared_only_if_forced(core: Core) -> None:
    tesla = QuotedSpecs(year=2020, make="Tesla", model="Model 3")
    line = QuoteLine(total=300_00, description="Replace spark plugs")
    plain, forced = (check(core, line, specs=tesla, force=force) for force in (False, True))

    assert plain.lines[0].assessed.is_misfit
    assert plain.lines[0].unknown_because == plain.lines[0].fit.reason
    assert plain.lines[0].questions[0].startswith("Why is “Replace spark plugs” on the quote")
    assert forced.lines[0].expected is not None
    assert not forced.lines[0].assessed.is_misfit


def test_warnings_of_several_lines_are_given_once(core: Core) -> None:
    tesla = QuotedSpecs(year=2020, make="Tesla", model="Model 3")
    plugs = QuoteLine(total=300_00, description="Replace spark plugs")
    found = check(core, plugs, plugs, specs=tesla)

    assert len(found.warnings) == len({*found.warnings}) > 0


@pytest.mark.parametrize(("count", "is_read"), [(50, True), (51, False)])
def test_text_has_at_most_fifty_lines(
    core: Core,
    count: int,
    is_read: bool,  # noqa: FBT001 - a column of the table
) -> None:
    text = "\n".join(
        f"Hose type {'abcdefghij'[n // 10]}{'abcdefghij'[n % 10]}x  {n + 20}.00" for n in range(count)
    )

    if is_read:
        assert len(core.quotes.read(text).lines) == count
    else:
        with pytest.raises(Invalid, match=r"."):
            core.quotes.read(text)
