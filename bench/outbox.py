"""What it costs that an event is kept with each change, and delivered: against the same rows written by hand.

The yardstick inserts and updates the very rows in bare SQLite, in as many transactions with the same settings.
"""

import json
import sqlite3
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from attrs import evolve
from typing_extensions import override

from bench.table import Row, interleaved, print_table, ratio_of
from repaircore.adapters.fast_path.driver import SQLITE_SETTINGS
from repaircore.core import Core, build
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.events import Event
from repaircore.kernel.references import Kind, reference
from repaircore.settings import Settings
from repaircore.shared_services import new_id
from repaircore.webhooks.model import AttemptResult, CreateSubscription, Message
from repaircore.webhooks.ports import Sender

_KEPT = (
    "INSERT INTO events VALUES (?, 1, 'test', 'customer.created', ?, 1, ?, ?)",
    "INSERT INTO webhook_deliveries (event_id, subscription_id, state, attempts, due_at, created_at) VALUES (?, 1, 'pending', 0, ?, ?)",
)
_DELIVERED = (
    "UPDATE webhook_deliveries SET state = 'delivered', attempts = 1, holder = NULL, held_until = NULL, last_status = 200,"
    " delivered_at = ? WHERE event_id = ?"
)
_DATA = {"name": "Ada Byron", "email": "ada@example.com", "phone": "+12125550100", "notes": "x" * 400}


class _Taken(Sender):
    """Everybody answers well, at once: what is measured is ours alone."""

    @override
    def send(self, message: Message) -> AttemptResult:
        assert message.body
        return AttemptResult(status=200)


class _Bare:
    """The same rows, written by hand."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for setting in SQLITE_SETTINGS:
            self._connection.execute(setting)
        self._numbers = count()
        self._run = self._connection.execute

    def add(self) -> str:
        number = f"bare_{next(self._numbers)}"
        now = time.time_ns() // 1000
        payload = json.dumps({"id": number, "type": "customer.created", "data": _DATA})
        self._run("BEGIN IMMEDIATE")
        self._run(_KEPT[0], (number, number, payload, now))
        self._run(_KEPT[1], (number, now, now))
        self._run("COMMIT")
        return number

    def deliver(self, number: str) -> None:
        now = time.time_ns() // 1000
        self._run("BEGIN IMMEDIATE")
        self._run(
            "UPDATE webhook_deliveries SET holder = 'me', held_until = ? WHERE event_id = ?", (now, number)
        )
        self._run("COMMIT")
        self._run("BEGIN IMMEDIATE")
        found = self._run("SELECT id FROM webhook_deliveries WHERE event_id = ?", (number,))
        (delivery,) = found.fetchone()
        self._run(
            "INSERT INTO webhook_attempts (delivery_id, at, status, milliseconds) VALUES (?, ?, 200, 1)",
            (delivery, now),
        )
        self._run(_DELIVERED, (now, number))
        self._run("UPDATE webhook_subscriptions SET last_delivery_at = ?, last_status = 200", (now,))
        self._run("COMMIT")


def _installed(folder: Path) -> tuple[Core, PartnerCaller]:
    core = build(Settings(database_url=f"sqlite:///{folder}/outbox.db", state_folder=folder))
    made = core.partners.create("Roadside Inc", "test")
    caller = PartnerCaller(partner_id=made.partner.id, environment=Environment.TEST)
    core.webhooks.create(CreateSubscription(url="http://127.0.0.1:9000/", events=("*",)), caller)
    return core, caller


def _adding(core: Core, caller: PartnerCaller) -> Callable[[], None]:
    def add() -> None:
        event = Event(
            id=reference(Kind.EVENT, new_id()),
            type="customer.created",
            partner_id=caller.partner_id,
            environment=caller.environment,
            subject=reference(Kind.CUSTOMER, new_id()),
            data=_DATA,
            created_at=datetime.now(UTC),
        )
        with core.storage.transaction() as work:
            work.outbox.add(event)

    return add


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        core, caller = _installed(folder)
        add, bare = _adding(core, caller), _Bare(folder / "outbox.db")
        deliveries = evolve(core.deliveries, sender=_Taken())

        def deliver() -> None:
            add()
            for due in deliveries.claim({one.subscription_id: 1 for one in deliveries.list_pending()}):
                deliveries.deliver(due)

        kept, by_hand, delivered, delivered_by_hand = interleaved(
            add,
            bare.add,
            deliver,
            lambda: bare.deliver(bare.add()),
            rounds=20,
            times=20,
        )
        core.close()
    return [
        Row("an event kept, with its delivery", "the same rows in bare SQLite", ratio_of(kept, by_hand)),
        Row(
            "an event kept, claimed, signed and delivered",
            "the same inserts and updates in bare SQLite",
            ratio_of(delivered, delivered_by_hand),
        ),
    ]


if __name__ == "__main__":
    print_table(rows())
