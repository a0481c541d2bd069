"""Rows of single lines: their words, their amounts, and what is counted in them."""

from typing import Any

import pytest
from attrs import asdict

from repaircore.quote_text.model import Label, Row
from repaircore.quote_text.rows import is_plausible_rate, read_rows
from repaircore.quote_text.text_lines import read_lines
from repaircore.quote_text.vocabulary import vocabulary_of

LABOR = {"description": "", "label": Label.LABOR, "is_label": True}
PARTS = {"description": "", "label": Label.PARTS, "is_label": True}


def rows(text: str) -> list[Row]:
    return read_rows([*read_lines(text, vocabulary_of(()))])


def figures(row: Row) -> dict[str, Any]:
    """Return a row's fields that are not those of an empty one at the start of a text."""
    empty = asdict(Row(description="", line=0, indent=0))
    return {name: value for name, value in asdict(row).items() if value != empty[name]}


def only_row(text: str) -> dict[str, Any]:
    (row,) = rows(text)
    return {"description": "", **figures(row)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("PARTS", {"description": "PARTS"}),
        ("  A  REPLACE ALTERNATOR", {"description": "REPLACE ALTERNATOR", "indent": 2, "marker": "A"}),
        ("B) WATER PUMP   2.0 hrs", {"description": "WATER PUMP 2.0 hrs", "hours": 2.0, "marker": "B"}),
        ("* Front pads and   $89.00", {"description": "Front pads", "amount": 89_00, "is_open": True}),
        ("1) Front pads   $89.00", {"description": "Front pads", "amount": 89_00}),
        ("Front pads .......... 80.00", {"description": "Front pads", "amount": 80_00}),
        ("$80.00", {"description": "", "amount": 80_00}),
        ("Front pads (2) $80.00", {"description": "Front pads (2)", "amount": 80_00}),
        ("Front pads  2  $80.00", {"description": "Front pads", "amount": 80_00, "quantity": 2.0}),
        ("Total disposal fee 5.00", {"description": "Total disposal fee", "amount": 5_00}),
        ("GSKT 11251-AB front pads 80.00", {"description": "GSKT front pads", "amount": 80_00}),
        ("GSKT 1234567 front pads 80.00", {"description": "GSKT front pads", "amount": 80_00}),
        ("Oil 5W-30 40.00", {"description": "Oil 5W-30", "amount": 40_00}),
        ("6 days at 42.00 = 252.00", {"description": "6 days", "amount": 252_00}),
        (
            "Job 1 - brakes and a very long sentence about the work: front brake pads and rotors 80.00",
            {"description": "front brake pads and rotors", "amount": 80_00},
        ),
    ],
)
def test_row_has_the_words_and_the_amount_of_its_line(line: str, expected: dict[str, Any]) -> None:
    assert only_row(line) == expected


@pytest.mark.parametrize("line", ["...", "-----", "Denver, CO 80205", "Springfield, IL 62704-1234"])
def test_line_without_words_or_with_a_place_has_no_row(line: str) -> None:
    assert rows(line) == []


@pytest.mark.parametrize(
    "line", ["Front pads  2 x $40.00  $80.00", "Front pads $40.00 ea  2  $80.00", "Front pads  2 @ $40.00"]
)
def test_row_has_its_quantity_where_it_has_a_price_of_each(line: str) -> None:
    expected = {"description": "Front pads", "amount": 80_00, "quantity": 2.0, "has_unit": True}

    assert only_row(line) == expected


@pytest.mark.parametrize(
    ("line", "hours", "rate"),
    [
        ("Labor 1.5 hrs @ $160.00   240.00", 1.5, 160_00),
        ("Labor  1.50  160.00  240.00", 1.5, 160_00),
        ("Labor  1.50  240.00", 1.5, None),
        ("Labor $240.00 (1.5)", 1.5, None),
        ("Labor 3 hrs $240.00 (1.5)", 3.0, None),
        ("Labor $240.00 (12.5)", None, None),  # less than any shop takes for an hour
        ("Labor  240.00", None, None),
        ("Labor  0.0  240.00", None, None),
    ],
)
def test_row_of_labor_has_its_hours(line: str, hours: float | None, rate: int | None) -> None:
    row = only_row(line)

    assert {name: row[name] for name in LABOR} == LABOR
    assert (row["amount"], row.get("hours"), row.get("rate")) == (240_00, hours, rate)


