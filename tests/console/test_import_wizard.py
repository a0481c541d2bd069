"""The import of a shop's file and a batch of cars in Chromium, while tasks run in a thread."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.console.chromium import SIZES, Tab

from repaircore.core import Core
from repaircore.kernel.callers import Role

pytestmark = [pytest.mark.long, pytest.mark.browser]

PASSWORD = "correct horse"
VIN = "4T1BF1FK5FU033209"
HEAD = "Closed,RO #,VIN,Concern/Correction,Labor $,Parts $,Total\n"
ROWS = "".join(
    f"2025-{1 + number % 9:02}-{1 + number % 28:02},{1000 + number},{VIN},{text},{100 + number % 40},{80 + number % 30},{180 + number % 40 + number % 30}\n"
    for number, text in enumerate(
        ["R&R frt brk pads", "LOF 5W30 full syn", "replaced alt & belt", "fix the whatsit again", "diag CEL"]
        * 40
    )
)
BAD = f"2025-03-07,99,XXXX,R&R frt brk pads,120,90,210\n2025-02-31,98,{VIN},R&R frt brk pads,120,90,210\n"
CARS = "unit,vin,zip,repair\n" + f"7,{VIN},60601,oil-change\n8,bad,60601,oil-change\n" * 30


@pytest.fixture
def root(core: Core) -> str:
    core.upgrade()
    core.accounts.create_user(name="Root", email="root@example.com", password=PASSWORD)
    core.accounts.set_role("root@example.com", Role.ADMIN)
    return "root@example.com"


@pytest.fixture
def _run_tasks(core: Core) -> Iterator[None]:
    stop = Event()

    def run_tasks() -> None:
        while not stop.wait(0.2):
            core.task_worker.run_due()

    thread = Thread(target=run_tasks)
    thread.start()
    yield
    stop.set()
    thread.join()


def check_page(tab: Tab, name: str, *, scripts: bool = True) -> None:
    """Take a screenshot, and check the page for faults."""
    tab.screenshot(name)
    if scripts:
        assert tab.faults() == {}, name
        assert tab.missing_focus_rings() == [], name


@pytest.mark.usefixtures("_run_tasks")
@pytest.mark.parametrize("size", SIZES)
def test_export_is_checked_imported_reviewed_and_undone(
    open_tab: Callable[..., Tab], core: Core, root: str, tmp_path: Path, size: str
) -> None:
    file = tmp_path / "export of Main Street.csv"
    file.write_text(HEAD + ROWS + BAD)
    tab = open_tab(size)
    tab.log_in(root, PASSWORD)
    page = tab.page
    tab.open("/console/admin/import")
    check_page(tab, f"import-{size}-1-upload")
    page.get_by_label("Where it comes from").fill("Main Street")
    page.get_by_label("Invoice file").set_input_files(file)
    page.get_by_role("button", name="Upload and check").click()
    page.get_by_role("heading", name="What is in the file").wait_for()
    check_page(tab, f"import-{size}-2-preview")
    assert page.get_by_label("What was done").input_value() == "Concern/Correction"
    page.get_by_label("Order number").select_option("")
    page.get_by_role("button", name="Check again with these columns").click()
    page.get_by_role("heading", name="What is in the file").wait_for()
    page.get_by_role("button", name="Import without the rejected rows").click()
    page.get_by_role("heading", name="Imported").wait_for()
    check_page(tab, f"import-{size}-4-imported")
    added = core.ledger.page().total
    assert added > 0

    page.get_by_role("link", name="Review").click()
    page.get_by_role("heading", name="fix the whatsit again").wait_for()
    check_page(tab, f"import-{size}-5-review")
    card = page.locator(".review-card").filter(has=page.get_by_role("heading", name="fix the whatsit again"))
    card.get_by_text("Another repair").click()
    card.get_by_label("Its name in everyday words").fill("water pump")
    card.get_by_role("button", name="Search").click()
    page.get_by_role("button", name="Water Pump").first.wait_for()
    check_page(tab, f"import-{size}-6-search")
    card.get_by_role("button", name="No repair").click()
    page.get_by_text("The decision was saved.").wait_for()

    tab.open("/console/admin/import")
    check_page(tab, f"import-{size}-7-list")
    page.get_by_text("Undo…").click()
    page.get_by_role("button", name="Undo the import of").click()
    page.get_by_text("no longer waiting for a decision").wait_for()
    check_page(tab, f"import-{size}-8-undone")
    assert core.ledger.page().total == 0
    tab.open("/console/tasks")
    check_page(tab, f"import-{size}-9-tasks")


@pytest.mark.parametrize("scripts", [True, False])
def test_progress_is_shown_and_a_task_cancelled(
    open_tab: Callable[..., Tab], core: Core, root: str, tmp_path: Path, *, scripts: bool
) -> None:
    file = tmp_path / "cars.csv"
    file.write_text(CARS)
    tab = open_tab(java_script_enabled=scripts)
    tab.log_in(root, PASSWORD)
    page = tab.page
    tab.open("/console/batch")
    check_page(tab, "batch-upload", scripts=scripts)
    page.locator("#file").set_input_files(file)
    page.get_by_role("button", name="Estimate", exact=True).click()
    page.get_by_text("Waiting for its turn").wait_for()
    check_page(tab, "batch-waiting", scripts=scripts)
    core.task_worker.run_due()
    # The page updates by its script or by reloading itself.
    page.get_by_text("30 cars estimated, 30 could not be").wait_for(timeout=15_000)
    check_page(tab, "batch-done", scripts=scripts)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the file").click()
    priced = tmp_path / "priced.csv"
    download.value.save_as(priced)
    assert len(priced.read_text().splitlines()) == 61

    tab.open("/console/batch")
    page.locator("#file").set_input_files(file)
    page.get_by_role("button", name="Estimate", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("The task was canceled.").wait_for()
    check_page(tab, "batch-cancelled", scripts=scripts)
