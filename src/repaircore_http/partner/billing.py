"""The invoice of a job, told when it is completed."""

from datetime import date

from attrs import frozen

from repaircore.kernel.money import cents
from repaircore.kernel.views import Dollars
from repaircore.transactions.job_invoice import JobInvoice
from repaircore.transactions.model import TransactionPart


@frozen(kw_only=True)
class InvoicePartInput:
    """A line of parts; ``unit_price`` in dollars."""

    name: str
    unit_price: Dollars
    quantity: int = 1


@frozen(kw_only=True)
class InvoiceInput:
    """What the work on the vehicle came to, in dollars; without repair and VIN it is the predicted repair's."""

    labor_hours: float
    labor_rate: Dollars
    parts: tuple[InvoicePartInput, ...] = ()
    parts_total: Dollars | None = None
    total: Dollars | None = None
    problem_identifier: str | None = None
    vin: str | None = None
    mileage: int | None = None
    performed_on: date | None = None


def invoice_of(asked: InvoiceInput | None) -> JobInvoice | None:
    """Give the invoice of a body, in cents."""
    if asked is None:
        return None
    return JobInvoice(
        labor_hours=asked.labor_hours,
        labor_rate=cents(asked.labor_rate),
        parts=tuple(
            TransactionPart(name=part.name, unit_price=cents(part.unit_price), quantity=part.quantity)
            for part in asked.parts
        ),
        parts_total=None if asked.parts_total is None else cents(asked.parts_total),
        total=None if asked.total is None else cents(asked.total),
        problem_identifier=asked.problem_identifier,
        vin=asked.vin,
        mileage=asked.mileage,
        performed_on=asked.performed_on,
    )
