from typing import Any

import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.unit.quotes.test_comparison import EXPECTED, TOTALS, UNTAUGHT, scaled_expected

from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import Expected, PriceAssessment, Reason, Verdict, assess
from repaircore.quotes.together import JointPrice
from repaircore.quotes.whole import AssessedLine, assess_whole

ORDER = [Verdict.LOW, Verdict.FAIR, Verdict.HIGH, Verdict.VERY_HIGH]
ABOVE = ORDER[2:]
NOT_ABOVE = [*ORDER[:2], Verdict.UNKNOWN]


def repair(total: int, usual: Expected = UNTAUGHT) -> AssessedLine:
    line = QuoteLine(total=total, kind=LineKind.REPAIR)
    return AssessedLine(line=line, assessment=assess(line, usual), expected=usual)


def unclear(total: int) -> AssessedLine:
    return AssessedLine(line=QuoteLine(total=total), assessment=None)


def charge(total: int, *, high: int) -> AssessedLine:
    verdict = Verdict.FAIR if total <= high else Verdict.HIGH
    assessment = PriceAssessment(
        low=high // 2,
        average=high * 3 // 4,
        high=high,
        percentile=None,
        verdict=verdict,
        reason=Reason(factor=None, amount=None, text=""),
        differences=(),
    )
    return AssessedLine(line=QuoteLine(total=total, kind=LineKind.FEE), assessment=assessment)


def discount(amount: int) -> AssessedLine:
    line = QuoteLine(total=-amount, kind=LineKind.DISCOUNT)
    return AssessedLine(line=line, assessment=None)


@st.composite
def assessed_lines(draw: st.DrawFn) -> AssessedLine:
    total = draw(TOTALS)
    kind = draw(st.sampled_from(["repair", "repair", "unclear", "charge"]))
    if kind == "repair":
        return repair(total, draw(EXPECTED))
    if kind == "unclear":
        return unclear(total)
    return charge(total, high=draw(st.integers(1, 500_00)))


LINES = st.lists(assessed_lines(), min_size=1, max_size=6)


def raised(one: AssessedLine, more: int) -> AssessedLine:
    total = one.line.total + more
    if one.expected is not None:
        return repair(total, one.expected)
    return unclear(total) if one.assessment is None else charge(total, high=one.assessment.high)


@given(lines=LINES, more=TOTALS, taken=st.integers(0, 20), data=st.data())
def test_assess_whole_never_gives_a_higher_quote_a_milder_verdict(
    lines: list[AssessedLine], more: int, taken: int, data: st.DataObject
) -> None:
    coupon = [discount(sum(one.line.total for one in lines) * taken // 100)] if taken else []
    place = data.draw(st.integers(0, len(lines) - 1))
    higher = [raised(one, more) if number == place else one for number, one in enumerate(lines)]
    before, after = assess_whole([*lines, *coupon]).verdict, assess_whole([*higher, *coupon]).verdict

    if before in ABOVE:
        assert after in ABOVE[ABOVE.index(before) :]
    if Verdict.UNKNOWN not in {before, after}:
        assert ORDER.index(before) <= ORDER.index(after)


@given(lines=LINES, taken=st.integers(0, 500_00))
def test_assess_whole_is_never_milder_than_a_line_that_matters(lines: list[AssessedLine], taken: int) -> None:
    found = assess_whole([*lines, discount(taken)] if taken else lines)
    high = 0 if found.price is None else found.price.high
    known = [one for one in lines if one.assessment is not None]
    verdicts = [one.verdict for one in known if one.verdict in NOT_ABOVE or 100 * one.excess > 3 * high]

    if found.verdict is Verdict.UNKNOWN:
        assert all(verdict in NOT_ABOVE for verdict in verdicts)
    elif verdicts:
        assert ORDER.index(found.verdict) >= max(ORDER.index(verdict) for verdict in verdicts)


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ([412_00, 100_00], Verdict.FAIR),  # $12 of the $400 and $100 that are usual at most
        ([416_00, 100_00], Verdict.HIGH),
        ([200_00, 112_00], Verdict.FAIR),
        ([200_00, 120_00], Verdict.HIGH),
        ([408_00, 108_00], Verdict.HIGH),  # several small amounts add up
    ],
)
def test_line_above_its_range_by_a_trivial_amount_does_not_make_the_whole_high(
    lines: list[int], verdict: Verdict
) -> None:
    found = assess_whole([charge(lines[0], high=400_00), charge(lines[1], high=100_00), discount(100_00)])

    assert found.verdict is verdict
    assert "to question" in found.headline
    assert (" The whole stays " in found.headline) is (verdict is Verdict.FAIR)


