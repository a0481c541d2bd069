"""The bills for jobs, which are part of the views of rides and appointments."""

from typing import Literal, Self
from uuid import UUID

from repaircore.kernel.money import dollars
from repaircore.kernel.views import Dollars, view
from repaircore.transactions.job_invoice import Estimated, JobBill


@view
class JobInvoicedView:
    """The invoice for the work on the vehicle."""

    currency: Literal["USD"] = "USD"
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars

    @classmethod
    def of(cls, bill: JobBill | None) -> Self | None:
        """Return the view of a bill, or None if there is none."""
        if bill is None:
            return None
        return cls(
            parts_total=dollars(bill.parts_total),
            labor_total=dollars(bill.labor_total),
            total=dollars(bill.total),
        )


@view
class JobEstimatedView:
    """The prediction, before any price adjustment."""

    currency: Literal["USD"] = "USD"
    session_id: UUID
    low: Dollars
    average: Dollars
    high: Dollars

    @classmethod
    def of(cls, estimate: Estimated | None) -> Self | None:
        """Return the view of a prediction, or None if there is none."""
        if estimate is None:
            return None
        return cls(
            session_id=estimate.session_id,
            low=dollars(estimate.low),
            average=dollars(estimate.average),
            high=dollars(estimate.high),
        )


@view
class JobBilledView:
    """The invoice for a job and the prediction that led to it; both are null until the invoice is recorded."""

    transaction_id: int | None
    invoice: JobInvoicedView | None
    estimate: JobEstimatedView | None
