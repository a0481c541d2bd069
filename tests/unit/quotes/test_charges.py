from decimal import Decimal
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.quote_charges import shipped_usual_charges, usual_charges
from repaircore.adapters.shipped.sales_taxes import shipped_sales_taxes
from repaircore.facilities.sales_taxes import LaborTax, SalesTax
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.charges import Basis, UsualFee, UsualSupplies, assess_charge, basis
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


def repair(
    total: int, parts: int | None = None, hours: float | None = None, rate: int | None = None
) -> QuoteLine:
    return QuoteLine(total=total, parts_total=parts, labor_hours=hours, labor_rate=rate, kind=LineKind.REPAIR)


@pytest.mark.parametrize(
    ("lines", "parts", "labor", "is_split"),
    [
        ([], (0, 0, 0), (0, 0, 0), True),
        ([(repair(500_00, 200_00), None)], (200_00,) * 3, (300_00,) * 3, True),
        ([(repair(500_00, 0), None)], (0,) * 3, (500_00,) * 3, True),
        ([(repair(500_00, None, 2.0, 150_00), None)], (200_00,) * 3, (300_00,) * 3, True),
        ([(repair(200_00, None, 2.0, 150_00), None)], (0,) * 3, (200_00,) * 3, True),
        ([(repair(1000_00), None)], (250_00, 500_00, 800_00), (750_00, 500_00, 200_00), False),
        ([(repair(1000_00), 0.4)], (280_00, 400_00, 540_00), (720_00, 600_00, 460_00), False),
        ([(repair(1000_00), 0.9)], (630_00, 900_00, 1000_00), (370_00, 100_00, 0), False),
        ([(repair(1000_00, None, 2.0), 0.4)], (280_00, 400_00, 540_00), (720_00, 600_00, 460_00), False),
        ([(repair(1000_00, None, None, 150_00), 0.4)], (280_00, 400_00, 540_00), (720_00, 600_00, 460_00), False),
        ([(repair(1000_00, None, 0.0, 150_00), 0.4)], (280_00, 400_00, 540_00), (720_00, 600_00, 460_00), False),
        ([(charge(LineKind.PART, 80_00), None)], (80_00,) * 3, (0,) * 3, True),
        ([(charge(LineKind.DIAGNOSIS, 150_00), None)], (0,) * 3, (150_00,) * 3, True),
        ([(charge(LineKind.TAX, 20_00), None), (charge(LineKind.FEE, 9_00), None)], (0,) * 3, (0,) * 3, True),
        (
            [(repair(500_00, 200_00), None), (repair(100_00, 40_00), None)],
            (240_00,) * 3,
            (360_00,) * 3,
            True,
        ),
        (
            [(repair(500_00, 200_00), None), (charge(LineKind.DISCOUNT, -50_00), None)],
            (180_00, 180_00, 200_00),
            (270_00, 270_00, 300_00),
            True,
        ),
        (
            [(repair(1000_00), None), (charge(LineKind.DISCOUNT, -100_00), None)],
            (225_00, 450_00, 800_00),
            (675_00, 450_00, 200_00),
            False,
        ),
        (
            [(repair(500_00, 200_00), None), (charge(LineKind.DISCOUNT, -600_00), None)],
            (0, 0, 200_00),
            (0, 0, 300_00),
            True,
        ),
        ([(repair(1, 1), None), (charge(LineKind.DISCOUNT, -1), None)], (0, 0, 1), (0, 0, 0), True),
        ([(charge(LineKind.DISCOUNT, -50_00), None)], (0,) * 3, (0,) * 3, True),
    ],
)  # fmt: skip
def test_basis_splits_a_quote_into_parts_and_labor(
    lines: list[tuple[QuoteLine, float | None]],
    parts: tuple[int, int, int],
    labor: tuple[int, int, int],
    is_split: bool,  # noqa: FBT001 - a column of the table
) -> None:
    found = basis(
        [(line, line.actual_kind, share) for line, share in lines], rate=150_00, state="XX", tax=TAX
    )

    assert (found.parts, found.labor, found.is_split) == (parts, labor, is_split)
    assert found.repairs == parts[1] + labor[1]


@pytest.mark.parametrize(
    ("charges", "other"),
    [
        ([], 0),
        ([charge(LineKind.SUPPLIES, 30_00)], 30_00),
        ([charge(LineKind.SUPPLIES, 30_00), charge(LineKind.FEE, 10_00)], 40_00),
        ([charge(LineKind.FEE, 10_00), charge(LineKind.TAX, 20_00), charge(LineKind.DISCOUNT, -5_00)], 10_00),
        ([charge(LineKind.FEE, -10_00)], 0),
    ],
)
def test_basis_counts_supplies_and_fees_apart_from_repairs(charges: list[QuoteLine], other: int) -> None:
    assert of(PADS, *charges).other == other


