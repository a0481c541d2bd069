"""The contract of the port ``InvoiceDraftRecords``, on both databases."""

from datetime import date, timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.conftest import NOW

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.invoice_drafts.errors import DraftChanged, DraftNotFound
from repaircore.invoice_drafts.model import DraftInvoice, DraftLine, DraftStatus, DraftSummary, InvoiceDraft
from repaircore.invoice_drafts.ports import DraftFilter
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import Page, PageRequest
from repaircore.quote_text.kinds import LineKind

LIVE, TEST = Environment.LIVE, Environment.TEST
MINE = DraftFilter(environment=LIVE, owner_id=7)
LINE = DraftLine(
    kind=LineKind.REPAIR,
    description="Replace front brake pads",
    total=21_295,
    problem_slug="brake-pads-front",
    labor_hours=1.2,
    labor_rate=11_500,
    parts_total=7_495,
    suggestions=("brake-pads-front", "brake-pads-rear"),
)
INVOICE = DraftInvoice(
    shop_name="Ada's Auto Repair",
    zip_code="62701",
    performed_on=date(2025, 1, 3),
    vin="4T1BF1FK5FU033210",
    year=2015,
    make="Toyota",
    model="Camry",
    odometer=48_210,
    lines=(LINE, DraftLine(kind=LineKind.DISCOUNT, description="Coupon", total=-2_000)),
    total=19_295,
)


def a_draft(number: int = 1, **changes: Any) -> InvoiceDraft:
    draft = InvoiceDraft(
        number=f"D-20260102-{number:06}",
        environment=LIVE,
        owner_id=7,
        invoice=INVOICE,
        doubts={"vin": "The check digit is wrong."},
        unread=("Deposit 20.00",),
        file_name="invoice.pdf",
        file_hash=bytes([number]) * 32,
        created_at=NOW,
        updated_at=NOW,
        expires_at=NOW + timedelta(days=30),
    )
    return evolve(draft, **changes)


def add(database: Database, *drafts: InvoiceDraft) -> list[bool]:
    with work.open_work(database, write=True) as unit:
        return [unit.invoice_drafts.add(draft) for draft in drafts]


def find(database: Database, number: str, *, owner_id: int | None = 7, **more: Any) -> InvoiceDraft | None:
    with work.open_work(database, write=False) as unit:
        return unit.invoice_drafts.find(
            number, **{"environment": LIVE, "owner_id": owner_id, "now": NOW, **more}
        )


def stored(database: Database, draft: InvoiceDraft) -> InvoiceDraft:
    add(database, draft)
    found = find(database, draft.number)
    assert found is not None
    return found


def page(database: Database, wanted: DraftFilter = MINE, **request: Any) -> Page[DraftSummary]:
    with work.open_work(database, write=False) as unit:
        return unit.invoice_drafts.page(wanted, PageRequest(**request), now=NOW)


def update(database: Database, old: InvoiceDraft, new: InvoiceDraft) -> InvoiceDraft:
    with work.open_work(database, write=True) as unit:
        return unit.invoice_drafts.update(old, new)


def delete(database: Database, draft: InvoiceDraft) -> None:
    with work.open_work(database, write=True) as unit:
        unit.invoice_drafts.delete(draft)


def test_draft_is_loaded_as_stored(database: Database) -> None:
    found = stored(database, a_draft())

    assert found == evolve(a_draft(), id=found.id)
    assert add(database, a_draft(file_name="other.pdf")) == [False]


def test_draft_of_others_is_hidden(database: Database) -> None:
    number = stored(database, a_draft()).number

    assert find(database, number, owner_id=8) is None
    assert find(database, number, environment=TEST) is None
    assert find(database, number, owner_id=None) is not None
    assert page(database, evolve(MINE, owner_id=8)).items == ()


def test_same_file_of_the_same_owner_is_found(database: Database) -> None:
    add(database, a_draft(1), a_draft(2, file_hash=bytes([1]) * 32), a_draft(3, owner_id=8))

    with work.open_work(database, write=False) as unit:
        find_same = unit.invoice_drafts.find_same
        latest = find_same(bytes([1]) * 32, environment=LIVE, owner_id=7, now=NOW)
        others = find_same(bytes([3]) * 32, environment=LIVE, owner_id=7, now=NOW)

    assert latest is not None
    assert (latest.number, others) == (a_draft(2).number, None)


def test_expired_draft_is_hidden_before_pruning(database: Database) -> None:
    old = stored(database, a_draft(1, expires_at=NOW + timedelta(seconds=1)))
    add(database, a_draft(2))
    later = NOW + timedelta(seconds=1)

    assert find(database, old.number, now=later) is None
    with work.open_work(database, write=True) as unit:
        assert [one.number for one in unit.invoice_drafts.page(MINE, PageRequest(), now=later)] == [
            a_draft(2).number
        ]
        assert unit.invoice_drafts.prune(later) == 1
        assert unit.invoice_drafts.prune(later) == 0


