"""Messages on both databases: each is sent by one worker at a time, until it is sent or given up."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from threading import Event, Thread

import pytest
import sqlalchemy as sa
from attrs import define, evolve, field
from tests.contracts.partners import add_partner
from tests.threads import at_once
from typing_extensions import override

from repaircore.adapters.sql.schema.operations import messages
from repaircore.core import Core
from repaircore.customers.model import ResolveCustomer
from repaircore.kernel.callers import LOCAL, Environment, Role
from repaircore.kernel.errors import Failure, Forbidden, Unavailable
from repaircore.messages.errors import MessageRejected
from repaircore.messages.model import (
    Channel,
    DeliveryCounts,
    Message,
    MessageFilter,
    MessageState,
    NewMessage,
    StoredMessage,
)
from repaircore.messages.ports import Sender
from repaircore.messages.retries import LEASE, pause_after
from repaircore.messages.service import Messages
from repaircore.testing.clock import FrozenClock

EMAIL, SMS, WEBHOOK = Channel.EMAIL, Channel.SMS, Channel.WEBHOOK
LIVE, TEST = Environment.LIVE, Environment.TEST


@define
class ScriptedSender(Sender):
    """Sends, or fails as scripted, message by message."""

    failures: Callable[[Message], Failure | None] = field(default=lambda _: None)
    sent: list[Message] = field(factory=list)

    @override
    def send(self, message: Message) -> None:
        failure = self.failures(message)
        if failure is not None:
            raise failure
        self.sent.append(message)


def a_message(subject: str = "one", channel: Channel = EMAIL, environment: Environment = LIVE) -> NewMessage:
    recipients = {
        EMAIL: "Ada@Example.org",
        SMS: "+15550100123",
        WEBHOOK: "https://tow.example.com/jobs",
    }
    return NewMessage(
        channel=channel,
        environment=environment,
        recipient=recipients[channel],
        subject=subject,
        body="Hello\n",
        about="apt_1",
        sealed="a sealed secret" if channel is WEBHOOK else None,
    )


def store(core: Core, clock: FrozenClock, *written: NewMessage) -> None:
    with core.storage.transaction() as work:
        for message in written:
            work.messages.add(message, clock())


def states(core: Core) -> list[str]:
    with core.storage.database.transaction(write=False) as connection:
        return list(connection.execute(sa.select(messages.c.state).order_by(messages.c.id)).scalars())


def bodies(core: Core) -> list[str]:
    with core.storage.database.transaction(write=False) as connection:
        return list(connection.execute(sa.select(messages.c.body).order_by(messages.c.id)).scalars())


def stored(core: Core, about: str) -> Sequence[StoredMessage]:
    with core.storage.read() as work:
        return work.messages.list_about(about)


@pytest.fixture
def sender() -> ScriptedSender:
    return ScriptedSender()


@pytest.fixture
def service(core: Core, sender: ScriptedSender) -> Messages:
    return evolve(core.messages, senders={EMAIL: sender})


def test_deliver_due_sends_each_message_once_oldest_first(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    store(core, clock, *map(a_message, ("one", "two", "three")))

    assert service.deliver_due(EMAIL, limit=2) == DeliveryCounts(sent=2)
    assert service.deliver_due(EMAIL) == DeliveryCounts(sent=1)
    assert service.deliver_due(EMAIL) == DeliveryCounts()
    assert [message.content.subject for message in sender.sent] == ["one", "two", "three"]
    assert sender.sent[0].content.recipient == "Ada@Example.org"


@pytest.mark.parametrize("channel", Channel)
def test_message_is_sent_as_it_was_stored(
    core: Core, clock: FrozenClock, sender: ScriptedSender, channel: Channel
) -> None:
    written = evolve(a_message(channel=channel), expires_at=clock() + timedelta(hours=1))
    store(core, clock, written)

    evolve(core.messages, senders={channel: sender}).deliver_due(channel)

    assert [message.content for message in sender.sent] == [written]


def test_concurrent_workers_send_each_message_once(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    store(core, clock, *(a_message(str(number)) for number in range(30)))

    at_once(6, lambda: service.deliver_due(EMAIL, limit=10))

    assert sorted(int(message.content.subject) for message in sender.sent) == list(range(30))


def test_message_of_a_dead_worker_is_due_after_its_lease(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    store(core, clock, a_message())
    with core.storage.transaction() as work:
        (claimed,) = work.messages.claim(EMAIL, clock(), until=clock() + LEASE, limit=5)

    assert service.deliver_due(EMAIL) == DeliveryCounts()
    clock.advance(LEASE)

    assert service.deliver_due(EMAIL) == DeliveryCounts(sent=1)
    assert (sender.sent[0].id, sender.sent[0].attempts) == (claimed.id, 2)


def test_unanswered_message_is_retried_then_given_up(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    sender.failures = lambda _: Unavailable("The mail server is not responding.")
    store(core, clock, a_message())
    attempts = 1
    while pause := pause_after(attempts):
        assert service.deliver_due(EMAIL) == DeliveryCounts(postponed=1)
        clock.advance(pause - timedelta(seconds=1))
        assert service.deliver_due(EMAIL) == DeliveryCounts()
        clock.advance(timedelta(seconds=1))
        attempts += 1

    assert service.deliver_due(EMAIL) == DeliveryCounts(dead=1)
    assert states(core) == ["dead"]
    assert sender.sent == []


def test_rejected_message_is_given_up_without_blocking_others(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    sender.failures = lambda message: (
        MessageRejected("No such recipient.") if message.content.subject == "one" else None
    )
    store(core, clock, a_message("one"), a_message("two"))

    assert service.deliver_due(EMAIL) == DeliveryCounts(sent=1, dead=1)
    assert states(core) == ["dead", "sent"]
    assert stored(core, "apt_1")[0].last_error == "No such recipient."


def test_gateway_that_hangs_delays_no_other_channel(
    core: Core, clock: FrozenClock, sender: ScriptedSender
) -> None:
    begun, goes_on = Event(), Event()

    class Hanging(Sender):
        @override
        def send(self, message: Message) -> None:
            begun.set()
            goes_on.wait(30)

    post = evolve(core.messages, senders={EMAIL: sender, SMS: Hanging()})
    store(core, clock, a_message(channel=SMS), a_message())
    hanging = Thread(target=post.deliver_due, args=(SMS,))
    hanging.start()
    assert begun.wait(30)
    try:
        assert post.deliver_due(EMAIL) == DeliveryCounts(sent=1)
    finally:
        goes_on.set()
        hanging.join()

    assert states(core) == ["sent", "sent"]


def test_withdraw_deletes_only_what_is_pending_about_the_record(
    core: Core, clock: FrozenClock, service: Messages
) -> None:
    store(core, clock, a_message("sent"))
    service.deliver_due(EMAIL)
    store(core, clock, a_message("unsent"), evolve(a_message("other"), about="apt_2"))
    with core.storage.transaction() as work:
        work.messages.withdraw("apt_1")

    assert [message.content.subject for message in stored(core, "apt_1")] == ["sent"]
    assert [message.content.subject for message in stored(core, "apt_2")] == ["other"]


def test_prune_deletes_ended_messages_after_a_month(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    store(core, clock, a_message("one"))
    service.deliver_due(EMAIL)
    sender.failures = lambda _: Unavailable("Later.")
    store(core, clock, a_message("two"))
    service.deliver_due(EMAIL)
    clock.advance(timedelta(days=30))

    assert service.prune() == 0
    assert states(core) == ["sent", "pending"]

    clock.advance(timedelta(seconds=1))
    # Also when the channel has been switched off.
    assert core.messages.prune() == 1
    assert states(core) == ["pending"]


def test_message_of_a_rolled_back_change_is_never_sent(
    core: Core, clock: FrozenClock, service: Messages
) -> None:
    def undone() -> None:
        with core.storage.transaction() as work:
            work.messages.add(a_message(), clock())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        undone()

    assert service.deliver_due(EMAIL) == DeliveryCounts()


def test_deliver_due_sends_nothing_through_a_channel_that_is_off(core: Core, clock: FrozenClock) -> None:
    store(core, clock, a_message())

    assert EMAIL not in core.messages.channels
    assert core.messages.deliver_due(EMAIL) == DeliveryCounts()
    assert states(core) == ["pending"]


def test_channels_of_the_test_environment_include_those_that_are_only_stored(
    core: Core, service: Messages
) -> None:
    assert core.messages.channels == {WEBHOOK}
    assert core.messages.channels_in(LIVE) == {WEBHOOK}
    assert core.messages.channels_in(TEST) == {EMAIL, SMS, WEBHOOK}
    assert service.channels_in(LIVE) == {EMAIL}


@pytest.mark.parametrize("channel", [EMAIL, SMS])
def test_message_of_the_test_environment_is_stored_and_never_leaves(
    core: Core, clock: FrozenClock, sender: ScriptedSender, channel: Channel
) -> None:
    expiring = evolve(a_message(channel=channel, environment=TEST), expires_at=clock() + timedelta(minutes=5))
    store(core, clock, expiring)

    assert evolve(core.messages, senders={channel: sender}).deliver_due(channel) == DeliveryCounts()
    assert sender.sent == []
    (found,) = core.messages.list_about("apt_1")
    assert (found.content, found.state, found.attempts) == (expiring, MessageState.SENT, 0)


def test_webhook_of_the_test_environment_is_sent(
    core: Core, clock: FrozenClock, sender: ScriptedSender
) -> None:
    store(core, clock, a_message(channel=WEBHOOK, environment=TEST))

    assert evolve(core.messages, senders={WEBHOOK: sender}).deliver_due(WEBHOOK) == DeliveryCounts(sent=1)


def test_list_about_lists_the_messages_about_a_record_oldest_first(
    core: Core, clock: FrozenClock, service: Messages
) -> None:
    store(core, clock, a_message("one"), evolve(a_message("other"), about="apt_2"))
    service.deliver_due(EMAIL)
    store(core, clock, a_message("two", channel=SMS))

    found = core.messages.list_about("apt_1")

    assert [(sent.content.subject, sent.state) for sent in found] == [
        ("one", MessageState.SENT),
        ("two", MessageState.PENDING),
    ]
    assert (found[0].ended_at, found[1].ended_at) == (clock(), None)
    assert core.messages.list_about("apt_3") == []


def test_list_newest_filters_by_record_state_and_channel(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    sender.failures = lambda message: MessageRejected("No.") if message.content.subject == "bad" else None
    store(core, clock, a_message("one"), a_message("bad"), evolve(a_message("three", SMS), about="rid_1"))
    service.deliver_due(EMAIL)

    def subjects(limit: int = 50, **wanted: object) -> list[str]:
        found = core.messages.list_newest(MessageFilter(**wanted), limit=limit)  # type: ignore[arg-type]
        return [message.content.subject for message in found]

    assert subjects() == ["three", "bad", "one"]
    assert subjects(limit=2) == ["three", "bad"]
    assert subjects(state=MessageState.DEAD) == ["bad"]
    assert subjects(channel=EMAIL) == ["bad", "one"]
    assert subjects(about="rid_1") == ["three"]
    assert subjects(about="rid_1", channel=EMAIL) == []
    assert subjects(environment=TEST) == []


def test_only_admins_read_messages(core: Core) -> None:
    caller = evolve(LOCAL, role=Role.USER)
    with pytest.raises(Forbidden):
        core.messages.list_about("apt_1", caller)
    with pytest.raises(Forbidden):
        core.messages.list_newest(MessageFilter(), caller=caller)


def test_erasure_deletes_the_messages_of_an_address(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    store(core, clock, a_message(), evolve(a_message("two"), recipient="bo@example.org"))

    core.persons.erase("ada@example.org")

    assert service.deliver_due(EMAIL) == DeliveryCounts(sent=1)
    assert [message.content.recipient for message in sender.sent] == ["bo@example.org"]


def test_erasure_deletes_the_text_messages_to_a_customers_number(core: Core, clock: FrozenClock) -> None:
    partner = add_partner(core.storage.database)
    ada = ResolveCustomer(first_name="Ada", last_name="B", email="ada@example.org", phone="+13105550123")
    core.customers.resolve(ada, partner)
    theirs = evolve(a_message(channel=SMS), recipient="+13105550123")
    store(core, clock, theirs, evolve(theirs, recipient="+13105550199"))

    core.persons.erase("ada@example.org")

    assert [message.content.recipient for message in core.messages.list_about("apt_1")] == ["+13105550199"]


@pytest.mark.parametrize("failure", [Unavailable("x" * 400), MessageRejected("x" * 400)])
def test_long_error_is_stored_in_part(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages, failure: Failure
) -> None:
    sender.failures = lambda _: failure
    store(core, clock, a_message())
    service.deliver_due(EMAIL)

    assert stored(core, "apt_1")[0].last_error == "x" * 300


def test_message_is_sent_until_it_expires(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    store(core, clock, evolve(a_message(), expires_at=clock() + timedelta(hours=1)))
    clock.advance(timedelta(hours=1) - timedelta(microseconds=1))

    assert service.deliver_due(EMAIL) == DeliveryCounts(sent=1)
    assert len(sender.sent) == 1


def test_expired_message_is_not_sent(
    core: Core, clock: FrozenClock, sender: ScriptedSender, service: Messages
) -> None:
    store(core, clock, evolve(a_message(), expires_at=clock() + timedelta(hours=1)))
    clock.advance(timedelta(hours=1))

    assert service.deliver_due(EMAIL) == DeliveryCounts(dead=1)
    assert sender.sent == []
    assert states(core) == ["dead"]


@pytest.mark.parametrize("channel", [EMAIL, SMS])
def test_body_of_a_message_that_expires_is_deleted_when_it_is_sent(
    core: Core, clock: FrozenClock, sender: ScriptedSender, channel: Channel
) -> None:
    post = evolve(core.messages, senders={channel: sender})
    secret = evolve(a_message(channel=channel), body="a link", expires_at=clock() + timedelta(hours=1))
    store(core, clock, a_message(channel=channel), secret)

    assert post.deliver_due(channel) == DeliveryCounts(sent=2)
    assert sorted(sent.content.body for sent in sender.sent) == ["Hello\n", "a link"]
    assert bodies(core) == ["Hello\n", ""]
    # The rest of it can still be read.
    assert len(core.messages.list_about("apt_1")) == 2


def test_doctor_reports_messages_that_died_within_a_week(
    core: Core, clock: FrozenClock, sender: ScriptedSender
) -> None:
    sender.failures = lambda _: MessageRejected("The SMS gateway rejected the message (422).")
    store(core, clock, a_message(channel=SMS), a_message(channel=SMS))
    evolve(core.messages, senders={SMS: sender}).deliver_due(SMS)

    def found() -> list[str]:
        report = core.checkup.examine()
        return [
            f"{finding.value}. {finding.wrong}"
            for finding in report.wrong
            if finding.name == "messages by SMS"
        ]

    (words,) = found()
    assert words == (
        "2 given up on in the past week. The SMS gateway rejected the message (422)."
        " See `repaircore messages list --state dead --channel sms`"
    )
    clock.advance(timedelta(days=8))
    assert found() == []