@pytest.mark.parametrize(
    ("line", "hours"),
    [
        ("CP  1.7  306.00", 1.7),  # a dealer's code for who pays
        ("Replace alternator   1.7   306.00", 1.7),
        ("Alternator reman unit   1.7   306.00", None),
        ("Alternator $306.00 (1.7)", None),
        ("Parts $306.00 (1.7)", None),
    ],
)
def test_only_labor_and_work_have_a_column_of_hours(line: str, hours: float | None) -> None:
    row = only_row(line)

    assert (row["amount"], row.get("hours")) == (306_00, hours)


@pytest.mark.parametrize(
    ("amount", "hours", "is_plausible"),
    [
        (40_00, 1.0, True),
        (39_99, 1.0, False),
        (499_99, 1.0, True),
        (500_00, 1.0, False),
        (4000_00, 40.0, True),
        (4010_00, 40.1, False),
        (100_00, 0.0, False),
        (100_00, -1.0, False),
        (100_00, 0.5, True),
    ],
)
def test_rate_is_plausible_from_40_to_500_dollars_and_up_to_40_hours(
    amount: int, hours: float, *, is_plausible: bool
) -> None:
    assert is_plausible_rate(amount, hours) is is_plausible


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("Total parts 289.00", Label.SUM),
        ("Labor amount: 289.00", Label.SUM),
        ("Sub-total 289.00", Label.TOTAL),
        ("Total with tax 289.00", Label.TOTAL),
        ("Total of all six words here 289.00", Label.TOTAL),
        ("Total of all the seven words here 289.00", None),
        ("Total disposal fee 289.00", None),
        ("Alternator parts 289.00", Label.PARTS),
        ("Alternator labor 289.00", Label.LABOR),
        ("Alternator 289.00", None),
    ],
)
def test_row_has_the_label_of_its_amount(line: str, label: Label | None) -> None:
    row = only_row(line)

    assert (row["amount"], row.get("label")) == (289_00, label)


@pytest.mark.parametrize(
    "line",
    [
        "Brakes $640, parts $385 labor $255",
        "Brakes $640, $385 for the brakes, $255 labor",
        "Brakes parts $385.00 labor $255.00 total $640.00",
        "Brakes parts 385.00  2.0 h  640.00",
        "Brakes parts $385.00 labor $255.00",
    ],
)
def test_item_with_its_parts_and_its_labor_is_one_row(line: str) -> None:
    row = only_row(line)

    assert (row["description"], row["amount"]) == ("Brakes", 640_00)
    assert (row["parts"], row["labor"]) == (385_00, 255_00)
    assert row.get("label") is None


def test_item_with_several_amounts_of_labor_has_their_sum() -> None:
    row = only_row("Alternator  Labor 240.00  Labor 100.00")

    assert row == {"description": "Alternator", "amount": 340_00, "labor": 340_00, "parts": 0}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "Brakes parts 100.00 labor 200.00 total 310.00",
            [(Label.PARTS, 100_00), (Label.LABOR, 200_00), (Label.TOTAL, 310_00)],
        ),
        ("Labor 240.00  Parts 300.00", [(Label.LABOR, 240_00), (Label.PARTS, 300_00)]),
        ("TOTALS: Parts 289.00  Labor 330.00", [(Label.SUM, 289_00), (Label.SUM, 330_00)]),
        ("TOTALS: Labor 330.00  Tax 10.00", [(Label.SUM, 330_00), (None, 10_00)]),
        ("Front pads $300, rear pads $280", [(None, 300_00), (None, 280_00)]),
        ("Front pads $580, alternator $300, tires $280", [(None, 580_00), (None, 300_00), (None, 280_00)]),
        ("Front pads $580, front pads $300, pads $270", [(None, 580_00), (None, 300_00), (None, 270_00)]),
        ("Front pads $580, front pads $300, tires $280", [(None, 580_00), (None, 300_00), (None, 280_00)]),
    ],
)
def test_items_of_a_line_that_are_no_split_have_a_row_each(
    line: str, expected: list[tuple[Label | None, int]]
) -> None:
    assert [(row.label, row.amount) for row in rows(line)] == expected


def test_items_of_a_line_have_their_own_hours() -> None:
    labor, parts = rows("Labor: 2.0 hrs 240.00  Parts: 300.00")

    assert (figures(labor), figures(parts)) == (
        {"amount": 240_00, "label": Label.LABOR, "is_label": True, "hours": 2.0},
        {"amount": 300_00, "label": Label.PARTS, "is_label": True},
    )


