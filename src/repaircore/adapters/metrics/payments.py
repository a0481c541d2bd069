"""Metrics for payments."""

from typing import Any, Final

from attrs import frozen
from typing_extensions import override

from repaircore.kernel.metrics import Meter, Metric
from repaircore.payments.model import Payment
from repaircore.payments.ports import PaymentNews

PAYMENTS_LAPSED: Final = Metric(
    "payments_lapsed_total",
    "Fees that could not be captured because the authorization had expired.",
    ("environment",),
)


@frozen(kw_only=True)
class CountedNews(PaymentNews):
    """Passes payment news on, and counts lapsed authorizations."""

    news: PaymentNews
    meter: Meter

    @override
    def __call__(self, work: Any, payment: Payment) -> None:
        self.news(work, payment)
        if payment.is_lapsed:
            self.meter.count(PAYMENTS_LAPSED, payment.environment)
