"""Transactions from a draft: one for each of its repairs, without the fees and taxes that all of them share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from attrs import frozen

from repaircore.invoice_drafts.model import WORK, DraftInvoice, DraftLine, InvoiceDraft
from repaircore.invoice_drafts.sums import is_met, totals_that_differ
from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.wording import money
from repaircore.learning.transaction_rows import CreateTransaction

DOUBTFUL: Final = "Some fields are doubtful: {fields}. Check them and save the draft, then record it."
NO_DAY: Final = "Enter the date of the invoice."
NO_VEHICLE: Final = "Enter a VIN, or the year, make and model."
NO_REPAIRS: Final = "Choose the repair of at least one line."
NO_HOURS: Final = "Enter the hours: the line has {labor} of labor."
NO_SPLIT: Final = "Enter how much of this line is labor, and how much is parts."
NOT_MET: Final = "Labor and parts add up to {split}, but the line says {total}."
NEGATIVE: Final = "A repair cannot have a negative price. Enter it as a discount."


@frozen(kw_only=True)
class RepairCost:
    """What one of an invoice's repairs cost: the sum of its lines."""

    slug: str
    labor_hours: float
    labor_rate: Cents
    parts_total: Cents


def obstacles(draft: InvoiceDraft, *, accept_difference: bool) -> FieldErrors:
    """Return what prevents a draft from being recorded, by field."""
    invoice = draft.invoice
    errors: FieldErrors = {}
    if draft.doubts:
        errors["doubts"] = [DOUBTFUL.format(fields=", ".join(draft.doubts))]
    if invoice.performed_on is None:
        errors["performed_on"] = [NO_DAY]
    if invoice.vin is None and not (invoice.year and invoice.make and invoice.model):
        errors["vin"] = [NO_VEHICLE]
    if not any(line.problem_slug for line in invoice.lines):
        errors["lines"] = [NO_REPAIRS]
    for place, line in enumerate(invoice.lines):
        if line.problem_slug is not None and line.kind in WORK:
            errors |= {f"lines.{place}.{field}": [text] for field, text in _line_errors(line).items()}
    differing = totals_that_differ(invoice)
    if differing and not accept_difference:
        errors["total"] = [*differing]
    return errors


def _line_errors(line: DraftLine) -> Mapping[str, str]:
    if line.total < 0:
        return {"total": NEGATIVE}
    if line.parts_total is None:
        return {"parts_total": NO_SPLIT}
    if is_met(line):
        return {}
    if line.parts_total < line.total and not line.labor_hours:
        return {"labor_hours": NO_HOURS.format(labor=money(line.total - line.parts_total))}
    return {"total": NOT_MET.format(split=money(line.labor + line.parts_total), total=money(line.total))}


def repair_costs(lines: Iterable[DraftLine]) -> Sequence[RepairCost]:
    """Return what each repair cost, ordered by the repairs' first lines."""
    of_repair: dict[str, list[DraftLine]] = {}
    for line in lines:
        if line.problem_slug is not None and line.kind in WORK:
            of_repair.setdefault(line.problem_slug, []).append(line)
    return [_cost(slug, own) for slug, own in of_repair.items()]


def _cost(slug: str, lines: Sequence[DraftLine]) -> RepairCost:
    hours = round(sum(line.labor_hours or 0 for line in lines), 6)
    rates = {line.labor_rate or 0 for line in lines if line.labor_hours}
    labor = sum(line.labor for line in lines)
    rate = rates.pop() if len(rates) == 1 else round_half_up(labor / hours) if hours else 0
    return RepairCost(
        slug=slug,
        labor_hours=hours,
        labor_rate=rate,
        parts_total=sum(line.parts_total or 0 for line in lines),
    )


def transaction_of(
    draft: InvoiceDraft, cost: RepairCost, *, problem_id: int, vehicle_id: UUID
) -> CreateTransaction:
    """Return the transaction to create for a repair; the invoice must have a date."""
    invoice = draft.invoice
    if invoice.performed_on is None:
        raise LookupError(draft.number)
    named = "" if invoice.invoice_number is None else f"Invoice {invoice.invoice_number}, "
    return CreateTransaction(
        vehicle_id=vehicle_id,
        problem_id=problem_id,
        performed_on=invoice.performed_on,
        labor_hours=cost.labor_hours,
        labor_rate=cost.labor_rate,
        parts_total=cost.parts_total,
        facility_id=invoice.facility_id,
        mileage=invoice.odometer,
        notes=f"{named}draft {draft.number}",
        vin=invoice.vin,
    )


def fields_of_draft(errors: Mapping[str, Iterable[str]], invoice: DraftInvoice, slug: str) -> FieldErrors:
    """Return a transaction's errors by draft field; those about the repair itself go to the repair's first line."""
    place = next(at for at, line in enumerate(invoice.lines) if line.problem_slug == slug)
    names = {"mileage": "odometer", "vehicle_id": "vin"}
    own = {"labor_hours", "labor_rate", "parts_total", "problem_id"}
    return {
        f"lines.{place}.{name}" if name in own else names.get(name, name): [*texts]
        for name, texts in errors.items()
    }
