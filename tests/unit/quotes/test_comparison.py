import math
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.pricing.jobs import ACCORD, BOOK, HOME, Past, appraised, invoice

from repaircore.kernel.money import PriceRange
from repaircore.kernel.rules import field_errors
from repaircore.pricing.estimator import estimate, outlook
from repaircore.pricing.variances import variances_of
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import Expected, Factor, Verdict, assess, differences, position, verdict_of
from repaircore.quotes.quote import QuoteLineInput
from repaircore.quotes.whole import add_up, assess_together

ORDER = [Verdict.LOW, Verdict.FAIR, Verdict.HIGH, Verdict.VERY_HIGH]
TOTALS = st.integers(1, 50_000_00)
HOURS = st.floats(0, 40).map(lambda hours: round(hours, 2))
RATES = st.integers(0, 400_00)


def expected(past: Past) -> Expected:
    history, variances = past.of(ACCORD), variances_of(BOOK.spread)
    seen = outlook(BOOK, history, market=HOME, variances=variances)
    local = estimate(seen)
    return Expected(
        low=local.low,
        average=local.average,
        high=local.high,
        hours=local.breakdown.labor_hours,
        rate=local.breakdown.labor_rate,
        parts=local.breakdown.parts_total,
        center=seen.center,
        spread=seen.spread,
        errors=seen.errors,
    )


def _learned() -> Past:
    past = Past()
    for total in range(250_00, 550_00, 10_00):
        past = past.learned(appraised(invoice(total), past))
    return past


UNTAUGHT, TAUGHT = expected(Past()), expected(_learned())
EXPECTED = st.sampled_from([UNTAUGHT, TAUGHT])


@st.composite
def lines(draw: st.DrawFn) -> QuoteLine:
    total = draw(TOTALS)
    return QuoteLine(
        total=total,
        parts_total=draw(st.none() | st.integers(0, total)),
        labor_hours=draw(st.none() | HOURS),
        labor_rate=draw(st.none() | RATES),
    )


@given(usual=EXPECTED, total=TOTALS, more=TOTALS)
def test_assess_never_gives_a_higher_price_a_milder_verdict_or_a_lower_percentile(
    usual: Expected, total: int, more: int
) -> None:
    low, high = (assess(QuoteLine(total=amount), usual) for amount in (total, total + more))

    assert ORDER.index(low.verdict) <= ORDER.index(high.verdict)
    assert 0 <= (low.percentile or 0) <= (high.percentile or 0) <= 100


@given(usual=EXPECTED, totals=st.lists(TOTALS, min_size=1, max_size=5), more=TOTALS, data=st.data())
def test_assess_together_never_gives_a_higher_line_a_milder_verdict(
    usual: Expected, totals: list[int], more: int, data: st.DataObject
) -> None:
    raised = data.draw(st.integers(0, len(totals) - 1))
    higher = [total + more * (number == raised) for number, total in enumerate(totals)]
    before, after = (
        assess_together([(QuoteLine(total=total), usual) for total in amounts])
        for amounts in (totals, higher)
    )

    assert before is not None
    assert after is not None
    assert ORDER.index(before.verdict) <= ORDER.index(after.verdict)
    assert (before.percentile or 0) <= (after.percentile or 0)


def scaled_expected(usual: Expected, by: int) -> Expected:
    return evolve(
        usual,
        low=usual.low * by,
        average=usual.average * by,
        high=usual.high * by,
        rate=usual.rate * by,
        parts=usual.parts * by,
        center=usual.center * by,
    )


@given(usual=EXPECTED, line=lines(), by=st.integers(2, 50))
def test_assess_gives_the_same_verdict_when_all_prices_are_scaled(
    usual: Expected, line: QuoteLine, by: int
) -> None:
    scaled = evolve(
        line,
        total=line.total * by,
        parts_total=None if line.parts_total is None else line.parts_total * by,
        labor_rate=None if line.labor_rate is None else line.labor_rate * by,
    )
    before, after = assess(line, usual), assess(scaled, scaled_expected(usual, by))

    assert after.verdict is before.verdict
    assert after.percentile == pytest.approx(before.percentile, abs=0.11)


@given(usual=EXPECTED, line=lines())
def test_differences_add_up_to_the_distance_from_the_average(usual: Expected, line: QuoteLine) -> None:
    found = differences(line, usual)

    assert not found or sum(difference.amount for difference in found) == line.total - usual.average
    assert len({difference.factor for difference in found}) == len(found)


