from decimal import Decimal
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.sales_taxes import LaborTax, SalesTax
from repaircore.pricing.sums import SumRange
from repaircore.visits.charges import tax_at, totals
from repaircore.visits.model import (
    Charges,
    Discount,
    LineKind,
    PricedLine,
    RequestedLine,
    Supplies,
    Totals,
)

NO_CHARGES = Charges()
TAX = SalesTax(
    state="NY",
    rate=4,
    average=8,
    highest=9,
    parts=True,
    labor=LaborTax.TAXED,
    source="editorial",
    year=2025,
)


def priced_line(
    kind: LineKind, *, parts: int = 0, labor: int = 0, fee: int = 0, apart: int = 0
) -> PricedLine:
    price = parts + labor + fee
    return PricedLine(
        requested=RequestedLine(id=1, kind=kind),
        description="a line",
        parts=parts,
        labor=labor,
        fee=fee,
        apart=apart or price,
        low=price,
        average=price,
        high=price,
    )


PADS = priced_line(LineKind.REPAIR, parts=100_00, labor=200_00, apart=350_00)
RANGE = SumRange(low=150_00, average=300_00, high=600_00, center=300_00.0, spread=0.3, weights=(1.0,))
TOWING = priced_line(LineKind.FEE, fee=80_00)


def totals_of(
    *lines: PricedLine, tax: SalesTax | None = None, repairs: SumRange | None = RANGE, **charges: Any
) -> Totals:
    return totals(lines, Charges(**charges), tax=tax, repairs=repairs)


def test_totals_add_up() -> None:
    result = totals_of(PADS, TOWING)

    assert (result.parts, result.labor, result.fees, result.subtotal) == (100_00, 200_00, 80_00, 380_00)
    assert (result.total, result.low, result.high) == (380_00, 230_00, 680_00)
    assert result.saved == 50_00
    assert (result.supplies, result.discount, result.tax) == (0, 0, None)


def test_supplies_are_a_share_of_labor_up_to_their_cap() -> None:
    assert totals_of(PADS, supplies=Supplies(percent=10.0)).supplies == 20_00
    assert totals_of(PADS, supplies=Supplies(percent=10.0, cap=15_00)).supplies == 15_00
    assert totals_of(PADS, supplies=Supplies(amount=12_34)).supplies == 12_34
    assert (
        totals_of(PADS, supplies=Supplies(percent=7.0, cap=45_00)).supplies_text
        == "7% of labor, up to $45.00"
    )


def test_discount_is_on_parts_and_labor_and_never_more() -> None:
    assert totals_of(PADS, TOWING, discount=Discount(percent=10.0)).discount == 30_00
    assert totals_of(PADS, TOWING, discount=Discount(amount=25_00)).total == 355_00
    assert totals_of(PADS, TOWING, discount=Discount(amount=999_00)).total == 80_00


@pytest.mark.parametrize(
    ("labor", "base"),
    [(LaborTax.TAXED, 320_00), (LaborTax.EXEMPT, 120_00), (LaborTax.WITH_PARTS, 320_00)],
)
def test_tax_is_on_parts_supplies_and_taxed_labor_but_not_on_fees(labor: LaborTax, base: int) -> None:
    result = totals_of(PADS, TOWING, tax=evolve(TAX, labor=labor), supplies=Supplies(amount=20_00))

    assert result.tax is not None
    assert result.tax.base == base
    assert result.tax.amount == round(base * 0.08)
    assert result.total == 400_00 + result.tax.amount


def test_discount_lowers_the_taxed_sum_in_proportion() -> None:
    result = totals_of(PADS, tax=evolve(TAX, labor=LaborTax.EXEMPT), discount=Discount(percent=50.0))

    assert result.tax is not None
    assert result.tax.base == 50_00


def test_tax_is_left_out() -> None:
    result = totals_of(PADS, tax=TAX, taxed=False)

    assert (result.tax, result.total) == (None, 300_00)


def test_tax_at_a_known_rate_replaces_the_states() -> None:
    known = tax_at(TAX, 8.875)

    assert known is not None
    assert (known.rate, known.average, known.highest) == (Decimal("8.875"),) * 3
    assert tax_at(TAX, None) is TAX
    assert tax_at(None, 8.0) is None


def test_known_city_rate_taxes_parts_where_the_state_has_no_tax() -> None:
    nothing = evolve(TAX, rate=0, average=0, highest=0, parts=False, labor=LaborTax.EXEMPT)

    result = totals_of(PADS, tax=tax_at(nothing, 5.0))

    assert result.tax is not None
    assert result.tax.amount == 5_00


def test_own_lines_alone_have_no_range() -> None:
    result = totals_of(priced_line(LineKind.PART, parts=12_00), TOWING, tax=TAX, repairs=None)

    assert result.low == result.total == result.high == 92_96


@given(
    lines=st.tuples(st.integers(0, 10_000_00), st.integers(0, 10_000_00)),
    reach=st.tuples(st.floats(0.1, 1), st.floats(1, 5)),
    supplies=st.none()
    | st.builds(Supplies, percent=st.floats(0, 100), cap=st.none() | st.integers(0, 100_00)),
    discount=st.none()
    | st.builds(Discount, percent=st.floats(0, 100))
    | st.builds(Discount, amount=st.integers(0, 10_000_00)),
)
def test_totals_are_ordered_and_add_up(
    lines: tuple[int, int],
    reach: tuple[float, float],
    supplies: Supplies | None,
    discount: Discount | None,
) -> None:
    (parts, labor), (low, high) = lines, reach
    average = max(1, parts + labor)
    repairs = SumRange(
        low=max(1, int(average * low)),
        average=average,
        high=int(average * high) + 1,
        center=1.0,
        spread=0.3,
        weights=(),
    )

    result = totals(
        [priced_line(LineKind.REPAIR, parts=parts, labor=labor), TOWING],
        Charges(supplies=supplies, discount=discount),
        tax=TAX,
        repairs=repairs,
    )

    assert result.tax is not None
    assert 0 <= result.low <= result.total <= result.high
    assert result.total == result.subtotal + result.supplies - result.discount + result.tax.amount
