import pytest
from attrs import evolve

from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import Label, QuoteHints, QuoteLine, Row
from repaircore.quote_text.reconciliation import reconciled


def repair(total: int) -> QuoteLine:
    return QuoteLine(total=total, kind=LineKind.REPAIR, description="Pads")


def charge(total: int, kind: LineKind = LineKind.FEE, description: str = "Fee") -> QuoteLine:
    return QuoteLine(total=total, kind=kind, description=description)


def total(amount: int, description: str = "Total") -> Row:
    return Row(description=description, line=0, indent=0, amount=amount, label=Label.TOTAL)


@pytest.mark.parametrize(
    ("stated", "difference", "meet"),
    [(300_00, 0, True), (300_02, 2, True), (299_98, -2, True), (300_03, 3, False), (299_97, -3, False)],
)
def test_sums_meet_within_two_cents(stated: int, difference: int, *, meet: bool) -> None:
    read = reconciled([repair(300_00)], [total(stated)], QuoteHints())

    assert (read.stated_total, read.difference, read.sums_meet) == (stated, difference, meet)


def test_subtotal_is_compared_with_the_lines_before_tax() -> None:
    lines = [repair(300_00), charge(24_00, LineKind.TAX, "Tax"), charge(1_00, LineKind.TAX, "City tax")]

    read = reconciled(lines, [total(300_00, "Subtotal"), total(290_00, "Before tax")], QuoteHints())

    assert (read.stated_subtotal, read.stated_tax, read.stated_total) == (300_00, 25_00, None)
    assert (read.difference, read.sums_meet) == (0, True)


def test_total_is_the_largest_sum_that_is_no_subtotal() -> None:
    sums = [total(310_00), total(330_00, "Due"), total(320_00, "Balance"), total(900_00, "Subtotal")]

    assert reconciled([repair(330_00)], sums, QuoteHints()).stated_total == 330_00


def test_lines_of_nothing_are_left_out() -> None:
    assert reconciled([repair(0), repair(300_00)], [], QuoteHints()).lines == (repair(300_00),)


@pytest.mark.parametrize(
    ("stated", "count"), [(312_00, 2), (312_02, 2), (312_03, 3), (324_00, 3), (311_98, 2), (311_97, 3)]
)
def test_repeated_charge_counts_once_if_the_sum_is_right_then(stated: int, count: int) -> None:
    lines = [repair(300_00), charge(12_00), charge(12_00)]

    assert len(reconciled(lines, [total(stated)], QuoteHints()).lines) == count


@pytest.mark.parametrize(
    "again", [repair(12_00), charge(12_00, LineKind.PART, "Clamp"), charge(12_00, LineKind.TAX)]
)
def test_line_of_another_kind_or_of_work_is_no_repeat(again: QuoteLine) -> None:
    lines = [charge(12_00), repair(12_00), charge(12_00, LineKind.PART, "Clip"), again]

    assert len(reconciled(lines, [total(36_00)], QuoteHints()).lines) == 4


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [
        ((-1_00, -2_00, 3_00), (1_00, 2_00, 3_00)),
        ((-1_00, 2_00), (-1_00, 2_00)),
        ((-1_00, -2_00), (1_00, 2_00)),
        ((-1_00, 2_00, 3_00), (-1_00, 2_00, 3_00)),
    ],
)
def test_dashes_before_most_amounts_are_no_signs(amounts: tuple[int, ...], expected: tuple[int, ...]) -> None:
    lines = [
        evolve(repair(amount), kind=LineKind.DISCOUNT if amount < 0 else LineKind.REPAIR)
        for amount in amounts
    ]

    read = reconciled(lines, [], QuoteHints())

    assert tuple(line.total for line in read.lines) == expected
    assert all((line.kind is LineKind.DISCOUNT) == (line.total < 0) for line in read.lines)


def test_charge_with_a_dash_before_it_keeps_its_kind() -> None:
    tax = charge(-5_00, LineKind.DISCOUNT, "Tax")

    read = reconciled([repair(-1_00), repair(-2_00), tax], [], QuoteHints())

    assert [line.kind for line in read.lines] == [LineKind.REPAIR, LineKind.REPAIR, LineKind.TAX]


def test_discount_stays_negative_among_dashes() -> None:
    coupon = charge(-5_00, LineKind.DISCOUNT, "Coupon")

    read = reconciled([repair(-1_00), repair(-2_00), repair(-3_00), coupon], [], QuoteHints())

    assert [line.total for line in read.lines] == [1_00, 2_00, 3_00, -5_00]
