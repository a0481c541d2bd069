"""From an invoice on paper to its transactions, in Chromium: with and without scripts, on a desktop and a phone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.console.chromium import SIZES, Tab
from tests.paper_invoices import INVOICES, as_pdf

from repaircore.core import Core
from repaircore.kernel.callers import Role

pytestmark = [pytest.mark.long, pytest.mark.browser]

EMAIL, PASSWORD = "root@example.com", "correct horse"
PAPER = INVOICES[7]


@pytest.fixture
def root(core: Core) -> str:
    core.accounts.create_user(name="Root", email=EMAIL, password=PASSWORD)
    core.accounts.set_role(EMAIL, Role.ADMIN)
    return EMAIL


def _file(folder: Path, number: int = 7) -> Path:
    path = folder / f"invoice-{number}.pdf"
    path.write_bytes(as_pdf(INVOICES[number]))
    return path


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("scripts", [True, False])
def test_invoice_is_read_corrected_and_recorded(
    open_tab: Callable[..., Tab], core: Core, root: str, tmp_path: Path, size: str, *, scripts: bool
) -> None:
    tab = open_tab(size, java_script_enabled=scripts)
    page = tab.page
    page.set_default_timeout(60_000)
    tab.log_in(root, PASSWORD)

    tab.open("/console/admin/invoices")
    page.get_by_label("Invoice", exact=True).set_input_files(_file(tmp_path))
    page.get_by_role("button", name="Read the invoice").click()
    page.wait_for_url("**/invoices/D-*")
    assert f"the invoice says ${PAPER.printed_total / 100:,.2f}" in tab.text()
    total = page.get_by_label("Total, $").last
    total.fill(f"{PAPER.total / 100:.2f}")
    if scripts:
        assert f"The lines add up to ${PAPER.total / 100:,.2f}." in tab.text()
        tab.screenshot(f"draft-{size}")
        assert tab.faults() == {}
        assert tab.missing_focus_rings() == []
    page.get_by_role("button", name="Save and record").click()
    page.get_by_text("This invoice is recorded").wait_for()

    assert core.ledger.page(caller=core.accounts.caller_for(root)).total == len(PAPER.jobs)


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_drafts_can_be_read_and_used(
    open_tab: Callable[..., Tab], core: Core, root: str, tmp_path: Path, size: str
) -> None:
    caller = core.accounts.caller_for(root)
    for number in range(4):
        with _file(tmp_path, number).open("rb") as file:
            draft = core.invoice_drafts.create(file, name="invoice.pdf", caller=caller)
    tab = open_tab(size)
    tab.log_in(root, PASSWORD)

    for path in (
        "/console/admin/invoices",
        "/console/admin/invoices?sort=-total&search=a",
        "/console/admin/invoices?sort=color",
        f"/console/admin/invoices/{draft.number}",
    ):
        tab.open(path)
        tab.screenshot(f"{size}{path.translate(str.maketrans('/?', '--'))}")
        assert tab.faults() == {}, path
        assert tab.missing_focus_rings() == [], path