@given(usual=EXPECTED, line=lines())
def test_assess_gives_a_reason_in_the_direction_of_the_price(usual: Expected, line: QuoteLine) -> None:
    found = assess(line, usual)

    if found.reason.amount is not None:
        assert found.reason.amount * (line.total - usual.average) > 0
        assert found.verdict is not Verdict.FAIR

    assert found.reason.text.endswith(".")


@given(usual=EXPECTED, line=lines())
def test_assess_together_treats_one_line_like_assess(usual: Expected, line: QuoteLine) -> None:
    alone, whole = assess(line, usual), assess_together([(line, usual)])

    assert whole is not None
    assert (whole.low, whole.average, whole.high) == (alone.low, alone.average, alone.high)
    assert (whole.verdict, whole.percentile) == (alone.verdict, alone.percentile)


@given(usual=EXPECTED, totals=st.lists(TOTALS, min_size=2, max_size=6))
def test_assess_together_does_not_depend_on_the_order_of_lines(usual: Expected, totals: list[int]) -> None:
    forwards, backwards = (
        assess_together([(QuoteLine(total=total), usual) for total in amounts])
        for amounts in (totals, totals[::-1])
    )

    assert forwards == backwards


def test_assess_together_ranges_between_independent_and_fully_correlated_lines() -> None:
    whole = assess_together([(QuoteLine(total=UNTAUGHT.average), UNTAUGHT)] * 4)

    assert whole is not None
    width = math.log(whole.high / whole.low)
    alone = math.log(UNTAUGHT.high / UNTAUGHT.low)

    assert alone / 2 < width < alone


def test_assess_calls_our_own_average_fair() -> None:
    found = assess(QuoteLine(total=UNTAUGHT.average), UNTAUGHT)

    assert found.verdict is Verdict.FAIR
    assert found.percentile == pytest.approx(50, abs=1)
    assert "exactly our average" in found.reason.text


@pytest.mark.parametrize(
    ("line", "factor"),
    [
        (QuoteLine(total=900_00, labor_hours=4.75, labor_rate=14_400, parts_total=216_00), Factor.HOURS),
        (QuoteLine(total=900_00, labor_hours=1.25, labor_rate=54_720, parts_total=216_00), Factor.RATE),
        (QuoteLine(total=900_00, labor_hours=1.25, labor_rate=14_400, parts_total=720_00), Factor.PARTS),
        (QuoteLine(total=900_00, labor_hours=1.25, labor_rate=14_400), Factor.PARTS),
        (QuoteLine(total=900_00, labor_hours=1.25, parts_total=216_00), Factor.RATE),
        (QuoteLine(total=900_00, labor_rate=14_400, parts_total=216_00), Factor.HOURS),
        (QuoteLine(total=900_00, parts_total=216_00), Factor.LABOR),
        (QuoteLine(total=900_00, labor_hours=1.25, labor_rate=14_400, parts_total=216_00), Factor.OTHER),
        (QuoteLine(total=900_00), None),
    ],
)
def test_assess_names_the_factor_that_explains_most(line: QuoteLine, factor: Factor | None) -> None:
    found = assess(line, UNTAUGHT)

    assert found.verdict in {Verdict.HIGH, Verdict.VERY_HIGH}
    assert found.reason.factor is factor


def test_assess_states_the_figures_of_its_reason() -> None:
    line = QuoteLine(total=900_00, labor_hours=4.75, labor_rate=UNTAUGHT.rate, parts_total=UNTAUGHT.parts)
    reason = assess(line, UNTAUGHT).reason

    assert "4.75 h" in reason.text
    assert f"{UNTAUGHT.hours:.2f} h" in reason.text
    assert reason.amount is not None
    assert f"${reason.amount / 100:,.2f}" in reason.text


def test_assess_together_returns_none_without_lines() -> None:
    assert assess_together([]) is None


