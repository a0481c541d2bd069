"""Payments, as we and a gateway record them, orders to a gateway, and entries in the books."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.kernel.timeline import Step as TimelineStep

HIGHEST_AMOUNT: Final[Cents] = 99_999_999
"""The largest amount: eight digits, the limit of card networks."""


class PaymentState(StrEnum):
    """The state of a payment. In states that end in -ing, a request to the gateway is pending."""

    AUTHORIZING = "authorizing"
    AUTHORIZED = "authorized"
    DECLINED = "declined"
    CAPTURING = "capturing"
    CAPTURED = "captured"
    VOIDING = "voiding"
    VOIDED = "voided"
    REFUNDING = "refunding"
    REFUNDED = "refunded"


class GatewayStep(StrEnum):
    """A request to a gateway."""

    AUTHORIZE = "authorize"
    CAPTURE = "capture"
    VOID = "void"
    REFUND = "refund"


STEPS: Final[Mapping[PaymentState, GatewayStep]] = {
    PaymentState.AUTHORIZING: GatewayStep.AUTHORIZE,
    PaymentState.CAPTURING: GatewayStep.CAPTURE,
    PaymentState.VOIDING: GatewayStep.VOID,
    PaymentState.REFUNDING: GatewayStep.REFUND,
}
"""The pending step, in the states that have one."""

ACTIVE: Final = frozenset(PaymentState) - {PaymentState.DECLINED, PaymentState.VOIDED}
"""The states in which a payment excludes another one for the same part of a subject."""


LAPSED: Final = "hold_lapsed"
"""The ``reason`` of a payment that was voided because its authorization had expired before the capture."""


class GatewayName(StrEnum):
    """The payment gateways."""

    SANDBOX = "sandbox"
    STRIPE = "stripe"


class SandboxBehavior(StrEnum):
    """The failure that the sandbox simulates."""

    DECLINED = "payment_declined"
    """Decline the authorization."""
    UNAVAILABLE = "payment_unavailable"
    """Never respond to the authorization, and authorize nothing."""
    TIMEOUT = "payment_timeout"
    """Authorize, but respond only when the request is repeated."""
    CAPTURE_TIMEOUT = "capture_timeout"
    """Capture, but respond only when the request is repeated."""
    VOID_TIMEOUT = "void_timeout"
    """Void, but respond only when the request is repeated."""
    REFUND_TIMEOUT = "refund_timeout"
    """Make each refund, but respond only when the request is repeated."""


BEHAVIORS: Final = "+"
"""The separator between the sandbox behaviors of one payment."""


@frozen(kw_only=True)
class NewPayment:
    """The input for a new payment.

    ``subject`` and ``offer_ref`` refer to what is paid for; ``part`` 0 is its price, and other parts are amounts added
    later. ``claim`` identifies the request, so that it may be repeated. ``payment_method`` is the gateway's id of a
    card, passed through; ``sandbox`` has the ``SandboxBehavior`` of a test payment, or several separated by
    ``BEHAVIORS``.
    """

    partner_id: int
    environment: Environment
    subject: str
    offer_ref: str
    amount: Cents
    part: int = 0
    claim: str | None = None
    payment_method: str | None = field(default=None, repr=False)
    sandbox: str | None = None


@frozen(kw_only=True)
class Payment:
    """A payment for one subject, or for a part of it that was added later.

    ``amount`` is authorized, ``captured`` of it was captured, and ``refunded`` of that was refunded; ``moving`` is the
    amount of a pending capture or refund. ``reason`` is why the payment was declined, voided or refunded.
    """

    id: str
    partner_id: int
    environment: Environment
    subject: str
    offer_ref: str
    amount: Cents
    state: PaymentState
    gateway: GatewayName
    created_at: datetime
    updated_at: datetime
    part: int = 0
    captured: Cents = 0
    refunded: Cents = 0
    moving: Cents | None = None
    currency: str = "USD"
    gateway_ref: str | None = None
    claim: str | None = None
    payment_method: str | None = field(default=None, repr=False)
    sandbox: str | None = None
    reason: str | None = None
    version: int = 1

    @property
    def step(self) -> GatewayStep | None:
        """The pending step, if there is one."""
        return STEPS.get(self.state)

    @property
    def is_lapsed(self) -> bool:
        """Whether the authorization expired before the capture, so that the money is still owed."""
        return self.state is PaymentState.VOIDED and self.reason == LAPSED


@frozen(kw_only=True)
class PaymentOrder:
    """An order to authorize a payment. Orders with the same ``key`` are the same order."""

    key: str
    amount: Cents
    currency: str
    description: str
    metadata: Mapping[str, str]
    payment_method: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class Authorization:
    """The gateway's reference for an authorized payment."""

    gateway_ref: str


class GatewayState(StrEnum):
    """The state of a payment at its gateway."""

    AUTHORIZED = "authorized"
    CAPTURED = "captured"
    CANCELED = "canceled"
    """Released, by us or by anyone else, or expired."""
    DECLINED = "declined"


@frozen(kw_only=True)
class GatewayPayment:
    """A payment at its gateway. ``refunded`` is the total of our own refunds."""

    gateway_ref: str
    state: GatewayState
    authorized: Cents
    captured: Cents = 0
    refunded: Cents = 0


@frozen(kw_only=True)
class SandboxCharge:
    """A payment in the sandbox. ``done`` maps the key of each request so far to the cents that it moved."""

    ref: str
    key: str
    state: GatewayState
    amount: Cents
    created_at: datetime
    captured: Cents = 0
    refunded: Cents = 0
    sandbox: str | None = None
    done: Mapping[str, Cents] = field(factory=dict)


class Account(StrEnum):
    """An account in the books."""

    CUSTOMER = "customer"
    HELD = "held"
    """Authorized: the customer cannot spend it, and the partner has not earned it."""
    PARTNER_REVENUE = "partner_revenue"


class EntryKind(StrEnum):
    """The reason for an entry."""

    AUTHORIZE = "authorize"
    CAPTURE = "capture"
    REFUND = "refund"
    VOID = "void"


@frozen(kw_only=True)
class Entry:
    """An entry in the books. The entries of one payment always sum to zero."""

    payment_id: str
    at: datetime
    kind: EntryKind
    account: Account
    cents: Cents


@frozen(kw_only=True)
class PaymentDetail:
    """A payment with its entries in the books and its timeline, both oldest first."""

    payment: Payment
    entries: tuple[Entry, ...]
    timeline: tuple[TimelineStep, ...]


@frozen(kw_only=True)
class PaymentFilter:
    """Selects payments in an environment; None matches any. ``is_lapsed`` selects only those that lapsed."""

    environment: Environment
    partner_id: int | None = None
    state: PaymentState | None = None
    subject: str | None = None
    is_lapsed: bool = False


@frozen(kw_only=True)
class ReconciliationResult:
    """How many payments a reconciliation finished or undid.

    ``waiting`` counts payments whose gateway is not responding. ``stuck`` has the ids of payments whose gateway
    contradicts our record or rejects the step; a person has to look at them.
    """

    finished: int = 0
    undone: int = 0
    waiting: int = 0
    stuck: tuple[str, ...] = ()