def test_trivial_excess_is_no_verdict_if_too_little_was_compared() -> None:
    found = assess_whole([repair(UNTAUGHT.average), charge(21_00, high=20_00), unclear(9000_00)])

    assert found.verdict is Verdict.UNKNOWN
    assert found.headline.startswith("1 line to question: $1 above what eight out of ten pay. ")
    assert found.headline.endswith("That is too little for a verdict on the whole quote.")


def test_excess_is_compared_with_what_is_usual_not_with_an_unclear_line() -> None:
    dear = charge(400_00, high=20_00)

    assert assess_whole([repair(UNTAUGHT.average), dear, unclear(9000_00)]).verdict is Verdict.HIGH


@given(lines=LINES)
def test_assess_whole_is_never_fair_or_low_when_too_little_is_compared(lines: list[AssessedLine]) -> None:
    found = assess_whole(lines)
    compared = sum(one.line.total for one in lines if one.assessment is not None)

    assert found.compared == compared
    if 100 * compared < 80 * sum(one.line.total for one in lines):
        assert found.verdict not in {Verdict.LOW, Verdict.FAIR}
        assert "could be compared" in found.headline


@given(
    lines=st.lists(st.tuples(TOTALS, EXPECTED), min_size=1, max_size=4),
    fee=st.tuples(TOTALS, st.integers(2, 500_00)),
    by=st.integers(2, 20),
)
def test_assess_whole_gives_the_same_verdict_when_all_prices_are_scaled(
    lines: list[tuple[int, Expected]], fee: tuple[int, int], by: int
) -> None:
    def quote(factor: int) -> list[AssessedLine]:
        repairs = [repair(total * factor, scaled_expected(usual, factor)) for total, usual in lines]
        return [*repairs, charge(fee[0] * factor, high=fee[1] * factor), unclear(50_00 * factor)]

    before, after = assess_whole(quote(1)), assess_whole(quote(by))
    assume(before.price is not None)
    assert before.price is not None
    total, ends = before.compared, (before.price.low, before.price.high)
    assume(all(abs(total - end) > 3 * len(lines) for end in ends))  # a cent of rounding makes no difference
    assume(abs(before.excess - 0.03 * before.price.high) > 3 * len(lines))

    if Verdict.VERY_HIGH not in {before.verdict, after.verdict}:
        assert after.verdict is before.verdict
    assert after.questioned == before.questioned
    assert after.excess == before.excess * by


@given(lines=LINES)
def test_assess_whole_starts_with_the_lines_to_question(lines: list[AssessedLine]) -> None:
    found = assess_whole(lines)
    questioned = [one for one in lines if one.assessment is not None and one.assessment.verdict in ABOVE]

    assert found.questioned == len(questioned)
    assert found.excess == sum(one.line.total - one.assessment.high for one in questioned if one.assessment)
    assert found.headline.startswith(str(len(questioned))) or not questioned
    assert found.reason.text.startswith(found.headline)


@given(lines=LINES, taken=st.integers(1, 100_00))
def test_assess_whole_takes_discounts_off_the_total_alone(lines: list[AssessedLine], taken: int) -> None:
    plain, reduced = assess_whole(lines), assess_whole([*lines, discount(taken)])

    assert reduced.total == plain.total - taken
    assert (reduced.gross, reduced.compared, reduced.excess) == (plain.gross, plain.compared, plain.excess)


def test_assess_whole_states_how_much_is_compared() -> None:
    usual = evolve(UNTAUGHT, low=200_00, average=280_00, high=400_00)
    found = assess_whole([repair(279_00, usual), unclear(1324_00)])

    assert found.verdict is Verdict.UNKNOWN
    assert found.headline == (
        "$279 of $1,603 (17%) could be compared. That is too little for a verdict on the whole quote."
    )


@pytest.mark.parametrize(
    ("compared", "verdict"), [(79_00, Verdict.UNKNOWN), (79_99, Verdict.UNKNOWN), (80_00, Verdict.FAIR)]
)
def test_assess_whole_is_fair_from_80_percent_of_the_sum_on(compared: int, verdict: Verdict) -> None:
    usual = evolve(UNTAUGHT, low=60_00, average=80_00, high=100_00, center=80_00.0)
    found = assess_whole([repair(compared, usual), unclear(100_00 - compared)])

    assert (found.gross, found.compared, found.verdict) == (100_00, compared, verdict)


