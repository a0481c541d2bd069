from decimal import Decimal

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.sales_taxes import LaborTax, SalesTax, SalesTaxes
from repaircore.kernel.money import PriceRange

MONEY = st.integers(0, 100_000_00)
FLORIDA = SalesTax(
    state="FL",
    rate=6,
    average=7,
    highest=8,
    parts=True,
    labor=LaborTax.WITH_PARTS,
    source="editorial",
    year=2025,
)
TAXES = SalesTaxes(by_state={"FL": FLORIDA}, source="editorial", year=2025)


@pytest.mark.parametrize(
    ("labor", "parts", "base"),
    [
        (LaborTax.TAXED, 100_00, 300_00),
        (LaborTax.TAXED, 0, 200_00),
        (LaborTax.EXEMPT, 100_00, 100_00),
        (LaborTax.EXEMPT, 0, 0),
        (LaborTax.WITH_PARTS, 100_00, 300_00),
        (LaborTax.WITH_PARTS, 0, 0),
    ],
)
def test_base_has_what_the_state_taxes(labor: LaborTax, parts: int, base: int) -> None:
    assert evolve(FLORIDA, labor=labor).base(parts, 200_00) == base


def test_tax_is_at_the_average_rate_between_the_states_and_the_highest() -> None:
    assert TAXES.tax("FL", 100_00, 200_00) == PriceRange(low=18_00, average=21_00, high=24_00)


def test_tax_rounds_halves_up() -> None:
    assert evolve(FLORIDA, average=Decimal("7.5")).tax(1_00, 0).average == 8


def test_unlisted_place_has_no_tax() -> None:
    assert TAXES.tax("AE", 100_00, 0) is None


def test_known_rate_replaces_all_three() -> None:
    assert FLORIDA.at(Decimal("7.25")).tax(100_00, 0) == PriceRange(low=7_25, average=7_25, high=7_25)


@pytest.mark.parametrize(
    ("taxes_parts", "percent", "expected"),
    [(False, 0, False), (False, Decimal("0.5"), True), (False, 1, True), (True, 0, True)],
)
def test_city_that_taxes_anything_taxes_parts(
    *, taxes_parts: bool, percent: int | Decimal, expected: bool
) -> None:
    assert evolve(FLORIDA, parts=taxes_parts).at(percent).parts is expected


@pytest.mark.parametrize(("parts", "labor", "base"), [(0, 200, 0), (1, 200, 201), (1, 0, 1)])
def test_labor_is_taxed_with_the_least_part(parts: int, labor: int, base: int) -> None:
    assert FLORIDA.base(parts, labor) == base
    assert evolve(FLORIDA, parts=False).base(parts, labor) == base - parts


def test_text_of_one_rate_names_no_range() -> None:
    assert FLORIDA.at(Decimal("7.50")).text == (
        "FL sales tax on parts, and labor on a bill with parts: 7.5%, as of 2025."
    )
    assert evolve(FLORIDA, rate=0, average=0, highest=0, note="No tax here").text == "FL: No tax here."
    assert evolve(FLORIDA, labor=LaborTax.EXEMPT, average=10).text.endswith(
        "repair labor is not taxed: 10% on average, 6% to 8% depending on location, as of 2025."
    )


def test_text_names_what_is_taxed_and_the_rate() -> None:
    assert FLORIDA.text == (
        "FL sales tax on parts, and labor on a bill with parts: 7% on average, 6% to 8% depending on location, as of 2025."
    )
    assert evolve(FLORIDA, rate=0, average=0, highest=0, note="").text == "FL: no sales tax."


@given(parts=MONEY, labor=MONEY)
def test_tax_is_ordered_and_never_above_the_bill(parts: int, labor: int) -> None:
    tax = FLORIDA.tax(parts, labor)

    assert 0 <= tax.low <= tax.average <= tax.high <= parts + labor
