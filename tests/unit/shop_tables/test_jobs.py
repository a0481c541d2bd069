import io
from datetime import date

import pytest

from repaircore.adapters.spreadsheets.workbooks import workbook_rows
from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.shop_tables.columns import recognize
from repaircore.shop_tables.jobs import CREDIT, MIXED_PARTS, NO_PRICE, JobReader, LeftOut, split_vehicle
from repaircore.shop_tables.model import Job
from repaircore.shop_tables.table import Table
from repaircore.transactions.limits import MOST_PIECES

VIN = "1HGCM82633A004352"
JOBS = "RO,Date,VIN,Odometer,Description,Labor Hours,Labor,Parts,Total\n"
LINES = "Invoice,Date,VIN,Type,Description,Qty,Amount,Labor Hours\n"


def read(text: str) -> list[Job | RejectedRow | LeftOut]:
    with Table() as table:
        table.read(io.BytesIO(text.encode()), workbook_rows)
        reader = JobReader(recognize(table.names, table.profiles, {}), last=date(2026, 1, 1))
        return [*reader.read(table.rows())]


def jobs(text: str) -> list[Job]:
    return [found for found in read(text) if isinstance(found, Job)]


def lines(*rows: str) -> str:
    return LINES + "".join(f"7,1/31/2025,{VIN},{row}\n" for row in rows)


def test_row_is_a_job_with_its_amounts_in_cents() -> None:
    (job,) = jobs(JOBS + f'7,1/31/2025,{VIN},"98,000",R&R alternator,2.1,"$315.00",$410.50,$725.50\n')

    assert (job.order, job.performed_on, job.mileage, job.hours) == ("7", date(2025, 1, 31), 98_000, 2.1)
    assert (job.labor, job.parts_total, job.total) == (315_00, 410_50, 725_50)


def test_cells_of_an_order_are_filled_in_from_the_row_above() -> None:
    found = jobs(JOBS + f"7,1/31/2025,{VIN},98000,Alternator,2,300,400,700\n,,,,Battery,0.5,60,150,210\n")

    assert [(job.order, job.vin, job.text) for job in found] == [
        ("7", VIN, "Alternator"),
        ("7", VIN, "Battery"),
    ]


def test_unreadable_row_has_a_reason_for_every_bad_cell() -> None:
    good = f"7,1/31/2025,{VIN},98000,Alternator,2,300,400,700\n" * 9
    (rejected,) = [
        found
        for found in read(JOBS + good + f"8,2/30/2025,{VIN},98000,Starter,2,many,400,700\n")
        if isinstance(found, RejectedRow)
    ]

    assert rejected.line == 11
    assert "Date has an invalid date" in rejected.reasons[0]


@pytest.mark.parametrize(
    ("day", "is_read"), [("12/31/1949", False), ("1/1/1950", True), ("1/1/2026", True), ("1/2/2026", False)]
)
def test_date_is_between_1950_and_the_last_day(day: str, *, is_read: bool) -> None:
    good = f"7,1/31/2025,{VIN},98000,Alternator,2,300,400,700\n" * 9
    found = read(JOBS + good + f"8,{day},{VIN},98000,Starter,2,300,400,700\n")

    assert isinstance(found[-1], Job) is is_read


def test_fees_taxes_and_sums_are_left_out() -> None:
    row = f"7,1/31/2025,{VIN},98000,{{}},0,0,10,10\n"
    text = JOBS + "".join(
        row.format(what) for what in ("Alternator", "Shop supplies", "Sales tax", "Coupon", "Total")
    )

    assert [type(found) for found in read(text)] == [Job, LeftOut, LeftOut, LeftOut, LeftOut]


def test_free_line_and_credit_are_doubtful() -> None:
    first, second = jobs(
        JOBS
        + f"7,1/31/2025,{VIN},98000,Recheck,0,0,0,0\n8,1/31/2025,{VIN},98000,Alternator,0,(20.00),0,(20.00)\n"
    )

    assert first.doubts == (NO_PRICE,)
    assert second.doubts == (CREDIT,)


