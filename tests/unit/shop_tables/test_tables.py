"""Files of any format as one table with recognized columns."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from openpyxl import Workbook

from repaircore.adapters.spreadsheets.workbooks import workbook_rows
from repaircore.kernel.errors import Invalid
from repaircore.shop_tables.columns import recognize
from repaircore.shop_tables.dates import DateOrder
from repaircore.shop_tables.model import Field, FileColumns, Layout
from repaircore.shop_tables.table import Table, header_place

HEAD = ("RO #", "Closed", "VIN", "Job Description", "Labor $", "Parts $")
ROWS = (
    ("1", "01/31/2025", "1HGCM82633A004352", "R&R alternator", "200.00", "310.50"),
    ("2", "02/01/2025", "1HGCM82633A004352", "Front brake pads", "150.00", "89.00"),
)


def csv_bytes(delimiter: str = ",") -> str:
    return "\n".join(delimiter.join(row) for row in (HEAD, *ROWS)) + "\n"


def workbook(*rows: tuple[object, ...]) -> bytes:
    book, buffer = Workbook(), io.BytesIO()
    sheet = book.create_sheet("Jobs", 0)
    for row in rows:
        sheet.append([*row])
    book.save(buffer)
    return buffer.getvalue()


@contextmanager
def table_of(content: bytes) -> Iterator[Table]:
    with Table() as table:
        table.read(io.BytesIO(content), workbook_rows)
        yield table


def columns_of(content: bytes, stated: dict[Field, str] | None = None) -> FileColumns:
    with table_of(content) as table:
        return recognize(table.names, table.profiles, stated or {})


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_each_delimiter_and_encoding_gives_the_same_rows(delimiter: str, encoding: str) -> None:
    text = csv_bytes(delimiter).replace("alternator", "alternateur Renée")

    with table_of(text.encode(encoding)) as table:
        assert table.names == [*HEAD]
        assert [row[3] for _, row in table.rows()] == ["R&R alternateur Renée", "Front brake pads"]
        assert [line for line, _ in table.rows()] == [2, 3]


def test_workbook_gives_the_same_rows() -> None:
    with table_of(workbook(("Job history",), (), HEAD, *ROWS)) as table:
        assert table.names == [*HEAD]
        assert [*table.rows()] == [(4, ROWS[0]), (5, ROWS[1])]


def test_json_lines_are_flattened_and_a_list_of_jobs_gives_a_row_each() -> None:
    content = (
        b'{"ro": 1, "vehicle": {"vin": "x"}, "jobs": [{"text": "a", "total": 1.5}, {"text": "b", "total": 2.0}]}\n'
        b'{"ro": 2, "note": ["p", "q"], "jobs": [{"text": "c"}]}\n'
    )

    with table_of(content) as table:
        assert table.names == ["ro", "vehicle.vin", "jobs.text", "jobs.total", "note"]
        assert [row for _, row in table.rows()] == [
            ("1", "x", "a", "1.5", ""),
            ("1", "x", "b", "2", ""),
            ("2", "", "c", "", "p; q"),
        ]


def test_header_is_found_below_titles() -> None:
    with table_of(b"Main Street Auto,,,\nFrom 1/1/2025 to 12/31/2025\n\n" + csv_bytes().encode()) as table:
        assert table.names == [*HEAD]
        assert table.count == 2


def test_blank_rows_and_repeated_headers_are_skipped() -> None:
    rows = [HEAD, ROWS[0], ("",) * len(HEAD), HEAD, (*ROWS[1][:-1], "")]
    content = "\n".join(",".join(row) for row in rows).encode()

    with table_of(content) as table:
        assert [*table.rows()] == [(2, ROWS[0]), (5, (*ROWS[1][:-1], ""))]
        assert table.count == 2


def test_short_rows_are_padded_and_long_ones_truncated() -> None:
    content = f"{','.join(HEAD)}\n1,01/31/2025\n{','.join(ROWS[0])},more\n".encode()

    with table_of(content) as table:
        assert [row for _, row in table.rows()] == [("1", "01/31/2025", "", "", "", ""), ROWS[0]]


def test_objects_have_at_most_300_keys() -> None:
    def content(keys: int) -> bytes:
        return b"{" + b",".join(f'"k{number}": 1'.encode() for number in range(keys)) + b"}"

    with table_of(content(300)) as table:
        assert len(table.names) == 300
    with pytest.raises(Invalid, match="more than 300 different keys"), table_of(content(301)):
        pass


def test_repeated_and_empty_names_of_columns_are_told_apart() -> None:
    with table_of(b"Date,Total,total,,Total\n1/2/2025,1,2,3,4\n") as table:
        assert table.names == ["Date", "Total", "total (2)", "column 4", "Total (3)"]


@pytest.mark.parametrize(("columns", "blanks"), [(300, 0), (300, 2), (299, 9)])
def test_table_has_at_most_300_columns_without_trailing_blanks(columns: int, blanks: int) -> None:
    extra = [f"extra {number}" for number in range(columns - len(HEAD))]
    rows = [[*HEAD, *extra], [*ROWS[0], *("x" for _ in extra)]]
    content = "\n".join(",".join([*row, *[""] * blanks]) for row in rows).encode()

    with table_of(content) as table:
        assert table.names[:columns] == [*HEAD, *extra]
    with pytest.raises(Invalid, match="more than 300 columns"), table_of(content + b",x" * (301 - columns)):
        pass


def test_header_is_the_row_with_the_most_known_names() -> None:
    titles, shop = (
        ["Shop", "report of", "our last", "year"],
        ["Total", "Main Street Auto", "Springfield", "Ohio"],
    )
    names = ["Invoice date", "Job total", "Labor hours", "Unit price"]

    assert header_place([titles, shop, names, names]) == 2
    assert header_place([["Date", "Total"], ["Labor hours", "Labor rate", "Labor total"]]) == 1
    assert header_place([titles, shop]) == 0  # no row has two known names
    assert header_place([["alpha", "", ""], ["alpha", "beta", ""], ["alpha", "beta", "7"]]) == 1
    assert header_place([["2025", "b", "c", "d"], ["one", "", "", ""], shop]) == 2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file is empty."),
        (b"%PDF-1.7", "Export the invoices as CSV"),
        (b"\xd0\xcf\x11\xe0rest", "Save it as .xlsx or CSV"),
        (b'[{"a": 1}]', "one object per line"),
        (b'{"a": 1}\nnothing\n', "Line 2 is not a JSON object"),
        (b'{"a": 1}\n' + b"[" * 100_000, "Line 2 is not a JSON object"),
        (b"PK\x03\x04rest", "not a complete workbook"),
        (b"1,2\n3,4\n", "No header row was found"),
        (b"date,total\n", "no rows below its header"),
        (b'date,total\n"open,1\n' + b"x\n" * 100_000, "unclosed quotation mark"),
        (b"date,total\n" + b"x" * 1_100_000, "Line 2 has more than 1,000,000 characters"),
    ],
)
def test_other_files_are_refused_with_advice(content: bytes, sentence: str) -> None:
    with pytest.raises(Invalid) as caught, table_of(content):
        pass

    assert sentence in caught.value.fields["file"][0]


def test_workbook_that_unpacks_to_too_much_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * (1 << 25))

    with pytest.raises(Invalid) as caught:
        [*workbook_rows(buffer)]

    assert "too large when unpacked" in caught.value.fields["file"][0]


def test_columns_are_recognized_by_names_and_values() -> None:
    found = columns_of(csv_bytes().encode())

    assert {field: column.name for field, column in found.columns.items()} == {
        Field.ORDER: "RO #",
        Field.DATE: "Closed",
        Field.VIN: "VIN",
        Field.DESCRIPTION: "Job Description",
        Field.LABOR: "Labor $",
        Field.PARTS: "Parts $",
    }
    assert found.layout is Layout.JOBS


def test_vin_and_date_are_recognized_by_values_alone() -> None:
    found = columns_of(csv_bytes().replace("VIN", "Chassis").replace("Closed", "When").encode())

    assert found.columns[Field.VIN].name == "Chassis"
    assert found.columns[Field.DATE].name == "When"


def test_column_that_the_values_contradict_is_not_taken() -> None:
    content = csv_bytes().replace("Labor $", "Date").encode()

    assert columns_of(content).columns[Field.DATE].name == "Closed"


def test_stated_column_wins_and_an_empty_name_leaves_a_field_out() -> None:
    content = csv_bytes().replace("Job Description", "Blurb").encode()
    found = columns_of(content, {Field.DESCRIPTION: "blurb", Field.PARTS: ""})

    assert found.columns[Field.DESCRIPTION].is_stated
    assert Field.PARTS not in found.columns
    with pytest.raises(Invalid) as caught:
        columns_of(content, {Field.DESCRIPTION: "Concern"})
    assert "Its columns are: RO #, Closed" in caught.value.fields["column"][0]


def test_every_missing_column_is_reported_with_its_option() -> None:
    with pytest.raises(Invalid) as caught:
        columns_of(b"invoice,date\n1,2025-01-02\n2,2025-01-03\n")

    sentences = " ".join(caught.value.fields["file"])
    assert "no problem column" in sentences
    assert "--column description=NAME" in sentences
    assert "--column vin=NAME" in sentences
    assert "Its columns are: invoice, date." in sentences


def test_date_order_and_distance_unit_are_decided_per_column() -> None:
    head = "date,vin,odometer (km),description,total\n"
    rows = "01/02/2025,1HGCM82633A004352,160934,Alternator,500\n31/01/2025,1HGCM82633A004352,160934,Starter,400\n"
    found = columns_of((head + rows).encode())

    assert found.columns[Field.DATE].order is DateOrder.DAY_FIRST
    assert found.columns[Field.MILEAGE].in_kilometers
