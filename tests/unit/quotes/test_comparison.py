import math
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.pricing.jobs import ACCORD, BOOK, HOME, Past, appraised, invoice

from repaircore.pricing.estimator import estimate, outlook
from repaircore.pricing.variances import variances_of
from repaircore.quotes.comparison import (
    Expected,
    Factor,
    QuoteLine,
    Verdict,
    differences,
    judged,
    summed,
    together,
    validate_line,
)

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


@given(usual=EXPECTED, one=TOTALS, more=TOTALS)
def test_a_dearer_quote_never_gets_a_milder_verdict_nor_a_lower_percentile(
    usual: Expected, one: int, more: int
) -> None:
    cheap, dear = (judged(QuoteLine(total=total), usual) for total in (one, one + more))
    assert ORDER.index(cheap.verdict) <= ORDER.index(dear.verdict)
    assert 0 <= cheap.percentile <= dear.percentile <= 100


@given(usual=EXPECTED, totals=st.lists(TOTALS, min_size=1, max_size=5), more=TOTALS, data=st.data())
def test_a_whole_with_a_dearer_line_never_gets_a_milder_verdict(
    usual: Expected, totals: list[int], more: int, data: st.DataObject
) -> None:
    which = data.draw(st.integers(0, len(totals) - 1))
    dearer = [total + more * (number == which) for number, total in enumerate(totals)]
    cheap, dear = (together([(QuoteLine(total=total), usual) for total in many]) for many in (totals, dearer))
    assert cheap is not None
    assert dear is not None
    assert ORDER.index(cheap.verdict) <= ORDER.index(dear.verdict)
    assert cheap.percentile <= dear.percentile


def _scaled(usual: Expected, by: int) -> Expected:
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
def test_all_prices_times_a_factor_give_the_same_verdict(usual: Expected, line: QuoteLine, by: int) -> None:
    times = evolve(
        line,
        total=line.total * by,
        parts_total=None if line.parts_total is None else line.parts_total * by,
        labor_rate=None if line.labor_rate is None else line.labor_rate * by,
    )
    before, after = judged(line, usual), judged(times, _scaled(usual, by))
    assert after.verdict is before.verdict
    assert after.percentile == pytest.approx(before.percentile, abs=0.11)


@given(usual=EXPECTED, line=lines())
def test_the_differences_add_up_to_the_distance_from_the_average(usual: Expected, line: QuoteLine) -> None:
    found = differences(line, usual)
    assert not found or sum(one.amount for one in found) == line.total - usual.average
    assert len({one.factor for one in found}) == len(found)


@given(usual=EXPECTED, line=lines())
def test_a_reason_pulls_the_way_the_price_lies(usual: Expected, line: QuoteLine) -> None:
    told = judged(line, usual)
    if told.reason.amount is not None:
        assert told.reason.amount * (line.total - usual.average) > 0
        assert told.verdict is not Verdict.FAIR
    assert told.reason.text.endswith(".")


@given(usual=EXPECTED, line=lines())
def test_one_line_alone_is_judged_as_the_whole_is(usual: Expected, line: QuoteLine) -> None:
    alone, whole = judged(line, usual), together([(line, usual)])
    assert whole is not None
    assert (whole.low, whole.average, whole.high) == (alone.low, alone.average, alone.high)
    assert (whole.verdict, whole.percentile) == (alone.verdict, alone.percentile)


@given(usual=EXPECTED, totals=st.lists(TOTALS, min_size=2, max_size=6))
def test_the_order_of_lines_does_not_matter(usual: Expected, totals: list[int]) -> None:
    there, back = (
        together([(QuoteLine(total=total), usual) for total in many]) for many in (totals, totals[::-1])
    )
    assert there == back


def test_the_range_of_a_sum_is_narrower_than_the_sum_of_ranges_and_wider_than_of_strangers() -> None:
    whole = together([(QuoteLine(total=UNTAUGHT.average), UNTAUGHT)] * 4)
    assert whole is not None
    width = math.log(whole.high / whole.low)
    alone = math.log(UNTAUGHT.high / UNTAUGHT.low)
    assert alone / 2 < width < alone


def test_our_own_average_is_fair_and_in_the_middle() -> None:
    told = judged(QuoteLine(total=UNTAUGHT.average), UNTAUGHT)
    assert told.verdict is Verdict.FAIR
    assert told.percentile == pytest.approx(50, abs=1)
    assert "exactly our average" in told.reason.text


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
def test_the_reason_is_what_explains_most(line: QuoteLine, factor: Factor | None) -> None:
    told = judged(line, UNTAUGHT)
    assert told.verdict in {Verdict.HIGH, Verdict.VERY_HIGH}
    assert told.reason.factor is factor


def test_the_reason_says_its_figures() -> None:
    line = QuoteLine(total=900_00, labor_hours=4.75, labor_rate=UNTAUGHT.rate, parts_total=UNTAUGHT.parts)
    reason = judged(line, UNTAUGHT).reason
    assert "4.75 h" in reason.text
    assert f"{UNTAUGHT.hours:.2f} h" in reason.text
    assert reason.amount is not None
    assert f"${reason.amount / 100:,.2f}" in reason.text


def test_nothing_to_compare_is_no_whole() -> None:
    assert together([]) is None


@given(usual=EXPECTED, many=st.lists(lines(), max_size=5))
def test_factors_add_up_over_lines(usual: Expected, many: list[QuoteLine]) -> None:
    each = [differences(line, usual) for line in many]
    assert sum(one.amount for one in summed(each)) == sum(one.amount for found in each for one in found)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"total": 1, "description": "pads"}, set()),
        ({"total": 0, "description": "pads"}, {"total"}),
        ({"total": 1}, {"problem_identifier"}),
        ({"total": 10**9, "description": " "}, {"total", "description"}),
        ({"total": 5, "parts_total": 6, "description": "x" * 201}, {"parts_total", "description"}),
        (
            {"parts_total": -1, "labor_hours": -0.1, "labor_rate": -1, "description": "x"},
            {"parts_total", "labor_hours", "labor_rate"},
        ),
        ({"labor_hours": 1000.1, "description": "x"}, {"labor_hours"}),
    ],
)
def test_every_bad_field_of_a_line_is_named(fields: dict[str, Any], named: set[str]) -> None:
    assert set(validate_line(**fields)) == named


@pytest.mark.parametrize("hours", [5e-324, 1e-320, 1e-4])
def test_hours_that_nobody_bills_count_as_not_told(hours: float) -> None:
    usual = expected(Past())
    odd = judged(QuoteLine(total=400_00, parts_total=200_00, labor_hours=hours), usual)
    assert odd == judged(QuoteLine(total=400_00, parts_total=200_00), usual)


@given(
    st.floats(0, 1000),
    st.integers(0, 400_00) | st.none(),
)
def test_no_cause_is_larger_than_anybody_could_owe(hours: float, parts: int | None) -> None:
    standing = judged(QuoteLine(total=400_00, parts_total=parts, labor_hours=hours), expected(Past()))
    assert all(abs(one.amount) <= 100_000_000_00 for one in standing.differences)