def test_parts_of_a_job_are_folded_into_its_labor() -> None:
    (job,) = jobs(
        lines(
            "L,R&R front pads,,150.00,1.1",
            "P,PAD SET,1,89.00,",
            "P,HARDWARE,2,20.00,",
            "F,SHOP SUPPLIES,1,9.00,",
        )
    )

    assert (job.text, job.labor, job.parts_total, job.total, job.hours) == (
        "R&R front pads",
        150_00,
        109_00,
        259_00,
        1.1,
    )
    assert [(part.name, part.quantity, part.unit_price) for part in job.parts] == [
        ("PAD SET", 1, 89_00),
        ("HARDWARE", 2, 10_00),
    ]


PRICED = "Invoice,Date,VIN,Type,Description,Qty,Unit Price,Amount,Labor,Parts\n" + 9 * (
    f"6,1/30/2025,{VIN},P,BOLT,2,10.00,20.00,,\n6,1/30/2025,{VIN},L,Battery,1,30.00,30.00,,\n"
)


@pytest.mark.parametrize(
    ("cells", "amount"),
    [
        ("2,20.00,50.00,,", 50_00),
        ("2,20.00,,10.00,5.00", 15_00),
        ("2,20.00,-,-,5.00", 5_00),
        ("2,20.00,,,", 40_00),
        ("0.25,20.00,,,", 5_00),
        (",20.00,,,", 20_00),
    ],
)
def test_amount_of_a_line_is_its_own_or_the_sum_or_the_unit_price_times_the_quantity(
    cells: str, amount: int
) -> None:
    job = jobs(f"{PRICED}7,1/31/2025,{VIN},L,Alternator,{cells}\n")[-1]

    assert (job.text, job.total) == ("Alternator", amount)


@pytest.mark.parametrize(
    ("quantity", "amount", "expected"),
    [
        ("4", "10.00", (4, 2_50)),
        ("", "10.00", (1, 10_00)),
        ("3", "10.00", (1, 10_00)),
        ("1.5", "9.00", (1, 9_00)),
        ("-2", "9.00", (1, 9_00)),
        ("1000", "1000.00", (MOST_PIECES, 1_00)),
        ("1001", "1001.00", (1, 1001_00)),
    ],
)
def test_part_with_an_implausible_quantity_is_one_piece_at_the_full_price(
    quantity: str, amount: str, expected: tuple[int, int]
) -> None:
    job = jobs(f"{PRICED}7,1/31/2025,{VIN},P,WASHER,{quantity},,{amount},,\n")[-1]

    assert [(part.name, part.quantity, part.unit_price) for part in job.parts] == [("WASHER", *expected)]


def test_parts_below_each_of_several_jobs_belong_to_it() -> None:
    first, second = jobs(
        lines(
            "L,Alternator,,300.00,2", "P,ALTERNATOR,1,400.00,", "L,Battery,,30.00,0.3", "P,BATTERY,1,150.00,"
        )
    )

    assert (first.parts_total, second.parts_total) == (400_00, 150_00)
    assert first.doubts == second.doubts == ()


def test_parts_above_several_jobs_make_them_doubtful() -> None:
    found = jobs(
        lines(
            "P,ALTERNATOR,1,400.00,", "P,BATTERY,1,150.00,", "L,Alternator,,300.00,2", "L,Battery,,30.00,0.3"
        )
    )

    assert [job.doubts for job in found] == [(MIXED_PARTS,), (MIXED_PARTS,)]


def test_separated_lines_of_an_order_are_refused() -> None:
    row = "{},1/31/2025," + VIN + ",{},Alternator,1,300.00,2\n"
    text = LINES + row.format(7, "L") + row.format(8, "L") + row.format(7, "P")

    with pytest.raises(Invalid) as caught:
        read(text)

    assert "Sort the file" in caught.value.fields["file"][0]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("2019 Ford F-150 XLT", ("2019", "Ford", "F-150 XLT")),
        ("Ford F-150 2019", ("2019", "Ford", "F-150")),
        ("'15 Land Rover LR4", ("2015", "Land Rover", "LR4")),
        ("2015/Honda/Accord", ("2015", "Honda", "Accord")),
        ("2015 Honda Accord 2.4L L4", ("2015", "Honda", "Accord")),
    ],
)
def test_vehicle_in_one_cell_is_split_into_year_make_and_model(
    text: str, parts: tuple[str, str, str]
) -> None:
    assert split_vehicle(text) == parts
