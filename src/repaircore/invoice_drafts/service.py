"""Create invoice drafts from photos or PDFs, correct them, and record them exactly once."""

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import BinaryIO, Final, TypeAlias

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.invoice_drafts.errors import AlreadyRecorded, DraftChanged, DraftNotFound
from repaircore.invoice_drafts.model import DraftInvoice, DraftLine, DraftStatus, DraftSummary, InvoiceDraft
from repaircore.invoice_drafts.ports import DraftFilter, DraftsWork, OpenWork
from repaircore.invoice_drafts.reading import InvoiceReader
from repaircore.invoice_drafts.recording import (
    RepairCost,
    fields_of_draft,
    obstacles,
    repair_costs,
    transaction_of,
)
from repaircore.invoice_drafts.requests import (
    DraftLineInput,
    RecordInvoiceDraft,
    UpdateInvoiceDraft,
    invoice_of,
)
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.kernel.callers import LOCAL, Caller, owner_of, private_owner, require_admin
from repaircore.kernel.errors import Failure, Invalid, NotFound
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.reference_numbers import claim_reference
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.spelling import make_key
from repaircore.kernel.texts import stripped
from repaircore.kernel.types import Clock, Lazy, RandomBytes
from repaircore.learning.service import Transactions
from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES, document_too_large
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.service import Vehicles

_PREFIX: Final = "D"
_LONGEST_NAME: Final = 200
_CHUNK: Final = 1 << 20
_AS_IT_IS: Final = RecordInvoiceDraft()

ReadText: TypeAlias = Callable[[BinaryIO], str]
"""Return the lines of text in a photo or PDF; see ``TextExtraction.read_text``."""