def test_assess_whole_questions_an_expensive_line_next_to_a_cheap_one() -> None:
    usual = evolve(UNTAUGHT, low=150_00, average=280_00, high=452_00, center=280_00.0)
    cheap = evolve(UNTAUGHT, low=580_00, average=860_00, high=1280_00, center=860_00.0)
    found = assess_whole([repair(925_00, usual), repair(600_00, cheap)])

    assert found.verdict is Verdict.VERY_HIGH
    assert found.headline == "1 line to question: $473 above what eight out of ten pay."


@pytest.mark.parametrize(
    ("discounted", "verdict"),
    [(0, Verdict.VERY_HIGH), (78_00, Verdict.HIGH), (80_00, Verdict.FAIR), (999_00, Verdict.LOW)],
)
def test_range_of_a_whole_is_the_sum_of_its_lines_and_compared_with_what_is_paid(
    discounted: int, verdict: Verdict
) -> None:
    line = repair(UNTAUGHT.average)
    alone = assess_whole([line]).price
    both = assess_whole([line, charge(90_00, high=20_00), discount(discounted)]).price
    charged = assess_whole([charge(100_00, high=20_00), discount(discounted)]).price

    assert alone is not None
    assert both is not None
    assert charged is not None
    assert (both.low, both.average, both.high) == (
        alone.low + 10_00,
        alone.average + 15_00,
        alone.high + 20_00,
    )
    assert (charged.low, charged.average, charged.high) == (10_00, 15_00, 20_00)
    assert charged.verdict is verdict


def test_assess_whole_accepts_charges_alone() -> None:
    found = assess_whole([charge(10_00, high=20_00)])

    assert found.verdict is Verdict.FAIR
    assert found.price is not None
    assert found.price.percentile is None


@given(expected=EXPECTED, total=TOTALS)
def test_line_charged_twice_is_questioned_in_full(expected: Expected, total: int) -> None:
    line = repair(total, expected)
    again = evolve(line, joint=JointPrice(expected=None, charged_twice="It is on this quote twice."))

    once, twice = assess_whole([line]), assess_whole([line, again])

    assert once.price is not None
    assert twice.price is not None
    assert (twice.price.low, twice.price.high) == (once.price.low, once.price.high)
    assert twice.questioned == once.questioned + 1
    assert twice.excess == once.excess + total
    assert "It is on this quote twice." in twice.reason.text or twice.verdict is Verdict.UNKNOWN


def misfit(total: int) -> AssessedLine:
    return AssessedLine(line=QuoteLine(total=total), assessment=None, misfit_reason="It has no spark plugs.")


def test_quote_with_work_the_vehicle_cannot_have_is_at_least_high() -> None:
    whole = assess_whole([repair(UNTAUGHT.average), misfit(129_99)])

    assert whole.verdict is Verdict.HIGH
    assert (whole.questioned, whole.excess) == (1, 129_99)
    assert "It has no spark plugs." in whole.reason.text


def test_quote_with_only_work_the_vehicle_cannot_have_is_high() -> None:
    whole = assess_whole([misfit(399_00)])

    assert whole.verdict is Verdict.HIGH
    assert whole.headline.startswith("1 line to question: $399 above")
    assert "It has no spark plugs." in whole.reason.text


def test_free_work_the_vehicle_cannot_have_is_not_questioned() -> None:
    assert assess_whole([repair(UNTAUGHT.average), misfit(0)]).verdict is Verdict.FAIR


def test_line_questioned_within_the_range_has_no_excess() -> None:
    one = repair(UNTAUGHT.average)
    assert one.assessment is not None
    assessment = evolve(one.assessment, verdict=Verdict.HIGH)
    whole = assess_whole([evolve(one, assessment=assessment, has_wrong_count=True)])

    assert whole.excess == 0
    assert (whole.verdict, whole.headline) == (Verdict.HIGH, "1 line to question.")


USUAL = evolve(
    UNTAUGHT,
    low=100_00,
    average=200_00,
    high=400_00,
    hours=1.0,
    rate=120_00,
    parts=80_00,
    center=200_00.0,
)


def priced(total: int, joint: JointPrice | None = None, **stated: Any) -> AssessedLine:
    line = QuoteLine(total=total, kind=LineKind.REPAIR, **stated)
    return AssessedLine(line=line, assessment=assess(line, USUAL), expected=USUAL, joint=joint)


