"""Reading the text of invoices: correct fields, and marks on uncertain ones."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path
from typing import Final

import pytest
from tests.paper_invoices import INVOICES, PaperInvoice, as_pdf, as_picture

from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.documents import ChildDocumentReader
from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.invoice_drafts.model import DraftInvoice, DraftLine, ReadInvoice
from repaircore.invoice_drafts.reading import (
    CHECK_DIGIT,
    GUESSED_REPAIR,
    LOOSE_PART,
    NO_DATE,
    NO_SHOP,
    NO_TOTAL,
    NO_VEHICLE,
    OTHER_VEHICLE,
    SEVERAL_DATES,
    STRANGE_DATE,
    InvoiceReader,
)
from repaircore.invoice_drafts.sums import sums_that_differ
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.kernel.errors import Invalid
from repaircore.kernel.spelling import make_key
from repaircore.quote_text.kinds import LineKind
from repaircore.quotes.counts import OTHER_COUNT

_SECONDS: Final = 240.0
FIELDS: Final = 361
"""Fields of the twenty invoices: nine of each header and its sums, four of each job, one of each charge."""


@pytest.fixture(scope="module")
def reader() -> InvoiceReader:
    problems = book().problems
    decoder = VpicVinDecoder(lambda: datetime(2026, 1, 2, tzinfo=UTC), shipped_mechanics)
    return InvoiceReader(
        problems=problems,
        matcher=RepairMatcher(problems, job_names()),
        decode=decoder.decode,
        makes={make_key(paper.vehicle[1]): paper.vehicle[1] for paper in INVOICES},
        today=date(2026, 1, 2),
    )


@pytest.fixture
def documents(tmp_path: Path) -> ChildDocumentReader:
    return ChildDocumentReader(ImageLimit(tmp_path), open_seconds=_SECONDS, seconds=_SECONDS)


def checked_fields(paper: PaperInvoice, read: DraftInvoice) -> Iterator[tuple[str, bool]]:
    """Yield each field of a paper invoice, and whether it was read correctly."""
    tax = [line.total for line in read.lines if line.kind is LineKind.TAX]
    yield "shop", (read.shop_name or "").replace("’", "'").casefold() == paper.shop.casefold()
    yield "number", read.invoice_number == paper.number
    yield "date", read.performed_on == paper.day
    yield "vin", read.vin == paper.vin
    yield "odometer", read.odometer == paper.odometer
    yield "zip", read.zip_code == paper.zip_code
    yield "vehicle", (read.year, read.make, read.model) == paper.vehicle
    yield "total", read.total == paper.printed_total
    yield "tax", sum(tax) == paper.tax
    for job in paper.jobs:
        job_lines = [line for line in read.lines if line.problem_slug == job.slug]
        line = job_lines[0] if len(job_lines) == 1 else None
        yield f"{job.slug}: repair", line is not None
        yield f"{job.slug}: parts", line is not None and line.parts_total == job.parts_total
        yield f"{job.slug}: hours", line is not None and line.labor_hours == job.hours
        yield f"{job.slug}: labor", line is not None and abs(line.labor - paper.labor(job)) <= 1
    for _, kind, amount in paper.charges:
        yield kind, any((line.kind.value, line.total) == (kind, amount) for line in read.lines)


def misread_fields(
    documents: ChildDocumentReader, reader: InvoiceReader, make: object, each: int = 1
) -> list[str]:
    """Return the fields of the twenty invoices, or of each so many, that are misread from their rendering by ``make``."""
    assert callable(make)
    found: list[tuple[str, bool]] = []
    for number, paper in list(enumerate(INVOICES))[::each]:
        read = reader.read("\n".join(documents.read_lines(BytesIO(make(paper)))))
        found += [
            (f"{number}: {name}", is_correct) for name, is_correct in checked_fields(paper, read.invoice)
        ]
        expected_lines = len(paper.jobs) + len(paper.charges) + bool(paper.tax)
        assert len(read.invoice.lines) == expected_lines, number
        assert bool(sums_that_differ(read.invoice)) == bool(paper.misprint), number
    assert len(found) == FIELDS or each > 1
    return [name for name, is_correct in found if not is_correct]


@pytest.mark.long
def test_every_field_of_twenty_pdfs_is_right(documents: ChildDocumentReader, reader: InvoiceReader) -> None:
    assert misread_fields(documents, reader, as_pdf) == []


@pytest.mark.long
@pytest.mark.thorough
def test_every_field_of_twenty_pictures_is_right(
    documents: ChildDocumentReader, reader: InvoiceReader
) -> None:
    assert misread_fields(documents, reader, as_picture) == []


@pytest.mark.long
def test_every_field_of_five_of_the_pictures_is_right(
    documents: ChildDocumentReader, reader: InvoiceReader
) -> None:
    assert misread_fields(documents, reader, as_picture, each=4) == []


TEXT = """Ada's Auto Repair
12 Main Street, Springfield, IL 62701
Invoice # 4711   Date: 01/03/2025
2015 Toyota Camry   VIN: 4T1BF1FK5FU033210   Mileage: 48,210
Front brake pads  parts 74.95  labor 1.2 hrs @ $115.00  138.00   $212.95
Shop supplies   $14.95
Tax  $6.18
Total  $234.08
"""


def read(reader: InvoiceReader, *changes: tuple[str, str]) -> ReadInvoice:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return reader.read(text)


def only_line(found: ReadInvoice) -> DraftLine:
    (line,) = [line for line in found.invoice.lines if line.problem_slug is not None]
    return line


def test_plain_invoice_has_no_doubts(reader: InvoiceReader) -> None:
    found = read(reader)

    assert dict(found.doubts) == {}
    assert (only_line(found).parts_total, only_line(found).labor_hours) == (7_495, 1.2)
    assert sums_that_differ(found.invoice) == ()


@pytest.mark.parametrize(
    ("old", "new", "field", "doubt"),
    [
        ("Date: 01/03/2025", "", "performed_on", NO_DATE),
        ("Date: 01/03/2025", "01/03/2025 02/04/2025", "performed_on", SEVERAL_DATES),
        ("4T1BF1FK5FU033210", "4T1BF1FK6FU033210", "vin", CHECK_DIGIT),
        ("Total  $234.08", "", "total", NO_TOTAL),
        ("2015 Toyota Camry   VIN: 4T1BF1FK5FU033210", "", "vin", NO_VEHICLE),
        (
            "2015 Toyota Camry",
            "2003 Honda Accord",
            "vin",
            OTHER_VEHICLE.format(found="2015 Toyota Camry", stated="2003 Honda Accord"),
        ),
    ],
)
def test_uncertain_field_is_marked(reader: InvoiceReader, old: str, new: str, field: str, doubt: str) -> None:
    assert read(reader, (old, new)).doubts.get(field) == doubt


def test_bar_code_is_scanned_when_the_text_has_no_valid_vin(reader: InvoiceReader) -> None:
    scans = []

    def scan() -> str:
        scans.append(1)
        return "4T1BF1FK5FU033210"

    misread_vin = TEXT.replace("4T1BF1FK5FU033210", "4T1BF1FK6FU033210")

    assert reader.read(TEXT, scan=scan).invoice.vin == "4T1BF1FK5FU033210"
    assert scans == []
    found = reader.read(misread_vin, scan=scan)
    assert (found.invoice.vin, found.doubts.get("vin"), scans) == ("4T1BF1FK5FU033210", None, [1])


def test_sum_that_differs_is_described(reader: InvoiceReader) -> None:
    found = read(reader, ("$234.08", "$274.08"))

    assert sums_that_differ(found.invoice) == ("The lines add up to $234.08, but the invoice says $274.08.",)


def test_work_without_a_matching_repair_is_marked(reader: InvoiceReader) -> None:
    found = read(reader, ("Front brake pads", "Brake job"))
    place = next(at for at, line in enumerate(found.invoice.lines) if line.kind is LineKind.REPAIR)

    assert f"lines.{place}.problem_identifier" in found.doubts
    assert found.invoice.lines[place].problem_slug is None


def test_line_for_more_parts_than_the_book_prices_is_marked(reader: InvoiceReader) -> None:
    found = read(reader, ("Front brake pads", "All 6 ignition coils"))

    assert only_line(found).problem_slug == "ignition-coil"
    assert found.doubts["lines.0.problem_identifier"] == OTHER_COUNT


def test_line_with_one_amount_is_split_and_marked(reader: InvoiceReader) -> None:
    found = reader.read(
        TEXT.replace(
            "Shop supplies   $14.95",
            "Replace serpentine belt   $139.00\nShop supplies   $14.95",
        ).replace("$234.08", "$373.08")
    )
    place, line = next(
        (at, one) for at, one in enumerate(found.invoice.lines) if one.problem_slug == "serpentine-belt"
    )

    assert line.labor + (line.parts_total or 0) == line.total
    assert {f"lines.{place}.parts_total", f"lines.{place}.labor_hours"} <= set(found.doubts)


@pytest.mark.parametrize("text", ["", "hello", "Ada's Auto Repair\nInvoice # 4711"])
def test_text_without_a_price_is_rejected(reader: InvoiceReader, text: str) -> None:
    with pytest.raises(Invalid) as error:
        reader.read(text)
    assert list(error.value.fields) == ["file"]


@pytest.mark.parametrize(
    ("lead", "words"),
    [("Labor: ", "Front brake pads"), ("LBR - ", "Front brake pads")],
)
def test_prefix_of_labor_is_no_part_of_the_words(reader: InvoiceReader, lead: str, words: str) -> None:
    found = reader.read(f"{lead}Front brake pads   1.0 hrs @ $115.00   $115.00\nTotal $115.00")

    assert [line.description for line in found.invoice.lines] == [words]


@pytest.mark.parametrize(("count", "is_read"), [(60, True), (61, False)])
def test_invoice_has_at_most_sixty_lines(
    reader: InvoiceReader,
    count: int,
    is_read: bool,  # noqa: FBT001 - a column of the table
) -> None:
    text = "\n".join(f"Disposal fee {n // 10}{'abcdefghij'[n % 10]}x   ${n + 1}.00" for n in range(count))

    if is_read:
        assert len(reader.read(text).invoice.lines) == count
    else:
        with pytest.raises(Invalid) as error:
            reader.read(text)
        assert "more than 60 lines" in error.value.fields["file"][0]


@pytest.mark.parametrize(
    ("day", "doubt"),
    [
        ("01/02/2026", None),
        ("01/03/2026", None),  # where the shop is, it may be tomorrow
        ("01/04/2026", STRANGE_DATE),
        ("01/09/2001", None),
        ("01/08/2001", STRANGE_DATE),
    ],
)
def test_date_in_the_future_or_long_ago_is_doubtful(
    reader: InvoiceReader, day: str, doubt: str | None
) -> None:
    assert read(reader, ("01/03/2025", day)).doubts.get("performed_on") == doubt


@pytest.mark.parametrize(
    ("stated", "is_other"),
    [
        ("2015 Toyota Camry", False),
        ("2014 Toyota Camry", True),
        ("2015 Honda Accord", True),
        ("", False),
    ],
)
def test_vehicle_of_another_year_or_make_than_its_vin_is_doubtful(
    reader: InvoiceReader, stated: str, *, is_other: bool
) -> None:
    found = read(reader, ("2015 Toyota Camry", stated))

    assert ("vin" in found.doubts) is is_other
    assert (found.invoice.year, found.invoice.make) == (2015, "Toyota")


@pytest.mark.parametrize(
    ("first", "doubt"),
    [("Ada's Auto Repair", None), ("The Lovelaces\nAda's Auto Repair", NO_SHOP)],
)
def test_shop_that_is_not_the_first_name_is_doubtful(
    reader: InvoiceReader, first: str, doubt: str | None
) -> None:
    assert read(reader, ("Ada's Auto Repair", first)).doubts.get("shop_name") == doubt


def test_repair_that_only_the_book_names_is_a_guess(reader: InvoiceReader) -> None:
    found = read(reader, ("Front brake pads", "Complete front brake job"))
    line = only_line(found)

    assert line.problem_slug == "brake-rotors-front"
    assert found.doubts["lines.0.problem_identifier"] == GUESSED_REPAIR


@pytest.mark.parametrize(
    ("words", "doubt"),
    [("Widget kit", LOOSE_PART), ("Replace widget", "The line does not match any repair in the book.")],
)
def test_loose_part_and_unknown_work_are_marked(reader: InvoiceReader, words: str, doubt: str) -> None:
    found = read(reader, ("Shop supplies  ", f"{words}  "))
    place = next(at for at, line in enumerate(found.invoice.lines) if line.description == words)

    assert found.invoice.lines[place].problem_slug is None
    assert found.doubts[f"lines.{place}.problem_identifier"] == doubt


@pytest.mark.parametrize(
    "line",
    [
        "Visa $234.08",
        "Cash tendered $240.00",
        "Next oil change $89.00",
        "Recommended: rear brake pads $280.00",
        "Invoice #   Date   Odometer\n4711.50  01/03/2025  48,210",
    ],
)
def test_payments_advice_and_rows_of_labels_are_no_lines(reader: InvoiceReader, line: str) -> None:
    found = reader.read(f"{TEXT}{line}\n")

    assert found.invoice.lines == read(reader).invoice.lines
    assert found.invoice.total == 234_08