@pytest.mark.parametrize(
    ("fee", "repairs", "usual"),
    [
        ({"low": 10_00, "high": 35_00}, 1000_00, (10_00, 22_50, 35_00)),
        ({"low": 10_00, "high": 35_00, "low_percent": 2.0}, 1000_00, (10_00, 22_50, 35_00)),
        ({"low": 10_00, "high": 35_00, "high_percent": 2.0}, 1000_00, (10_00, 22_50, 35_00)),
        ({"low_percent": 2.0, "high_percent": 4.0}, 1000_00, (20_00, 30_00, 40_00)),
        ({"low_percent": 2.0, "high_percent": 4.0, "cap": 30_00}, 1000_00, (20_00, 25_00, 30_00)),
        ({"low_percent": 2.0, "high_percent": 4.0, "cap": 15_00}, 1000_00, (15_00, 15_00, 15_00)),
        ({"low_percent": 2.0, "high_percent": 4.0, "cap": 50_00}, 1000_00, (20_00, 30_00, 40_00)),
    ],
)
def test_usual_fee_is_an_amount_or_a_percentage_up_to_a_cap(
    fee: dict[str, Any], repairs: int, usual: tuple[int, int, int]
) -> None:
    found = UsualFee(name="fee", words=("",), source="editorial", **fee).range(repairs)

    assert (found.low, found.average, found.high) == usual


SUPPLIES = UsualSupplies(
    low_percent=5.0, high_percent=10.0, low_cap=30_00, high_cap=80_00, source="editorial"
)


@pytest.mark.parametrize(
    ("labor", "usual"),
    [
        (0, (0, 0, 0)),
        (400_00, (20_00, 30_00, 40_00)),
        (600_00, (30_00, 45_00, 60_00)),
        (700_00, (30_00, 50_00, 70_00)),
        (2000_00, (30_00, 55_00, 80_00)),
    ],
)
def test_usual_supplies_are_a_percentage_of_the_labor_up_to_a_cap(
    labor: int, usual: tuple[int, int, int]
) -> None:
    found = SUPPLIES.range(labor)

    assert (found.low, found.average, found.high) == usual


def priced(line: QuoteLine, *others: QuoteLine, tax: SalesTax = TAX) -> tuple[int, int, int]:
    found = assess_charge(
        line, line.actual_kind, evolve(USUAL, supplies=SUPPLIES), of(line, *others, tax=tax)
    )
    assert found is not None
    return found.low, found.average, found.high


def test_supplies_of_an_unsplit_quote_range_from_its_least_labor_to_its_most() -> None:
    supplies = charge(LineKind.SUPPLIES, 20_00)

    assert priced(supplies, repair(500_00, 100_00)) == (20_00, 30_00, 40_00)
    assert priced(supplies, repair(1000_00)) == (10_00, 42_50, 75_00)


TAXED = evolve(TAX, labor=LaborTax.TAXED)
LABOR_ALONE = evolve(TAXED, parts=False)


@pytest.mark.parametrize(
    ("tax", "lines", "usual"),
    [
        (TAX, [repair(500_00, 200_00)], (10_00, 12_00, 16_21)),
        (TAXED, [repair(500_00, 200_00)], (25_00, 30_00, 40_45)),
        (TAX, [repair(500_00, 200_00), charge(LineKind.FEE, 40_00)], (10_00, 12_00, 19_44)),
        (TAX, [repair(1000_00)], (12_50, 30_00, 80_85)),
        (TAX, [repair(1000_00), charge(LineKind.FEE, 40_00)], (12_50, 30_00, 84_08)),
        (TAXED, [repair(1000_00)], (50_00, 60_00, 80_85)),
        (LABOR_ALONE, [repair(1000_00)], (10_00, 30_00, 60_65)),
        (TAX, [repair(500_00, 200_00), charge(LineKind.DISCOUNT, -250_00)], (5_00, 6_00, 16_21)),
    ],
)
def test_tax_ranges_from_the_lowest_rate_on_the_least_to_the_highest_on_the_most(
    tax: SalesTax, lines: list[QuoteLine], usual: tuple[int, int, int]
) -> None:
    assert priced(charge(LineKind.TAX, 1), *lines, tax=tax) == usual


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (charge(LineKind.TAX, 16_21), "Sales tax on this quote comes to $10.00 to $16.21. XX sales tax on"),
        (charge(LineKind.TAX, 16_22), "Sales tax on this quote comes to $10.00 to $16.21; this is $0.01 more. XX"),
        (charge(LineKind.FEE, 20_00, "Administration"), "An unnamed fee: $"),
        (charge(LineKind.FEE, 20_00, "Core charge"), "Core charge: $"),
        (charge(LineKind.DISCOUNT, -20_00, "Coupon"), "Takes $20.00 off the quote."),
        (charge(LineKind.SUPPLIES, 20_00), "Shops usually charge 5 to 10% of the labor, up to $80: $15 to $30 here."),
        (
            charge(LineKind.SUPPLIES, 31_00),
            "Shops usually charge 5 to 10% of the labor, up to $80: $15 to $30 here; this is $1.00 more.",
        ),
    ],
)  # fmt: skip
def test_reason_of_a_charge_states_its_usual_range_and_what_exceeds_it(line: QuoteLine, text: str) -> None:
    found = assess_charge(line, line.actual_kind, evolve(USUAL, supplies=SUPPLIES), of(line, PADS))

    assert found is not None
    assert found.reason.text.startswith(text)
