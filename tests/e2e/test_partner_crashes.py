"""Servers and jobs are all killed while a partner's applications do all sorts of things, with webhooks under way.

What was acknowledged is there, what was not answered is there once it is retried, and neither is anything there twice:
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
from tests.e2e.partner_scene import Scene, partner_scene, require_all, wait_for_deliveries
from tests.e2e.processes import PATIENCE
from tests.e2e.server import Server, gunicorn

pytestmark = pytest.mark.long

CRASHES: Final = min(10, int(os.environ.get("REPAIRCORE_TEST_CRASHES", "1")))
APPLICATIONS: Final = 4
LOAD: Final = 2.0 * CRASHES
"""Seconds of load in all: each kill comes after one or two, and the rest follows the last."""
AT_LEAST: Final = 30
"""Answers between two kills, however busy the machine is."""


@pytest.fixture
def scene(e2e_url: str, tmp_path: Path) -> Iterator[Scene]:
    with partner_scene(e2e_url, tmp_path, APPLICATIONS) as made:
        yield made


# Processes


@contextmanager
def _running(scene: Scene) -> Iterator[tuple[Server, "subprocess.Popen[str]"]]:
    """Run servers and jobs."""
    with _jobs(scene) as jobs, gunicorn(scene.folder / "log", **scene.settings) as server:  # type: ignore[arg-type]
        yield server, jobs


@contextmanager
def _jobs(scene: Scene) -> Iterator["subprocess.Popen[str]"]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("REPAIRCORE_")}
    chosen = {f"REPAIRCORE_{name}": str(value) for name, value in scene.settings.items()}
    path = os.pathsep.join(filter(None, sys.path))
    with (scene.folder / "log").open("ab") as log:
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


def _load(scene: Scene, server: Server, seconds: float, end: Callable[[threading.Event], object]) -> None:
    """Run all applications for a time, stop them, and wait for them."""
    acknowledged, stop = threading.Semaphore(0), threading.Event()
    client = httpx.Client(base_url=server.client.base_url, timeout=PATIENCE, trust_env=False)
    threads = [
        threading.Thread(target=one.work, args=(client, acknowledged.release, stop))
        for one in scene.applications
    ]
    began, answers = monotonic(), 0
    for thread in threads:
        thread.start()
    while monotonic() < began + seconds or answers < AT_LEAST:
        assert acknowledged.acquire(timeout=PATIENCE), server.log.read_text()
        answers += 1
    scene.counted["milliseconds"] += round((monotonic() - began) * 1000)
    end(stop)
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    client.close()
    assert [one.fault for one in scene.applications if one.fault is not None] == []


def _killing(server: Server, jobs: "subprocess.Popen[str]") -> Callable[[threading.Event], object]:
    def kill(_: threading.Event) -> None:
        for process in [server.process.pid, *server.workers, jobs.pid]:
            os.kill(process, signal.SIGKILL)

    return kill


def test_every_change_survives_kills_and_is_delivered(scene: Scene) -> None:
    chance = random.Random(CRASHES)  # noqa: S311 - no secret
    interrupted = 0
    for _ in range(CRASHES):
        with _running(scene) as (server, jobs):
            _load(scene, server, chance.uniform(1, 2), _killing(server, jobs))
        interrupted += sum(one.pending is not None for one in scene.applications)
    assert interrupted > 0, "nobody was interrupted"
    with _running(scene) as (server, _):
        _load(scene, server, LOAD - scene.counted["milliseconds"] / 1000, threading.Event.set)
        assert [one.pending for one in scene.applications] == [None] * APPLICATIONS
        scene.core.payment_reconciliation.reconcile(
            timedelta(0)
        )  # has events of its own: before what waits for them
        wait_for_deliveries(scene)
    _tell(scene, interrupted)
    require_all(scene)


def _tell(scene: Scene, interrupted: int) -> None:
    done = sum((one.books.done for one in scene.applications), Counter[str]())
    again = sum(one.books.retried for one in scene.applications)
    refused = sum(one.books.refused for one in scene.applications)
    put_off = sum(one.books.put_off for one in scene.applications)
    arrived = scene.subscriber.ids
    print(  # noqa: T201 - figures for whoever asks for them: pytest -rP
        f"{CRASHES} kills in {scene.counted['milliseconds'] / 1000:.1f} s of load; {done.total()} changes {dict(done)}, "
        f"{refused} refused, {interrupted} interrupted, {again} retried, {put_off} put off; "
        f"{len(arrived)} deliveries of {len(set(arrived))} events"
    )
