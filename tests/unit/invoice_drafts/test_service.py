"""Creating drafts from files, with stored drafts and facilities in memory."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest

from repaircore.invoice_drafts.errors import DraftNotFound
from repaircore.invoice_drafts.model import InvoiceDraft
from repaircore.invoice_drafts.service import InvoiceDrafts
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TEXT = "Ada's Auto Repair\n12 Main Street, Springfield, IL 62701\nShop supplies   $14.95\nTotal   $14.95\n"
SHOP = SimpleNamespace(id=7, name="Ada's Auto Repair", zip_code="62701-1234")
ELSEWHERE = SimpleNamespace(id=8, name="Ada's Auto Repair", zip_code="43215")
UNPLACED = SimpleNamespace(id=9, name="Ada's Auto Repair", zip_code=None)


class Stored:
    """Drafts and facilities in memory, as one unit of work."""

    def __init__(self, shops: Sequence[Any] = ()) -> None:
        self.drafts: list[InvoiceDraft] = []
        self.shops = shops
        self.invoice_drafts = self
        self.facilities = self

    def add(self, draft: InvoiceDraft) -> bool:
        if self.find(draft.number) is not None:
            return False
        self.drafts.append(draft)
        return True

    def find(self, number: str, **_: object) -> InvoiceDraft | None:
        return next((draft for draft in self.drafts if draft.number == number), None)

    def find_same(self, file_hash: bytes, **_: object) -> InvoiceDraft | None:
        return next((draft for draft in self.drafts if draft.file_hash == file_hash), None)

    def named(self, names: Sequence[str]) -> Sequence[Any]:
        return [shop for shop in self.shops if shop.name in names]


def service(stored: Stored, *, text: str = TEXT, random: Iterator[bytes] | None = None) -> InvoiceDrafts:
    @contextmanager
    def work() -> Iterator[Any]:
        yield stored

    class Unreadable:
        def extract_vin(self, *_: object) -> None:
            raise NotFound("There is no VIN.")

    drawn = random or iter(bytes([number]) * 16 for number in range(100))
    nothing: Any = None
    unreadable: Any = Unreadable()
    return InvoiceDrafts(
        transaction=work,
        read=work,
        read_text=lambda _: text,
        vehicles=lambda: unreadable,
        transactions=lambda: nothing,
        problems=lambda: (),
        find_problem=lambda _: None,
        matcher=lambda: nothing,
        decode=lambda _: None,
        makes=lambda: (),
        clock=lambda: NOW,
        random=lambda size: next(drawn)[:size],
        days=30,
    )


def test_file_becomes_a_draft_that_expires_after_the_given_days() -> None:
    stored = Stored()
    draft = service(stored).create(BytesIO(b"invoice"), name="invoice.pdf")

    assert stored.drafts == [draft]
    assert draft.number.startswith("D-20260102-")
    assert draft.invoice.shop_name == "Ada's Auto Repair"
    assert draft.invoice.total == 14_95
    assert (draft.created_at, draft.updated_at, draft.expires_at) == (NOW, NOW, NOW + timedelta(days=30))


def test_same_file_is_one_draft_and_another_is_another() -> None:
    stored = Stored()
    drafts = service(stored)
    first, again, other = (
        drafts.create(BytesIO(content), name="invoice.pdf") for content in (b"one", b"one", b"two")
    )

    assert again == first
    assert stored.drafts == [first, other]


def test_number_that_is_taken_is_drawn_again() -> None:
    stored = Stored()
    drafts = service(stored, random=iter([b"\0" * 16, b"\0" * 16, b"\1" * 16]))
    first, other = (drafts.create(BytesIO(content), name="x.pdf") for content in (b"one", b"two"))

    assert first.number != other.number
    assert drafts.get(first.number) == first
    with pytest.raises(DraftNotFound):
        drafts.get("D-20260102-NONE")


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("invoice.pdf", "invoice.pdf"),
        ("invoices/january/invoice.pdf", "invoice.pdf"),
        ("C:\\invoices\\january/invoice.pdf", "invoice.pdf"),
        ("in\0voice\n.pdf", "invoice.pdf"),
        ("x" * 201, "x" * 200),
        ("", ""),
    ],
)
def test_draft_has_the_name_of_its_file_without_folders(name: str, plain: str) -> None:
    assert service(Stored()).create(BytesIO(b"invoice"), name=name).file_name == plain


@pytest.mark.parametrize(("more", "is_accepted"), [(0, True), (1, False)])
def test_file_has_at_most_ten_megabytes(
    more: int,
    is_accepted: bool,  # noqa: FBT001 - a column of the table
) -> None:
    file = BytesIO(bytes(MAX_DOCUMENT_BYTES + more))

    if is_accepted:
        assert service(Stored()).create(file, name="x.pdf").file_name == "x.pdf"
    else:
        with pytest.raises(Invalid) as error:
            service(Stored()).create(file, name="x.pdf")
        assert [*error.value.fields] == ["file"]


@pytest.mark.parametrize(
    ("shops", "text", "facility_id"),
    [
        ([], TEXT, None),
        ([SHOP], TEXT, 7),
        ([SHOP, ELSEWHERE], TEXT, 7),
        ([SHOP, SHOP], TEXT, None),
        ([ELSEWHERE], TEXT, None),
        ([UNPLACED], TEXT, None),
        ([ELSEWHERE], TEXT.replace("62701", ""), 8),
        ([SHOP, ELSEWHERE], TEXT.replace("62701", ""), None),
        ([SHOP], "12 Main Street, Springfield, IL 62701\nTax   $14.95\n", None),
    ],
)
def test_facility_is_the_only_one_of_the_name_near_the_shop(
    shops: Sequence[Any], text: str, facility_id: int | None
) -> None:
    draft = service(Stored(shops), text=text).create(BytesIO(b"invoice"), name="x.pdf")

    assert draft.invoice.facility_id == facility_id
