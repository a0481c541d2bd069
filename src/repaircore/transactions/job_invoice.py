"""What a job came to that was done for a partner, beside what was estimated."""

from datetime import date
from uuid import UUID

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.transactions.model import TransactionPart


@frozen(kw_only=True)
class JobInvoice:
    """The invoice of a job as it is told. Money in cents, ``labor_rate`` in cents per hour, ``mileage`` in miles.

    ``problem_identifier`` None is the predicted repair, ``vin`` None the predicted vehicle, ``performed_on`` None
    today. ``total`` is nothing but a check: it must be what parts and labor come to.
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


@frozen(kw_only=True)
class Estimated:
    """What was predicted of the repair, in cents, as it was computed."""

    session_id: UUID
    low: Cents
    average: Cents
    high: Cents


@frozen(kw_only=True)
class JobBill:
    """A job's invoice as it was kept. ``estimate`` is the prediction that it answers, None when it answers none."""

    transaction_id: int
    parts_total: Cents
    labor_total: Cents
    total: Cents
    estimate: Estimated | None = None