@frozen(kw_only=True)
class InvoiceDrafts:
    """Use cases for invoice drafts. Each admin has their own drafts; the installation sees all of them.

    ``days`` is the number of days that a draft is stored after its last change.
    """

    transaction: OpenWork
    read: OpenWork
    read_text: ReadText
    vehicles: Lazy[Vehicles]
    transactions: Lazy[Transactions]
    problems: Lazy[Sequence[Problem]]
    find_problem: Callable[[str], Problem | None]
    matcher: Lazy[RepairMatcher]
    decode: Callable[[str], VehicleSpecs | None]
    makes: Lazy[Sequence[str]]
    clock: Clock
    random: RandomBytes
    days: int

    def create(self, file: BinaryIO, *, name: str, caller: Caller = LOCAL) -> InvoiceDraft:
        """Read an invoice from a photo or PDF, and store it as a draft; the file itself is not stored.

        If the caller already has a draft of the same file, it is returned unchanged.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``file``: it is too large, cannot be read, has no line with a price, or has too many lines.
            Unresolvable: the software that reads such files is not installed.
            TooMany: too many files are being read.
            Unavailable: no draft number is available.
        """
        require_admin(caller)
        file_hash = _hash_of(file)
        same = self._find_same(file_hash, caller)
        if same is not None:
            return same
        read = self._reader().read(self.read_text(file), scan=lambda: self._scanned_vin(file, caller))
        now = self.clock()
        drafted = InvoiceDraft(
            number="",
            environment=caller.environment,
            owner_id=owner_of(caller),
            invoice=self._with_facility(read.invoice),
            doubts=read.doubts,
            unread=read.unread,
            file_name=_plain_name(name),
            file_hash=file_hash,
            created_at=now,
            updated_at=now,
            expires_at=now + timedelta(days=self.days),
        )

        def add(number: str) -> bool:
            with self.transaction() as work:
                return work.invoice_drafts.add(evolve(drafted, number=number))

        return self.get(claim_reference(now, self.random, add, prefix=_PREFIX), caller)

    def get(self, number: str, caller: Caller = LOCAL) -> InvoiceDraft:
        """Return a draft.

        Raises:
            DraftNotFound: the caller has none with this number.
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return self._require(work, number, caller)

    def page(
        self,
        caller: Caller = LOCAL,
        *,
        status: DraftStatus | None = None,
        search: str | None = None,
        request: PageRequest = FIRST_PAGE,
    ) -> Page[DraftSummary]:
        """Return a page of drafts, newest first unless another order is requested.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``page``, ``per_page``, ``sort`` or ``cursor``.
        """
        require_admin(caller)
        require_page(request.number, request.per_page)
        wanted = DraftFilter(
            environment=caller.environment,
            owner_id=private_owner(caller),
            status=status,
            search=stripped(search),
        )
        with self.read() as work:
            return work.invoice_drafts.page(wanted, request, now=self.clock())

    def update(self, number: str, data: UpdateInvoiceDraft, caller: Caller = LOCAL) -> InvoiceDraft:
        """Replace a draft with its corrected version, which clears all doubts.

        Raises:
            AlreadyRecorded: its transactions were recorded.
            DraftChanged: it was changed since ``version``, or at the same time.
            DraftNotFound: the caller has none with this number.
            Forbidden: the caller is not an admin.
            Invalid: with every bad field; those of lines have names such as ``lines.0.total``.
        """
        old = self.get(number, caller)
        _require_open(old, data.version)
        invoice = self._checked(data, old)
        now = self.clock()
        new = evolve(
            old,
            invoice=invoice,
            doubts={},
            updated_at=now,
            expires_at=now + timedelta(days=self.days),
        )
        with self.transaction() as work:
            return work.invoice_drafts.update(old, new)

    def delete(self, number: str, caller: Caller = LOCAL) -> InvoiceDraft:
        """Delete a draft, and return it; its transactions stay.

        Raises:
            DraftChanged: it was changed at the same time.
            DraftNotFound: the caller has none with this number.
            Forbidden: the caller is not an admin.
        """
        draft = self.get(number, caller)
        with self.transaction() as work:
            work.invoice_drafts.delete(draft)
        return draft

    def record(
        self, number: str, data: RecordInvoiceDraft = _AS_IT_IS, caller: Caller = LOCAL
    ) -> InvoiceDraft:
        """Record a transaction for each repair of a draft, and learn from them; all of them or none, exactly once.

        Raises:
            AlreadyRecorded: it was recorded before, or at the same time.
            DraftChanged: it was changed since ``version``, or at the same time.
            DraftNotFound: the caller has none with this number.
            Forbidden: the caller is not an admin.
            Invalid: the draft has doubts, missing fields, or sums that do not match (all of them are listed), an
                unknown vehicle, or a repair that is no longer in the book.
            Unavailable: the VIN can only be decoded remotely, and the decoder is not responding.
        """
        draft = self.get(number, caller)
        _require_open(draft, data.version)
        errors = obstacles(draft, accept_difference=data.accept_difference)
        if errors:
            raise Invalid(errors)
        vehicle = self._vehicle(draft.invoice)
        now = self.clock()
        with self.transaction() as work:
            current = self._require(work, number, caller)
            _require_open(current, draft.version)
            # This comes first because only one of several concurrent calls gets past it.
            claimed = work.invoice_drafts.update(current, current.recorded((), at=now))
            ids = tuple(
                self._record(work, draft, cost, vehicle, caller) for cost in repair_costs(draft.invoice.lines)
            )
            return work.invoice_drafts.update(claimed, claimed.recorded(ids, at=now))

    def prune(self) -> int:
        """Delete the drafts that have expired; return how many."""
        with self.transaction() as work:
            return work.invoice_drafts.prune(self.clock())

    def _record(
        self, work: DraftsWork, draft: InvoiceDraft, cost: RepairCost, vehicle: Vehicle, caller: Caller
    ) -> int:
        problem = work.problems.find_by_slug(cost.slug)
        if problem is None:
            raise Invalid(
                {"lines": [f"The repair {cost.slug} is no longer in the book. Choose another one."]}
            )
        data = transaction_of(draft, cost, problem_id=problem.id, vehicle_id=vehicle.id)
        try:
            return self.transactions().record_within(work, data, caller, zip_code=draft.invoice.zip_code).id
        except Invalid as bad:
            raise Invalid(fields_of_draft(bad.fields, draft.invoice, cost.slug)) from None

    def _reader(self) -> InvoiceReader:
        return InvoiceReader(
            problems=self.problems(),
            matcher=self.matcher(),
            decode=self.decode,
            makes={make_key(make): make for make in self.makes()},
            today=self.clock().date(),
        )

    def _find_same(self, file_hash: bytes, caller: Caller) -> InvoiceDraft | None:
        with self.read() as work:
            return work.invoice_drafts.find_same(
                file_hash, environment=caller.environment, owner_id=owner_of(caller), now=self.clock()
            )

    def _scanned_vin(self, file: BinaryIO, caller: Caller) -> str | None:
        """Return the VIN from a photo's bar code, or from print that was not read as text, or None if there is none."""
        file.seek(0)
        with suppress(Failure):
            return self.vehicles().extract_vin(file, caller).vin
        return None

    def _with_facility(self, invoice: DraftInvoice) -> DraftInvoice:
        """Return an invoice with its facility if exactly one has the shop name and, if stated, the ZIP code."""
        if invoice.shop_name is None:
            return invoice
        with self.read() as work:
            named = work.facilities.named([invoice.shop_name])
        code = None if invoice.zip_code is None else invoice.zip_code[:5]
        near = [shop for shop in named if code is None or (shop.zip_code or "")[:5] == code]
        return evolve(invoice, facility_id=near[0].id) if len(near) == 1 else invoice

    def _checked(self, data: UpdateInvoiceDraft, old: InvoiceDraft) -> DraftInvoice:
        """Return the invoice in a request, with the slugs of its repairs.

        Raises:
            Invalid: with every bad field.
        """
        errors: FieldErrors = {}
        vin = None if stripped(data.vin) is None else vins.normalize(data.vin or "")
        if vin is not None and (wrong := vins.validate(vin)):
            errors["vin"] = wrong
        lines = tuple(self._line(line, place, errors) for place, line in enumerate(data.lines))
        if data.facility_id is not None and not self._has_facility(data.facility_id):
            errors["facility_id"] = ["The selected facility id is invalid."]
        if errors:
            raise Invalid(errors)
        known = {line.description: line.suggestions for line in old.invoice.lines}
        lines = tuple(evolve(line, suggestions=known.get(line.description, ())) for line in lines)
        return invoice_of(data, lines, vin=vin)

    def _line(self, data: DraftLineInput, place: int, errors: FieldErrors) -> DraftLine:
        identifier = stripped(data.problem_identifier)
        problem = None if identifier is None else self.find_problem(identifier)
        if identifier is not None and problem is None:
            errors[f"lines.{place}.problem_identifier"] = [
                "There is no such repair. Enter its name, id or slug."
            ]
        return data.line(None if problem is None else problem.slug)

    def _has_facility(self, facility_id: int) -> bool:
        with self.read() as work:
            return work.facilities.by_id(facility_id) is not None

    def _vehicle(self, invoice: DraftInvoice) -> Vehicle:
        """Return the stored vehicle of an invoice, creating it if necessary.

        Raises:
            Invalid: on ``vin`` or ``model``: no such vehicle is known.
            Unavailable: the VIN can only be decoded remotely, and the decoder is not responding.
        """
        found = self.vehicles()
        try:
            if invoice.vin is not None:
                return found.identify(invoice.vin)
            match = found.match(
                year=invoice.year or 0,
                make=invoice.make or "",
                model=invoice.model or "",
                trim=invoice.trim,
                engine=None,
            )
        except NotFound as unknown:
            raise Invalid({"vin" if invoice.vin else "model": [unknown.message]}) from None
        return match.vehicle

    def _require(self, work: DraftsWork, number: str, caller: Caller) -> InvoiceDraft:
        found = work.invoice_drafts.find(
            number, environment=caller.environment, owner_id=private_owner(caller), now=self.clock()
        )
        if found is None:
            raise DraftNotFound
        return found


def _require_open(draft: InvoiceDraft, version: int | None) -> None:
    """Require that a draft can still be changed, and is at the version that the request is based on."""
    if draft.status is DraftStatus.RECORDED:
        raise AlreadyRecorded(draft.transactions)
    if version not in {None, draft.version}:
        raise DraftChanged(draft.version)


def _hash_of(file: BinaryIO) -> bytes:
    """Return the SHA-256 hash of a file.

    Raises:
        Invalid: on ``file``: it is too large.
    """
    if file.seek(0, os.SEEK_END) > MAX_DOCUMENT_BYTES:
        raise document_too_large()
    file.seek(0)
    found = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        found.update(chunk)
    file.seek(0)
    return found.digest()


def _plain_name(name: str) -> str:
    """Return the name of a file without folders or unprintable characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(char for char in last if char.isprintable())[:_LONGEST_NAME]
