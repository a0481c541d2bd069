"""Payments, what a gateway is asked for, and what it holds."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.kernel.timeline import Step as TimelineStep

HIGHEST_AMOUNT: Final[Cents] = 99_999_999
"""What one payment may come to at most: eight digits, as card networks have it."""


class PaymentState(StrEnum):
    """How a payment stands. Those that end in -ing are asked of the gateway, and not answered yet."""

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
    """What a gateway is asked to do."""

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
"""The step that is under way in each state in which one is."""

LIVING: Final = frozenset(PaymentState) - {PaymentState.DECLINED, PaymentState.VOIDED}
"""The states of a payment that stands in the way of another one for the same subject."""


LAPSED: Final = "hold_lapsed"
"""The ``reason`` of a payment that was voided because its gateway held nothing any more when money was to be taken."""


class GatewayName(StrEnum):
    """Who holds the money."""

    SANDBOX = "sandbox"
    STRIPE = "stripe"


class SandboxOrder(StrEnum):
    """What the sandbox can be told to do with a payment, instead of letting everything succeed."""

    DECLINED = "payment_declined"
    """Decline it."""
    UNAVAILABLE = "payment_unavailable"
    """Never answer to the authorization; nothing is held."""
    TIMEOUT = "payment_timeout"
    """Hold the money, and answer only when asked again."""
    CAPTURE_TIMEOUT = "capture_timeout"
    """The same of the capture."""
    VOID_TIMEOUT = "void_timeout"
    """The same of the release."""
    REFUND_TIMEOUT = "refund_timeout"
    """The same of each refund."""


@frozen(kw_only=True)
class NewPayment:
    """What a payment is begun with.

    ``subject`` and ``offer_ref`` are references of what is paid for; ``claim`` names the request that wants it, so that the
    same one may come again. ``payment_method`` is the gateway's own name for a card, passed through; ``sandbox`` a
    ``SandboxOrder``.
    """

    partner_id: int
    environment: Environment
    subject: str
    offer_ref: str
    amount: Cents
    claim: str | None = None
    payment_method: str | None = field(default=None, repr=False)
    sandbox: str | None = None


@frozen(kw_only=True)
class Payment:
    """Money for one subject, from its first word to its end.

    ``amount`` is what is held, ``captured`` what was taken of it, ``refunded`` what of that was given back; ``moving`` is
    what the step under way takes or gives back. ``reason`` says why a payment was declined, voided or given back.
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
        """Give the step that is under way, None when none is."""
        return STEPS.get(self.state)

    @property
    def is_lapsed(self) -> bool:
        """Tell whether nothing was held any more when money was to be taken: then it is owed still."""
        return self.state is PaymentState.VOIDED and self.reason == LAPSED


@frozen(kw_only=True)
class PaymentOrder:
    """What a gateway is asked to hold. The same ``key`` is the same order, however often it comes."""

    key: str
    amount: Cents
    currency: str
    description: str
    metadata: Mapping[str, str]
    payment_method: str | None = field(default=None, repr=False)


@frozen(kw_only=True)
class Authorization:
    """The gateway's name for money that it holds."""

    gateway_ref: str


class HeldState(StrEnum):
    """How a payment stands at its gateway."""

    AUTHORIZED = "authorized"
    CAPTURED = "captured"
    CANCELED = "canceled"
    """Released, by whomever, or lapsed."""
    DECLINED = "declined"


@frozen(kw_only=True)
class GatewayPayment:
    """What a gateway holds. ``refunded`` is what was given back at our word."""

    gateway_ref: str
    state: HeldState
    authorized: Cents
    captured: Cents = 0
    refunded: Cents = 0


@frozen(kw_only=True)
class SandboxCharge:
    """What the sandbox holds. ``done`` are the keys that it was asked with, and how many cents each moved."""

    ref: str
    key: str
    state: HeldState
    amount: Cents
    created_at: datetime
    captured: Cents = 0
    refunded: Cents = 0
    sandbox: str | None = None
    done: Mapping[str, Cents] = field(factory=dict)


class Account(StrEnum):
    """Whose money it is."""

    CUSTOMER = "customer"
    HELD = "held"
    """Nobody's yet: the customer cannot spend it, the partner has not earned it."""
    PARTNER_REVENUE = "partner_revenue"


class EntryKind(StrEnum):
    """Why money moves from one account to another."""

    AUTHORIZE = "authorize"
    CAPTURE = "capture"
    REFUND = "refund"
    VOID = "void"


@frozen(kw_only=True)
class Entry:
    """One line of the books. Those of one payment always sum to zero."""

    payment_id: str
    at: datetime
    kind: EntryKind
    account: Account
    cents: Cents


@frozen(kw_only=True)
class PaymentReport:
    """A payment, the lines of the books about it, and what became of it step by step, both oldest first."""

    payment: Payment
    entries: tuple[Entry, ...]
    timeline: tuple[TimelineStep, ...]


@frozen(kw_only=True)
class PaymentFilter:
    """Which payments of an environment are meant; None is any. ``is_lapsed`` asks for those alone that are."""

    environment: Environment
    partner_id: int | None = None
    state: PaymentState | None = None
    subject: str | None = None
    is_lapsed: bool = False


@frozen(kw_only=True)
class ReconciliationResult:
    """What came of the payments that somebody left under way.

    ``waiting`` are those whose gateway does not answer, ``stuck`` the ids of those about which gateway and books contradict
    each other, so that somebody has to look.
    """

    finished: int = 0
    undone: int = 0
    waiting: int = 0
    stuck: tuple[str, ...] = ()
