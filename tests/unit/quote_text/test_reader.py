import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.reader import read_quote
from repaircore.quotes.text_match import known_repairs

KNOWN = known_repairs(book().problems)


def lines(text: str) -> list[tuple[str, int, str | None]]:
    return [(str(line.kind), line.total, line.description) for line in read_quote(text).lines]


def only_line(text: str) -> QuoteLine:
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
    line = only_line(text)

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
def test_read_quote_mistakes_no_other_number_for_a_price(text: str) -> None:
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
    line = only_line(text)

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
    line = only_line(text)

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


def test_read_quote_skips_lines_repeated_in_a_summary() -> None:
    found = read_quote(
        "Front brake pads 300.00\nShop supplies 12.00\nTax 9.00\nShop supplies 12.00\nSubtotal 312.00\nTax 9.00\nTotal 321.00"
    )

    assert [line.total for line in found.lines] == [300_00, 12_00, 9_00]
    assert (found.stated_subtotal, found.stated_tax, found.stated_total) == (312_00, 9_00, 321_00)
    assert (found.sums_meet, found.difference) == (True, 0)


def test_read_quote_reports_sums_that_do_not_add_up() -> None:
    found = read_quote("Front brake pads 300.00\nTax 9.00\nTotal 329.00")

    assert (found.sums_meet, found.difference) == (False, 20_00)


def test_read_quote_without_sums_reports_none() -> None:
    found = read_quote("Front brake pads 300.00")

    assert (found.stated_total, found.sums_meet, found.difference) == (None, None, None)


def test_read_quote_treats_dashes_before_every_amount_as_separators() -> None:
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


def test_read_quote_corrects_a_misread_vin() -> None:
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
def test_read_quote_reads_any_text_into_consistent_lines(text: str) -> None:
    for line in read_quote(text).lines:
        assert line.total != 0
        assert (line.total < 0) == (line.kind is LineKind.DISCOUNT)
        assert line.parts_total is None or 0 <= line.parts_total <= line.total
        assert line.labor_hours is None or 0 <= line.labor_hours <= 1000
        assert line.labor_rate is None or line.labor_rate >= 0
        assert 0 < len(line.description or "") <= 200
        assert not set(line.description or "") & set("\0\n")


@given(st.text(alphabet=string.ascii_letters + " ", min_size=1, max_size=30), st.integers(10_00, 9_999_99))
def test_read_quote_finds_any_unambiguous_amount(words: str, amount: int) -> None:
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
def test_read_quote_reads_long_nonsense(text: str) -> None:
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


def known_lines(text: str) -> list[tuple[str, int, str | None]]:
    return [(str(line.kind), line.total, line.description) for line in read_quote(text, KNOWN).lines]


@pytest.mark.parametrize(
    "text",
    [
        "Alternator - parts $412, 2.5 hours labor $412.50 = $824.50",
        "Alternator: 412 parts + 2.5 hrs 412.50 labor = 824.50",
        "Alternator  parts 412.00  labor 2.5  412.50",
        "Alternator: $412 part + 2.5 hrs labor @ $165/hr = $824.50",
        "Alternator\n   Parts $412.00   Labor $412.50 (2.5)",
    ],
)
def test_read_quote_reads_parts_hours_and_labor_of_one_line(text: str) -> None:
    line = only_line(text)

    assert (line.kind, line.description) == (LineKind.REPAIR, "Alternator")
    assert (line.total, line.parts_total, line.labor_hours) == (824_50, 412_00, 2.5)


@pytest.mark.parametrize(
    ("text", "name", "total", "parts"),
    [
        (
            "for the alternator im at 480 all in, 310 for the part and 170 labor",
            "alternator",
            480_00,
            310_00,
        ),
        ("shop says 650 to replace the starter, 400 part 250 labor", "starter", 650_00, 400_00),
        ("Water pump: $950 total ($350 parts + $600 labor)", "Water pump", 950_00, 350_00),
        (
            "they want $1,240 for front struts and an alignment",
            "front struts and an alignment",
            1240_00,
            None,
        ),
        ("They quoted me $950 for a water pump. Is that fair?", "water pump", 950_00, None),
        ("my truck needs a intake gasket guy says 650 total", "intake gasket", 650_00, None),
    ],
)
def test_read_quote_finds_the_repair_of_a_sentence(
    text: str, name: str, total: int, parts: int | None
) -> None:
    (line,) = read_quote(text, KNOWN).lines

    assert (line.kind, line.description) == (LineKind.REPAIR, name)
    assert (line.total, line.parts_total) == (total, parts)


