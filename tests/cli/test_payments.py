"""``repaircore payments``."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from attrs import evolve
from tests.cli.conftest import Cli
from tests.unit.payments.payments import new_payment

from repaircore.core import Core, build
from repaircore.kernel.callers import Environment
from repaircore.payments.model import Payment
from repaircore.settings import Settings
from repaircore.shared_services import now


@pytest.fixture
def core(sqlite_url: str) -> Iterator[Core]:
    core = build(Settings(database_url=sqlite_url))
    core.partners.create("Towify", "test")
    yield core
    core.close()


def start_payment(core: Core, subject: str = "ride_1", *, minutes_ago: int = 0) -> Payment:
    payments = evolve(core.payments, clock=lambda: now() - timedelta(minutes=minutes_ago))
    with payments.transaction() as work:
        return payments.start(work, new_payment(subject, payment_method="pm_hush"))


def create_captured(core: Core) -> Payment:
    authorized = core.payments.finish(start_payment(core))
    with core.payments.transaction() as work:
        payment = core.payments.start_capture(work, authorized, 2000)
    return core.payments.finish(payment)


def test_payments_list_selects_by_environment_newest_first(cli: Cli, core: Core) -> None:
    payment = create_captured(core)
    other = start_payment(core, "ride_2")
    view = cli("payments", "list", "--test", "--json").json

    assert [payment["id"] for payment in view] == [other.id, payment.id]
    assert (view[1]["amount"], view[1]["captured"], view[1]["state"]) == (25.0, 20.0, "captured")
    assert "pm_hush" not in str(view)
    assert cli("payments", "list", "--environment", "test", "--json").json == view
    assert cli("payments", "list", "--json").json == []

    rows = cli("payments", "list", "--test", "--status", "captured").out.splitlines()

    assert len(rows) == 1
    assert rows[0].split("\t")[:5] == [payment.id, "captured", "ride_1", "25.00", "20.00"]
    assert [
        payment["id"] for payment in cli("payments", "list", "--test", "--subject", "ride_2", "--json").json
    ] == [other.id]
    assert cli("payments", "list", "--test", "--partner", "2", "--json").json == []

    shortened = cli("payments", "list", "--test", "--limit", "1")

    assert (len(shortened.out.splitlines()), "1 more" in shortened.err) == (1, True)


def test_payments_list_refuses_an_unknown_state(cli: Cli) -> None:
    result = cli("payments", "list", "--status", "paid")

    assert (result.status, result.out) == (1, "")
    assert "authorizing" in result.err


def test_payments_show_prints_the_entries(cli: Cli, core: Core) -> None:
    payment = create_captured(core)
    view = cli("payments", "show", payment.id, "--test", "--json").json

    assert view["allowed_actions"] == ["refund"]
    assert sum(entry["amount"] for entry in view["entries"]) == 0
    assert [step["action"] for step in view["timeline"]] == ["authorize", "approve", "capture", "settle"]

    text = cli("payments", "show", payment.id, "--test").out

    assert "partner_revenue\t20.00" in text
    assert "settle\tcapturing\tcaptured" in text
    assert "pm_hush" not in text


def test_payments_show_of_an_unknown_payment_fails(cli: Cli, core: Core) -> None:
    result = cli("payments", "show", start_payment(core).id)

    assert (result.status, result.err) == (1, "Error: There is no payment with this id.\n")


def test_payments_refund_refunds_once_when_repeated(cli: Cli, core: Core) -> None:
    payment = create_captured(core)
    command = ("payments", "refund", payment.id, "--environment", "test", "--yes")
    for _ in range(2):
        result = cli(*command, "--amount", "5", "--reason", "Towed late")
        assert (result.status, result.out) == (0, "Refunded: 5.00 of 20.00 for ride_1.\n")
    view = cli(*command, "--json").json

    assert (view["refunded"], view["state"]) == (20.0, "refunded")

    (entry, *_) = cli("audit", "--json").json

    assert entry["action"] == "payment.refund"


def test_payments_refund_checks_amount_and_confirmation(cli: Cli, core: Core) -> None:
    payment = create_captured(core)

    assert cli("payments", "refund", payment.id, "--test").status == 2

    for amount in ("nan", "inf", "1.005"):
        assert cli("payments", "refund", payment.id, "--test", "--yes", "--amount", amount).status == 2

    assert cli("payments", "refund", payment.id, "--test", "--yes", "--amount", "0").status == 2

    too_much = cli("payments", "refund", payment.id, "--test", "--yes", "--amount", "20.01")

    assert (too_much.status, "$0.01 and $20.00" in too_much.err) == (1, True)
    assert (
        cli("payments", "refund", payment.id, "--yes").status == 1
    )  # the payment is in the test environment
    assert core.payments.get(payment.id, environment=Environment.TEST).payment == payment


def test_payments_reconcile_undoes_old_payments(cli: Cli, core: Core) -> None:
    old = start_payment(core, minutes_ago=10)
    young = start_payment(core, "ride_2")
    result = cli("payments", "reconcile")

    assert (result.status, result.out) == (0, "0 finished, 1 undone.\n")
    assert core.payments.get(old.id, environment=Environment.TEST).payment.state == "voided"
    assert core.payments.get(young.id, environment=Environment.TEST).payment == young
    assert cli("payments", "reconcile", "--json").json == {
        "finished": 0,
        "undone": 0,
        "waiting": 0,
        "stuck": [],
    }


def test_payments_reconcile_fails_for_a_contradiction(cli: Cli, core: Core) -> None:
    authorized = core.payments.finish(start_payment(core))
    payments = evolve(core.payments, clock=lambda: now() - timedelta(minutes=10))
    with payments.transaction() as work:
        payments.start_void(work, authorized, "canceled")
    payments.gateway(Environment.TEST).capture(authorized.gateway_ref or "", 2500, "by hand")
    result = cli("payments", "reconcile")

    assert result.status == 1
    assert authorized.id in result.err


def test_payments_reconcile_refuses_to_run_too_early(cli: Cli) -> None:
    assert cli("payments", "reconcile", "--older-than", "19").status == 2
