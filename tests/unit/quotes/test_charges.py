from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.quote_charges import shipped_usual_charges, usual_charges
from repaircore.adapters.shipped.sales_taxes import shipped_sales_taxes
from repaircore.facilities.sales_taxes import LaborTax, SalesTax
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.charges import Basis, assess_charge, basis
from repaircore.quotes.comparison import PriceAssessment, Verdict

USUAL = shipped_usual_charges()
TAX = SalesTax(
    state="XX",
    rate=Decimal(5),
    average=Decimal(6),
    highest=Decimal(8),
    parts=True,
    labor=LaborTax.EXEMPT,
    source="editorial",
    year=2025,
)
PADS = QuoteLine(total=500_00, parts_total=200_00, description="front pads")


def of(*lines: QuoteLine, tax: SalesTax | None = TAX) -> Basis:
    given_lines = [(line, line.actual_kind, None) for line in lines]
    return basis(given_lines, rate=150_00, state="XX", tax=tax)


def assessed(line: QuoteLine, *others: QuoteLine, tax: SalesTax | None = TAX) -> PriceAssessment:
    found = assess_charge(line, line.actual_kind, USUAL, of(line, *(others or (PADS,)), tax=tax))
    assert found is not None
    return found


def charge(kind: LineKind, total: int, description: str = "") -> QuoteLine:
    return QuoteLine(kind=kind, total=total, description=description)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (charge(LineKind.TAX, 12_00), Verdict.FAIR),
        (charge(LineKind.TAX, 16_00), Verdict.FAIR),
        (charge(LineKind.TAX, 17_00), Verdict.HIGH),
        (charge(LineKind.TAX, 1), Verdict.FAIR),
        (charge(LineKind.SUPPLIES, 30_00), Verdict.FAIR),
        (charge(LineKind.SUPPLIES, 31_00), Verdict.HIGH),
        (charge(LineKind.DIAGNOSIS, 150_00), Verdict.FAIR),
        (charge(LineKind.DIAGNOSIS, 226_00), Verdict.HIGH),
        (charge(LineKind.FEE, 10_00, "Hazmat"), Verdict.FAIR),
        (charge(LineKind.FEE, 40_00, "Hazmat"), Verdict.HIGH),
        (charge(LineKind.FEE, 15_00, "Credit card surcharge 3%"), Verdict.FAIR),
        (charge(LineKind.FEE, 40_00, "Credit card surcharge"), Verdict.HIGH),
        (charge(LineKind.FEE, 20_00, "Shop fee"), Verdict.FAIR),
        (charge(LineKind.FEE, 95_00, "Administration"), Verdict.HIGH),
        (charge(LineKind.FEE, 60_00, "Core charge"), Verdict.FAIR),
        (charge(LineKind.DISCOUNT, -20_00, "Coupon"), Verdict.FAIR),
    ],
)
def test_assess_charge_compares_with_the_usual_charge(line: QuoteLine, verdict: Verdict) -> None:
    found = assessed(line)

    assert found.verdict is verdict
    assert found.reason.text.endswith(".")
    assert found.low <= found.average <= found.high


def test_assess_charge_leaves_repairs_and_parts_to_the_book() -> None:
    for kind in (LineKind.REPAIR, LineKind.PART):
        assert assess_charge(QuoteLine(kind=kind, total=5_00), kind, USUAL, of(PADS)) is None


def test_tax_of_an_unlisted_place_is_not_assessed() -> None:
    assert assess_charge(charge(LineKind.TAX, 5_00), LineKind.TAX, USUAL, of(PADS, tax=None)) is None


def test_tax_where_no_tax_is_due_is_very_high() -> None:
    oregon = shipped_sales_taxes().find("OR")

    price = assessed(charge(LineKind.TAX, 1_00), tax=oregon)

    assert (price.low, price.average, price.high, price.verdict) == (0, 0, 0, Verdict.VERY_HIGH)


def test_tax_includes_labor_only_where_the_state_taxes_it() -> None:
    taxed = shipped_sales_taxes().find("OH")
    line = charge(LineKind.TAX, 36_00)

    assert assessed(line).verdict is Verdict.HIGH
    assert assessed(line, tax=taxed).verdict is Verdict.FAIR


