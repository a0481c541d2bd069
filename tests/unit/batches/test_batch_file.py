"""Batches as CSV: reading rows, and appending prices to them."""

import pytest

from repaircore.batches.batch_file import PRICES, in_batches, priced_row, read_batch
from repaircore.batches.model import MOST_ITEMS, ItemResult
from repaircore.kernel.errors import Invalid, NotFound


def test_columns_are_found_under_their_usual_names() -> None:
    table = read_batch(
        ["Unit,ZIP,Repair,Odometer,Year,Make,Model\n", '7,60601,alternator,"88,000",2015,Toyota,Camry\n']
    )
    [row] = table.rows
    assert row.item == {
        "zip_code": "60601",
        "problem_identifier": "alternator",
        "mileage": 88000,
        "year": 2015,
        "make": "Toyota",
        "model": "Camry",
    }


def test_invalid_number_stays_text_for_the_error_of_its_row() -> None:
    [row] = read_batch(["vin,zip,repair,mileage\n", "X,60601,alternator,many\n"]).rows
    assert row.item["mileage"] == "many"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], "The file is empty."),
        (["vin,zip\n"], "The file has no column problem_identifier or problem or repair."),
        (["year,make,zip,repair\n"], "The file needs a vin column, or year, make and model columns."),
    ],
)
def test_file_without_required_columns_is_rejected(lines: list[str], text: str) -> None:
    with pytest.raises(Invalid) as error:
        read_batch(lines)
    assert error.value.fields["file"] == (text,)


def test_rows_are_split_into_batches() -> None:
    lines = ["vin,zip,repair\n", *["X,60601,alternator\n"] * (MOST_ITEMS + 1)]
    assert [len(batch) for batch in in_batches(read_batch(lines).rows)] == [MOST_ITEMS, 1]


def test_short_and_long_rows_have_prices_in_the_right_columns() -> None:
    failed = ItemResult(None, None, NotFound("=cmd"))
    for cells in (["a"], ["a", "", "", "d"]):
        row = priced_row(3, cells, failed)
        assert len(row) == 3 + len(PRICES)
        assert row[:3] == ["a", "", ""]
        assert row[-1] == "'=cmd", "a spreadsheet must not evaluate an error"
