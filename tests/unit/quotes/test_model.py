"""Checked lines: what the other lines of a quote change about them."""

import pytest
from attrs import evolve
from bench.forty_cars import CARS
from tests.unit.quotes.test_comparison import USUAL

from repaircore.book.fit import FITS, Fit, FitOutcome
from repaircore.facilities.rates import RateBasis, RegionRate
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import Verdict, assess
from repaircore.quotes.model import CheckedLine, CheckedQuote
from repaircore.quotes.together import JointPrice
from repaircore.quotes.whole import assess_whole

UNSPLIT = (
    "The quote is not split into parts and labor, so we cannot tell why; it is $300.00 above our average."
)
TWICE = "It is on the quote twice."
ALONE, SHARED = JointPrice(expected=USUAL), JointPrice(expected=None)
AGAIN = JointPrice(expected=None, charged_twice=TWICE, questions=("Why twice?",))
IN_PART = JointPrice(expected=USUAL, charged_twice=TWICE, questions=("Why twice?",))


def line(total: int, *questions: str) -> CheckedLine:
    quoted = QuoteLine(total=total, description="Alternator")
    return CheckedLine(line=quoted, expected=USUAL, assessment=assess(quoted, USUAL), questions=questions)


@pytest.mark.parametrize(
    ("total", "joint", "verdict", "text"),
    [
        (50_00, ALONE, Verdict.LOW, None),
        (200_00, ALONE, Verdict.FAIR, None),
        (50_00, SHARED, Verdict.FAIR, "This is compared together with another line of the quote."),
        (200_00, SHARED, Verdict.FAIR, None),
        (500_00, SHARED, Verdict.HIGH, None),
        (50_00, AGAIN, Verdict.HIGH, TWICE),
        (200_00, AGAIN, Verdict.HIGH, TWICE),
        (500_00, AGAIN, Verdict.HIGH, f"{TWICE} {UNSPLIT}"),
        (200_00, IN_PART, Verdict.HIGH, TWICE),
        (900_00, AGAIN, Verdict.VERY_HIGH, f"{TWICE} {UNSPLIT.replace('300', '700')}"),
    ],
)
def test_line_charged_twice_is_at_least_high_and_a_shared_one_is_not_low(
    total: int, joint: JointPrice, verdict: Verdict, text: str | None
) -> None:
    alone = line(total)
    found = alone.with_joint_price(joint)

    assert found.joint is joint
    assert found.assessment is not None
    assert alone.assessment is not None
    assert found.assessment.verdict is verdict
    assert found.assessment.reason.text == (text or alone.assessment.reason.text)


@pytest.mark.parametrize(
    ("total", "joint", "questions"),
    [
        (200_00, ALONE, ("1?", "2?", "3?")),
        (200_00, AGAIN, ("Why twice?", "1?", "2?")),
        (50_00, SHARED, ()),
        (200_00, SHARED, ("1?", "2?", "3?")),
    ],
)
def test_questions_about_other_lines_come_first(
    total: int, joint: JointPrice, questions: tuple[str, ...]
) -> None:
    assert line(total, "1?", "2?", "3?").with_joint_price(joint).questions == questions


def test_line_that_was_not_compared_has_no_verdict_of_other_lines() -> None:
    found = evolve(line(200_00), assessment=None).with_joint_price(AGAIN)

    assert (found.joint, found.assessment, found.questions) == (AGAIN, None, ("Why twice?",))
    with pytest.raises(LookupError):
        found.with_verdict(Verdict.HIGH, TWICE)


def test_part_that_a_repair_includes_is_compared_with_nothing() -> None:
    found = line(20_00, "1?").included_with("Water Pump")

    assert found.assessment is not None
    assert (found.assessment.low, found.assessment.average, found.assessment.high) == (0, 0, 0)
    assert (found.assessment.verdict, found.included_in, found.questions) == (Verdict.FAIR, "Water Pump", ())


@pytest.mark.parametrize(
    ("outcome", "is_compared", "misfit_reason"),
    [
        (FitOutcome.DOES_NOT_FIT, False, "It has no alternator."),
        (FitOutcome.DOES_NOT_FIT, True, None),
        (FITS.outcome, False, None),
    ],
)
def test_line_is_a_misfit_unless_it_fits_or_was_compared_anyway(
    outcome: FitOutcome,
    is_compared: bool,  # noqa: FBT001 - a column of the table
    misfit_reason: str | None,
) -> None:
    fit = Fit(outcome=outcome, reason="It has no alternator.")
    found = evolve(line(200_00), fit=fit, expected=USUAL if is_compared else None)

    assert found.assessed.misfit_reason == misfit_reason


def test_lines_with_an_assessment_are_the_compared_ones() -> None:
    compared = line(200_00)
    unclear = CheckedLine(line=QuoteLine(total=9_00, description="Misc"))
    checked = CheckedQuote(
        vin=None,
        specs=CARS[0],
        zip_code="43215",
        state="OH",
        rate=RegionRate(rate=139_00, basis=RateBasis.REGION, invoices=0, text=""),
        lines=(unclear, compared),
        whole=assess_whole([unclear.assessed, compared.assessed]),
        questions=(),
        warnings=(),
    )

    assert checked.compared == (compared,)
