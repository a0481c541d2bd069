import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.reader import read_quote


def lines(text: str) -> list[tuple[str, int, str | None]]:
    return [(str(line.kind), line.total, line.description) for line in read_quote(text).lines]


def only(text: str) -> QuoteLine:
    (line,) = read_quote(text).lines
    return line


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("Front brake pads $320", 320_00),
        ("Front brake pads 320", 320_00),
        ("Front brake pads ... 1,320.50", 1320_50),
        ("- Front brake pads: $320.00 T", 320_00),
        ("[URGENT] Front brake pads 2 x $160.00 = $320.00", 320_00),
        ("Front brake pads 1 320.00 320.00", 320_00),
        ("Front brake pads $ 32O.OO", 320_00),
        ("Front brake pads $ 320,00", 320_00),
        ("Front brake pads USD 320.00", 320_00),
        ("$320 front brake pads", 320_00),
        ("Front brake pads\n$320.00", 320_00),
        ("| Front brake pads | $320.00 |", 320_00),
        ("Front brake pads\t320.00", 320_00),
    ],
)
def test_read_quote_finds_the_amount_of_a_line(text: str, total: int) -> None:
    line = only(text)

    assert (line.total, line.kind) == (total, LineKind.REPAIR)
    assert (line.description or "").lower() == "front brake pads"


@pytest.mark.parametrize(
    "text",
    [
        "2015 Toyota Camry LE 2.5L",
        "VIN 4T1BF1FK5FU123456",
        "Mileage 118402",
        "(303) 555-0142",
        "1420 Maple St, Denver, CO 80205",
        "Date: 03/14/2026",
        "Estimate #20418",
        "Thank you!",
        "Front brake pads",
        "Courtesy inspection N/C",
        "Battery test 0.00",
        "",
        "\x00\x07\ufffe",
    ],
)
def test_read_quote_takes_no_other_number_for_a_price(text: str) -> None:
    assert read_quote(text).lines == ()


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("Coupon -$20", -20_00),
        ("Coupon 20.00-", -20_00),
        ("Coupon (20.00)", -20_00),
        ("Coupon $20.00", -20_00),
        ("Coupon −$20.00", -20_00),  # a minus sign, not a hyphen
    ],
)
def test_read_quote_makes_discounts_negative(text: str, total: int) -> None:
    line = only(text)

    assert (line.kind, line.total) == (LineKind.DISCOUNT, total)


@pytest.mark.parametrize(
    "text",
    [
        "Labor R&R alternator 1.5 hrs @ $160.00   240.00\n  Alternator   300.00",
        "R&R alternator   1.5h @160   240.00\n   reman alternator   300.00",
        "Alternator   300.00\nLABOR - ALTERNATOR   1.5   160.00   240.00",
        "Job: Alternator\nHours: 1.5\nRate: $160\nLabor: $240.00\nParts: $300.00\nTotal: $540.00",
        "Alternator - parts $300, labor 1.5 hrs $240 = $540",
        "PARTS\nAlternator  1  300.00  300.00\nLABOR\nReplace alternator  1.5  160.00  240.00",
        "A  REPLACE ALTERNATOR\n     LABOR   1.5   240.00\n     ALTERNATOR ASSY  300.00\n   SUBTOTAL A   540.00",
    ],
)
def test_read_quote_groups_labor_and_parts_of_a_job(text: str) -> None:
    line = only(text)

    assert (line.kind, line.total, line.parts_total) == (LineKind.REPAIR, 540_00, 300_00)
    assert line.labor_hours == 1.5
    assert line.labor_rate in {None, 160_00}


def test_read_quote_splits_prose_into_its_items() -> None:
    found = lines("needs a front wheel bearing $485, an alignment $129 and a thermostat $310. tax about $38")

    assert [(kind, total) for kind, total, _ in found] == [
        ("repair", 485_00),
        ("repair", 129_00),
        ("repair", 310_00),
        ("tax", 38_00),
    ]


def test_read_quote_leaves_out_what_a_summary_repeats() -> None:
    found = read_quote(
        "Front brake pads 300.00\nShop supplies 12.00\nTax 9.00\nShop supplies 12.00\nSubtotal 312.00\nTax 9.00\nTotal 321.00"
    )

    assert [line.total for line in found.lines] == [300_00, 12_00, 9_00]
    assert (found.stated_subtotal, found.stated_tax, found.stated_total) == (312_00, 9_00, 321_00)
    assert (found.sums_meet, found.difference) == (True, 0)


