"""The invoice that a completed ride or appointment may come with."""

from datetime import date
from typing import Annotated, ClassVar, TypeAlias

from attrs import frozen

from repaircore.kernel.money import cents
from repaircore.kernel.rules import Length, NoNul, NotBlank, Range, WholeCents
from repaircore.kernel.views import Dollars
from repaircore.transactions.job_invoice import JobInvoice
from repaircore.transactions.limits import (
    DEAREST,
    DEAREST_HOUR,
    LONGEST_NAME,
    MOST_HOURS,
    MOST_LINES,
    MOST_MILES,
    MOST_PIECES,
)
from repaircore.transactions.model import TransactionPart

_Amount: TypeAlias = Annotated[Dollars, Range(0, DEAREST // 100), WholeCents()]


@frozen(kw_only=True)
class InvoicePartInput:
    """A line of parts; ``unit_price`` is in dollars."""

    takes_nulls: ClassVar[bool] = True

    name: Annotated[str, NotBlank(LONGEST_NAME), NoNul()]
    unit_price: _Amount
    quantity: Annotated[int, Range(1, MOST_PIECES)] = 1


@frozen(kw_only=True)
class InvoiceInput:
    """The invoice for the work on the vehicle, in dollars; the repair and the VIN default to the prediction's."""

    takes_nulls: ClassVar[bool] = True

    labor_hours: Annotated[float, Range(0, MOST_HOURS)]
    labor_rate: Annotated[Dollars, Range(0, DEAREST_HOUR // 100), WholeCents()]
    parts: Annotated[tuple[InvoicePartInput, ...], Length(0, MOST_LINES)] = ()
    parts_total: _Amount | None = None
    total: Annotated[Dollars, WholeCents()] | None = None
    problem_identifier: str | None = None
    vin: str | None = None
    mileage: Annotated[int, Range(0, MOST_MILES)] | None = None
    performed_on: date | None = None


def to_job_invoice(data: InvoiceInput | None) -> JobInvoice | None:
    """Return a request's invoice with amounts in cents, or None if ``data`` is None."""
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