def test_read_quote_joins_parts_and_their_labor_into_one_repair() -> None:
    (line,) = read_quote("Front pads  89.00\nFront rotors (2)  140.00\nLabor 2.0 h  300.00", KNOWN).lines

    assert (line.kind, line.description) == (LineKind.REPAIR, "Front pads and Front rotors (2)")
    assert (line.total, line.parts_total, line.labor_hours) == (529_00, 229_00, 2.0)


def test_read_quote_adds_parts_to_the_labor_above_once_one_of_them_shares_its_name() -> None:
    labor = "Replace alternator 2.0 hrs 240.00"

    assert lines(f"{labor}\nAlternator 300.00\nBelt 40.00") == [("repair", 580_00, "Replace alternator")]
    assert lines(f"{labor}\nBelt 40.00") == [
        ("repair", 240_00, "Replace alternator"),
        ("repair", 40_00, "Belt"),
    ]


def test_read_quote_adds_no_labor_to_an_item_that_has_its_own() -> None:
    found = known_lines(
        "Alternator - parts $400, labor $300 = $700\nFront pads  89.00\nFront rotors  140.00\nLabor 2.0 h  300.00"
    )

    assert found == [("repair", 700_00, "Alternator"), ("repair", 529_00, "Front pads and Front rotors")]


def test_read_quote_keeps_parts_of_several_repairs_separate_from_their_labor() -> None:
    found = known_lines("Front pads  89.00\nFront rotors  140.00\nWater pump  120.00\nLabor 4.0 h  600.00")

    assert found == [
        ("part", 89_00, "Front pads"),
        ("part", 140_00, "Front rotors"),
        ("part", 120_00, "Water pump"),
        ("repair", 600_00, "Labor"),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Front lower control\narm replacement, left   $412.00", "Front lower control arm replacement, left"),
        ("Rear brake\npads   $412.00", "Rear brake pads"),
        ("Replace serpentine belt and\n   tensioner   $412.00", "Replace serpentine belt and tensioner"),
        ("Replace serpentine belt and   $412.00\n   tensioner", "Replace serpentine belt and tensioner"),
    ],
)
def test_read_quote_joins_a_name_split_over_two_lines(text: str, name: str) -> None:
    assert known_lines(text) == [("repair", 412_00, name)]
    assert known_lines(f"{text}\nWiper blades   $20.00")[0] == ("repair", 412_00, name)


@pytest.mark.parametrize("rest", ["pads 89.00", "Water pump 89.00"])
def test_read_quote_joins_no_names_of_different_rows(rest: str) -> None:
    found = known_lines(f"Brakes\n{rest}\nThermostat 50.00")

    assert [total for _, total, _ in found] == [89_00, 50_00]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Alternator\nShop supplies 20.00", ("supplies", 20_00, "Shop supplies")),
        ("Alternator 300.00\nHazardous waste", ("repair", 300_00, "Alternator")),
        ("Sales tax\nAlternator 300.00", ("repair", 300_00, "Alternator")),
        ("Starter and\nSales tax 20.00", ("tax", 20_00, "Sales tax")),
        ("Disposal fee 5.00\nalternator", ("fee", 5_00, "Disposal fee")),
    ],
)
def test_read_quote_joins_no_charge_with_the_row_above_or_below(
    text: str, line: tuple[str, int, str]
) -> None:
    assert known_lines(text) == [line]


@pytest.mark.parametrize(
    "text",
    [
        "Alternator 400.00\nStarter 300.00   declined",
        "Alternator 400.00\nStarter 300.00  (not today)",
        "Alternator 400.00\nStarter 300.00 NOT INCLUDED",
        "Alternator 400.00\nDECLINED:\nStarter 300.00",
    ],
)
def test_read_quote_skips_declined_lines(text: str) -> None:
    assert known_lines(text) == [("repair", 400_00, "Alternator")]


