"""Which parts of a report may be shared."""

from datetime import date
from typing import Any

import pytest
from attrs import evolve
from bench.forty_cars import CARS
from tests.reports import report
from tests.unit.quotes.test_comparison import USUAL

from repaircore.facilities.rates import RateBasis, RegionRate
from repaircore.kernel.engine_names import facts_line
from repaircore.kernel.facts import NO_FACTS
from repaircore.predictions.model import WARNING_TEXTS
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.reader import read_quote
from repaircore.quotes.comparison import assess
from repaircore.quotes.model import CheckedLine, CheckedQuote
from repaircore.quotes.whole import assess_whole
from repaircore.shared_quotes.report import QuoteReport, ReportRange
from repaircore.testing.builders import a_problem


def _shared(words: str) -> str:
    plain = report()
    return evolve(plain, lines=(evolve(plain.lines[0], words=words),)).masked().lines[0].words


@pytest.mark.parametrize(
    "words",
    [
        "VIN 1HGCM82633A004352",
        "vin 1hgcm82633a004352",
        "License plate: 8ABC123",
        "Call Ada@Example.org",
        "Call (555) 010-0123",
    ],
)
def test_masked_hides_identifiers_of_vehicles_and_people(words: str) -> None:
    assert _shared(words).endswith("[hidden]")


@pytest.mark.parametrize(
    "words",
    [
        "A/C recharge R134A",
        "A/C recharge R1234YF 1.4 lb",
        "R134A to R1234YF conversion",
        "Oil 5W-30 and filter",
        "Mount & balance 4 tires 225/65R17",
        "Front brake pads & rotors",
        "<script>alert(1)</script>",
    ],
)
def test_masked_keeps_the_words_of_a_repair(words: str) -> None:
    assert _shared(words) == words


@pytest.mark.parametrize(
    "vehicle", ["2015 Lexus RX350", "2020 Acme Model12345", "2019 BMW 330i xDrive", "2020 Ford F-150"]
)
def test_masked_keeps_the_name_of_a_model(vehicle: str) -> None:
    assert evolve(report(), vehicle=vehicle).masked().vehicle == vehicle


@pytest.mark.parametrize("word", ["1HGCM82633A004352", "1HGCM82633A", "ada@example.org"])
def test_masked_hides_text_typed_as_a_model(word: str) -> None:
    assert evolve(report(), vehicle=f"2015 Lexus {word}").masked().vehicle == "2015 Lexus [hidden]"


def test_masked_is_idempotent() -> None:
    shared = evolve(report(), questions=("Ask ada@example.org",)).masked()

    assert shared.masked() == shared


def test_part_that_another_line_includes_has_no_range() -> None:
    coolant = CheckedLine(line=QuoteLine(total=48_00, description="Coolant")).included_with("Water Pump")
    (line,) = reported(coolant).lines

    assert line.expected is None
    assert (line.verdict, line.text) == ("fair", "Our price for Water Pump includes this.")


PADS = QuoteLine(
    total=579_00,
    description="Pads & rotors",
    parts_total=289_00,
    labor_hours=2.0,
    labor_rate=145_00,
)
PROBLEM = a_problem(name="Front Brake Pads")


def checked_quote(*lines: CheckedLine, **changes: Any) -> CheckedQuote:
    checked = CheckedQuote(
        vin=None,
        specs=CARS[0],
        zip_code="43215",
        state="OH",
        rate=RegionRate(rate=139_00, basis=RateBasis.REGION, invoices=0, text=""),
        lines=lines,
        whole=assess_whole([line.assessed for line in lines]),
        questions=("Which brand are the pads?",),
        warnings=(),
    )
    return evolve(checked, **changes)


def reported(*lines: CheckedLine, **changes: Any) -> QuoteReport:
    return QuoteReport.of(checked_quote(*lines, **changes), on=date(2026, 1, 2))


def test_report_has_the_figures_and_the_verdict_of_a_compared_line() -> None:
    compared = CheckedLine(
        line=PADS, problem=PROBLEM, expected=USUAL, assessment=assess(PADS, USUAL), questions=("Why?",)
    )
    (line,) = reported(compared).lines

    assert compared.assessment is not None
    assert (line.words, line.kind, line.repairs) == ("Pads & rotors", "repair", ("Front Brake Pads",))
    assert (line.total, line.parts_total, line.labor_hours, line.labor_rate) == (579_00, 289_00, 2.0, 145_00)
    assert (line.verdict, line.text) == ("high", compared.assessment.reason.text)
    assert line.expected == ReportRange(low=100_00, average=200_00, high=400_00)
    assert line.questions == ("Why?",)


@pytest.mark.parametrize(
    ("line", "words", "repairs", "text"),
    [
        (CheckedLine(line=QuoteLine(total=9_00, description="Misc")), "Misc", (), ""),
        (CheckedLine(line=QuoteLine(total=9_00), unknown_because="Unclear."), "", (), "Unclear."),
        (CheckedLine(line=QuoteLine(total=9_00), problem=PROBLEM), "Front Brake Pads", ("Front Brake Pads",), ""),
    ],
)  # fmt: skip
def test_report_says_why_a_line_has_no_verdict(
    line: CheckedLine, words: str, repairs: tuple[str, ...], text: str
) -> None:
    (found,) = reported(line).lines

    assert (found.words, found.repairs, found.text) == (words, repairs, text)
    assert (found.verdict, found.expected) == ("unknown", None)


def test_report_states_the_whole_quote() -> None:
    found = reported(CheckedLine(line=PADS, expected=USUAL, assessment=assess(PADS, USUAL)))
    nothing = reported(CheckedLine(line=PADS))

    assert (found.vehicle, found.place, found.checked_on) == (CARS[0].display_name, "OH", date(2026, 1, 2))
    assert (found.total, found.compared_total, found.verdict) == (579_00, 579_00, "high")
    assert found.headline == "1 line to question: $179 above what eight out of ten pay."
    assert found.expected == ReportRange(low=100_00, average=200_00, high=400_00)
    assert found.questions == ("Which brand are the pads?",)
    assert (nothing.total, nothing.compared_total, nothing.expected) == (579_00, 0, None)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("Front pads 300.00\nTotal 300.00", ()),
        ("Front pads 300.00", ()),
        (
            "Front pads 300.00\nTotal 329.00",
            ("The sums do not match: the lines add up to $300.00, but the quote says $329.00.",),
        ),
    ],
)
def test_notes_state_sums_that_do_not_match(text: str, notes: tuple[str, ...]) -> None:
    assert reported(read=read_quote(text)).notes == notes
    assert reported(read=read_quote(text), warnings=("odd",)).notes == (*notes, "odd")


def test_warnings_are_notes_in_words() -> None:
    ((warning, text), *_) = WARNING_TEXTS.items()

    assert reported(warnings=(warning,)).notes == (text,)


def test_mechanics_are_the_known_facts_or_else_the_engine_as_given() -> None:
    unknown = evolve(CARS[0], facts=NO_FACTS, engine="1.8L 4-cyl")
    known = evolve(CARS[0], engine="something else")

    assert reported(specs=unknown).mechanics == "1.8L 4-cyl"
    assert reported(specs=known).mechanics == facts_line(CARS[0].facts)
