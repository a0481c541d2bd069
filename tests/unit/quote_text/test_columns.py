import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.quote_text.columns import ColumnKind, find_columns
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.reader import read_quote


def only_line(text: str) -> QuoteLine:
    (line,) = read_quote(text).lines
    return line


@pytest.mark.parametrize(
    ("names", "kinds"),
    [
        ("Description  Parts  Hours  Rate  Total", "description parts hours rate total"),
        ("Qty  Part #  Description  Unit Price  Ext", "quantity other description unit total"),
        ("Service  Hrs  Labor $  Parts $  Total", "description hours labor parts total"),
        ("Item Labor Parts Amount", "description labor parts total"),
        ("Part  Qty  Price  Total", "description quantity unit total"),
        ("Labor  Hours  Rate  Amount", "description hours rate total"),
        ("LINE OP CODE DESCRIPTION TECH HRS AMOUNT", "other other description other hours total"),
        ("Description Qty Price", "description quantity total"),
        ("Work to be done   Labor   Parts", "description labor parts"),
        ("UnitPrice Qty Description ExtPrice", "unit quantity description total"),
        ("Parts  Hours  Amount", "parts hours total"),
        ("Labor  Rate  Amount", "labor rate total"),
        ("Qty  Hours  Amount", "quantity hours total"),
        ("Description  Parts  Hours  Price", "description parts hours total"),
        ("Description  Price  Hours  Rate", "description unit hours rate"),
        ("Description  Hours  Price  Total", "description hours unit total"),
        ("Description  Amount  Qty  Total", "description other quantity total"),
    ],
)
def test_find_columns_names_them(names: str, kinds: str) -> None:
    columns = find_columns(names)

    assert columns is not None
    assert [column.kind for column in columns.columns] == [ColumnKind(kind) for kind in kinds.split()]


@pytest.mark.parametrize(
    ("cells", "is_delimited"),
    [((), False), (("Description", "Qty Price"), False), (("Description", "Qty", "Price"), True)],
)
def test_columns_are_delimited_from_three_cells_on(cells: tuple[str, ...], *, is_delimited: bool) -> None:
    columns = find_columns("Description  Qty  Price", cells)

    assert columns is not None
    assert columns.is_delimited is is_delimited
    assert [(column.start, column.end) for column in columns.columns] == (
        [(0, 1), (1, 2), (2, 3)] if is_delimited else [(0, 11), (13, 16), (18, 23)]
    )


@pytest.mark.parametrize(
    "line",
    ["Front brake pads 320.00", "Parts and labor", "Total", "Labor rate", "Shop supplies", "", "Parts total"],
)
def test_find_columns_finds_none_in_other_lines(line: str) -> None:
    assert find_columns(line) is None


@pytest.mark.parametrize(
    "text",
    [
        "Description Parts Hours Rate Total\nAlternator 300.00 1.5 160.00 540.00",
        "Description   Parts   Hours   Rate    Total\nAlternator   300.00   1.5    160.00   540.00",
        "Description Rate Hours Parts Total\nAlternator $160 1.5 $300 $540",
        "Description | Parts | Hours | Rate | Total\nAlternator | 300.00 | 1.5 | 160.00 | 540.00",
        "|Description|Parts|Hours|Rate|Total|\n|---|---|---|---|---|\n|Alternator|$300.00|1.5|$160|$540.00|",
        "Description\tParts\tHours\tRate\tTotal\nAlternator\t300\t1.5\t160\t540",
        "Description,Parts,Hours,Rate,Total\nAlternator,300,1.5,160,540",
        "Service Hrs Rate Labor $ Parts $ Total\nAlternator 1.5 160.00 240.00 300.00 540.00",
        "Descripti0n Parts H0urs Rate T0tal\nAlternator 3OO.00 1.5 l60.00 54O.00",
        "Description Qty Unit Price Hours Rate Total\nAlternator 2 150.00 1.5 160.00 540.00",
        "Description Parts Hours Rate\nAlternator 300.00 1.5 160.00",
    ],
)
def test_read_quote_reads_columns_by_their_names(text: str) -> None:
    line = only_line(text)

    assert (line.description, line.total, line.parts_total) == ("Alternator", 540_00, 300_00)
    assert (line.labor_hours, line.labor_rate) == (1.5, 160_00)