@given(usual=EXPECTED, quoted=st.lists(lines(), max_size=5))
def test_add_up_keeps_the_sum_of_all_differences(usual: Expected, quoted: list[QuoteLine]) -> None:
    found = [differences(line, usual) for line in quoted]

    assert sum(total.amount for total in add_up(found)) == sum(
        difference.amount for of_line in found for difference in of_line
    )


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"total": 0.01, "description": "pads"}, set()),
        ({"total": -1e7, "description": "pads"}, {"total"}),
        ({"total": 1e7, "description": ""}, {"total"}),
        ({"total": 0.05, "description": "x" * 201}, {"description"}),
        (
            {"parts_total": -0.01, "labor_hours": -0.1, "labor_rate": -0.01},
            {"parts_total", "labor_hours", "labor_rate"},
        ),
        ({"labor_hours": 1000.1}, {"labor_hours"}),
    ],
)
def test_quote_line_input_names_every_bad_field(fields: dict[str, Any], named: set[str]) -> None:
    assert set(field_errors(QuoteLineInput, fields)) == named


@pytest.mark.parametrize("hours", [5e-324, 1e-320, 1e-4])
def test_assess_ignores_implausible_hours(hours: float) -> None:
    usual = expected(Past())
    found = assess(QuoteLine(total=400_00, parts_total=200_00, labor_hours=hours), usual)

    assert found == assess(QuoteLine(total=400_00, parts_total=200_00), usual)


@given(
    st.floats(0, 1000),
    st.integers(0, 400_00) | st.none(),
)
def test_assess_bounds_every_difference(hours: float, parts: int | None) -> None:
    found = assess(QuoteLine(total=400_00, parts_total=parts, labor_hours=hours), expected(Past()))

    assert all(abs(difference.amount) <= 100_000_000_00 for difference in found.differences)


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


@pytest.mark.parametrize(
    ("total", "verdict"),
    [
        (99_99, Verdict.LOW),
        (100_00, Verdict.FAIR),
        (400_00, Verdict.FAIR),
        (400_01, Verdict.HIGH),
        (800_00, Verdict.HIGH),
        (800_01, Verdict.VERY_HIGH),
    ],
)
def test_verdict_changes_at_the_ends_of_the_range_and_as_far_above_it_as_its_end_is_above_the_average(
    total: int, verdict: Verdict
) -> None:
    assert verdict_of(total, PriceRange(low=100_00, average=200_00, high=400_00)) is verdict


