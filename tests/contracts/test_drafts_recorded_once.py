"""Invoice drafts on both databases: recorded once and completely, expired, and erased with their account."""

from datetime import timedelta
from io import BytesIO

import pytest
from attrs import evolve
from tests.installations import discrepancies
from tests.paper_invoices import INVOICES, as_pdf
from tests.threads import at_once

from repaircore.core import Core
from repaircore.invoice_drafts.errors import DraftNotFound
from repaircore.invoice_drafts.model import DraftStatus, InvoiceDraft
from repaircore.invoice_drafts.requests import UpdateInvoiceDraft
from repaircore.kernel.callers import LOCAL, Caller, Role
from repaircore.kernel.errors import Conflict, Invalid

PAPER = INVOICES[5]
ADA = "ada@example.org"


def a_draft(core: Core, caller: Caller = LOCAL, *, number: int = 5) -> InvoiceDraft:
    return core.invoice_drafts.create(BytesIO(as_pdf(INVOICES[number])), name="invoice.pdf", caller=caller)


@pytest.fixture
def ada(core: Core) -> Caller:
    core.accounts.create_user(name="Ada", email=ADA, password="correct horse")
    core.accounts.set_role(ADA, Role.ADMIN)
    return core.accounts.caller_for(ADA)


def test_one_of_concurrent_recordings_succeeds(core: Core, database_url: str) -> None:
    draft = a_draft(core)

    def record() -> bool:
        try:
            core.invoice_drafts.record(draft.number)
        except Conflict:
            return False
        return True

    assert sorted(at_once(4, record)) == [False, False, False, True]
    recorded = core.invoice_drafts.get(draft.number)
    assert recorded.status is DraftStatus.RECORDED
    listed = core.ledger.page()
    assert sorted(recorded.transactions) == sorted(one.id for one in listed)
    assert sorted(one.total for one in listed) == sorted(map(PAPER.job_total, PAPER.jobs))
    core.close()
    assert discrepancies(database_url) == []


def test_draft_with_an_invalid_repair_records_none(core: Core) -> None:
    draft = a_draft(core)
    first, second, *others = draft.invoice.lines
    dear = evolve(second, labor_rate=999_000, labor_hours=999.0, parts_total=0, total=999_000 * 999)
    with core.storage.transaction() as work:  # no request could do this
        broken = evolve(draft, invoice=evolve(draft.invoice, lines=(first, dear, *others), total=None))
        work.invoice_drafts.update(draft, broken)

    with pytest.raises(Invalid):
        core.invoice_drafts.record(draft.number)

    assert core.ledger.page().total == 0
    assert core.invoice_drafts.get(draft.number).status is DraftStatus.DRAFT


def test_erasure_deletes_drafts_and_keeps_transactions(core: Core, ada: Caller) -> None:
    draft = a_draft(core, ada)
    core.invoice_drafts.record(draft.number, caller=ada)

    exported = core.persons.export(ADA).own
    erasure = core.persons.erase(ADA)

    assert [row["number"] for row in exported["invoice_drafts"]] == [draft.number]
    assert erasure.removed["invoice_drafts"] == 1
    with pytest.raises(DraftNotFound):
        core.invoice_drafts.get(draft.number)
    assert core.ledger.page().total == len(PAPER.jobs)


def test_draft_expires_a_set_number_of_days_after_its_last_change(core: Core) -> None:
    days = timedelta(days=core.settings.invoice_draft_days)
    draft = a_draft(core)
    drafts = evolve(core.invoice_drafts, clock=lambda: draft.created_at + days - timedelta(hours=1))
    changed = drafts.update(draft.number, UpdateInvoiceDraft.of(draft.invoice, version=draft.version))
    later = evolve(drafts, clock=lambda: draft.created_at + days)
    at_the_end = evolve(drafts, clock=lambda: changed.expires_at)

    assert draft.expires_at == draft.created_at + days
    assert later.get(draft.number) == changed
    assert later.prune() == 0
    with pytest.raises(DraftNotFound):
        at_the_end.get(draft.number)
    assert at_the_end.prune() == 1


def test_facility_is_found_by_name_and_zip(core: Core) -> None:
    from repaircore.facilities.model import CreateFacility  # noqa: PLC0415 - of this test alone

    shops = [
        core.facilities.create(CreateFacility(facility_name=PAPER.shop.title(), zip_code=code))
        for code in (PAPER.zip_code, "60601")
    ]

    assert a_draft(core).invoice.facility_id == shops[0].id
    recorded = core.invoice_drafts.record(a_draft(core).number)
    assert {core.ledger.get(number).facility_id for number in recorded.transactions} == {shops[0].id}
