"""Webhooks and jobs at the command line, and as killed processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook
from tests.cli.conftest import Cli
from tests.e2e.processes import is_jobs
from tests.receivers import WITHIN, Subscriber, receiving
from tests.subscribers import a_partner, an_event

from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.settings import Settings
from repaircore.webhooks.model import CreateSubscription, SubscriptionWithSecret

KEY = "a-secret-that-only-tests-may-ever-know"


@pytest.fixture
def subscriber() -> Iterator[Subscriber]:
    with receiving() as made:
        yield made


@contextmanager
def _open_installation(url: str) -> Iterator[Core]:
    core = Core(Settings.from_env({"REPAIRCORE_DATABASE_URL": url, "REPAIRCORE_SECRET_KEY": KEY}))
    try:
        yield core
    finally:
        core.close()


@pytest.fixture
def installation(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Core]:
    monkeypatch.setenv("REPAIRCORE_SECRET_KEY", KEY)
    with _open_installation(sqlite_url) as core:
        yield core


def _now() -> datetime:
    return datetime.now(UTC)


def _subscribe(core: Core, url: str) -> tuple[PartnerCaller, SubscriptionWithSecret]:
    caller = a_partner(core.storage.database, "Roadside Inc", at=_now())
    return caller, core.webhooks.create(CreateSubscription(url=url, events=("*",)), caller)


def test_deliver_sends_due_deliveries(cli: Cli, installation: Core, subscriber: Subscriber) -> None:
    caller, subscribed = _subscribe(installation, subscriber.url)
    event = an_event(installation.storage.database, caller, at=_now())
    listed = cli("webhooks", "list", "--json").json

    assert listed["subscriptions"][0]["ref"] == subscribed.subscription.ref
    assert (listed["backlog"]["pending"], listed["backlog"]["due"]) == (1, 1)
    assert subscribed.subscription.ref in cli("webhooks", "list").out
    assert cli("webhooks", "deliver", "--json").json == {"attempts": 1, "delivered": 1, "failed": 0}
    assert cli("webhooks", "deliver").out == "0 delivered, 0 failed.\n"
    assert subscriber.ids == [event.id]
    (attempt,) = cli("webhooks", "attempts", "--json", "--event", event.id).json

    assert (attempt["status"], attempt["delivery"], attempt["type"]) == (200, "delivered", "customer.created")
    assert event.id in cli("webhooks", "attempts", "--subscription", subscribed.subscription.ref).out


def test_replay_prints_the_counts(cli: Cli, installation: Core, subscriber: Subscriber) -> None:
    caller, _ = _subscribe(installation, subscriber.url)
    event = an_event(installation.storage.database, caller, at=_now())

    assert cli("webhooks", "replay", event.id, "--json").json == {"events": 1, "deliveries": 1}
    since = ("--since", "2026-01-01T00:00:00Z")

    assert "2 deliveries" not in cli("webhooks", "replay", *since, "--undelivered").out
    assert cli("webhooks", "replay", *since, "--json").json == {"events": 1, "deliveries": 1}
    assert cli("webhooks", "replay", "evt_none").status == 1
    assert cli("webhooks", "replay").status == 2
    assert cli("webhooks", "replay", event.id, *since).status == 2
    assert cli("webhooks", "replay", "--since", "yesterday").status == 2
    assert cli("webhooks", "replay", *since, "--until", "2025-01-01").status == 1


def test_test_sends_a_test_event(cli: Cli, installation: Core, subscriber: Subscriber) -> None:
    _, subscribed = _subscribe(installation, subscriber.url)
    result = cli("webhooks", "test", subscribed.subscription.ref, "--json")

    assert (result.status, result.json) == (0, {"delivered": True, "status": 200, "error": None})
    subscriber.answer = lambda: 500
    result = cli("webhooks", "test", subscribed.subscription.ref)

    assert (result.status, result.out) == (1, "The response was 500.\n")
    assert cli("webhooks", "test", "whs_none").status == 1


def test_jobs_run_once_delivers_webhooks(cli: Cli, installation: Core, subscriber: Subscriber) -> None:
    caller, _ = _subscribe(installation, subscriber.url)
    an_event(installation.storage.database, caller, at=_now())
    result = cli("jobs", "run", "--once", "--json")

    assert result.status == 0
    assert result.json["webhooks"] == {"delivered": 1}
    assert {"name": "replies.prune", "counts": {"replies": 0}, "failure": None} in result.json["jobs"]
    listed = {one["name"]: one for one in cli("jobs", "list", "--json").json}

    assert listed["replies.prune"]["done_at"] is not None
    assert "webhooks: 0 attempts, 0 delivered" in cli("jobs", "run", "--once").out


def test_doctor_reports_overdue_deliveries(cli: Cli, installation: Core) -> None:
    caller, _ = _subscribe(installation, "http://127.0.0.1:9000/")
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    an_event(installation.storage.database, caller, at=long_ago)
    with installation.storage.transaction() as work:
        work.job_leases.initialize("sweep", at=long_ago)
        work.job_leases.acquire(work.job_leases.find("sweep"), holder="me", until=long_ago)
        work.job_leases.release("sweep", holder="me", began_at=long_ago, at=long_ago, failure="It rained.")
    result = cli("doctor", "--json")
    found = {one["name"]: one for one in result.json["findings"]}

    assert result.status == 1
    assert found["webhooks"]["value"] == "1 pending, 1 of them due since 2026-01-01T00:00:00Z"
    assert "repaircore jobs run" in found["webhooks"]["wrong"]
    assert found["job sweep"]["wrong"] == "It rained."


# Processes


def _environ(url: str) -> dict[str, str]:
    source = str(Path(__file__).parents[2] / "src")
    return {
        **os.environ,
        "PYTHONPATH": source,
        "REPAIRCORE_DATABASE_URL": url,
        "REPAIRCORE_SECRET_KEY": KEY,
    }


def _start(url: str, *args: str, **options: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "repaircore_cli", *args],
        env=_environ(url),
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def _line(process: "subprocess.Popen[str]") -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def _end(process: "subprocess.Popen[str]", ending: signal.Signals) -> int:
    process.send_signal(ending)
    status = process.wait(WITHIN)
    assert process.stdout is not None
    process.stdout.close()
    return status


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


@pytest.mark.long
def test_deliveries_survive_a_kill(url: str, subscriber: Subscriber) -> None:
    """After two kills in the middle of deliveries, every event arrives with a valid signature."""
    with _open_installation(url) as core:
        caller, subscribed = _subscribe(core, subscriber.url)
        events = [an_event(core.storage.database, caller, at=_now()).id for _ in range(40)]
    for count in (8, 20):
        process = _start(url, "jobs", "run", "--json")
        assert _line(process)["event"] == "started"
        subscriber.wait_for(count)
        assert _end(process, signal.SIGKILL) == -signal.SIGKILL
    last = _start(url, "jobs", "run", "--json")
    end = time.monotonic() + WITHIN
    while set(subscriber.ids) != set(events) and time.monotonic() < end:
        subscriber.arrived.wait(0.05)
        subscriber.arrived.clear()

    assert _end(last, signal.SIGTERM) == 0
    assert set(subscriber.ids) == set(events)
    for headers, body, _ in subscriber.got:
        Webhook(subscribed.secret or "").verify(body, dict(headers))
    with _open_installation(url) as core:
        assert core.webhook_operations.get_backlog().pending == 0


@pytest.mark.long
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_jobs_finish_deliveries_when_stopped(
    sqlite_url: str, subscriber: Subscriber, ending: signal.Signals
) -> None:
    """Also under nohup, which ignores Ctrl-C from the start."""
    with _open_installation(sqlite_url) as core:
        caller, _ = _subscribe(core, subscriber.url)
        an_event(core.storage.database, caller, at=_now())
    process = _start(sqlite_url, "jobs", "run", "--json", preexec_fn=_ignore_interrupts)

    assert _line(process)["event"] == "started"

    def interrupt_jobs() -> int:
        process.send_signal(ending)
        return 200

    subscriber.answer = interrupt_jobs
    subscriber.wait_for(1)

    assert _line(process)["event"] == "ended"
    assert process.wait(WITHIN) == 0
    assert process.stdout is not None
    process.stdout.close()
    with _open_installation(sqlite_url) as core:
        (attempt,) = core.webhook_operations.list_attempts()

    assert attempt.status == 200


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.long
def test_jobs_of_a_server_stop_with_it(sqlite_url: str, subscriber: Subscriber) -> None:
    with _open_installation(sqlite_url) as core:
        caller, _ = _subscribe(core, subscriber.url)
        server = _start(sqlite_url, "serve", "--port", "0", "--workers", "1", "--json")
        assert server.stdout is not None
        output = ""
        while not output.endswith("\n}\n"):
            output += server.stdout.readline()
        assert json.loads(output)["jobs"] is True
        an_event(core.storage.database, caller, at=_now())
        subscriber.wait_for(1)
        helper = _jobs(server.pid)
        assert _end(server, signal.SIGKILL) == -signal.SIGKILL
        assert _becomes_true(lambda: not _runs(helper))
        an_event(core.storage.database, caller, at=_now())
        assert core.webhook_operations.get_backlog().pending == 1


def _jobs(parent: int) -> int:
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    (found,) = [int(one) for one in children if is_jobs(int(one))]
    return found


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _becomes_true(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + WITHIN
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()
