"""``repaircore payments``."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from attrs import evolve
from tests.cli.conftest import Cli
from tests.unit.payments.payments import wanted

from repaircore.bootstrap import Core, build, now
from repaircore.kernel.callers import Environment
from repaircore.payments.model import Payment
from repaircore.settings import Settings


@pytest.fixture
def core(sqlite_url: str) -> Iterator[Core]:
    opened = build(Settings(database_url=sqlite_url))
    opened.partners.create("Towify", "test")
    yield opened
    opened.close()


def started(core: Core, subject: str = "ride_1", *, minutes_ago: int = 0) -> Payment:
    payments = evolve(core.payments, clock=lambda: now() - timedelta(minutes=minutes_ago))
    with payments.transaction() as work:
        return payments.start(work, wanted(subject, payment_method="pm_hush"))


def captured(core: Core) -> Payment:
    held = core.payments.finish(started(core))
    with core.payments.transaction() as work:
        payment = core.payments.start_capture(work, held, 2000)
    return core.payments.finish(payment)


def test_payments_are_listed_by_environment_newest_first(cli: Cli, core: Core) -> None:
    payment = captured(core)
    other = started(core, "ride_2")
    told = cli("payments", "list", "--test", "--json").json
    assert [one["id"] for one in told] == [other.id, payment.id]
    assert (told[1]["amount"], told[1]["captured"], told[1]["state"]) == (25.0, 20.0, "captured")
    assert "pm_hush" not in str(told)
    assert cli("payments", "list", "--environment", "test", "--json").json == told
    assert cli("payments", "list", "--json").json == []
    rows = cli("payments", "list", "--test", "--state", "captured").out.splitlines()
    assert len(rows) == 1
    assert rows[0].split("\t")[:5] == [payment.id, "captured", "ride_1", "25.00", "20.00"]
    assert [one["id"] for one in cli("payments", "list", "--test", "--subject", "ride_2", "--json").json] == [
        other.id
    ]
    assert cli("payments", "list", "--test", "--partner", "2", "--json").json == []
    shortened = cli("payments", "list", "--test", "--limit", "1")
    assert (len(shortened.out.splitlines()), "1 more" in shortened.err) == (1, True)


def test_a_state_that_is_none_is_refused(cli: Cli) -> None:
    outcome = cli("payments", "list", "--state", "paid")
    assert (outcome.status, outcome.out) == (1, "")
    assert "authorizing" in outcome.err


def test_a_payment_is_shown_with_its_books(cli: Cli, core: Core) -> None:
    payment = captured(core)
    told = cli("payments", "show", payment.id, "--test", "--json").json
    assert told["allowed_actions"] == ["refund"]
    assert sum(one["amount"] for one in told["entries"]) == 0
    assert [one["action"] for one in told["timeline"]] == ["authorize", "approve", "capture", "settle"]
    text = cli("payments", "show", payment.id, "--test").out
    assert "partner_revenue\t20.00" in text
    assert "settle\tcapturing\tcaptured" in text
    assert "pm_hush" not in text


def test_a_payment_that_nobody_has_is_not_shown(cli: Cli, core: Core) -> None:
    outcome = cli("payments", "show", started(core).id)
    assert (outcome.status, outcome.err) == (1, "Error: There is no such payment.\n")


def test_money_is_given_back_once_however_often_it_is_asked_for(cli: Cli, core: Core) -> None:
    payment = captured(core)
    asked = ("payments", "refund", payment.id, "--environment", "test", "--yes")
    for _ in range(2):
        outcome = cli(*asked, "--amount", "5", "--reason", "Towed late")
        assert (outcome.status, outcome.out) == (0, "Of 20.00 for ride_1, 5.00 are given back.\n")
    told = cli(*asked, "--json").json
    assert (told["refunded"], told["state"]) == (20.0, "refunded")
    (entry, *_) = cli("audit", "--json").json
    assert entry["action"] == "payment.refund"


def test_money_is_given_back_only_when_it_is_meant(cli: Cli, core: Core) -> None:
    payment = captured(core)
    assert cli("payments", "refund", payment.id, "--test").status == 2
    for odd in ("nan", "inf", "1.005"):
        assert cli("payments", "refund", payment.id, "--test", "--yes", "--amount", odd).status == 2
    assert cli("payments", "refund", payment.id, "--test", "--yes", "--amount", "0").status == 2
    too_much = cli("payments", "refund", payment.id, "--test", "--yes", "--amount", "20.01")
    assert (too_much.status, "0.01 to 20.00" in too_much.err) == (1, True)
    assert cli("payments", "refund", payment.id, "--yes").status == 1  # there is none in live
    assert core.payments.show(payment.id, environment=Environment.TEST).payment == payment


def test_what_was_left_is_undone(cli: Cli, core: Core) -> None:
    left = started(core, minutes_ago=10)
    young = started(core, "ride_2")
    outcome = cli("payments", "reconcile")
    assert (outcome.status, outcome.out) == (0, "0 finished, 1 undone.\n")
    assert core.payments.show(left.id, environment=Environment.TEST).payment.state == "voided"
    assert core.payments.show(young.id, environment=Environment.TEST).payment == young
    assert cli("payments", "reconcile", "--json").json == {
        "finished": 0,
        "undone": 0,
        "waiting": 0,
        "stuck": [],
    }


def test_what_contradicts_its_gateway_is_told_with_a_failure(cli: Cli, core: Core) -> None:
    held = core.payments.finish(started(core))
    payments = evolve(core.payments, clock=lambda: now() - timedelta(minutes=10))
    with payments.transaction() as work:
        payments.start_void(work, held, "canceled")
    payments.gateway(Environment.TEST).capture(held.gateway_ref or "", 2500, "by hand")
    outcome = cli("payments", "reconcile")
    assert outcome.status == 1
    assert held.id in outcome.err


def test_what_may_still_be_answered_is_not_reconciled(cli: Cli) -> None:
    assert cli("payments", "reconcile", "--older-than", "19").status == 2
