"""The invoice that a completed ride or appointment may come with."""

from datetime import date
from typing import Annotated, ClassVar, TypeAlias

from attrs import frozen

from repaircore.kernel.money import cents
from repaircore.kernel.rules import WholeCents
from repaircore.kernel.views import Dollars
from repaircore.transactions.job_invoice import JobInvoice
from repaircore.transactions.model import TransactionPart

_Amount: TypeAlias = Annotated[Dollars, WholeCents()]


@frozen(kw_only=True)
class InvoicePartInput:
    """A line of parts; ``unit_price`` is in dollars."""

    takes_nulls: ClassVar[bool] = True

    name: str
    unit_price: _Amount
    quantity: int = 1


@frozen(kw_only=True)
class InvoiceInput:
    """The invoice for the work on the vehicle, in dollars; repair and VIN default to those of the prediction."""

    takes_nulls: ClassVar[bool] = True

    labor_hours: float
    labor_rate: _Amount
    parts: tuple[InvoicePartInput, ...] = ()
    parts_total: _Amount | None = None
    total: _Amount | None = None
    problem_identifier: str | None = None
    vin: str | None = None
    mileage: int | None = None
    performed_on: date | None = None


def to_job_invoice(data: InvoiceInput | None) -> JobInvoice | None:
    """Return the invoice of a request, in cents."""
    if data is None:
        return None
    return JobInvoice(
        labor_hours=data.labor_hours,
        labor_rate=cents(data.labor_rate),
        parts=tuple(
            TransactionPart(name=part.name, unit_price=cents(part.unit_price), quantity=part.quantity)
            for part in data.parts
        ),
        parts_total=None if data.parts_total is None else cents(data.parts_total),
        total=None if data.total is None else cents(data.total),
        problem_identifier=data.problem_identifier,
        vin=data.vin,
        mileage=data.mileage,
        performed_on=data.performed_on,
    )