def test_amount_without_words_belongs_to_the_line_just_above() -> None:
    assert [figures(row) for row in rows("  Front pads\n$80.00")] == [
        {"description": "Front pads", "amount": 80_00, "line": 1, "indent": 2}
    ]
    assert [figures(row) for row in rows("Labor\n$80.00")] == [
        {"description": "Labor", "amount": 80_00, "line": 1, "label": Label.LABOR, "is_label": True}
    ]


@pytest.mark.parametrize("first", ["Front pads 70.00", "Front pads\nsee the note\n"])
def test_amount_without_words_belongs_to_no_other_line(first: str) -> None:
    assert [row.amount for row in rows(f"{first}\nRear pads 40.00\n95.00")][-1] == 40_00


def test_amount_without_words_that_is_the_sum_of_the_items_above_is_a_total() -> None:
    found = rows("Front pads 50.00\nTax 10.00\nTotal 60.00\n60.00")

    assert [(row.amount, row.label) for row in found] == [
        (50_00, None),
        (10_00, None),
        (60_00, Label.TOTAL),
        (60_00, Label.TOTAL),
    ]


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("Pads 50.00\nDECLINED\nStruts 900.00\nStarter 300.00\nTotal 50.00", [50_00, 50_00]),
        ("Pads 50.00\nDECLINED\nStruts 900.00\nTax 5.00\nStarter 300.00", [50_00, 5_00, 300_00]),
        ("Pads 50.00\nDeferred: struts 900.00\nStarter 300.00", [50_00, 900_00, 300_00]),
        ("Pads 50.00\nStruts 900.00 declined\nStarter 300.00", [50_00, 300_00]),
    ],
)
def test_rows_below_a_heading_of_declined_work_are_left_out(text: str, amounts: list[int]) -> None:
    assert [row.amount for row in rows(text) if row.amount] == amounts


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("Pads 50.00\nStruts 90.00\nStarter 30.00\nAxle boot kit 4510", [50_00, 90_00, 30_00, 4510_00]),
        ("Pads 50.00\nStruts 90.00\nStarter 30.00\nKit 4510 of Denso", [50_00, 90_00, 30_00]),
        ("Kit 4510\nPads 50.00\nStruts 90.00\nStarter 30.00", [50_00, 90_00, 30_00]),
        ("Kit 4510\nPads 50.00\nStruts 90.00", [4510_00, 50_00, 90_00]),  # two with cents are not enough
        ("Kit 450\nHose 60\nBelt 50\nPads 50.00\nStruts 90.00\nOil 9.00", [450_00, 60_00, 50_00, 50_00, 90_00, 9_00]),
    ],
)  # fmt: skip
def test_whole_number_is_no_amount_where_others_have_cents_unless_it_ends_an_item(
    text: str, amounts: list[int]
) -> None:
    assert [row.amount for row in rows(text) if row.amount] == amounts


def test_number_of_a_letterhead_is_no_amount_without_a_dollar_sign() -> None:
    assert [row.amount for row in rows("Invoice 4510\nWork order $45.00\nPads 50")] == [None, 45_00, 50_00]


HEADER = "Description      Qty   Price    Hours   Rate    Total"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "  Alternator     2     150.00   1.5    160.00   540.00",
            {"indent": 2, "amount": 540_00, "parts": 300_00, "labor": 240_00, "hours": 1.5, "rate": 160_00, "quantity": 2.0},
        ),
        (
            "Alternator       1     300.00   0.0    0.00     300.00",
            {"amount": 300_00, "parts": 300_00, "labor": 0, "quantity": 1.0},
        ),
    ],
)  # fmt: skip
def test_row_of_a_table_has_the_figures_of_its_columns(line: str, expected: dict[str, Any]) -> None:
    (row,) = rows(f"{HEADER}\n{line}")

    assert figures(row) == {"description": "Alternator", "line": 1, **expected}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2 | Labor alternator | 160.00 | 320.00", {"hours": 2.0, "rate": 160_00}),
        ("2 | Labor alternator | 10.00 | 20.00", {"quantity": 2.0, "has_unit": True}),
        ("2 | Labor alternator | | 320.00", {"hours": 2.0}),
        (" | Labor alternator | 160.00 | 160.00", {"has_unit": True}),
    ],
)
def test_row_of_labor_in_a_table_of_parts_has_its_quantity_as_hours(
    line: str, expected: dict[str, Any]
) -> None:
    (row,) = rows(f"Qty | Description | Price | Total\n{line}")
    counted = ("hours", "rate", "quantity", "has_unit")

    assert row.label is Label.LABOR
    assert {name: value for name, value in figures(row).items() if name in counted} == expected
