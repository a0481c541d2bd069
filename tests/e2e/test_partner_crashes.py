"""Servers and jobs are all killed under mixed load of a partner's applications, with webhooks in flight.

Acknowledged changes are stored, unanswered ones are stored once retried, and nothing is stored twice:
every change has one event, numbered without a gap, that reaches the partner and has a valid signature. Once for each
database; ``nox -s crashes`` does it ten times in at least twenty seconds of load (REPAIRCORE_TEST_CRASHES).
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Final

import httpx
import pytest
from tests.e2e.partner_installation import (
    PartnerInstallation,
    partner_installation,
    require_all,
    wait_for_deliveries,
)
from tests.e2e.processes import PATIENCE
from tests.e2e.server import Server, gunicorn

pytestmark = pytest.mark.long

CRASHES: Final = min(10, int(os.environ.get("REPAIRCORE_TEST_CRASHES", "1")))
APPLICATIONS: Final = 4
LOAD: Final = 2.0 * CRASHES
"""Seconds of load in total: each kill comes after one or two, and the rest follows the last kill."""
MIN_ANSWERS: Final = 30
"""Answers between two kills at least, however busy the machine is."""


@pytest.fixture
def installation(e2e_url: str, tmp_path: Path) -> Iterator[PartnerInstallation]:
    with partner_installation(e2e_url, tmp_path, APPLICATIONS) as created:
        yield created


# Processes


@contextmanager
def _running(installation: PartnerInstallation) -> Iterator[tuple[Server, "subprocess.Popen[str]"]]:
    """Run servers and jobs."""
    with (
        _jobs(installation) as jobs,
        gunicorn(installation.folder / "log", **installation.settings) as server,  # type: ignore[arg-type]
    ):
        yield server, jobs


@contextmanager
def _jobs(installation: PartnerInstallation) -> Iterator["subprocess.Popen[str]"]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("REPAIRCORE_")}
    chosen = {f"REPAIRCORE_{name}": str(value) for name, value in installation.settings.items()}
    path = os.pathsep.join(filter(None, sys.path))
    with (installation.folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "repaircore_cli", "jobs", "run", "--json"],
            env={**own, **chosen, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert process.stdout is not None
    with process.stdout:
        try:
            assert json.loads(process.stdout.readline())["event"] == "started"
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(60)


def _run_load(
    installation: PartnerInstallation,
    server: Server,
    seconds: float,
    end: Callable[[threading.Event], object],
) -> None:
    """Run all applications for a while, stop them, and wait for them."""
    acknowledged, stop = threading.Semaphore(0), threading.Event()
    client = httpx.Client(base_url=server.client.base_url, timeout=PATIENCE, trust_env=False)
    threads = [
        threading.Thread(target=one.work, args=(client, acknowledged.release, stop))
        for one in installation.applications
    ]
    began, answers = monotonic(), 0
    for thread in threads:
        thread.start()
    while monotonic() < began + seconds or answers < MIN_ANSWERS:
        assert acknowledged.acquire(timeout=PATIENCE), server.log.read_text()
        answers += 1
    installation.counted["milliseconds"] += round((monotonic() - began) * 1000)
    end(stop)
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    client.close()
    assert [one.fault for one in installation.applications if one.fault is not None] == []


def _killer(server: Server, jobs: "subprocess.Popen[str]") -> Callable[[threading.Event], object]:
    def kill(_: threading.Event) -> None:
        for process in [server.process.pid, *server.workers, jobs.pid]:
            os.kill(process, signal.SIGKILL)

    return kill


def test_every_change_survives_kills_and_is_delivered(installation: PartnerInstallation) -> None:
    chance = random.Random(CRASHES)  # noqa: S311 - no secret
    interrupted = 0
    for _ in range(CRASHES):
        with _running(installation) as (server, jobs):
            _run_load(installation, server, chance.uniform(1, 2), _killer(server, jobs))
        interrupted += sum(one.pending is not None for one in installation.applications)
    assert interrupted > 0, "no application was interrupted"
    with _running(installation) as (server, _):
        _run_load(
            installation, server, LOAD - installation.counted["milliseconds"] / 1000, threading.Event.set
        )
        assert [one.pending for one in installation.applications] == [None] * APPLICATIONS
        # It adds events, so it runs before the wait for deliveries.
        installation.core.payment_reconciliation.reconcile(timedelta(0))
        wait_for_deliveries(installation)
    _print_counts(installation, interrupted)
    require_all(installation)


def _print_counts(installation: PartnerInstallation, interrupted: int) -> None:
    done = sum((one.acknowledged.done for one in installation.applications), Counter[str]())
    again = sum(one.acknowledged.retried for one in installation.applications)
    refused = sum(one.acknowledged.refused for one in installation.applications)
    postponed = sum(one.acknowledged.postponed for one in installation.applications)
    arrived = installation.subscriber.ids
    print(  # noqa: T201 - shown by pytest -rP
        f"{CRASHES} kills in {installation.counted['milliseconds'] / 1000:.1f} s of load; {done.total()} changes {dict(done)}, "
        f"{refused} refused, {interrupted} interrupted, {again} retried, {postponed} postponed; "
        f"{len(arrived)} deliveries of {len(set(arrived))} events"
    )
