"""The use cases on both databases, with the sandbox and with a fake Stripe as gateways."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from attrs import evolve
from tests.conftest import OpenCore
from tests.unit.payments.payments import new_payment

from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.payments import books
from repaircore.payments.errors import (
    Contradiction,
    GatewayUnavailable,
    NoGateway,
    NoPayment,
    PaymentExists,
)
from repaircore.payments.model import (
    Account,
    NewPayment,
    Payment,
    PaymentFilter,
    PaymentState,
    ReconciliationResult,
)
from repaircore.payments.reconciliation import OLDER_THAN, Reconciliation
from repaircore.testing.clock import FrozenClock
from repaircore.testing.stripe import Mishap, StripeServer

S = PaymentState
UNCLAIMED = evolve(new_payment(), claim=None)


@pytest.fixture
def stripe(clock: FrozenClock) -> Iterator[StripeServer]:
    with StripeServer(clock=clock) as server:
        yield server


@pytest.fixture
def live(open_core: OpenCore, stripe: StripeServer) -> Core:
    return open_core(stripe_url=stripe.url, stripe_secret_key=stripe.secret_key)


@pytest.fixture(autouse=True)
def partners(core: Core) -> None:
    for name in ("Towify", "Rideify"):
        core.partners.create(name, "test")


def new_live_payment(**changes: str) -> NewPayment:
    return new_payment(environment=Environment.LIVE, **{"payment_method": "pm_card_visa", **changes})


def start(core: Core, new: NewPayment) -> Payment:
    with core.payments.transaction() as work:
        return core.payments.start(work, new)


def create_authorized(core: Core, new: NewPayment | None = None) -> Payment:
    return core.payments.finish(start(core, new or new_payment()))


def start_capture(core: Core, payment: Payment, cents: int | None = None) -> Payment:
    with core.payments.transaction() as work:
        return core.payments.start_capture(work, payment, cents)


def start_void(core: Core, payment: Payment) -> Payment:
    with core.payments.transaction() as work:
        return core.payments.start_void(work, payment, "ride_cancelled")


def start_refund(core: Core, payment: Payment, cents: int | None = None) -> Payment:
    with core.payments.transaction() as work:
        return core.payments.start_refund(work, payment, cents)


def read_consistent(core: Core, payment: Payment) -> Payment:
    """Read a payment, and assert that its books are right."""
    detail = core.payments.get(payment.id, environment=payment.environment)
    assert books.balances(detail.entries) == books.position(detail.payment)
    assert detail.timeline[-1].after == detail.payment.state
    return detail.payment


def reconcile(core: Core, clock: FrozenClock) -> ReconciliationResult:
    clock.advance(timedelta(minutes=5))
    return Reconciliation(payments=core.payments).reconcile()


# The three phases of a step


def test_payment_is_authorized_captured_and_refunded(core: Core) -> None:
    payment = start(core, new_payment())

    assert (payment.state, payment.gateway, payment.version) == (S.AUTHORIZING, "sandbox", 1)

    authorized = core.payments.finish(payment)

    assert (authorized.state, authorized.captured) == (S.AUTHORIZED, 0)

    captured = core.payments.finish(start_capture(core, authorized, 2000))

    assert (captured.state, captured.captured) == (S.CAPTURED, 2000)

    refunded = core.payments.finish(start_refund(core, captured, 300))
    refunded_in_full = core.payments.finish(start_refund(core, refunded))

    assert (refunded.refunded, refunded_in_full.refunded, refunded_in_full.state) == (300, 2000, S.REFUNDED)
    assert read_consistent(core, payment) == refunded_in_full

    detail = core.payments.get(payment.id, environment=Environment.TEST)
    revenue = [entry.cents for entry in detail.entries if entry.account is Account.PARTNER_REVENUE]

    assert revenue == [2000, -300, -1700]
    assert [(step.action, step.before, step.after) for step in detail.timeline] == [
        ("authorize", None, "authorizing"),
        ("approve", "authorizing", "authorized"),
        ("capture", "authorized", "capturing"),
        ("settle", "capturing", "captured"),
        ("refund", "captured", "refunding"),
        ("return", "refunding", "refunded"),
        ("refund", "refunded", "refunding"),
        ("return", "refunding", "refunded"),
    ]
    assert [step.detail for step in detail.timeline if step.action == "refund"] == [
        {"amount": 3.0},
        {"amount": 17.0},
    ]


def test_payment_is_voided(core: Core) -> None:
    voided = core.payments.finish(start_void(core, create_authorized(core)))

    assert (voided.state, voided.reason) == (S.VOIDED, "ride_cancelled")
    assert read_consistent(core, voided) == voided
    assert create_authorized(core).state is S.AUTHORIZED  # another payment may follow


def test_declined_payment_is_a_result(core: Core) -> None:
    declined = create_authorized(core, new_payment(sandbox="payment_declined"))

    assert (declined.state, declined.reason) == (S.DECLINED, "card_declined")
    assert read_consistent(core, declined) == declined
    assert create_authorized(core).state is S.AUTHORIZED


def test_save_result_is_rolled_back_with_the_callers_changes(core: Core) -> None:
    payment = start(core, new_payment())
    result = core.payments.perform(payment)

    def save_and_fail() -> None:
        with core.payments.transaction() as work:
            core.payments.save_result(work, payment, result)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        save_and_fail()

    assert read_consistent(core, payment) == payment


def test_perform_without_a_pending_step_returns_the_payment(core: Core) -> None:
    authorized = create_authorized(core)

    assert core.payments.perform(authorized) == authorized

    with core.payments.transaction() as work:
        assert core.payments.save_result(work, authorized, authorized) == authorized

    assert read_consistent(core, authorized) == authorized


def test_start_with_the_same_claim_returns_the_payment(core: Core) -> None:
    payment = start(core, new_payment())

    assert start(core, new_payment()) == payment

    authorized = core.payments.finish(payment)

    assert start(core, new_payment()) == authorized


@pytest.mark.parametrize(
    "other",
    [
        new_payment(claim="claim-2"),
        new_payment(amount=2501),
        new_payment(offer_ref="off_2"),
        new_payment(partner_id=2),
        UNCLAIMED,
    ],
)
def test_start_of_another_request_for_the_same_subject_is_refused(core: Core, other: NewPayment) -> None:
    payment = start(core, new_payment())
    with pytest.raises(PaymentExists):
        start(core, other)

    assert read_consistent(core, payment) == payment


def test_start_without_a_claim_is_never_a_repeat(core: Core) -> None:
    start(core, UNCLAIMED)
    with pytest.raises(PaymentExists):
        start(core, UNCLAIMED)


@pytest.mark.parametrize("amount", [0, -1, 100_000_000])
def test_start_refuses_an_impossible_amount(core: Core, amount: int) -> None:
    with pytest.raises(Invalid) as caught:
        start(core, new_payment(amount=amount))

    assert set(caught.value.fields) == {"amount"}


def test_start_of_a_live_payment_without_a_gateway_says_which_setting_is_missing(core: Core) -> None:
    with pytest.raises(NoGateway, match="REPAIRCORE_STRIPE_SECRET_KEY"):
        start(core, new_live_payment())

    assert core.payments.list_page(PaymentFilter(environment=Environment.LIVE)).total == 0


def test_start_of_a_live_payment_requires_a_payment_method(live: Core) -> None:
    with pytest.raises(Invalid) as caught:
        start(live, new_live_payment(payment_method=""))

    assert set(caught.value.fields) == {"payment_method"}


def test_test_payments_never_reach_stripe(live: Core, stripe: StripeServer) -> None:
    authorized = create_authorized(live)
    live.payments.finish(start_capture(live, authorized))

    assert stripe.intents == 0


def test_get_finds_no_payment_of_the_other_environment(core: Core) -> None:
    payment = start(core, new_payment())
    with pytest.raises(NoPayment):
        core.payments.get(payment.id, environment=Environment.LIVE)
    with pytest.raises(NoPayment):
        core.payments.get("nobody", environment=Environment.TEST)


def test_live_payment_is_authorized_captured_and_refunded(live: Core, stripe: StripeServer) -> None:
    authorized = create_authorized(live, new_live_payment())

    assert (authorized.gateway, stripe.authorized) == ("stripe", 2500)

    captured = live.payments.finish(start_capture(live, authorized, 2000))
    refunded = live.payments.finish(start_refund(live, captured, 500))

    assert (stripe.authorized, stripe.earned) == (0, 1500)
    assert read_consistent(live, refunded) == refunded


# Concurrent attempts


def test_discard_of_an_authorization_that_was_saved_leaves_it(core: Core) -> None:
    payment = start(core, new_payment())
    result = core.payments.perform(payment)
    authorized = core.payments.finish(payment)
    with pytest.raises(Conflict):
        core.payments.discard(payment, result)

    assert read_consistent(core, authorized) == authorized

    gateway = core.payments.gateway(Environment.TEST)
    found = gateway.find(authorized.gateway_ref or "")

    assert found is not None
    assert found.state == "authorized"


def test_finish_after_reconciliation_voids_the_authorization(
    live: Core, stripe: StripeServer, clock: FrozenClock
) -> None:
    payment = start(live, new_live_payment())

    assert reconcile(live, clock) == ReconciliationResult(undone=1)

    with pytest.raises(Conflict):
        live.payments.finish(payment)

    assert (stripe.intents, stripe.authorized) == (1, 0)
    assert read_consistent(live, payment).state is S.VOIDED


def test_discard_voids_an_authorization(live: Core, stripe: StripeServer) -> None:
    payment = start(live, new_live_payment())
    result = live.payments.perform(payment)

    assert stripe.authorized == 2500

    voided = live.payments.discard(payment, result)

    assert (voided.state, voided.reason, stripe.authorized) == (S.VOIDED, "unused", 0)
    assert read_consistent(live, voided) == voided

    detail = live.payments.get(voided.id, environment=Environment.LIVE)

    assert [step.action for step in detail.timeline] == ["authorize", "approve", "void", "release"]


def test_discard_keeps_a_decline(core: Core) -> None:
    payment = start(core, new_payment(sandbox="payment_declined"))

    assert core.payments.discard(payment, core.payments.perform(payment)).state is S.DECLINED


# Pending steps that were left


def test_reconcile_leaves_young_payments(core: Core, clock: FrozenClock) -> None:
    payment = start(core, new_payment())
    clock.advance(OLDER_THAN - timedelta(seconds=1))

    assert core.payment_reconciliation.reconcile() == ReconciliationResult()
    assert read_consistent(core, payment) == payment


def test_reconcile_undoes_an_authorization_that_was_never_sent(
    live: Core, stripe: StripeServer, clock: FrozenClock
) -> None:
    payment = start(live, new_live_payment())

    assert reconcile(live, clock) == ReconciliationResult(undone=1)
    assert (read_consistent(live, payment).state, stripe.intents) == (S.VOIDED, 0)


def test_reconcile_undoes_an_authorization_without_an_answer(
    live: Core, stripe: StripeServer, clock: FrozenClock
) -> None:
    payment = start(live, new_live_payment())
    stripe.behave("authorize", Mishap.LOST)
    with pytest.raises(GatewayUnavailable):
        live.payments.finish(payment)

    assert read_consistent(live, payment) == payment
    assert reconcile(live, clock) == ReconciliationResult(undone=1)
    assert (read_consistent(live, payment).state, stripe.authorized) == (S.VOIDED, 0)
    assert stripe.intents == 1


def test_reconcile_finds_a_decline_without_an_answer(
    live: Core, clock: FrozenClock, stripe: StripeServer
) -> None:
    payment = start(live, new_live_payment(payment_method="pm_card_chargeDeclined"))
    stripe.behave("authorize", Mishap.LOST)
    with pytest.raises(GatewayUnavailable):
        live.payments.perform(payment)

    assert reconcile(live, clock) == ReconciliationResult(finished=1)
    assert read_consistent(live, payment).state is S.DECLINED


@pytest.mark.parametrize(
    "mishaps",
    [
        (),
        (Mishap.LOST,),
        (Mishap.FAIL, Mishap.FAIL),  # the HTTP client retries once
        (Mishap.FAIL, Mishap.LOST),
        (Mishap.BUSY,),
        (Mishap.THROTTLED,),
    ],
)
@pytest.mark.parametrize("step", ["capture", "cancel", "refund"])
def test_reconcile_finishes_a_pending_step_exactly_once(
    live: Core, stripe: StripeServer, clock: FrozenClock, step: str, mishaps: tuple[Mishap, ...]
) -> None:
    authorized = create_authorized(live, new_live_payment())
    starts: dict[str, Callable[[], Payment]] = {
        "capture": lambda: start_capture(live, authorized, 2000),
        "cancel": lambda: start_void(live, authorized),
        "refund": lambda: start_refund(live, live.payments.finish(start_capture(live, authorized)), 700),
    }
    payment = starts[step]()
    if mishaps:
        stripe.behave(step, *mishaps)
        with pytest.raises(GatewayUnavailable):
            live.payments.perform(payment)

    assert reconcile(live, clock) == ReconciliationResult(finished=1)
    assert (
        read_consistent(live, payment).state
        is {"capture": S.CAPTURED, "cancel": S.VOIDED, "refund": S.REFUNDED}[step]
    )
    assert (stripe.authorized, stripe.earned) == {
        "capture": (0, 2000),
        "cancel": (0, 0),
        "refund": (0, 1800),
    }[step]
    assert reconcile(live, clock) == ReconciliationResult()


def test_reconcile_counts_payments_whose_gateway_does_not_answer(
    live: Core, stripe: StripeServer, clock: FrozenClock
) -> None:
    payment = start_capture(live, create_authorized(live, new_live_payment()))
    stripe.behave("find", Mishap.GARBAGE)

    assert reconcile(live, clock) == ReconciliationResult(waiting=1)
    assert read_consistent(live, payment) == payment


def test_reconcile_counts_live_payments_without_a_gateway_as_waiting(
    live: Core, open_core: OpenCore, clock: FrozenClock
) -> None:
    start(live, new_live_payment())

    assert reconcile(open_core(), clock) == ReconciliationResult(waiting=1)


def test_capture_of_an_expired_authorization_lapses(live: Core, stripe: StripeServer) -> None:
    authorized = create_authorized(live, new_live_payment())
    stripe.cancel_by_hand(authorized.gateway_ref or "")
    lapsed = live.payments.finish(start_capture(live, authorized))

    assert (lapsed.state, lapsed.reason) == (S.VOIDED, "hold_lapsed")
    assert read_consistent(live, lapsed) == lapsed


def test_reconcile_reports_a_contradiction_and_changes_nothing(core: Core, clock: FrozenClock) -> None:
    authorized = create_authorized(core)
    payment = start_void(core, authorized)
    core.payments.gateway(Environment.TEST).capture(authorized.gateway_ref or "", 2500, "by hand")
    with pytest.raises(Contradiction):
        core.payments.finish(payment)

    assert reconcile(core, clock) == ReconciliationResult(stuck=(payment.id,))
    assert read_consistent(core, payment) == payment


def test_reconcile_reports_a_payment_without_a_gateway_reference(live: Core, clock: FrozenClock) -> None:
    payment = start_void(live, create_authorized(live, new_live_payment()))
    with live.storage.transaction() as work:
        work.payments.replace(payment, evolve(payment, gateway_ref=None))

    assert reconcile(live, clock) == ReconciliationResult(stuck=(payment.id,))


def test_reconcile_goes_on_after_a_contradiction(core: Core, clock: FrozenClock) -> None:
    for number in range(1, 4):
        authorized = create_authorized(core, new_payment(f"ride_{number}"))
        payment = start_void(core, authorized)
        if number == 2:
            core.payments.gateway(Environment.TEST).capture(authorized.gateway_ref or "", 1, "by hand")
    result = reconcile(core, clock)

    assert (result.finished, len(result.stuck)) == (2, 1)
    assert payment.state is S.VOIDING


def test_failpoint_is_called_at_every_moment(core: Core) -> None:
    moments: list[str] = []
    watched = core.replacing(payments=evolve(core.payments, failpoint=moments.append))
    authorized = create_authorized(watched)
    watched.payments.finish(start_capture(watched, authorized))
    steps = ("before_start", "after_start", "before_call", "after_call", "before_save", "after_save")

    assert moments == [f"payments.{step}.{moment}" for step in ("authorize", "capture") for moment in steps]