def test_tax_of_an_unsplit_line_has_a_wide_range() -> None:
    split = assessed(charge(LineKind.TAX, 1))
    unsplit = assessed(charge(LineKind.TAX, 1), QuoteLine(total=500_00, description="front pads"))

    assert unsplit.low < split.low
    assert unsplit.high > split.high


@pytest.mark.parametrize(
    ("total", "verdict"), [(1, "fair"), (30_00, "fair"), (40_00, "fair"), (41_00, "high")]
)
def test_tax_of_an_unsplit_line_is_questioned_only_outside_that_range(total: int, verdict: str) -> None:
    unsplit = QuoteLine(total=500_00, labor_hours=2.0, description="front pads")

    assert assessed(charge(LineKind.TAX, total), unsplit).verdict == verdict


def test_tax_of_a_line_with_hours_and_a_rate_is_on_the_rest() -> None:
    split = QuoteLine(total=500_00, labor_hours=2.0, labor_rate=150_00, description="front pads")

    assert assessed(charge(LineKind.TAX, 16_00), split).verdict is Verdict.FAIR
    assert assessed(charge(LineKind.TAX, 17_00), split).verdict is Verdict.HIGH


def test_discount_lowers_the_tax_due() -> None:
    coupon = charge(LineKind.DISCOUNT, -250_00, "Coupon")

    assert assessed(charge(LineKind.TAX, 1), PADS, coupon).low < assessed(charge(LineKind.TAX, 1)).low


@given(
    kind=st.sampled_from([LineKind.TAX, LineKind.SUPPLIES, LineKind.FEE, LineKind.DIAGNOSIS]),
    total=st.integers(1, 1000_00),
    more=st.integers(1, 1000_00),
)
def test_assess_charge_never_gives_a_higher_charge_a_milder_verdict(
    kind: LineKind, total: int, more: int
) -> None:
    order = [Verdict.FAIR, Verdict.HIGH, Verdict.VERY_HIGH]
    lower, higher = (
        assess_charge(charge(kind, amount, "fee"), kind, USUAL, of(PADS)) for amount in (total, total + more)
    )

    assert lower is not None
    assert higher is not None
    assert order.index(lower.verdict) <= order.index(higher.verdict)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("EPA fee", "hazardous waste and environmental fee"),
        ("Haz. disposal", "hazardous waste and environmental fee"),
        ("Road hazard 4 tires", "road hazard protection"),
        ("Used oil disposal", "oil disposal"),
        ("State battery fee", "state battery or tire fee"),
        ("Tire disposal", "tire disposal"),
        ("CC fee", "card surcharge"),
        ("Core deposit", "core charge"),
        ("Towing", "towing"),
        ("Freon recovery", "refrigerant recovery"),
        ("Administration fee", "fee"),
        ("", "fee"),
    ],
)
def test_fee_is_found_by_its_words(words: str, name: str) -> None:
    assert USUAL.fee(words).name == name


def test_every_entry_has_a_source() -> None:
    assert all(fee.source for fee in USUAL.fees)
    assert USUAL.supplies.source
    assert USUAL.diagnosis.source


TABLE = """
year = 2025
[supplies]
low_percent = 5
high_percent = 10
low_cap = 35
high_cap = 50
source = "editorial"
[diagnosis]
low_hours = 0.5
high_hours = 1.5
source = "editorial"
[[fee]]
name = "fee"
words = [""]
low = 1
high = 5
source = "editorial"
"""


@pytest.mark.parametrize(
    "text",
    [
        "year = 2025",
        TABLE.replace('words = [""]', 'words = ["x"]'),
        TABLE.replace("high = 5", "high = 0.5"),
        TABLE.replace("low_percent = 5", "low_percent = 50"),
        TABLE.replace("low_hours = 0.5", "low_hours = -1"),
        TABLE.replace('name = "fee"', ""),
        TABLE.replace("low = 1", 'low = "one"'),
    ],
)
def test_impossible_table_is_refused(text: str) -> None:
    usual_charges(TABLE)
    with pytest.raises(ValueError, match=r"."):
        usual_charges(text)


def test_supplies_are_compared_with_the_most_labor_a_quote_may_have() -> None:
    unsplit = QuoteLine(total=289_95, description="front pads")
    supplies = charge(LineKind.SUPPLIES, 14_50)

    assert assessed(supplies, unsplit).verdict is Verdict.FAIR
    assert assessed(charge(LineKind.SUPPLIES, 30_00), unsplit).verdict is Verdict.HIGH
