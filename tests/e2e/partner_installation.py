"""An installation with a partner's applications, and its invariants whatever was killed meanwhile.

Acknowledged changes are stored, unanswered ones are stored once retried, and nothing is stored twice:
every change has one event, numbered without a gap, that reaches the partner and has a valid signature.
"""

import json
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, timedelta
from pathlib import Path
from time import monotonic
from typing import Any, Final

import sqlalchemy as sa
from attrs import field, frozen
from standardwebhooks.webhooks import Webhook
from tests.conftest import SECRET_KEY
from tests.contracts.rides import read_record, require_consistent, require_settled, without_payments
from tests.e2e.partner_load import Application, Place, Session
from tests.e2e.processes import PATIENCE
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
from repaircore.mechanics.search import SearchMechanics
from repaircore.settings import Settings
from repaircore.webhooks.model import CreateSubscription

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
"""The event of each timeline step; ``cancel`` has one for each kind of record."""

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
"""The step of each request; cancellations are counted together."""


@frozen(kw_only=True)
class PartnerInstallation:
    """An installation, and a partner subscribed to everything with its applications."""

    url: str
    folder: Path
    core: Core
    caller: PartnerCaller
    public_key: str
    session: Session
    subscriber: Subscriber
    applications: Sequence[Application]
    counted: Counter[str] = field(factory=Counter)

    @property
    def token(self) -> str:
        return self.session.token

    def renew_session(self) -> None:
        """Open a new session for all applications; sessions last 15 minutes."""
        self.session.token = self.core.partner_sessions.open(self.public_key).token

    @property
    def settings(self) -> dict[str, object]:
        return {
            "DATABASE_URL": self.url,
            "SECRET_KEY": SECRET_KEY,
            "STATE_FOLDER": self.folder / "state",
            "PARTNER_REQUESTS_PER_MINUTE_TEST": 100_000,
            "REQUESTS_PER_MINUTE": 100_000,
        }


@contextmanager
def partner_installation(url: str, folder: Path, applications: int) -> Iterator[PartnerInstallation]:
    """Create an installation in a folder, with a partner and a number of applications."""
    core = build(Settings(database_url=url, secret_key=SECRET_KEY, state_folder=folder / "state"))
    core.upgrade()
    created = core.partners.create("Towify", "test")
    caller = PartnerCaller(partner_id=created.partner.id, environment=Environment.TEST)
    session, places = Session(core.partner_sessions.open(created.key.public_key).token), _places(core)
    with receiving() as subscriber:
        subscription = core.webhooks.create(CreateSubscription(url=subscriber.url, events=("*",)), caller)
        assert subscription.secret is not None
        subscriber.verify = Webhook(subscription.secret).verify
        yield PartnerInstallation(
            url=url,
            folder=folder,
            core=core,
            caller=caller,
            public_key=created.key.public_key,
            session=session,
            subscriber=subscriber,
            applications=[Application(number, session, places) for number in range(applications)],
        )
    core.close()


def _places(core: Core) -> list[Place]:
    today = date.today()  # noqa: DTZ011 - any days in the near future
    return [
        Place(found.mechanic.ref, slot.day.isoformat(), slot.time)
        for found in core.mechanic_search.find(Environment.TEST, SearchMechanics(state="OH"))
        for days in (3, 4)
        for slot, _ in core.mechanics.list_slots(found.mechanic, today + timedelta(days=days))
    ]


def require_all(installation: PartnerInstallation) -> None:
    """Assert all invariants, once everything is answered and delivered."""
    require_acknowledged_records(installation)
    require_one_event_of_each_change(installation)
    require_deliveries(installation)
    require_money(installation)
    require_places(installation)
    assert _integrity(installation.url) == "ok"


def wait_for_deliveries(installation: PartnerInstallation) -> None:
    """Wait until the jobs have delivered everything to the partner, for as long as they get on with it."""
    left, end = sys.maxsize, monotonic() + PATIENCE
    while (pending := installation.core.webhook_operations.get_backlog().pending) and monotonic() < end:
        if pending < left:
            left, end = pending, monotonic() + PATIENCE
        installation.subscriber.arrived.wait(0.1)
        installation.subscriber.arrived.clear()
    assert installation.core.webhook_operations.get_backlog().pending == 0


def _read(installation: PartnerInstallation, chosen: "sa.Select[Any]") -> "Sequence[sa.Row[Any]]":
    with installation.core.storage.database.transaction(write=False) as connection:
        return connection.execute(chosen).all()


def require_acknowledged_records(installation: PartnerInstallation) -> None:
    """Assert that the stored records match the acknowledgements."""
    acknowledged = [one.acknowledged for one in installation.applications]
    found = _read(installation, sa.select(customers.c.ref))
    assert sorted(row.ref for row in found) == sorted(ref for one in acknowledged for ref in one.customers)
    assert {row.ref: row.status for row in _read(installation, sa.select(rides.c.ref, rides.c.status))} == {
        ref: status for one in acknowledged for ref, status in one.rides.items()
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
        for row in _read(installation, chosen)
    } == {ref: stored for one in acknowledged for ref, stored in one.appointments.items()}
    answers = sum(one.done.total() + one.refused for one in acknowledged)
    assert len(_read(installation, sa.select(idempotent_replies.c.key))) == answers


