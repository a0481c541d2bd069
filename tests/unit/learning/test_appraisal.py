import math

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.pricing.jobs import ACCORD, BOOK, HOME, PADS, RATE, Past, appraised, estimated, invoice

from repaircore.learning.appraisal import Invoice, InvoicePart, appraise
from repaircore.pricing.book_price import BookPart
from repaircore.pricing.variances import variances_of
from repaircore.transactions.evidence import GRAIN, PartEvidence


def test_invoice_at_the_books_price_has_no_residual_and_no_error() -> None:
    result = appraised(invoice(39_000))

    assert (result.evidence.price, result.error, result.missed, result.review) == (0, 0.0, False, False)
    assert result.evidence.share == 50_000


@given(st.integers(100, 10**9), st.floats(0, 1))
def test_residual_counts_at_most_three_spreads(total: int, share: float) -> None:
    result = appraised(invoice(total, labor_share=share))

    assert abs(result.evidence.price) * GRAIN <= 3 * estimated().spread + GRAIN


def test_absurd_invoice_is_marked_for_review_and_its_residual_clipped() -> None:
    result = appraised(invoice(39_000 * 30))

    assert result.review
    assert math.isclose(result.error, math.log(30), rel_tol=1e-6)
    assert result.evidence.price < 100_000
    assert not appraised(invoice(45_000)).review


def test_repair_on_warranty_teaches_nothing() -> None:
    nothing = Invoice(parts_total=0, labor_total=0, labor_hours=1.5)
    past = Past().of(ACCORD)

    assert appraise(nothing, BOOK, past, problem_id=PADS, market=HOME, variances=variances_of(0.3)) is None


def test_free_labor_teaches_nothing() -> None:
    kind = Invoice(parts_total=5_000, labor_total=0, labor_hours=2)
    past = Past().of(ACCORD)

    assert appraise(kind, BOOK, past, problem_id=PADS, market=HOME, variances=variances_of(0.3)) is None


@given(st.integers(0, 2_000), st.integers(1, 30_000), st.floats(0.01, 100))
def test_invoice_far_below_the_estimate_never_raises_it(parts: int, rate: int, hours: float) -> None:
    hours = min(hours, 2_000 / rate)  # $20 of labor at most, where the estimate says $390
    paid = Invoice(parts_total=parts, labor_total=max(1, round(hours * rate)), labor_hours=hours)

    assert estimated(Past().with_evidence(appraised(paid).evidence)).average <= (estimated().average)


def test_old_invoice_is_compared_with_the_prices_of_its_time() -> None:
    half = evolve(HOME, rate=RATE // 2, price_level=0.5, wage_level=0.5)

    assert half.rate == RATE // 2
    old = invoice(39_000 // 2, rate=half.rate)

    assert appraised(old, market=half).evidence.price == 0
    assert math.isclose(appraised(old, market=half).error, 0, abs_tol=1e-3)


def test_expensive_region_does_not_make_a_repair_look_expensive() -> None:
    expensive = evolve(HOME, rate=2 * RATE)
    labor = round(1.25 * expensive.rate)
    paid = Invoice(parts_total=21_000, labor_total=labor, labor_hours=1.25)
    result = appraised(paid, market=expensive)

    assert result.evidence.price == 0
    assert math.isclose(result.error, 0, abs_tol=0.01)


def test_missing_hours_are_derived_from_the_labor_total() -> None:
    paid = Invoice(parts_total=21_000, labor_total=18_000, labor_hours=0)

    assert appraised(paid).evidence.hours == 0


def test_parts_in_the_book_are_compared_by_name() -> None:
    parts = (InvoicePart(name=" ROTOR", unit_price=14_500), InvoicePart(name="Shop rags", unit_price=300))
    result = appraised(evolve(invoice(39_000), parts=parts))

    assert result.evidence.parts == (PartEvidence(key="rotor", price=69_315),)


def test_parts_without_a_price_are_not_compared() -> None:
    book = evolve(BOOK, parts=(*BOOK.parts, BookPart(name="Clip", quantity=1, price=0)))
    parts = (InvoicePart(name="Clip", unit_price=300), InvoicePart(name="Rotor", unit_price=0))

    assert appraised(evolve(invoice(39_000), parts=parts), book=book).evidence.parts == ()


def test_parts_are_compared_at_the_prices_of_the_day_and_the_place() -> None:
    there = evolve(HOME, price_level=0.5, parts_level=4.0)
    rotor = InvoicePart(name="Rotor", unit_price=2 * 7_250)
    result = appraised(evolve(invoice(39_000), parts=(rotor,)), market=there)

    assert result.evidence.parts == (PartEvidence(key="rotor", price=0),)


def test_parts_comparison_shows_more_expensive_rotors() -> None:
    parts = (InvoicePart(name="Rotor", unit_price=14_500), InvoicePart(name="Pad set", unit_price=6_500))
    result = appraised(evolve(invoice(39_000), parts=parts))
    before, after = estimated(), estimated(Past().with_evidence(*[result.evidence] * 20))
    price = {e is after: {line.name: line.unit_price for line in e.breakdown.parts} for e in (before, after)}

    assert price[True]["Rotor"] > price[False]["Rotor"]
    assert price[True]["Pad set"] < price[False]["Pad set"]
    assert before.average == after.average
