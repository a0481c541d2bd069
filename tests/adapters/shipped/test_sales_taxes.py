from decimal import Decimal

import pytest
import us

from repaircore.adapters.shipped.sales_taxes import sales_taxes, shipped_sales_taxes
from repaircore.facilities.sales_taxes import LaborTax
from repaircore.facilities.states import STATE_CODES

LINE = 'rate = 6, average = 7, highest = 8, labor = "taxed", source = "editorial"'


def test_every_state_and_territory_has_a_line() -> None:
    assert {state.abbr for state in us.states.STATES} | {"DC"} <= shipped_sales_taxes().by_state.keys()
    assert shipped_sales_taxes().by_state.keys() == STATE_CODES


@pytest.mark.parametrize("state", ["DE", "MT", "NH", "OR"])
def test_states_without_sales_tax_tax_nothing(state: str) -> None:
    tax = shipped_sales_taxes().tax(state, 500_00, 500_00)

    assert tax is not None
    assert (tax.low, tax.average, tax.high) == (0, 0, 0)


@pytest.mark.parametrize(
    ("state", "labor"),
    [
        ("NY", LaborTax.TAXED),
        ("OH", LaborTax.TAXED),
        ("WA", LaborTax.TAXED),
        ("TX", LaborTax.EXEMPT),
        ("CA", LaborTax.EXEMPT),
        ("NE", LaborTax.EXEMPT),
        ("FL", LaborTax.WITH_PARTS),
    ],
)
def test_line_states_whether_labor_is_taxed(state: str, labor: LaborTax) -> None:
    assert shipped_sales_taxes().by_state[state].labor is labor


def test_rates_are_parsed_exactly() -> None:
    assert shipped_sales_taxes().by_state["NY"].highest == Decimal("8.875")


def test_every_line_has_a_source_and_a_sentence() -> None:
    for tax in shipped_sales_taxes().by_state.values():
        assert tax.source
        assert tax.text.endswith(".")


@pytest.mark.parametrize(
    "line",
    [
        'labor = "taxed", source = "editorial"',
        LINE.replace("taxed", "sometimes"),
        LINE.replace("rate = 6", "rate = 7.5"),
        LINE.replace("highest = 8", "highest = 80"),
        LINE.replace("rate = 6", "rate = -1"),
        LINE.replace("rate = 6", 'rate = "six"'),
    ],
)
def test_impossible_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        sales_taxes(f'year = 2025\nsource = "editorial"\n[states]\nNY = {{ {line} }}\n')
