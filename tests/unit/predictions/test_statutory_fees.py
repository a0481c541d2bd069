"""Inspections: the statutory fee is the price, and where there is none the answer says so."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.pricing.jobs import ACCORD, BOOK, HOME, Past, estimated

from repaircore.predictions.statutory_fees import (
    FREE_AT_STATE_STATIONS,
    NOT_REQUIRED_IN_STATE,
    FeeKind,
    StatutoryFee,
    StatutoryFees,
    fixed_estimate,
    fixed_outlook,
    with_fee,
)
from repaircore.pricing.estimator import outlook
from repaircore.pricing.variances import variances_of
from repaircore.testing.builders import some_figures

FIXED = StatutoryFee(
    kind=FeeKind.FIXED, state="NY", year=2025, price=21_00, low=10_00, high=37_00, note="each year"
)


def test_statutory_fee_overrides_every_other_price() -> None:
    figures = with_fee(some_figures(red_flag=True, red_flag_reason="far"), FIXED)

    assert (figures.local.low, figures.local.average, figures.local.high) == (10_00, 21_00, 37_00)
    assert figures.breakdown.total == 21_00
    assert (figures.breakdown.labor_hours, figures.breakdown.parts[0].name) == (0.0, "Fee set by law (NY)")
    assert not figures.red_flag
    assert figures.red_flag_reason is None
    assert [step.text for step in figures.explanation] == ["NY sets the fee: $21.00 (each year), as of 2025."]
    assert figures.model_a.match == pytest.approx(100 * 21 / 315, abs=0.01)


@pytest.mark.parametrize(
    ("kind", "warning"),
    [(FeeKind.NONE, NOT_REQUIRED_IN_STATE), (FeeKind.FREE, FREE_AT_STATE_STATIONS), (FeeKind.SHOP, None)],
)
def test_estimate_without_a_statutory_fee_stays_and_quotes_the_law(
    kind: FeeKind, warning: str | None
) -> None:
    plain = some_figures()
    fee = StatutoryFee(kind=kind, state="FL", year=2025)

    figures = with_fee(plain, fee)

    assert figures.local == plain.local
    assert figures.warnings == ((*plain.warnings, warning) if warning else plain.warnings)
    assert figures.explanation[0].text.startswith("FL ")
    assert figures.explanation[1:] == plain.explanation


def test_estimate_and_outlook_of_a_fee_have_its_range_and_no_labor() -> None:
    about = outlook(BOOK, Past().of(ACCORD), market=HOME, variances=variances_of(BOOK.spread))
    found, around = fixed_estimate(estimated(), FIXED), fixed_outlook(about, FIXED)

    assert (found.low, found.average, found.high, found.labor_share) == (10_00, 21_00, 37_00, 0)
    assert (found.breakdown.total, found.breakdown.labor_total) == (21_00, 0)
    assert [(one.invoices, one.weight) for one in found.basis] == [(0, 100)]
    assert (found.steps[0].value, found.confidence) == (21, 95)
    assert (around.labor_share, around.center) == (0, 21_00)
    assert around.price(1.2815515655446004) / around.price(-1.2815515655446004) == pytest.approx(3.7)
    assert around.errors.quantile(0.1) == pytest.approx(-1.2815515655446004)
    assert fixed_outlook(about, evolve(FIXED, low=21_00, high=21_00)).spread == 0.01


def test_fee_is_that_of_the_zip_code_else_of_its_area_else_of_the_state() -> None:
    own, area = evolve(FIXED, price=1), evolve(FIXED, price=2)
    fee = evolve(FIXED, areas={"10001": own, "100": area})

    assert [fee.at(zip_code) for zip_code in ("10001", "10002", "12345")] == [own, area, fee]


def test_fee_without_models_has_no_match() -> None:
    plain = some_figures()
    unasked = evolve(plain, ai_average=None, model_a=evolve(plain.model_a, average=None, match=None))
    figures = with_fee(unasked, FIXED)

    assert (figures.match, figures.model_a.match) == (None, None)
    assert with_fee(plain, FIXED).match is not None


def test_other_repairs_and_unlisted_places_keep_their_estimates() -> None:
    fees = StatutoryFees(by_slug={"emissions-test": {"NY": FIXED}})

    assert fees.find("emissions-test", "NY", "10001") is FIXED
    assert fees.find("emissions-test", "AE", "09001") is None
    assert fees.find("oil-change", "NY", "10001") is None
    assert with_fee(some_figures(), None) == some_figures()


@given(st.integers(1, 100_000), st.integers(-90, 500))
def test_lines_of_a_fee_add_up_after_a_price_adjustment(price: int, percent: int) -> None:
    fee = evolve(FIXED, price=price, low=price, high=price)

    figures = with_fee(some_figures(), fee).adjusted(percent)

    assert figures.local.average == figures.breakdown.total
    assert 0 < figures.local.low <= figures.local.average <= figures.local.high