def test_any_price_of_what_is_free_is_very_high() -> None:
    assert verdict_of(1, PriceRange(low=0, average=0, high=0)) is Verdict.VERY_HIGH


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        ({"total": 500_00}, {}),
        (
            {"total": 500_00, "labor_hours": 2.0, "labor_rate": 150_00, "parts_total": 200_00},
            {"parts": 120_00, "hours": 135_00, "rate": 45_00},
        ),
        (
            {"total": 500_03, "labor_hours": 2.0, "labor_rate": 150_00, "parts_total": 200_00},
            {"parts": 120_00, "hours": 135_03, "rate": 45_00},
        ),
        (
            {"total": 499_97, "labor_hours": 2.0, "labor_rate": 150_00, "parts_total": 200_00},
            {"parts": 120_00, "hours": 134_97, "rate": 45_00},
        ),
        (
            {"total": 500_04, "labor_hours": 2.0, "labor_rate": 150_00, "parts_total": 200_00},
            {"parts": 120_00, "hours": 135_00, "rate": 45_00, "other": 4},
        ),
        (
            {"total": 499_96, "labor_hours": 2.0, "labor_rate": 150_00, "parts_total": 200_00},
            {"parts": 120_00, "hours": 135_00, "rate": 45_00, "other": -4},
        ),
        (
            {"total": 500_00, "labor_hours": 2.0, "labor_rate": 150_00},
            {"parts": 120_00, "hours": 135_00, "rate": 45_00},
        ),
        (
            {"total": 100_00, "labor_hours": 2.0, "labor_rate": 150_00},  # the labor alone is more
            {"parts": -80_00, "hours": 135_00, "rate": 45_00, "other": -200_00},
        ),
        (
            {"total": 500_00, "labor_hours": 2.0, "parts_total": 200_00},
            {"parts": 120_00, "hours": 135_00, "rate": 45_00},
        ),
        (
            {"total": 500_00, "labor_rate": 150_00, "parts_total": 200_00},
            {"parts": 120_00, "hours": 135_00, "rate": 45_00},
        ),
        ({"total": 500_00, "parts_total": 200_00}, {"parts": 120_00, "labor": 180_00}),
        ({"total": 500_00, "labor_hours": 2.0}, {"hours": 120_00, "other": 180_00}),
        ({"total": 500_00, "labor_rate": 150_00}, {"rate": 30_00, "other": 270_00}),
        (
            {"total": 200_00, "parts_total": 200_00, "labor_hours": 0.0},
            {"parts": 120_00, "hours": -120_00},
        ),
        (
            {"total": 200_00, "parts_total": 200_00, "labor_rate": 0},
            {"parts": 120_00, "rate": -120_00},
        ),
        # Implausible hours and rates do not count, whether stated or derived.
        ({"total": 500_00, "parts_total": 200_00, "labor_hours": 0.04}, {"parts": 120_00, "labor": 180_00}),
        ({"total": 500_00, "parts_total": 200_00, "labor_rate": 99}, {"parts": 120_00, "labor": 180_00}),
        (
            {"total": 200_99, "parts_total": 200_00, "labor_hours": 1.0},
            {"parts": 120_00, "hours": 0, "other": -119_01},
        ),
        (
            {"total": 201_00, "parts_total": 200_00, "labor_hours": 1.0},
            {"parts": 120_00, "hours": 0, "rate": -119_00},
        ),
        (
            {"total": 206_00, "parts_total": 200_00, "labor_rate": 120_00},
            {"parts": 120_00, "hours": -114_00, "rate": 0},
        ),
        (
            {"total": 205_00, "parts_total": 200_00, "labor_rate": 120_00},
            {"parts": 120_00, "rate": 0, "other": -115_00},
        ),
    ],
)
def test_differences_split_the_distance_from_the_average(
    stated: dict[str, Any], found: dict[str, int]
) -> None:
    line = QuoteLine(**stated)

    assert {one.factor: one.amount for one in differences(line, USUAL)} == found


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        (
            {"total": 801_00, "labor_hours": 1.0, "labor_rate": 120_00, "parts_total": 681_00},
            "Parts are $681.00 where we expect $80.00: that adds $601.00. It is $601.00 above our average.",
        ),
        (
            {"total": 500_00, "labor_hours": 1.0, "labor_rate": 420_00},
            (
                "The quote charges $420.00 an hour where we expect $120.00: that adds $300.00."
                " It is $300.00 above our average."
            ),
        ),
        (
            {"total": 500_00, "parts_total": 80_00},
            "Labor is $420.00 where we expect $120.00: that adds $300.00. It is $300.00 above our average.",
        ),
        (
            {"total": 500_00, "labor_hours": 1.0, "labor_rate": 120_00, "parts_total": 80_00},
            (
                "Fees, taxes, discounts or items that are not split out make the biggest difference: that adds $300.00."
                " It is $300.00 above our average."
            ),
        ),
        (
            {"total": 80_00, "labor_hours": 0.25, "labor_rate": 120_00},
            (
                "The quote has 0.25 h of labor where we expect 1.00 h: that saves $90.00."
                " It is $120.00 below our average."
            ),
        ),
        (
            {"total": 500_00},
            "The quote is not split into parts and labor, so we cannot tell why; it is $300.00 above our average.",
        ),
        (
            {"total": 300_00, "parts_total": 80_00},
            "This is within the range that we expect; it is $100.00 above our average.",
        ),
    ],
)
def test_reason_states_the_main_cause_and_the_distance_from_the_average(
    stated: dict[str, Any], text: str
) -> None:
    assert assess(QuoteLine(**stated), USUAL).reason.text == text


@pytest.mark.parametrize(
    ("distance", "text"),
    [
        (0, "it is exactly our average"),
        (1, "it is $0.01 above our average"),
        (-1, "it is $0.01 below our average"),
    ],
)
def test_position_of_a_price_is_above_or_below_the_average(distance: int, text: str) -> None:
    assert position(distance) == text


def test_percentile_has_one_decimal_and_depends_on_the_ratio_to_the_center_and_on_the_spread() -> None:
    wide = evolve(USUAL, spread=2 * USUAL.spread)
    near, far, top = (
        assess(QuoteLine(total=total), usual).percentile
        for total, usual in ((300_00, USUAL), (450_00, wide), (1_000_000_00, USUAL))
    )

    assert near is not None
    assert near == round(near, 1)
    assert near == far
    assert 50 < near < 100
    assert top == 100
