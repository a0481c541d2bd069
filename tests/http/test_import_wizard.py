"""The import of a shop's export in the console: upload, columns, preview, import, review, undo."""

import io
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from flask.testing import FlaskClient
from tests.http.visitors import Page, Visitor, visitor
from tests.http.wizard import check, import_checked, import_file, upload
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore_http.console.admin.imports import FIELDS, MOST_FILE_BYTES
from repaircore_http.service import serve_core

VIN = "4T1BF1FK5FU033209"
HEAD = "Date,RO,VIN,Concern,Labor,Parts,Total\n"
MATCHED_ROW = f"2025-11-06,2,{VIN},R&R frt brk pads,120,90,210\n"
REVIEW_ROWS = (
    f"2025-11-06,3,{VIN},fix the whatsit,120,90,210\n2025-11-07,4,{VIN},Fix the  WHATSIT,150,90,240\n"
)
BAD_ROW = "2025-11-07,5,XXXX,R&R frt brk pads,120,90,210\n"


@pytest.fixture
def client(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


@pytest.fixture
def root(core: Core, client: FlaskClient) -> Visitor:
    return visitor(client, "Root", core=core)


def words(answer: TestResponse) -> str:
    return Page(answer.text).words


def selected_option(answer: TestResponse, field: str) -> str:
    """Return the selected option of a field."""
    start = answer.text.index(f'id="column_{field}"')
    chosen = answer.text[start : answer.text.index("</select>", start)].partition(" selected>")[2]
    return chosen.partition("<")[0]


def columns_of(answer: TestResponse) -> dict[str, str]:
    return {
        f"column_{field}": selected_option(answer, field)
        for field in FIELDS
        if f'id="column_{field}"' in answer.text
    }


def test_file_is_checked_in_the_background_and_nothing_is_saved(root: Visitor, core: Core) -> None:
    answer = upload(root, HEAD + MATCHED_ROW + REVIEW_ROWS + BAD_ROW)
    waiting = root.get(answer.headers["Location"])
    assert "Waiting for its turn" in words(waiting)
    assert '<noscript><meta http-equiv="refresh"' in waiting.text
    core.task_worker.run_due()
    page = root.get(answer.headers["Location"])

    found = words(page)
    assert "Matched 1 To review 2 Rejected 1 Left out 0" in found
    assert "R&R frt brk pads" in found
    assert "Repair: brake-pads-front" in found
    assert "The line does not match any repair in the book." in found
    assert "A VIN has 11 or 17 characters; this one has 4." in found
    assert selected_option(page, "description") == "Concern"
    assert "http-equiv" not in page.text
    assert core.ledger.page().total == 0
    assert core.invoice_reviews.list_imports() == []


def test_checked_file_is_imported_reviewed_and_undone(root: Visitor, core: Core) -> None:
    page = import_file(root, core, HEAD + MATCHED_ROW + REVIEW_ROWS + BAD_ROW, source="counter")
    assert "Added 1 Already recorded 0 To review 2 Rejected 1" in page.words
    assert core.ledger.page().total == 1
    entry = next(one for one in core.audit.list_newest(limit=5) if one.action == "transactions.import")
    assert entry.email == root.email

    review = root.page("/console/admin/import/review")
    assert "2 lines are waiting" in review.words
    assert review.words.count("fix the whatsit") >= 1
    decided = root.post(
        "/console/admin/import/review",
        {"text": "fix the whatsit", "repair": "brake-pads-front", "page": "1"},
        follow=True,
    )
    assert "Nothing is waiting for a decision." in words(decided)
    assert core.ledger.page().total == 3

    (batch,) = core.invoice_reviews.list_imports()
    answer = root.post(f"/console/admin/imports/{batch.id}/undo")
    core.task_worker.run_due()
    assert "3 invoices deleted" in root.page(answer.headers["Location"]).words
    assert core.ledger.page().total == 0
    assert "fix the whatsit" not in root.page("/console/admin/import/review").words


def test_decision_without_a_repair_skips_the_lines(root: Visitor, core: Core) -> None:
    import_file(root, core, HEAD + MATCHED_ROW + REVIEW_ROWS)
    root.get("/console/admin/import/review")
    root.post("/console/admin/import/review", {"text": "fix the whatsit", "repair": "none"})

    assert core.invoice_reviews.count_waiting() == 0
    assert core.ledger.page().total == 1


def test_repair_is_searched_by_everyday_words(root: Visitor, core: Core) -> None:
    import_file(root, core, HEAD + MATCHED_ROW + REVIEW_ROWS)
    root.get("/console/admin/import/review")
    path = "/console/admin/import/review"
    found = root.post(path, {"text": "fix the whatsit", "words": "water pump"})
    assert 'value="water-pump"' in found.text
    nothing = root.post(path, {"text": "fix the whatsit", "words": "zzzz qqqq"})
    assert "No repair in the book matches these words." in words(nothing)
    empty = root.post(path, {"text": "fix the whatsit", "words": " "})
    assert empty.status_code == 422
    assert "Choose a repair, or type its name." in words(empty)
    unknown = root.post(path, {"text": "fix the whatsit", "repair": "no-such-repair"})
    assert unknown.status_code == 404
    gone = root.post(path, {"text": "never seen", "repair": "oil-change"})
    assert gone.status_code == 404


def test_columns_are_corrected_and_remembered_for_the_source(root: Visitor, core: Core) -> None:
    head = "When,RO,VIN,Remark,Concern,Sum A,Sum B\n"
    row = f"2025-11-06,2,{VIN},customer waits in the lobby,R&R frt brk pads,210,999\n"
    file = head + row + row.replace("waits", "comes back").replace("2025-11-06,2", "2025-11-08,3")
    address = check(root, core, file, source="counter")
    page = root.get(address)
    chosen = {
        **columns_of(page),
        "column_description": "Concern",
        "column_total": "Sum A",
        "column_labor": "",
    }
    again = root.post(f"{address}/columns", chosen)
    core.task_worker.run_due()
    corrected = root.get(again.headers["Location"])
    assert selected_option(corrected, "description") == "Concern"
    assert selected_option(corrected, "total") == "Sum A"
    assert "Matched 2" in words(corrected)
    import_checked(root, core, again.headers["Location"])
    assert core.ledger.page().total == 2

    later = root.get(check(root, core, head + row.replace("2025-11-06", "2025-12-06"), source="counter"))
    assert selected_option(later, "total") == "Sum A"
    assert "counter" in root.get("/console/admin/import").text


def test_missing_columns_are_chosen_by_hand(root: Visitor, core: Core) -> None:
    file = f"a,b,c,d\n2025-11-06,{VIN},R&R frt brk pads,210\n2025-11-07,{VIN},R&R frt brk pads front,211\n"
    address = check(root, core, file)
    page = root.get(address)
    assert "Not all columns were found" in words(page)
    assert "The file has no total column" in words(page)
    assert "--column" not in words(page)
    assert root.post(f"{address}/start").status_code == 422
    chosen = {"column_date": "a", "column_vin": "b", "column_description": "c", "column_total": "d"}
    again = root.post(f"{address}/columns", chosen)
    core.task_worker.run_due()

    assert "Matched" in words(root.get(again.headers["Location"]))


def test_own_format_needs_no_columns(root: Visitor, core: Core) -> None:
    file = (
        "vin,problem,date,labor_hours,labor_rate,total\n"
        f"{VIN},brake-pads-front,2025-11-03,1.4,175.00,334.00\n{VIN},brake-pads-front,yesterday,1.4,175.00,334.00\n"
    )
    address = check(root, core, file)
    found = root.page(address).words
    assert "our own format" in found
    assert "Matched 1 To review 0 Rejected 1" in found
    assert "Added 1 Already recorded 0" in import_checked(root, core, address).words
    again = check(root, core, file)
    assert "Added 0 Already recorded 1" in import_checked(root, core, again).words
    gone = root.get(address)
    assert "already imported or deleted" in words(gone)
    assert root.post(f"{address}/start").status_code == 404


def test_import_can_be_cancelled_before_it_starts(root: Visitor, core: Core) -> None:
    address = check(root, core, HEAD + MATCHED_ROW)
    root.get(address)
    started = root.post(f"{address}/start").headers["Location"]
    number = started.rpartition("/")[2]
    assert "was canceled" in words(root.post(f"/console/tasks/{number}/cancel", follow=True))
    core.task_worker.run_due()
    assert core.ledger.page().total == 0
    assert root.post(f"/console/tasks/{number}/cancel").status_code == 409
    assert "Added 1" in import_checked(root, core, address).words


def _bomb(member: str, size: int) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr(member, b" " * size)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"%PDF-1.7", "The file is a PDF"),
        (b"a,b\n1,2\n", "no problem column"),
        (b"\x00" * 1000, "."),
        (
            ",".join(f"c{number}" for number in range(1_000_000)).encode(),
            "characters. Check that the file is a table",
        ),
        (b"date,vin,total,description\n" + b"x" * 5_000_000, "."),
        (_bomb("xl/worksheets/sheet1.xml", 50_000_000), "workbook"),
        ((HEAD + MATCHED_ROW).encode("utf-16")[:-1], "."),
    ],
    ids=["pdf", "two columns", "NUL", "million columns", "endless line", "bomb", "half UTF-16"],
)
def test_odd_files_get_a_readable_error(root: Visitor, core: Core, content: bytes, sentence: str) -> None:
    page = root.page(check(root, core, content))
    task = core.tasks.page(caller=core.accounts.caller_for(root.email)).items[0]

    assert "Something went wrong" not in page.words
    assert task.failure is None or sentence in task.failure
    assert core.ledger.page().total == 0


def test_utf_16_is_accepted(root: Visitor, core: Core) -> None:
    assert "Matched 1" in root.page(check(root, core, (HEAD + MATCHED_ROW).encode("utf-16"))).words


def test_missing_or_too_large_file_is_rejected_at_once(root: Visitor) -> None:
    assert "Choose a file first." in words(upload(root, b""))
    large = upload(root, b"x" * (MOST_FILE_BYTES + 1))
    assert large.status_code == 422
    assert "must not be larger than 20 MB" in words(large)
    assert upload(root, HEAD, source="x" * 61).status_code == 422


def test_file_name_is_escaped(root: Visitor, core: Core) -> None:
    page = root.get(check(root, core, HEAD + MATCHED_ROW, name="../<b>x\u202e.csv"))
    assert "&lt;b&gt;x.csv" in page.text
    assert "../" not in Page(page.text).words


def test_wizard_is_for_admins(client: FlaskClient) -> None:
    ada = visitor(client, "Ada")
    for path in ("/console/admin/import", "/console/admin/import/1", "/console/admin/import/review"):
        assert ada.get(path).status_code == 403