LEFT = evolve(USUAL, low=50_00, average=100_00, high=200_00, center=100_00.0)
AGAIN = JointPrice(expected=None, charged_twice="It is on the quote twice.")
IN_PART = JointPrice(expected=LEFT, charged_twice="It is part of another repair.")
WITHIN = "Within what eight out of ten pay, $100 to $400."
TOO_LITTLE = "That is too little for a verdict on the whole quote."


@pytest.mark.parametrize(
    ("lines", "verdict", "headline"),
    [
        ([], "unknown", f"$0 of $0 (0%) could be compared. {TOO_LITTLE}"),
        ([discount(30_00)], "unknown", f"$0 of $0 before discounts (0%) could be compared. {TOO_LITTLE}"),
        ([priced(99_99)], "low", "Below what eight out of ten pay, $100 to $400."),
        ([priced(200_00)], "fair", WITHIN),
        ([priced(450_00)], "high", "1 line to question: $50 above what eight out of ten pay."),
        ([priced(450_00), priced(500_00)], "high", "2 lines to question: $150 above what eight out of ten pay."),
        ([priced(200_00), unclear(100_00)], "unknown", f"$200 of $300 (66%) could be compared. {TOO_LITTLE}"),
        (
            [priced(200_00), unclear(100_00), discount(30_00)],
            "unknown",
            f"$200 of $300 before discounts (66%) could be compared. {TOO_LITTLE}",
        ),
        (
            [priced(450_00), unclear(200_00)],
            "high",
            "1 line to question: $50 above what eight out of ten pay. $450 of $650 (69%) could be compared.",
        ),
        (
            [priced(200_00), misfit(1)],
            "fair",
            "1 line to question: $0 above what eight out of ten pay. The whole stays within what eight out of ten pay, $100 to $400.",
        ),
        ([priced(200_00), misfit(13_00)], "high", "1 line to question: $13 above what eight out of ten pay."),
        ([priced(200_00), misfit(0)], "fair", WITHIN),
        ([priced(200_00, JointPrice(expected=USUAL))], "fair", WITHIN),
        ([priced(200_00), priced(150_00, AGAIN)], "high", "1 line to question: $150 above what eight out of ten pay."),
    ],
)  # fmt: skip
def test_headline_counts_questioned_lines_or_states_the_range_or_what_is_missing(
    lines: list[AssessedLine], verdict: str, headline: str
) -> None:
    found = assess_whole(lines)

    assert (found.verdict, found.headline) == (verdict, headline)


def test_lines_that_are_fair_alone_may_be_too_much_together() -> None:
    found = assess_whole([priced(395_00)] * 3)

    assert found.price is not None
    assert found.price.high < 3 * 395_00
    assert (found.verdict, found.questioned) == (Verdict.HIGH, 0)
    assert found.headline.startswith(
        "No single line stands out, but together they are above what eight out of ten pay, $"
    )


