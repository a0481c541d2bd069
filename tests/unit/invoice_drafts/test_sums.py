"""Sums of an invoice that do not match, in words."""

from typing import Any

import pytest
from attrs import evolve

from repaircore.invoice_drafts.model import DraftInvoice, DraftLine
from repaircore.invoice_drafts.sums import lines_that_differ, sums_that_differ
from repaircore.quote_text.kinds import LineKind

LINE = DraftLine(
    kind=LineKind.REPAIR,
    description="Alternator",
    labor_hours=2.0,
    labor_rate=100_00,
    parts_total=300_00,
    total=500_00,
)
TAX = DraftLine(kind=LineKind.TAX, description="Tax", total=40_00)
FEE = DraftLine(kind=LineKind.FEE, description="Fee", total=10_00)


def sentences(*lines: DraftLine, **sums: int) -> tuple[str, ...]:
    return sums_that_differ(DraftInvoice(lines=lines, **sums))  # type: ignore[arg-type] # only sums


def test_line_whose_labor_and_parts_do_not_add_up_is_named_by_its_place() -> None:
    invoice = DraftInvoice(lines=(LINE, evolve(LINE, total=510_00)))
    sentence = "Line 2: labor and parts add up to $500.00, but the line says $510.00."

    assert lines_that_differ(invoice) == sums_that_differ(invoice) == (sentence,)


@pytest.mark.parametrize(
    ("total", "differs"), [(504_00, 0), (504_04, 0), (504_05, 1), (503_96, 0), (503_95, 1)]
)
def test_line_may_lose_two_cents_and_one_for_each_hour(total: int, differs: int) -> None:
    line = evolve(LINE, parts_total=304_00, total=total)

    assert len(lines_that_differ(DraftInvoice(lines=(line,)))) == differs


@pytest.mark.parametrize(("total", "differs"), [(200_04, 0), (200_05, 1), (199_96, 0), (199_95, 1)])
def test_line_of_labor_alone_may_lose_as_much(total: int, differs: int) -> None:
    line = evolve(LINE, parts_total=0, total=total)

    assert len(lines_that_differ(DraftInvoice(lines=(line,)))) == differs


@pytest.mark.parametrize("changes", [{"labor_hours": None}, {"parts_total": None}, {"kind": LineKind.FEE}])
def test_line_without_labor_or_parts_is_not_compared(changes: dict[str, Any]) -> None:
    assert sentences(evolve(LINE, total=900_00, **changes)) == ()


@pytest.mark.parametrize(
    ("sums", "said"),
    [
        ({}, ()),
        ({"total": 550_02, "subtotal": 509_98}, ()),
        ({"total": 550_03}, ("The lines add up to $550.00, but the invoice says $550.03.",)),
        ({"total": 549_97}, ("The lines add up to $550.00, but the invoice says $549.97.",)),
        ({"subtotal": 510_03}, ("Before tax the lines add up to $510.00, but the invoice says $510.03.",)),
        ({"subtotal": 500_02}, ()),
        ({"subtotal": 500_03}, ("Before tax the lines add up to $510.00, but the invoice says $500.03.",)),
    ],
)
def test_total_has_all_lines_and_subtotal_those_before_tax_or_only_the_work(
    sums: dict[str, int], said: tuple[str, ...]
) -> None:
    assert sentences(LINE, TAX, FEE, **sums) == said


def test_sum_below_zero_has_a_minus_sign() -> None:
    discount = DraftLine(kind=LineKind.DISCOUNT, description="Coupon", total=-20_00)

    assert sentences(discount, total=0) == (
        "The lines add up to \N{MINUS SIGN}$20.00, but the invoice says $0.00.",
    )
