"""Which parts of a report may be shared."""

from datetime import date

import pytest
from attrs import evolve
from bench.forty_cars import CARS
from tests.reports import report

from repaircore.facilities.rates import RateBasis, RegionRate
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.model import CheckedLine, CheckedQuote
from repaircore.quotes.whole import assess_whole
from repaircore.shared_quotes.report import QuoteReport


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
        "Oil 5W-30 and filter",
        "Mount & balance 4 tires 225/65R17",
        "Front brake pads & rotors",
        "<script>alert(1)</script>",
    ],
)
def test_masked_keeps_the_words_of_a_repair(words: str) -> None:
    assert _shared(words) == words


@pytest.mark.parametrize("vehicle", ["2015 Lexus RX350", "2019 BMW 330i xDrive", "2020 Ford F-150"])
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
    checked = CheckedQuote(
        vin=None,
        specs=CARS[0],
        zip_code="43215",
        state="OH",
        rate=RegionRate(rate=139_00, basis=RateBasis.REGION, invoices=0, text=""),
        lines=(coolant,),
        whole=assess_whole([coolant.assessed]),
        questions=(),
        warnings=(),
    )
    (line,) = QuoteReport.of(checked, on=date(2026, 1, 2)).lines

    assert line.expected is None
    assert (line.verdict, line.text) == ("fair", "Our price for Water Pump includes this.")