@pytest.mark.parametrize(
    "text",
    [
        "Item Labor Parts Amount\nAlternator 240.00 300.00 540.00",
        "Item Parts Labor Amount\nAlternator 300.00 240.00 540.00",
        "Item        Labor      Parts     Amount\nAlternator  240.00     300.00    540.00",
        "Item | Labor | Parts | Amount\nAlternator | $240 | $300 | $540",
        "Item            Labor      Parts\nAlternator    $240.00    $300.00",
    ],
)
def test_read_quote_distinguishes_labor_and_parts_by_column_names(text: str) -> None:
    line = only_line(text)

    assert (line.total, line.parts_total) == (540_00, 300_00)


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ("Alignment | $120 | | $120", 0),
        ("Alignment | $20 | | $120", 100_00),
        ("Alignment | $150 | | $120", 0),
        ("Alignment | | $120 | $120", 120_00),
        ("Alignment | | $150 | $120", None),
        ("Alignment | | | $120", None),
    ],
)
def test_read_quote_takes_an_empty_column_for_none(row: str, parts: int | None) -> None:
    line = only_line(f"Item | Labor | Parts | Amount\n{row}")

    assert (line.total, line.parts_total) == (120_00, parts)


@pytest.mark.parametrize("header", ["                Parts   Labor", "                Parts   Labor   Total"])
def test_read_quote_keeps_the_number_of_parts_in_tables_without_a_column_of_names(header: str) -> None:
    total = "   200.00" if "Total" in header else ""

    line = only_line(f"{header}\n4 spark plugs   80.00   120.00{total}")

    assert (line.description, line.total, line.parts_total) == ("4 spark plugs", 200_00, 80_00)


def test_read_quote_reads_the_number_of_parts_left_of_names_without_a_column() -> None:
    line = only_line("Qty             Parts   Labor\n4 spark plugs   80.00   120.00")

    assert (line.description, line.parts, line.parts_total) == ("spark plugs", ("4 × spark plugs",), 80_00)


def test_read_quote_leaves_the_split_of_joined_columns_open() -> None:
    line = only_line("Item Hrs Labor Parts Total\nKey fob 142.00 142.00")

    assert (line.total, line.parts_total, line.labor_hours) == (142_00, None, None)


def test_read_quote_reads_a_quantity_of_labor_as_hours() -> None:
    line = only_line(
        "Qty Part # Description Unit Price Ext\n1 ALT-1192 Alternator 268.00 268.00\n1.8 Labor - alternator 139.00 250.20"
    )

    assert (line.total, line.parts_total) == (518_20, 268_00)
    assert (line.labor_hours, line.labor_rate) == (1.8, 139_00)


FIGURES = st.tuples(
    st.integers(5_00, 2000_00), st.integers(1, 120).map(lambda tenths: tenths / 10), st.integers(80, 240)
)
ORDERS = st.sampled_from([*itertools.permutations(["Parts", "Hours", "Rate"])])


@given(FIGURES, ORDERS, st.sampled_from([" ", "   ", "\t", " | "]))
def test_read_quote_reads_columns_in_any_order(
    figures: tuple[int, float, int], order: tuple[str, ...], between: str
) -> None:
    parts, hours, rate = figures
    total = parts + round(hours * rate * 100)
    cells = {"Parts": f"{parts / 100:.2f}", "Hours": f"{hours}", "Rate": f"{rate}.00"}
    names = between.join(["Description", *order, "Total"])

    line = only_line(
        f"{names}\n{between.join(['Water pump', *(cells[name] for name in order), f'{total / 100:,.2f}'])}"
    )

    assert (line.total, line.parts_total) == (total, parts)
    assert (line.labor_hours, line.labor_rate) == (hours, rate * 100)