def test_update_of_an_older_version_is_refused(database: Database) -> None:
    old = stored(database, a_draft())
    new = update(database, old, old.recorded((3, 4), at=NOW))

    assert new == find(database, old.number)
    assert (new.version, new.status, new.transactions) == (2, DraftStatus.RECORDED, (3, 4))
    with pytest.raises(DraftChanged) as changed:
        update(database, old, old)
    assert changed.value.details == {"version": 2}
    with pytest.raises(DraftChanged):
        delete(database, old)
    delete(database, new)
    with pytest.raises(DraftNotFound):
        update(database, new, new)
    with pytest.raises(DraftNotFound):
        delete(database, new)


def test_list_is_filtered_and_searched(database: Database) -> None:
    add(database, a_draft(1), a_draft(2, invoice=evolve(INVOICE, shop_name="Élan 100% Motors", vin=None)))
    recorded = find(database, a_draft(1).number)
    assert recorded is not None
    update(database, recorded, recorded.recorded((), at=NOW))

    def numbers(**filters: Any) -> list[str]:
        return [one.number[-1] for one in page(database, evolve(MINE, **filters))]

    assert numbers() == ["2", "1"]
    assert numbers(status=DraftStatus.RECORDED) == ["1"]
    assert numbers(search="élan") == numbers(search="100%") == ["2"]
    assert numbers(search="fu0332") == ["1"]
    assert numbers(search="%") == ["2"]
    assert numbers(search="toyota camry") == ["2", "1"]
    (summary,) = page(database, evolve(MINE, search="élan")).items
    assert (summary.total, summary.line_count, summary.doubt_count) == (19_295, 2, 1)


def _add_drafts(database: Database) -> None:
    """Store drafts, some with equal totals and some without a date."""
    for number, total in enumerate((500, 200, 500, 100, 500, 300, 200), 1):
        line = DraftLine(kind=LineKind.FEE, description="Fee", total=total)
        day = date(2025, 1, number) if number % 2 else None
        add(database, a_draft(number, invoice=evolve(INVOICE, lines=(line,), performed_on=day)))


@pytest.mark.parametrize(
    "sort", ["", "created_at", "-total", "total", "performed_on", "-shop_name", "vehicle"]
)
def test_cursors_cover_the_list_in_both_directions(database: Database, sort: str) -> None:
    _add_drafts(database)
    whole = [one.number for one in page(database, sort=sort, per_page=100)]
    pages, request = [page(database, sort=sort, per_page=3)], PageRequest(sort=sort, per_page=3)
    while pages[-1].next_cursor is not None:
        pages.append(page(database, sort=sort, per_page=3, cursor=pages[-1].next_cursor))
    back = [pages[-1]]
    while back[-1].previous_cursor is not None:
        back.append(page(database, sort=request.sort, per_page=3, cursor=back[-1].previous_cursor))

    assert len(whole) == 7
    assert [one.number for each in pages for one in each] == whole
    assert [len(each.items) for each in pages] == [3, 3, 1]
    assert [one.number for each in reversed(back) for one in each] == whole
    assert [one.number for one in page(database, sort=sort, per_page=3, number=2)] == whole[3:6]


def test_cursor_is_stable_when_rows_come_and_go(database: Database) -> None:
    _add_drafts(database)
    first = page(database, sort="-total", per_page=2)
    rest = [one.number for one in page(database, sort="-total", per_page=100)][2:]
    gone = find(database, first.items[-1].number)
    assert gone is not None
    delete(database, gone)
    line = DraftLine(kind=LineKind.FEE, description="Fee", total=9_000)
    add(database, a_draft(9, invoice=evolve(INVOICE, lines=(line,))))

    following = page(database, sort="-total", per_page=100, cursor=first.next_cursor)

    assert [one.number for one in following] == rest


@pytest.mark.parametrize(
    "request_",
    [{"sort": "color"}, {"sort": "--total"}, {"cursor": "x"}, {"cursor": "W10"}],
)
def test_invalid_page_request_is_rejected(database: Database, request_: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as error:
        page(database, **request_)

    assert list(error.value.fields) == [*request_]


def test_cursor_of_another_order_is_refused(database: Database) -> None:
    _add_drafts(database)
    cursor = page(database, sort="total", per_page=2).next_cursor

    for sort in ("-total", "", "vehicle"):
        with pytest.raises(Invalid) as error:
            page(database, sort=sort, cursor=cursor)
        assert list(error.value.fields) == ["cursor"]
