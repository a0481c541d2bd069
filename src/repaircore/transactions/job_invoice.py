"""Invoices for rides and appointments, and the estimates that led to them."""

from datetime import date
from uuid import UUID

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.transactions.model import TransactionPart


@frozen(kw_only=True)
class JobInvoice:
    """The invoice for a job. Money is in cents, ``labor_rate`` in cents per hour, and ``mileage`` in miles.

    ``problem_identifier`` defaults to the predicted repair, ``vin`` to the predicted vehicle, and ``performed_on`` to
    today. ``total`` is only a check: it must be the sum of parts and labor. The place is the shop ``facility_id``, else
    ``zip_code``, which defaults to the ZIP code of the prediction.
    """

    labor_hours: float
    labor_rate: Cents
    parts: tuple[TransactionPart, ...] = ()
    parts_total: Cents | None = None
    total: Cents | None = None
    problem_identifier: str | None = None
    vin: str | None = None
    mileage: int | None = None
    performed_on: date | None = None
    facility_id: int | None = None
    zip_code: str | None = None


@frozen(kw_only=True)
class Estimated:
    """The price that was predicted for the repair, in cents, before any price adjustment."""

    session_id: UUID
    low: Cents
    average: Cents
    high: Cents


@frozen(kw_only=True)
class JobBill:
    """A recorded job invoice; ``estimate`` is the prediction that led to the job, or None."""

    transaction_id: int
    parts_total: Cents
    labor_total: Cents
    total: Cents
    estimate: Estimated | None = None