@pytest.mark.parametrize(
    ("lines", "sums"),
    [
        ([], (0, 0, 0, 0, 0, 0)),
        ([discount(30_00)], (-30_00, 0, 0, 0, 0, 0)),
        ([priced(450_00), unclear(50_00), discount(30_00)], (470_00, 500_00, 450_00, 1, 1, 50_00)),
        ([charge(0, high=10_00), charge(1, high=10_00)], (1, 1, 1, 1, 0, 0)),
        ([priced(400_00), misfit(20_00)], (420_00, 420_00, 400_00, 1, 1, 20_00)),
        ([priced(200_00), priced(150_00, AGAIN)], (350_00, 350_00, 350_00, 2, 1, 150_00)),
        ([priced(200_00), priced(250_00, IN_PART)], (450_00, 450_00, 450_00, 2, 1, 50_00)),
        ([priced(200_00), priced(150_00, IN_PART)], (350_00, 350_00, 350_00, 2, 1, 0)),
        ([priced(450_00, JointPrice(expected=LEFT))], (450_00, 450_00, 450_00, 1, 1, 50_00)),
    ],
)
def test_whole_sums_up_its_lines(lines: list[AssessedLine], sums: tuple[int, ...]) -> None:
    found = assess_whole(lines)

    assert (
        found.total,
        found.gross,
        found.compared,
        found.compared_lines,
        found.questioned,
        found.excess,
    ) == sums
    assert found.share == (found.compared / found.gross if lines and found.gross else 0)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], f"$0 of $0 (0%) could be compared. {TOO_LITTLE}"),
        (
            [priced(200_00)],
            f"{WITHIN} This is within the range that we expect; it is exactly our average.",
        ),
        (
            [priced(99_00), discount(300_00)],
            (
                "Below what eight out of ten pay, $100 to $400."
                " The quote is not split into parts and labor, so we cannot tell why; it is $199.99 below our average."
            ),
        ),
        (
            [priced(450_00, labor_hours=2.0, labor_rate=120_00, parts_total=210_00)],
            (
                "1 line to question: $50 above what eight out of ten pay."
                " Across all lines, the prices of the parts make the biggest difference: $130.00 more."
                " It is $250.00 above our average."
            ),
        ),
        (
            [priced(90_00, labor_hours=0.5, labor_rate=120_00, parts_total=30_00)],
            (
                "Below what eight out of ten pay, $100 to $400."
                " Across all lines, the hours make the biggest difference: $60.00 less."
                " It is $110.00 below our average."
            ),
        ),
        (
            [priced(450_00), discount(50_00)],
            (
                "1 line to question: $50 above what eight out of ten pay."
                " All compared lines together are $200.00 above our average."
            ),
        ),
        (
            [priced(450_00), unclear(50_00), discount(100_00)],
            (
                "1 line to question: $50 above what eight out of ten pay."
                " All compared lines together are $160.00 above our average."
            ),
        ),
        (
            [priced(200_00), misfit(20_00)],
            (
                "1 line to question: $20 above what eight out of ten pay. It has no spark plugs."
                " All compared lines together are exactly our average."
            ),
        ),
        (
            [priced(200_00), priced(100_00, AGAIN), priced(50_00, AGAIN)],
            (
                "2 lines to question: $150 above what eight out of ten pay. It is on the quote twice."
                " All compared lines together are $150.00 above our average."
            ),
        ),
        (
            [misfit(20_00)],
            (
                "1 line to question: $20 above what eight out of ten pay. $0 of $20 (0%) could be compared."
                " It has no spark plugs."
            ),
        ),
    ],
)
def test_reason_of_a_whole_explains_its_price_or_what_is_not_due(
    lines: list[AssessedLine], text: str
) -> None:
    found = assess_whole(lines).reason

    assert found.text == text


@pytest.mark.parametrize(
    ("lines", "differences"),
    [
        ([priced(300_00), charge(18_00, high=20_00)], {}),
        ([priced(300_00, parts_total=100_00)], {"parts": 20_00, "labor": 80_00}),
        (
            [priced(300_00, parts_total=100_00), charge(15_00, high=20_00)],
            {"parts": 20_00, "labor": 80_00},
        ),
        (
            [priced(300_00, parts_total=100_00), charge(18_00, high=20_00), discount(10_00)],
            {"parts": 20_00, "labor": 80_00, "other": -7_00},
        ),
        (
            [
                priced(300_00, parts_total=100_00),
                priced(180_00, labor_hours=1.0, labor_rate=120_00, parts_total=50_00),
            ],
            {"parts": -10_00, "hours": 0, "rate": 0, "labor": 80_00, "other": 10_00},
        ),
    ],
)
def test_differences_of_a_whole_are_those_of_its_repairs_and_of_charges_and_discounts(
    lines: list[AssessedLine], differences: dict[str, int]
) -> None:
    price = assess_whole(lines).price

    assert price is not None
    assert {one.factor: one.amount for one in price.differences} == differences


@pytest.mark.parametrize(("total", "verdict"), [(100_00, Verdict.FAIR), (100_01, Verdict.HIGH)])
def test_amount_for_work_that_another_repair_includes_counts_toward_its_price(
    total: int, verdict: Verdict
) -> None:
    price = assess_whole([priced(300_00), priced(total, JointPrice(expected=None))]).price

    assert price is not None
    assert (price.low, price.high, price.verdict) == (100_00, 400_00, verdict)


def test_work_that_another_repair_includes_has_its_own_verdict() -> None:
    assert assess_whole([priced(200_00, JointPrice(expected=None))]).verdict is Verdict.FAIR


def test_percentile_of_one_repair_is_its_own() -> None:
    line = priced(300_00)
    price = assess_whole([line]).price

    assert price is not None
    assert line.assessment is not None
    assert price.percentile == line.assessment.percentile
