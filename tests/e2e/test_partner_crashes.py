"""Servers and jobs are all killed while a partner's applications do all sorts of things, with webhooks under way.

What was acknowledged is there, what was not answered is there once it is retried, and neither is anything there twice:
every change has one event, numbered without a gap, that reaches the partner and has a valid signature. Once for each
database; ``nox -s crashes`` does it ten times in at least twenty seconds of load (REPAIRCORE_TEST_CRASHES).
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, timedelta
from pathlib import Path
from time import monotonic
from typing import Any, Final

import httpx
import pytest
import sqlalchemy as sa
from attrs import field, frozen
from standardwebhooks.webhooks import Webhook
from tests.conftest import SECRET_KEY
from tests.contracts.rides import read_record, require_consistent, require_settled
from tests.e2e.partner_life import Application, Place
from tests.e2e.processes import PATIENCE
from tests.e2e.server import Server, gunicorn
from tests.receivers import Subscriber, receiving

from repaircore.adapters.sql.schema.mechanics import appointment_slots, appointments, mechanics
from repaircore.adapters.sql.schema.operations import timeline
from repaircore.adapters.sql.schema.partners import customers, idempotent_replies
from repaircore.adapters.sql.schema.payments import sandbox_charges
from repaircore.adapters.sql.schema.rides import ride_offers, rides
from repaircore.adapters.sql.schema.webhooks import events, webhook_deliveries
from repaircore.core import Core, build
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.mechanics.model import TICK_MINUTES
from repaircore.settings import Settings
from repaircore.webhooks.model import CreateSubscription

pytestmark = pytest.mark.long

CRASHES: Final = min(10, int(os.environ.get("REPAIRCORE_TEST_CRASHES", "1")))
APPLICATIONS: Final = 4
LOAD: Final = 2.0 * CRASHES
"""Seconds of load in all: each kill comes after one or two, and the rest follows the last."""
AT_LEAST: Final = 30
"""Answers between two kills, however busy the machine is."""

EVENT_OF: Final = {
    "book": "appointment.booked",
    "reschedule": "appointment.rescheduled",
    "create": "ride.created",
    "accept_offer": "ride.accepted",
    "cancel_accepted": "ride.cancelled",
    "driver_arrived": "ride.driver_arrived",
    "start": "ride.started",
    "complete": "ride.completed",
}
"""The event of each step of a timeline; of ``cancel``, both kinds of records have one."""

STEP_OF: Final = {
    "book": "book",
    "reschedule": "reschedule",
    "ride": "create",
    "accept": "accept_offer",
    "cancel_accepted": "cancel_accepted",
    "arrive": "driver_arrived",
    "start": "start",
    "complete": "complete",
}
"""The step that each request makes; cancellations are counted together."""


@frozen(kw_only=True)
class Scene:
    """An installation, a partner that is subscribed to everything, and where its applications may book."""

    url: str
    folder: Path
    core: Core
    caller: PartnerCaller
    subscriber: Subscriber
    applications: Sequence[Application]
    counted: Counter[str] = field(factory=Counter)

    @property
    def settings(self) -> dict[str, object]:
        return {
            "DATABASE_URL": self.url,
            "SECRET_KEY": SECRET_KEY,
            "STATE_FOLDER": self.folder / "state",
            "PARTNER_REQUESTS_PER_MINUTE_TEST": 100_000,
        }


@pytest.fixture
def scene(e2e_url: str, tmp_path: Path) -> Iterator[Scene]:
    core = build(Settings(database_url=e2e_url, secret_key=SECRET_KEY, state_folder=tmp_path / "state"))
    core.upgrade()
    made = core.partners.create("Towify", "test")
    caller = PartnerCaller(partner_id=made.partner.id, environment=Environment.TEST)
    token, places = core.partner_sessions.open(made.key.public_key).token, _places(core)
    with receiving() as subscriber:
        shown = core.webhooks.create(CreateSubscription(url=subscriber.url, events=("*",)), caller)
        assert shown.secret is not None
        subscriber.verify = Webhook(shown.secret).verify
        yield Scene(
            url=e2e_url,
            folder=tmp_path,
            core=core,
            caller=caller,
            subscriber=subscriber,
            applications=[Application(number, token, places) for number in range(APPLICATIONS)],
        )
    core.close()


def _places(core: Core) -> list[Place]:
    today = date.today()  # noqa: DTZ011 - any days soon
    return [
        Place(mechanic.ref, slot.day.isoformat(), slot.time)
        for mechanic in core.mechanics.search(Environment.TEST, state="OH")
        for days in (3, 4)
        for slot, _ in core.mechanics.list_slots(mechanic, today + timedelta(days=days))
    ]


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
        _wait_for_deliveries(scene)
    scene.core.payment_reconciliation.reconcile(timedelta(0))
    _tell(scene, interrupted)
    _require_what_was_acknowledged(scene)
    _require_one_event_of_each_change(scene)
    _require_deliveries(scene)
    _require_money(scene)
    _require_places(scene)
    assert _integrity(scene.url) == "ok"


def _wait_for_deliveries(scene: Scene) -> None:
    """Wait until the jobs have brought everything to the partner."""
    end = monotonic() + PATIENCE
    while scene.core.webhook_operations.get_backlog().pending and monotonic() < end:
        scene.subscriber.arrived.wait(0.1)
        scene.subscriber.arrived.clear()
    assert scene.core.webhook_operations.get_backlog().pending == 0


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


def _read(scene: Scene, chosen: "sa.Select[Any]") -> "Sequence[sa.Row[Any]]":
    with scene.core.storage.database.transaction(write=False) as connection:
        return connection.execute(chosen).all()


def _require_what_was_acknowledged(scene: Scene) -> None:
    """Assert that the records are those last acknowledged."""
    books = [one.books for one in scene.applications]
    found = _read(scene, sa.select(customers.c.ref))
    assert sorted(row.ref for row in found) == sorted(ref for one in books for ref in one.customers)
    assert {row.ref: row.status for row in _read(scene, sa.select(rides.c.ref, rides.c.status))} == {
        ref: status for one in books for ref, status in one.rides.items()
    }
    chosen = sa.select(
        appointments.c.ref,
        appointments.c.status,
        appointments.c.local_date,
        appointments.c.local_time,
        mechanics.c.ref.label("mechanic_ref"),
    ).join(mechanics, mechanics.c.id == appointments.c.mechanic_id)
    assert {
        row.ref: (row.status, Place(row.mechanic_ref, row.local_date, row.local_time))
        for row in _read(scene, chosen)
    } == {ref: stored for one in books for ref, stored in one.appointments.items()}
    answers = sum(one.done.total() + one.refused for one in books)
    assert len(_read(scene, sa.select(idempotent_replies.c.key))) == answers


def _require_one_event_of_each_change(scene: Scene) -> None:
    """Assert that each acknowledged step has one event, in order, and each offer one."""
    done = sum((one.books.done for one in scene.applications), Counter[str]())
    steps, delivered = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for step in _read(scene, sa.select(timeline.c.subject, timeline.c.action).order_by(timeline.c.id)):
        steps[step.subject].append(step.action)
    known = {ref for one in scene.applications for ref in (*one.books.rides, *one.books.appointments)}
    actions = Counter(action for ref in known for action in steps[ref])
    cancellations = done.pop("cancel", 0) + done.pop("cancel_appointment", 0)
    customers_made = done.pop("customer", 0)
    assert actions == Counter({STEP_OF[what]: count for what, count in done.items()}) + Counter(
        cancel=cancellations
    )
    numbers = defaultdict[str, list[int]](list)
    chosen = sa.select(events.c.subject, events.c.sequence, events.c.type, events.c.id)
    for event in _read(scene, chosen.order_by(events.c.subject, events.c.sequence)):
        numbers[event.subject].append(event.sequence)
        delivered[event.subject].append(event.type)
    assert [subject for subject, found in numbers.items() if found != [*range(1, len(found) + 1)]] == []
    offers = Counter(row.ride_ref for row in _read(scene, sa.select(ride_offers.c.ride_ref)))
    for ref in known:
        kind = "appointment" if ref.startswith("apt_") else "ride"
        expected = [EVENT_OF.get(action, f"{kind}.cancelled") for action in steps[ref]]
        assert [one for one in delivered[ref] if one != "ride.offer_received"] == expected
        assert delivered[ref].count("ride.offer_received") == offers[ref]
    others = [types for ref, types in delivered.items() if ref not in known]
    assert others == [["customer.created"]] * customers_made


def _require_deliveries(scene: Scene) -> None:
    """Assert that each event arrived as it is stored, and nothing arrived without a valid signature."""
    kept = {row.id: row.payload for row in _read(scene, sa.select(events.c.id, events.c.payload))}
    assert set(scene.subscriber.ids) == kept.keys()
    assert scene.subscriber.refused == []
    for headers, body, _ in scene.subscriber.got:
        assert json.loads(body)["id"] == headers["webhook-id"]
        assert body.decode() == kept[headers["webhook-id"]]
    states = [(row.event_id, row.state) for row in _read(scene, sa.select(webhook_deliveries))]
    assert sorted(states) == sorted((event, "delivered") for event in kept)


def _require_money(scene: Scene) -> None:
    """Assert that the books sum to zero, and the sandbox has exactly their charges."""
    known = set[str]()
    for ref in (ref for one in scene.applications for ref in one.books.rides):
        record = read_record(scene.core, scene.core.rides, ref)
        require_consistent(record)
        require_settled(scene.core, record)
        known |= {f"{payment.id}/authorize" for payment in record.payments}
    assert {row.key for row in _read(scene, sa.select(sandbox_charges.c.key))} <= known


def _require_places(scene: Scene) -> None:
    """Assert that no mechanic is overbooked, and the taken seats are those of appointments."""
    tick = TICK_MINUTES * 60 * 1_000_000
    chosen = sa.select(
        appointments.c.id, appointments.c.mechanic_id, appointments.c.starts_at, appointments.c.ends_at
    )
    wanted = Counter(
        (row.mechanic_id, at, row.id)
        for row in _read(scene, chosen.where(appointments.c.status == "scheduled"))
        for at in range(row.starts_at, row.ends_at, tick)
    )
    taken = _read(scene, sa.select(appointment_slots))
    assert Counter((row.mechanic_id, row.starts_at, row.appointment_id) for row in taken) == wanted
    capacity = {row.id: row.capacity for row in _read(scene, sa.select(mechanics.c.id, mechanics.c.capacity))}
    at_once = Counter((mechanic, at) for mechanic, at, _ in wanted)
    assert [one for one, count in at_once.items() if count > capacity[one[0]]] == []


def _integrity(url: str) -> str:
    if not url.startswith("sqlite"):
        return "ok"
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        result: str = connection.execute("PRAGMA integrity_check").fetchone()[0]
        return result