def test_read_quote_mistakes_no_whole_number_of_a_heading_for_an_amount() -> None:
    found = known_lines(
        "TRUCK CENTER WO 118204\nAlternator 400.00\nStarter 300.00\nThermostat 50.00\ntax - 45"
    )

    assert [(kind, total) for kind, total, _ in found] == [
        ("repair", 400_00),
        ("repair", 300_00),
        ("repair", 50_00),
        ("tax", 45_00),
    ]


def test_read_quote_takes_an_unlabeled_sum_as_the_total() -> None:
    found = read_quote("Alternator 400.00\nTax 20.00\n                 420.00")

    assert (found.stated_total, found.sums_meet) == (420_00, True)


@pytest.mark.parametrize(
    ("misread", "total"),
    [("ALTERNAT0R   l2O.OO", 120_00), ("ALTERNAT0R   1 2O.OO", 120_00), ("ALTERNAT0R   25Z.O0", 252_00)],
)
def test_read_quote_corrects_misrecognized_amounts(misread: str, total: int) -> None:
    found = read_quote(f"{misread}\nSTARTER   3OO.0O\nTAX   l0.O0", KNOWN)

    assert found.lines[0].total == total


@given(st.text(alphabet="abcdeloSBZ 0123456789.,$:()=\n-+@", max_size=300))
def test_read_quote_reads_any_text(text: str) -> None:
    found = read_quote(text, KNOWN)

    assert all(line.total for line in found.lines)


def test_read_quote_keeps_the_choice_that_adds_up() -> None:
    found = read_quote(
        "Front brakes. Options:\n  GOOD    Value pads  289.95\n  BETTER  Ceramic pads  459.95\n  BEST    Pads and rotors  619.95\n"
        "Supplies 22.00\nTotal 481.95",
        KNOWN,
    )

    assert [line.total for line in found.lines] == [459_95, 22_00]
    assert found.sums_meet


def test_read_quote_reads_labels_in_spanish() -> None:
    (line,) = read_quote("Bomba de agua   parte 95   mano de obra 180", KNOWN).lines

    assert (line.total, line.parts_total) == (275_00, 95_00)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Front brake pads and rotors 2.0 h 579.00", None),
        ("Front brake pads and rotors 2.0 h @ $150/h 579.00", None),
        ("Replace front brakes 2.0 579.00", None),
        ("Front brake pads and rotors 2.0 h @ $150/h 300.00", 0),
        ("Front brake pads and rotors labor 2.0 h 300.00", 0),
    ],
)
def test_parts_are_unknown_where_an_amount_with_hours_may_include_some(text: str, parts: int | None) -> None:
    line, _ = read_quote(f"{text}\nSales tax 22.00").lines

    assert line.labor_hours == 2
    assert line.parts_total == parts


@pytest.mark.parametrize(
    ("text", "parts", "name"),
    [
        ("Front brake pads and rotors  parts 289.00  2.0 h  $579.00", 289_00, "Front brake pads and rotors"),
        ("labor 2.0 h parts 250.00 total 579.00", 250_00, "Line without a description"),
        ("Front brakes\nlabor 2.0 h parts 250.00 total 579.00", 250_00, "Front brakes"),
        ("Front brakes labor 2.0 h, parts 250, total 579", 250_00, "Front brakes"),
        ("Front brakes 2.0 h @ $145/h parts 289.00 total 579.00", 289_00, "Front brakes"),
        ("Front brakes parts 250.00 total 579.00", 250_00, "Front brakes"),
    ],
)
def test_read_quote_reads_parts_and_their_total_as_one_line(text: str, parts: int, name: str) -> None:
    read = read_quote(f"{text}\nOil change 89.99")

    assert [line.total for line in read.lines] == [579_00, 89_99]
    assert read.lines[0].parts_total == parts
    assert read.lines[0].description == name


def test_parts_and_total_of_a_whole_quote_are_no_line() -> None:
    read = read_quote("Parts 250.00 total 579.00")

    assert read.lines == ()
    assert read.stated_total == 579_00


@pytest.mark.parametrize(
    "text",
    ["tax 67.2", "Sales tax: $67.2", "Tax (8.2%) 67.2", "67.2 tax", "tax is 67.2.", "Tax ........ 67.2", "67.2 dollars tax"],
)  # fmt: skip
def test_read_quote_reads_an_amount_with_one_decimal_next_to_a_label(text: str) -> None:
    _, tax = read_quote(f"Front brake pads 300.00\n{text}").lines

    assert (tax.kind, tax.total) == (LineKind.TAX, 67_20)


