"""Ports for payments."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import product
from typing import Any, Final, Protocol, TypeAlias

from typing_extensions import override

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.kernel.paging import Page
from repaircore.kernel.timeline import Timelines
from repaircore.payments.model import (
    Authorization,
    Entry,
    GatewayName,
    GatewayPayment,
    GatewayStep,
    Payment,
    PaymentFilter,
    PaymentOrder,
    SandboxCharge,
)

Failpoint: TypeAlias = Callable[[str], None]
"""Called at each named moment of a payment (``FAILPOINTS``); a test kills the process there."""

FAILPOINTS: Final = tuple(
    f"payments.{step}.{moment}"
    for step, moment in product(
        GatewayStep, ("before_start", "after_start", "before_call", "after_call", "before_save", "after_save")
    )
)
"""The moments before and after the start is written, the gateway is called, and the result is written.

``after_start`` and ``after_save`` come before the unit of work is committed.
"""


def ignore_failpoint(_: str) -> None:
    """Do nothing. This is the ``Failpoint`` outside tests."""


class PaymentGateway(Protocol):
    """A payment gateway. It is never called within a unit of work; threads may share it.

    Requests with the same ``key`` are performed once, and repeats return the same result. Each method raises
    ``GatewayUnavailable`` if there is no valid response within its deadline; the outcome is then unknown until ``find``
    or ``find_by_key`` returns it. Error messages contain neither card data nor credentials.
    """

    @property
    def name(self) -> GatewayName:
        """Return the name of the gateway."""

    def authorize(self, order: PaymentOrder) -> Authorization:
        """Authorize a payment.

        Raises:
            Declined: nothing was authorized, and nothing ever will be for this key.
        """

    def capture(self, gateway_ref: str, cents: Cents, key: str) -> None:
        """Capture all or part of the authorized amount, and release the rest.

        Raises:
            GatewayRefused: nothing is authorized, or less than ``cents``.
        """

    def void(self, gateway_ref: str, key: str) -> None:
        """Release the whole authorized amount.

        Raises:
            GatewayRefused: nothing is authorized.
        """

    def refund(self, gateway_ref: str, cents: Cents, key: str) -> None:
        """Refund all or part of the captured amount.

        Raises:
            GatewayRefused: less than ``cents`` is left to refund.
        """

    def find(self, gateway_ref: str) -> GatewayPayment | None:
        """Return a payment by the gateway's reference, or None."""

    def find_by_key(self, key: str, *, since: datetime) -> GatewayPayment | None:
        """Return the payment for the order with this key, or None; the order was not sent before ``since``."""


class PaymentRecords(Protocol):
    """The stored payments, and their entries in the books."""

    def add(self, payment: Payment) -> None:
        """Store a new payment.

        Raises:
            PaymentExists: this part of the subject already has a payment that is neither declined nor voided.
        """

    def find(self, payment_id: str) -> Payment | None:
        """Return a payment by its id, or None."""

    def find_active(self, subject: str, *, environment: Environment, part: int = 0) -> Payment | None:
        """Return the only payment for a part of a subject that is neither declined nor voided, or None."""

    def list_for(self, subject: str, *, environment: Environment) -> Sequence[Payment]:
        """List all payments for a subject, oldest first."""

    def list_for_each(
        self, subjects: Sequence[str], *, environment: Environment
    ) -> Mapping[str, Sequence[Payment]]:
        """Return all payments for several subjects, by subject, oldest first; subjects without payments are omitted."""

    def replace(self, old: Payment, new: Payment) -> Payment:
        """Update a payment, and return it with its next version.

        Raises:
            Conflict: the stored payment has a different version or state than ``old``; nothing is changed.
        """

    def add_entries(self, entries: Sequence[Entry]) -> None:
        """Append entries to the books; entries are never changed.

        Raises:
            ValueError: the entries do not sum to zero.
        """

    def list_entries(self, payment_id: str) -> Sequence[Entry]:
        """List the entries of a payment, oldest first."""

    def list_under_way(self, *, before: datetime, after: str | None, limit: int) -> Sequence[Payment]:
        """List payments with a step pending since ``before`` or earlier, sorted by id and starting after ``after``."""

    def list_page(self, selection: PaymentFilter, *, number: int, per_page: int) -> Page[Payment]:
        """List a page of the selected payments, newest first."""


class PaymentsWork(Protocol):
    """The part of a unit of work that payments need."""

    @property
    def payments(self) -> PaymentRecords:
        """The stored payments."""

    @property
    def timelines(self) -> Timelines:
        """The timelines of records."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PaymentsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""


class PaymentNews(Protocol):
    """Reports the outcomes of payments."""

    def __call__(self, work: Any, payment: Payment) -> None:
        """Report a payment that was captured, voided or refunded, or has lapsed, in the unit of work that saved it."""


class NoPaymentNews(PaymentNews):
    """Reports nothing."""

    @override
    def __call__(self, work: Any, payment: Payment) -> None:
        pass


class SandboxCharges(Protocol):
    """The payments in the sandbox."""

    def add(self, charge: SandboxCharge) -> bool:
        """Store a new charge and return True; if there is already one with its key, return False."""

    def lock_by_key(self, key: str) -> SandboxCharge | None:
        """Return the charge whose order has this key, locked until the unit of work ends, or None."""

    def lock_by_ref(self, ref: str) -> SandboxCharge | None:
        """Return the charge with this reference, locked until the unit of work ends, or None."""

    def save(self, charge: SandboxCharge) -> None:
        """Update a charge that this unit of work has locked."""


class SandboxWork(Protocol):
    """The part of a unit of work that the sandbox needs."""

    @property
    def sandbox_charges(self) -> SandboxCharges:
        """The payments in the sandbox."""


OpenSandboxWork: TypeAlias = Callable[[], AbstractContextManager[SandboxWork]]
"""Open a separate unit of work for the sandbox, since an external gateway has its own transactions too."""