_ASK_OTHERS: Final = "ask_others"
"""The step of a job for a ride whose offers have expired, which an application does not acknowledge."""


def require_one_event_of_each_change(installation: PartnerInstallation) -> None:
    """Assert that each acknowledged step and each offer has one event, in order."""
    done = sum((one.acknowledged.done for one in installation.applications), Counter[str]())
    steps, delivered = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for step in _read(installation, sa.select(timeline.c.subject, timeline.c.action).order_by(timeline.c.id)):
        if step.action != _ASK_OTHERS:
            steps[step.subject].append(step.action)
    known = {
        ref
        for one in installation.applications
        for ref in (*one.acknowledged.rides, *one.acknowledged.appointments)
    }
    actions = Counter(action for ref in known for action in steps[ref])
    cancellations = done.pop("cancel", 0) + done.pop("cancel_appointment", 0)
    customers_made = done.pop("customer", 0)
    assert actions == Counter({STEP_OF[what]: count for what, count in done.items()}) + Counter(
        cancel=cancellations
    )
    numbers = defaultdict[str, list[int]](list)
    chosen = sa.select(events.c.subject, events.c.sequence, events.c.type, events.c.id)
    for event in _read(installation, chosen.order_by(events.c.subject, events.c.sequence)):
        numbers[event.subject].append(event.sequence)
        delivered[event.subject].append(event.type)
    assert [subject for subject, found in numbers.items() if found != [*range(1, len(found) + 1)]] == []
    offers = Counter(row.ride_ref for row in _read(installation, sa.select(ride_offers.c.ride_ref)))
    for ref in known:
        kind = "appointment" if ref.startswith("apt_") else "ride"
        expected = [EVENT_OF.get(action, f"{kind}.cancelled") for action in steps[ref]]
        event_types = [one for one in without_payments(delivered[ref]) if one != "ride.offer_received"]
        assert event_types == expected
        assert delivered[ref].count("ride.offer_received") == offers[ref]
    others = [types for ref, types in delivered.items() if ref not in known]
    assert others == [["customer.created"]] * customers_made


def require_deliveries(installation: PartnerInstallation) -> None:
    """Assert that each event arrived as stored, and nothing arrived without a valid signature."""
    payloads = {row.id: row.payload for row in _read(installation, sa.select(events.c.id, events.c.payload))}
    assert set(installation.subscriber.ids) == payloads.keys()
    assert installation.subscriber.refused == []
    for headers, body, _ in installation.subscriber.got:
        assert json.loads(body)["id"] == headers["webhook-id"]
        assert body.decode() == payloads[headers["webhook-id"]]
    states = [(row.event_id, row.state) for row in _read(installation, sa.select(webhook_deliveries))]
    assert sorted(states) == sorted((event, "delivered") for event in payloads)


def require_money(installation: PartnerInstallation) -> None:
    """Assert that the ledgers balance, and the sandbox has no other charges."""
    known = set[str]()
    for ref in (ref for one in installation.applications for ref in one.acknowledged.rides):
        record = read_record(installation.core, installation.core.rides, ref)
        require_consistent(record)
        require_settled(installation.core, record)
        known |= {f"{payment.id}/authorize" for payment in record.payments}
    assert {row.key for row in _read(installation, sa.select(sandbox_charges.c.key))} <= known


def require_places(installation: PartnerInstallation) -> None:
    """Assert that no mechanic is overbooked, and that taken seats match the appointments."""
    tick = TICK_MINUTES * 60 * 1_000_000
    chosen = sa.select(
        appointments.c.id, appointments.c.mechanic_id, appointments.c.starts_at, appointments.c.ends_at
    )
    wanted = Counter(
        (row.mechanic_id, at, row.id)
        for row in _read(installation, chosen.where(appointments.c.status == "scheduled"))
        for at in range(row.starts_at, row.ends_at, tick)
    )
    taken = _read(installation, sa.select(appointment_slots))
    assert Counter((row.mechanic_id, row.starts_at, row.appointment_id) for row in taken) == wanted
    capacity = {
        row.id: row.capacity for row in _read(installation, sa.select(mechanics.c.id, mechanics.c.capacity))
    }
    at_once = Counter((mechanic, at) for mechanic, at, _ in wanted)
    assert [one for one, count in at_once.items() if count > capacity[one[0]]] == []


def _integrity(url: str) -> str:
    if not url.startswith("sqlite"):
        return "ok"
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        result: str = connection.execute("PRAGMA integrity_check").fetchone()[0]
        return result
