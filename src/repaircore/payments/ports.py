"""What payments need from outside."""

from abc import abstractmethod
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
"""Is told each moment of a money operation (``FAILPOINTS``) as it comes; a test ends the process there."""

FAILPOINTS: Final = tuple(
    f"payments.{step}.{moment}"
    for step, moment in product(
        GatewayStep, ("before_start", "after_start", "before_call", "after_call", "before_keep", "after_keep")
    )
)
"""Before and after what is meant is written, the gateway is asked, and the outcome is written.

``after_start`` and ``after_keep`` come before the unit of work is committed.
"""


def pass_by(_: str) -> None:
    """Let every moment of a money operation pass: the ``Failpoint`` of every installation."""


class PaymentGateway(Protocol):
    """Somebody who holds and takes customers' money. Never asked within a unit of work; threads may share it.

    The same ``key`` is done once, however often it is asked for; asked again, it answers as before. Each method raises
    ``GatewayUnavailable`` when there is no answer within its deadline, or only nonsense: then nobody knows whether
    it was done, until ``look`` or ``find`` tells. The messages name neither card nor credential.
    """

    @property
    @abstractmethod
    def name(self) -> GatewayName:
        """Say who it is."""

    @abstractmethod
    def authorize(self, order: PaymentOrder) -> Authorization:
        """Hold money of the customer.

        Raises:
            Declined: nothing is held, nor will be for this key.
        """

    @abstractmethod
    def capture(self, gateway_ref: str, cents: Cents, key: str) -> None:
        """Take some of what is held, and release the rest.

        Raises:
            GatewayRefused: it is not held (any more), or less is.
        """

    @abstractmethod
    def void(self, gateway_ref: str, key: str) -> None:
        """Release all that is held.

        Raises:
            GatewayRefused: it is not held (any more).
        """

    @abstractmethod
    def refund(self, gateway_ref: str, cents: Cents, key: str) -> None:
        """Give back some of what was taken.

        Raises:
            GatewayRefused: so much was not taken, or was given back already.
        """

    @abstractmethod
    def look(self, gateway_ref: str) -> GatewayPayment | None:
        """Say what is held under a name of the gateway's, None when it has no such."""

    @abstractmethod
    def find(self, key: str, *, since: datetime) -> GatewayPayment | None:
        """Say what is held for an order by its key, that was first asked for at ``since``; None when nothing ever was."""


class PaymentRecords(Protocol):
    """The kept payments and the books about them."""

    @abstractmethod
    def add(self, payment: Payment) -> None:
        """Keep a new payment.

        Raises:
            PaymentExists: there is one for the subject already that is neither declined nor voided.
        """

    @abstractmethod
    def by_id(self, payment_id: str) -> Payment | None:
        """Give the payment, or None."""

    @abstractmethod
    def living(self, subject: str, *, environment: Environment) -> Payment | None:
        """Give the subject's payment that is neither declined nor voided, or None; there is one at most."""

    @abstractmethod
    def of(self, subject: str, *, environment: Environment) -> Sequence[Payment]:
        """List all payments of a subject, oldest first."""

    @abstractmethod
    def of_each(
        self, subjects: Sequence[str], *, environment: Environment
    ) -> Mapping[str, Sequence[Payment]]:
        """List all payments of several subjects, each oldest first; a subject without any has none."""

    @abstractmethod
    def replace(self, old: Payment, new: Payment) -> Payment:
        """Keep ``new`` in the place of ``old``, and give the kept one with its next version.

        Raises:
            Conflict: the kept one is no longer ``old``, by version or by state; nothing is changed.
        """

    @abstractmethod
    def post(self, lines: Sequence[Entry]) -> None:
        """Write lines into the books, which are never changed afterwards.

        Raises:
            ValueError: the lines do not sum to zero.
        """

    @abstractmethod
    def entries(self, payment_id: str) -> Sequence[Entry]:
        """List the lines about a payment, in the order in which they were written."""

    @abstractmethod
    def under_way(self, *, before: datetime, after: str | None, limit: int) -> Sequence[Payment]:
        """List payments that a step is under way of since ``before`` or longer, by id, those after the id ``after``."""

    @abstractmethod
    def page(self, wanted: PaymentFilter, *, number: int, per_page: int) -> Page[Payment]:
        """Give a page of payments, the newest first."""


class PaymentsWork(Protocol):
    """The part of a unit of work that payments need."""

    @property
    @abstractmethod
    def payments(self) -> PaymentRecords:
        """The kept payments."""

    @property
    @abstractmethod
    def timelines(self) -> Timelines:
        """What became of them."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PaymentsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""


class PaymentNews(Protocol):
    """Who tells of what becomes of payments without whoever ordered what is paid for."""

    @abstractmethod
    def __call__(self, work: Any, payment: Payment) -> None:
        """Tell of a payment that has lapsed, or of which money was given back, in the unit of work that has kept it."""


class NoPaymentNews(PaymentNews):
    """Tells nobody."""

    @override
    def __call__(self, work: Any, payment: Payment) -> None:
        pass


class SandboxCharges(Protocol):
    """What the sandbox holds. What is read is nobody else's to change until the unit of work ends."""

    @abstractmethod
    def add(self, charge: SandboxCharge) -> bool:
        """Keep a new charge; False when its key is known, and nothing is changed."""

    @abstractmethod
    def by_key(self, key: str) -> SandboxCharge | None:
        """Give the charge of an order, or None."""

    @abstractmethod
    def by_ref(self, ref: str) -> SandboxCharge | None:
        """Give the charge of a name, or None."""

    @abstractmethod
    def keep(self, charge: SandboxCharge) -> None:
        """Keep a charge that was read in this unit of work as it is now."""


class SandboxWork(Protocol):
    """The part of a unit of work that the sandbox needs."""

    @property
    @abstractmethod
    def sandbox_charges(self) -> SandboxCharges:
        """What it holds."""


SandboxBegin: TypeAlias = Callable[[], AbstractContextManager[SandboxWork]]
"""Open a unit of work of the sandbox's own, as a gateway outside has one."""