@pytest.mark.parametrize("text", ["tax 8.2%", "labor rate 145.5", "parts 2.5 h", "tax 8.2 percent"])
def test_read_quote_mistakes_no_percentage_or_hours_for_an_amount(text: str) -> None:
    assert [line.total for line in read_quote(f"Front brake pads 300.00\n{text}").lines] == [300_00]


def test_amount_with_one_decimal_leaves_whole_amounts_of_its_line_readable() -> None:
    read = read_quote("brakes 450, battery 180, wipers 45, tax 52.1")

    assert [line.total for line in read.lines] == [450_00, 180_00, 45_00, 52_10]


def test_read_quote_reads_whole_amounts_next_to_ones_with_a_dollar_sign() -> None:
    read = read_quote(
        "they want $1150 for a new starter??? and 89 for oil change\nplus 45 dollars for wipers\ntax 67.2"
    )

    assert [line.total for line in read.lines] == [1150_00, 89_00, 45_00, 67_20]
    assert [line.description for line in read.lines][1:3] == ["oil change", "wipers"]


def test_count_in_brackets_before_a_label_keeps_its_bracket() -> None:
    (line,) = read_quote("Front hub bearings (2) $340 parts\nlabor 3.0 $360\n").lines

    assert line.description == "Front hub bearings (2)"
    assert (line.total, line.parts_total) == (700_00, 340_00)


def test_labor_of_several_repairs_is_described_as_labor() -> None:
    found = read_quote("catalytic converter $425\no2 sensor downstream $145\nlabor 2.0 $240\n", KNOWN)

    assert [line.description for line in found.lines] == [
        "catalytic converter",
        "o2 sensor downstream",
        "Labor",
    ]
    assert found.lines[-1].labor_hours == 2


def test_read_quote_ends_a_job_where_its_own_labor_and_parts_end() -> None:
    text = (
        "Alternator replacement\nLabor\nR&R alternator 2.0 hr 300.00\nParts\nAlternator 410.00\n"
        "Water pump replacement\nLabor\nR&R water pump 3.0 hr 450.00\nParts\nWater pump 120.00\nCoolant 30.00\n"
    )

    assert [(line.total, line.parts_total) for line in read_quote(text, KNOWN).lines] == [
        (710_00, 410_00),
        (600_00, 150_00),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Timing belt kit w/ water pump  1,150.00", "repair"),
        ("Timing belt kit  600.00", "repair"),
        ("Timing belt kit  599.99", "part"),
        ("Timing belt kit  1,150.00\nLabor 4.0 hrs  600.00", "repair"),
        ("Hardware kit  22.00", "part"),
    ],
)
def test_dear_kit_without_labor_anywhere_includes_its_fitting(text: str, kind: str) -> None:
    assert lines(text)[0][0] == kind


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Replace alternator\nTotal $540.00", [("repair", 540_00, "Replace alternator")]),
        (
            "Replace alternator\nTax 40.00\nTotal $540.00",
            [("repair", 500_00, "Replace alternator"), ("tax", 40_00, "Tax")],
        ),
        ("2012 Camry\nFront brake pads\n\nTotal due 289.99", [("repair", 289_99, "Front brake pads")]),
        (
            "Replace alternator\nTotal 540.00\nBalance due 340.00",
            [("repair", 540_00, "Replace alternator")],
        ),
        ("Replace alternator\nTotal 540.00\nSubtotal 500.00", [("repair", 540_00, "Replace alternator")]),
        (
            "Replace alternator\nShop supplies 12.00\nLabor 528.00\nTotal 540.00",
            [("repair", 528_00, "Replace alternator"), ("supplies", 12_00, "Shop supplies")],
        ),
        ("Replace alternator\nReplace serpentine belt\nTotal $640", []),
        ("Hello there\nTotal 540", []),
        ("Replace alternator\nTax 600.00\nTotal $540.00", [("tax", 600_00, "Tax")]),
    ],
)
def test_total_without_another_amount_is_the_price_of_the_only_job(
    text: str, found: list[tuple[str, int, str]]
) -> None:
    read = read_quote(text, KNOWN)
    assert [(str(line.kind), line.total, line.description) for line in read.lines] == found