def test_read_quote_says_when_the_sums_do_not_meet() -> None:
    found = read_quote("Front brake pads 300.00\nTax 9.00\nTotal 329.00")

    assert (found.sums_meet, found.difference) == (False, 20_00)


def test_read_quote_states_no_sums_where_there_are_none() -> None:
    found = read_quote("Front brake pads 300.00")

    assert (found.stated_total, found.sums_meet, found.difference) == (None, None, None)


def test_read_quote_takes_dashes_before_every_amount_for_separators() -> None:
    found = read_quote("front pads -$320\nrear pads -$300\nalternator -$600")

    assert [(line.kind, line.total) for line in found.lines] == [
        (LineKind.REPAIR, 320_00),
        (LineKind.REPAIR, 300_00),
        (LineKind.REPAIR, 600_00),
    ]


def test_read_quote_finds_the_vehicle_and_the_place() -> None:
    hints = read_quote(
        "2003 Honda Accord EX  VIN: 1HGCM82633A004352\nMileage: 118,402\n12 Main St, Denver, CO 80205\nPads $300"
    ).hints

    assert (hints.vin, hints.zip_code, hints.odometer) == ("1HGCM82633A004352", "80205", 118_402)
    assert hints.vehicle == "2003 Honda Accord EX"


def test_read_quote_repairs_a_vin_that_was_misread() -> None:
    assert read_quote("VIN 1HGCM82633AOO4352").hints.vin == "1HGCM82633A004352"


TEXTS = st.text(max_size=400) | st.lists(
    st.sampled_from(
        [
            "Labor",
            "Parts",
            "Total",
            "Description Qty Parts Hours Rate Labor Total\n",
            "Tax",
            "front pads",
            "$5",
            "9.99",
            "2 x",
            "1.5 hrs",
            "@",
            "\n",
            "  ",
            "-",
            "(3.00)",
            "A",
            "%",
            "=",
            ":",
        ]
    ),
    max_size=60,
).map(" ".join)


@given(TEXTS)
def test_read_quote_reads_any_text_into_lines_that_hold_together(text: str) -> None:
    for line in read_quote(text).lines:
        assert line.total != 0
        assert (line.total < 0) == (line.kind is LineKind.DISCOUNT)
        assert line.parts_total is None or 0 <= line.parts_total <= line.total
        assert line.labor_hours is None or 0 <= line.labor_hours <= 1000
        assert line.labor_rate is None or line.labor_rate >= 0
        assert 0 < len(line.description or "") <= 200
        assert not set(line.description or "") & set("\0\n")


@given(st.text(alphabet=string.ascii_letters + " ", min_size=1, max_size=30), st.integers(10_00, 9_999_99))
def test_read_quote_finds_any_sure_amount(words: str, amount: int) -> None:
    found = read_quote(f"Replace thermostat {words}   ${amount / 100:,.2f}")

    assert found.stated_total is not None or amount in {abs(line.total) for line in found.lines}


@pytest.mark.parametrize(
    "text",
    [
        "7" * 20_000,
        "7.77 " * 4_000,
        " " * 20_000,
        "|" * 20_000,
        "|1" * 10_000,
        "brakepad" * 2_500,
        "oilairtaxfeepad " * 1_250,
        "rn1l0O " * 2_800,
        "Description Qty Unit Price Hours Rate Labor Parts Total\n" + "ab 1 2 3 4\n" * 1_800,
        "Description,Qty,Price\n" + "1," * 9_900,
    ],
)
def test_read_quote_reads_long_texts_of_little_sense(text: str) -> None:
    assert len(read_quote(text[:20_000]).lines) <= 10_000


@pytest.mark.parametrize(
    "line",
    [
        "Front brake pads and rotors   Parts 289.00  Labor 2.0 hrs @ 165 330.00   619.00",
        "Front brake pads and rotors (parts 289.00 + labor 330.00) 619.00",
    ],
)
def test_sum_at_the_end_of_a_line_is_its_total(line: str) -> None:
    (read,) = read_quote(line).lines

    assert (read.total, read.parts_total) == (619_00, 289_00)
