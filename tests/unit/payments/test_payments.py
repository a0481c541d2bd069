"""The use cases over both databases, with the sandbox and with Stripe's stand-in as gateways."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from attrs import evolve
from tests.conftest import OpenCore
from tests.unit.payments.payments import wanted

from repaircore.bootstrap import Core
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
NOBODY = evolve(wanted(), claim=None)


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


def live_one(**changes: str) -> NewPayment:
    return wanted(environment=Environment.LIVE, **{"payment_method": "pm_card_visa", **changes})


def start(core: Core, what: NewPayment) -> Payment:
    with core.payments.transaction() as work:
        return core.payments.start(work, what)


def authorized(core: Core, what: NewPayment | None = None) -> Payment:
    return core.payments.finish(start(core, what or wanted()))


def capturing(core: Core, payment: Payment, cents: int | None = None) -> Payment:
    with core.payments.transaction() as work:
        return core.payments.start_capture(work, payment, cents)


def voiding(core: Core, payment: Payment) -> Payment:
    with core.payments.transaction() as work:
        return core.payments.start_void(work, payment, "ride_cancelled")


def refunding(core: Core, payment: Payment, cents: int | None = None) -> Payment:
    with core.payments.transaction() as work:
        return core.payments.start_refund(work, payment, cents)


def now(core: Core, payment: Payment) -> Payment:
    """Read a payment anew, and demand that its books are right."""
    told = core.payments.show(payment.id, environment=payment.environment)
    assert books.balances(told.entries) == books.position(told.payment)
    assert told.timeline[-1].after == told.payment.state
    return told.payment


def reconcile(core: Core, clock: FrozenClock) -> ReconciliationResult:
    clock.advance(timedelta(minutes=5))
    return Reconciliation(payments=core.payments).reconcile()


# Three beats


def test_a_payment_is_held_and_taken_and_given_back(core: Core) -> None:
    payment = start(core, wanted())
    assert (payment.state, payment.gateway, payment.version) == (S.AUTHORIZING, "sandbox", 1)
    held = core.payments.finish(payment)
    assert (held.state, held.captured) == (S.AUTHORIZED, 0)
    taken = core.payments.finish(capturing(core, held, 2000))
    assert (taken.state, taken.captured) == (S.CAPTURED, 2000)
    back = core.payments.finish(refunding(core, taken, 300))
    rest = core.payments.finish(refunding(core, back))
    assert (back.refunded, rest.refunded, rest.state) == (300, 2000, S.REFUNDED)
    assert now(core, payment) == rest
    told = core.payments.show(payment.id, environment=Environment.TEST)
    revenue = [entry.cents for entry in told.entries if entry.account is Account.PARTNER_REVENUE]
    assert revenue == [2000, -300, -1700]
    assert [(step.action, step.before, step.after) for step in told.timeline] == [
        ("authorize", None, "authorizing"),
        ("approve", "authorizing", "authorized"),
        ("capture", "authorized", "capturing"),
        ("settle", "capturing", "captured"),
        ("refund", "captured", "refunding"),
        ("return", "refunding", "refunded"),
        ("refund", "refunded", "refunding"),
        ("return", "refunding", "refunded"),
    ]
    assert [step.detail for step in told.timeline if step.action == "refund"] == [
        {"amount": 3.0},
        {"amount": 17.0},
    ]


def test_a_payment_is_released(core: Core) -> None:
    gone = core.payments.finish(voiding(core, authorized(core)))
    assert (gone.state, gone.reason) == (S.VOIDED, "ride_cancelled")
    assert now(core, gone) == gone
    assert authorized(core).state is S.AUTHORIZED  # another one may follow


def test_a_decline_is_an_outcome(core: Core) -> None:
    declined = authorized(core, wanted(sandbox="payment_declined"))
    assert (declined.state, declined.reason) == (S.DECLINED, "card_declined")
    assert now(core, declined) == declined
    assert authorized(core).state is S.AUTHORIZED


def test_what_is_meant_and_the_callers_change_are_kept_or_lost_together(core: Core) -> None:
    payment = start(core, wanted())
    outcome = core.payments.perform(payment)

    def keep_and_fail() -> None:
        with core.payments.transaction() as work:
            core.payments.keep(work, payment, outcome)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        keep_and_fail()
    assert now(core, payment) == payment


def test_a_settled_payment_has_nothing_to_perform(core: Core) -> None:
    held = authorized(core)
    assert core.payments.perform(held) == held
    with core.payments.transaction() as work:
        assert core.payments.keep(work, held, held) == held
    assert now(core, held) == held


def test_a_request_that_comes_again_goes_on_where_it_was(core: Core) -> None:
    payment = start(core, wanted())
    assert start(core, wanted()) == payment
    held = core.payments.finish(payment)
    assert start(core, wanted()) == held


@pytest.mark.parametrize(
    "other",
    [
        wanted(claim="claim-2"),
        wanted(amount=2501),
        wanted(offer_ref="off_2"),
        wanted(partner_id=2),
        NOBODY,
    ],
)
def test_another_request_for_the_same_subject_is_refused(core: Core, other: NewPayment) -> None:
    payment = start(core, wanted())
    with pytest.raises(PaymentExists):
        start(core, other)
    assert now(core, payment) == payment


def test_requests_without_a_claim_are_never_the_same(core: Core) -> None:
    start(core, NOBODY)
    with pytest.raises(PaymentExists):
        start(core, NOBODY)


@pytest.mark.parametrize("amount", [0, -1, 100_000_000])
def test_an_impossible_amount_is_refused(core: Core, amount: int) -> None:
    with pytest.raises(Invalid) as told:
        start(core, wanted(amount=amount))
    assert set(told.value.fields) == {"amount"}


def test_live_payments_need_a_gateway_and_say_which_setting_is_missing(core: Core) -> None:
    with pytest.raises(NoGateway, match="REPAIRCORE_STRIPE_SECRET_KEY"):
        start(core, live_one())
    assert core.payments.page(PaymentFilter(environment=Environment.LIVE)).total == 0


def test_live_payments_need_a_payment_method(live: Core) -> None:
    with pytest.raises(Invalid) as told:
        start(live, live_one(payment_method=""))
    assert set(told.value.fields) == {"payment_method"}


def test_test_payments_never_leave_the_machine(live: Core, stripe: StripeServer) -> None:
    held = authorized(live)
    live.payments.finish(capturing(live, held))
    assert stripe.intents == 0


def test_nobody_sees_a_payment_of_the_other_environment(core: Core) -> None:
    payment = start(core, wanted())
    with pytest.raises(NoPayment):
        core.payments.show(payment.id, environment=Environment.LIVE)
    with pytest.raises(NoPayment):
        core.payments.show("nobody", environment=Environment.TEST)


def test_a_live_payment_goes_through_its_whole_life(live: Core, stripe: StripeServer) -> None:
    held = authorized(live, live_one())
    assert (held.gateway, stripe.holding) == ("stripe", 2500)
    taken = live.payments.finish(capturing(live, held, 2000))
    back = live.payments.finish(refunding(live, taken, 500))
    assert (stripe.holding, stripe.earned) == (0, 1500)
    assert now(live, back) == back


# Two at once


def test_who_was_not_first_is_told_and_takes_nothing_away(core: Core) -> None:
    payment = start(core, wanted())
    outcome = core.payments.perform(payment)
    held = core.payments.finish(payment)
    with pytest.raises(Conflict):
        core.payments.call_off(payment, outcome)
    assert now(core, held) == held
    gateway = core.payments.gateway(Environment.TEST)
    found = gateway.look(held.gateway_ref or "")
    assert found is not None
    assert found.state == "authorized"


def test_an_authorization_that_comes_after_it_was_given_up_is_released(
    live: Core, stripe: StripeServer, clock: FrozenClock
) -> None:
    payment = start(live, live_one())
    assert reconcile(live, clock) == ReconciliationResult(undone=1)
    with pytest.raises(Conflict):
        live.payments.finish(payment)
    assert (stripe.intents, stripe.holding) == (1, 0)
    assert now(live, payment).state is S.VOIDED


def test_an_authorization_that_is_of_no_use_is_called_off(live: Core, stripe: StripeServer) -> None:
    payment = start(live, live_one())
    outcome = live.payments.perform(payment)
    assert stripe.holding == 2500
    gone = live.payments.call_off(payment, outcome)
    assert (gone.state, gone.reason, stripe.holding) == (S.VOIDED, "unused", 0)
    assert now(live, gone) == gone
    told = live.payments.show(gone.id, environment=Environment.LIVE)
    assert [step.action for step in told.timeline] == ["authorize", "approve", "void", "release"]


def test_a_decline_that_is_called_off_stays_one(core: Core) -> None:
    payment = start(core, wanted(sandbox="payment_declined"))
    assert core.payments.call_off(payment, core.payments.perform(payment)).state is S.DECLINED


# What somebody left under way


def test_what_is_young_is_left_alone(core: Core, clock: FrozenClock) -> None:
    payment = start(core, wanted())
    clock.advance(OLDER_THAN - timedelta(seconds=1))
    assert core.payment_reconciliation.reconcile() == ReconciliationResult()
    assert now(core, payment) == payment


def test_an_authorization_that_was_never_asked_for_is_undone(
    live: Core, stripe: StripeServer, clock: FrozenClock
) -> None:
    left = start(live, live_one())
    assert reconcile(live, clock) == ReconciliationResult(undone=1)
    assert (now(live, left).state, stripe.intents) == (S.VOIDED, 0)


def test_an_authorization_without_an_answer_is_undone(
    live: Core, stripe: StripeServer, clock: FrozenClock
) -> None:
    payment = start(live, live_one())
    stripe.behave("authorize", Mishap.LOST)
    with pytest.raises(GatewayUnavailable):
        live.payments.finish(payment)
    assert now(live, payment) == payment
    assert reconcile(live, clock) == ReconciliationResult(undone=1)
    assert (now(live, payment).state, stripe.holding) == (S.VOIDED, 0)
    assert stripe.intents == 1


def test_a_decline_without_an_answer_is_seen(live: Core, clock: FrozenClock, stripe: StripeServer) -> None:
    payment = start(live, live_one(payment_method="pm_card_chargeDeclined"))
    stripe.behave("authorize", Mishap.LOST)
    with pytest.raises(GatewayUnavailable):
        live.payments.perform(payment)
    assert reconcile(live, clock) == ReconciliationResult(finished=1)
    assert now(live, payment).state is S.DECLINED


@pytest.mark.parametrize(
    "mishaps",
    [
        (),
        (Mishap.LOST,),
        (Mishap.FAIL, Mishap.FAIL),  # the client for outside parties tries once more
        (Mishap.FAIL, Mishap.LOST),
        (Mishap.BUSY,),
        (Mishap.THROTTLED,),
    ],
)
@pytest.mark.parametrize("step", ["capture", "cancel", "refund"])
def test_a_step_that_was_meant_is_done_once_whatever_happened_to_it(
    live: Core, stripe: StripeServer, clock: FrozenClock, step: str, mishaps: tuple[Mishap, ...]
) -> None:
    held = authorized(live, live_one())
    meant: dict[str, Callable[[], Payment]] = {
        "capture": lambda: capturing(live, held, 2000),
        "cancel": lambda: voiding(live, held),
        "refund": lambda: refunding(live, live.payments.finish(capturing(live, held)), 700),
    }
    payment = meant[step]()
    if mishaps:
        stripe.behave(step, *mishaps)
        with pytest.raises(GatewayUnavailable):
            live.payments.perform(payment)
    assert reconcile(live, clock) == ReconciliationResult(finished=1)
    assert now(live, payment).state is {"capture": S.CAPTURED, "cancel": S.VOIDED, "refund": S.REFUNDED}[step]
    assert (stripe.holding, stripe.earned) == {"capture": (0, 2000), "cancel": (0, 0), "refund": (0, 1800)}[
        step
    ]
    assert reconcile(live, clock) == ReconciliationResult()


def test_what_waits_for_a_gateway_that_does_not_answer_is_counted_and_stays(
    live: Core, stripe: StripeServer, clock: FrozenClock
) -> None:
    payment = capturing(live, authorized(live, live_one()))
    stripe.behave("look", Mishap.GARBAGE)
    assert reconcile(live, clock) == ReconciliationResult(waiting=1)
    assert now(live, payment) == payment


def test_live_payments_wait_for_a_gateway_that_is_not_configured_any_more(
    live: Core, open_core: OpenCore, clock: FrozenClock
) -> None:
    start(live, live_one())
    assert reconcile(open_core(), clock) == ReconciliationResult(waiting=1)


def test_what_has_lapsed_at_the_gateway_cannot_be_captured(live: Core, stripe: StripeServer) -> None:
    held = authorized(live, live_one())
    stripe.cancel_by_hand(held.gateway_ref or "")
    lapsed = live.payments.finish(capturing(live, held))
    assert (lapsed.state, lapsed.reason) == (S.VOIDED, "hold_lapsed")
    assert now(live, lapsed) == lapsed


def test_what_contradicts_the_gateway_is_told_and_left_for_somebody_to_look(
    core: Core, clock: FrozenClock
) -> None:
    held = authorized(core)
    payment = voiding(core, held)
    core.payments.gateway(Environment.TEST).capture(held.gateway_ref or "", 2500, "by hand")
    with pytest.raises(Contradiction):
        core.payments.finish(payment)
    assert reconcile(core, clock) == ReconciliationResult(stuck=(payment.id,))
    assert now(core, payment) == payment


def test_one_that_the_gateway_cannot_have_is_told_and_left_for_somebody_to_look(
    live: Core, clock: FrozenClock
) -> None:
    payment = voiding(live, authorized(live, live_one()))
    with live.storage.transaction() as work:
        work.payments.replace(payment, evolve(payment, gateway_ref=None))
    assert reconcile(live, clock) == ReconciliationResult(stuck=(payment.id,))


def test_one_that_fails_does_not_keep_others_waiting(core: Core, clock: FrozenClock) -> None:
    for number in range(1, 4):
        held = authorized(core, wanted(f"ride_{number}"))
        payment = voiding(core, held)
        if number == 2:
            core.payments.gateway(Environment.TEST).capture(held.gateway_ref or "", 1, "by hand")
    done = reconcile(core, clock)
    assert (done.finished, len(done.stuck)) == (2, 1)
    assert payment.state is S.VOIDING


def test_every_moment_of_a_money_operation_is_told(core: Core) -> None:
    moments: list[str] = []
    watched = core.replacing(payments=evolve(core.payments, failpoint=moments.append))
    held = authorized(watched)
    watched.payments.finish(capturing(watched, held))
    steps = ("before_start", "after_start", "before_call", "after_call", "before_keep", "after_keep")
    assert moments == [f"payments.{step}.{moment}" for step in ("authorize", "capture") for moment in steps]
