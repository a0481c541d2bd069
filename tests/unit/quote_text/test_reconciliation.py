import pytest
from attrs import evolve

from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import Label, QuoteHints, QuoteLine, Row
from repaircore.quote_text.reconciliation import Used, reconciled, unread_lines
from repaircore.quote_text.text_lines import TextLine


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


def option(amount: int, name: str) -> QuoteLine:
    return QuoteLine(total=amount, kind=LineKind.REPAIR, description=f"{name} pads")


@pytest.mark.parametrize(
    ("stated", "kept"),
    [
        (500_00, [300_00, 200_00]),
        (500_02, [300_00, 200_00]),
        (499_98, [300_00, 200_00]),
        (500_03, [300_00, 100_00, 200_00, 250_00]),
        (499_97, [300_00, 100_00, 200_00, 250_00]),
        (550_00, [300_00, 250_00]),
        (850_00, [300_00, 100_00, 200_00, 250_00]),
        (600_00, [300_00, 100_00, 200_00, 250_00]),
    ],
)
def test_only_the_option_that_makes_up_the_total_counts(stated: int, kept: list[int]) -> None:
    options = [option(100_00, "Good"), option(200_00, "Better"), option(250_00, "Best")]
    read = reconciled([repair(300_00), *options], [total(stated)], QuoteHints())

    assert [line.total for line in read.lines] == kept


def test_options_at_one_price_are_all_lines() -> None:
    options = [option(200_00, "Option A"), option(200_00, "Option B")]
    read = reconciled([repair(300_00), *options], [total(500_00)], QuoteHints())

    assert [line.total for line in read.lines] == [300_00, 200_00, 200_00]


def test_option_without_alternatives_is_a_line() -> None:
    read = reconciled([repair(300_00), option(200_00, "Best")], [total(500_00)], QuoteHints())

    assert (len(read.lines), read.sums_meet) == (2, True)


@pytest.mark.parametrize(
    ("lines", "sums", "expected"),
    [
        ([repair(300_00)], [], (None, None, None, None, None)),
        ([repair(300_00)], [total(310_00)], (None, None, 310_00, False, 10_00)),
        (
            [repair(300_00), charge(24_00, LineKind.TAX, "Tax")],
            [total(310_00, "Subtotal")],
            (310_00, 24_00, None, False, 10_00),
        ),
        (
            [repair(300_00), charge(24_00, LineKind.TAX, "Tax")],
            [total(300_00, "Subtotal"), total(324_00)],
            (300_00, 24_00, 324_00, True, 0),
        ),
        ([repair(300_00)], [total(0)], (None, None, None, None, None)),
    ],
)
def test_stated_sums_are_compared_with_the_lines(
    lines: list[QuoteLine], sums: list[Row], expected: tuple[object, ...]
) -> None:
    read = reconciled(lines, sums, QuoteHints())

    assert (
        read.stated_subtotal,
        read.stated_tax,
        read.stated_total,
        read.sums_meet,
        read.difference,
    ) == expected


USED = Used(
    amounts=frozenset({300_00, 45_00}),
    sums=frozenset({300_00}),
    hours=frozenset({24.0}),
    lines=frozenset({0}),
)


def unread(*texts: str, is_named: bool = True) -> tuple[str, ...]:
    lines = [TextLine(text, (), text) for text in texts]
    return unread_lines(lines, USED, lambda _: is_named)


@pytest.mark.parametrize(
    ("text", "is_unread"),
    [
        ("Pads $300.00", False),
        ("Pads $45.00", False),
        ("Pads $45.01", True),
        ("Pads $-45.00", False),
        ("Pads $0.00", False),
        ("Pads $300.00, rotors $45.00", False),
        ("Pads $300.00, rotors $46.00", True),
        ("6 days at 46.00 = 300.00", False),
        ("6 days at 46.00 = 276.00", True),
        ("Pads 20", True),
        ("Pads 19", False),
        ("Pads 20.0", True),
        ("Pads 19.9", False),
        ("Pads 24", False),  # hours that are in use
        ("Pads 300", False),
        ("Pads", False),
    ],
)
def test_amount_that_no_line_or_sum_uses_is_unread(text: str, *, is_unread: bool) -> None:
    assert bool(unread(text)) is is_unread


def test_line_without_a_row_may_only_repeat_a_sum() -> None:
    assert unread("Pads $45.00", "Pads $45.00 again", "Total $300.00") == ("Pads $45.00 again",)


def test_number_without_cents_is_an_amount_only_of_a_repair_or_a_charge() -> None:
    assert unread("Pads 20", "Shop supplies 20", is_named=False) == ("Shop supplies 20",)


def test_unread_lines_are_shortened_and_each_is_listed_once() -> None:
    long = f"Pads   {'x' * 300} $46.00"

    assert unread(long, long) == (f"Pads {'x' * 195}",)
    assert len(unread(*(f"Pads ${number}.00" for number in range(50, 80)))) == 20
