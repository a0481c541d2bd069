"""Senders of SMS and of webhooks to providers: their shared contract and their requests."""

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl

import pytest
from attrs import evolve
from standardwebhooks import Webhook

from repaircore.adapters.crypto.vault import FernetSecrets
from repaircore.adapters.delivery.provider_webhooks import ProviderWebhooks
from repaircore.adapters.delivery.sms import HttpSms, TwilioSms
from repaircore.adapters.delivery.webhooks import HttpSender
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Unavailable
from repaircore.messages.errors import MessageRejected
from repaircore.messages.model import Channel, Message, NewMessage
from repaircore.messages.ports import Sender
from repaircore.shared_services import now
from repaircore.testing.clock import EPOCH
from repaircore.testing.upstream import (
    DRIPPING_HEADERS,
    HANG,
    RESET,
    Behavior,
    Body,
    MisbehavingUpstream,
    Raw,
    Status,
)
from repaircore.webhooks.signing import encode_secret

SECRET = encode_secret(bytes(range(32)))
VAULT = FernetSecrets.of(["a secret of the installation, long enough"])
SECONDS = 0.5
SIGNED = NewMessage(
    channel=Channel.WEBHOOK,
    environment=Environment.TEST,
    recipient="",
    subject="ride.offered",
    body='{"offer":"rof_1"}',
    about="rof_1",
    sealed=VAULT.seal(SECRET),
)
TEXT = NewMessage(
    channel=Channel.SMS,
    environment=Environment.LIVE,
    recipient="+13105550123",
    subject="",
    body="A tow for you: 5 miles, Müller & Co.",
    about="rof_1",
)


def http_sms(url: str) -> tuple[Sender, NewMessage]:
    return HttpSms.at(url + "/texts", token="a-token", seconds=SECONDS), TEXT


def twilio(url: str) -> tuple[Sender, NewMessage]:
    made = TwilioSms.at(url, account="AC1", token="a-token", sender="+13105550100", seconds=SECONDS)
    return made, TEXT


def webhook(url: str) -> tuple[Sender, NewMessage]:
    http = HttpSender(clock=now, seconds=SECONDS)
    return ProviderWebhooks(clock=now, vault=lambda: VAULT, http=http), evolve(
        SIGNED, recipient=url + "/jobs"
    )


MakeSender = Callable[[str], tuple[Sender, NewMessage]]
every_sender = pytest.mark.parametrize("make", [http_sms, twilio, webhook])
sms_senders = pytest.mark.parametrize("make", [http_sms, twilio])


PATHS = ("/texts", "/2010-04-01/Accounts/AC1/Messages.json", "/jobs")


def behave(upstream: MisbehavingUpstream, *behaviors: Behavior) -> None:
    for path in PATHS:
        upstream.behave(path, *behaviors)


@pytest.fixture
def upstream() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream(Body(b"{}")) as server:
        yield server


def send(make: MakeSender, upstream: MisbehavingUpstream, *, number: int = 7) -> None:
    sender, content = make(upstream.url)
    sender.send(Message(id=number, content=content, attempts=1, created_at=EPOCH))


@every_sender
@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_send_accepts_every_success(make: MakeSender, upstream: MisbehavingUpstream, status: int) -> None:
    behave(upstream, Status(status))

    send(make, upstream)

    assert len(upstream.received()) == 1


@sms_senders
@pytest.mark.parametrize("status", [400, 402, 409, 410, 422])
def test_sms_send_returns_a_refusal(make: MakeSender, upstream: MisbehavingUpstream, status: int) -> None:
    behave(upstream, Status(status))

    with pytest.raises(MessageRejected, match=str(status)):
        send(make, upstream)


@every_sender
@pytest.mark.parametrize("status", [301, 401, 403, 404, 405, 408, 429, 500, 502, 503])
def test_send_can_be_retried_later(make: MakeSender, upstream: MisbehavingUpstream, status: int) -> None:
    behave(upstream, Status(status))

    with pytest.raises(Unavailable):
        send(make, upstream)


@every_sender
@pytest.mark.parametrize("behavior", [HANG, DRIPPING_HEADERS, RESET, Raw(b"SSH-2.0\r\n")])
def test_send_ends_in_time_for_any_server(
    make: MakeSender, upstream: MisbehavingUpstream, behavior: Behavior
) -> None:
    behave(upstream, behavior)

    with pytest.raises(Unavailable):
        send(make, upstream)


@every_sender
def test_send_can_be_retried_when_nobody_listens(make: MakeSender) -> None:
    with MisbehavingUpstream(Body(b"{}")) as gone:
        pass
    with pytest.raises(Unavailable):
        send(make, gone)


def test_gateway_gets_number_text_and_the_same_id_each_time(upstream: MisbehavingUpstream) -> None:
    send(http_sms, upstream)
    send(http_sms, upstream)
    first, second = upstream.received()

    assert first.document == {"to": "+13105550123", "text": TEXT.body, "id": "msg_7"}
    assert second.document == first.document
    assert (first.method, first.path) == ("POST", "/texts")
    assert first.headers["authorization"] == "Bearer a-token"
    assert first.headers["content-type"] == "application/json"


def test_text_is_sent_again_after_a_broken_connection(upstream: MisbehavingUpstream) -> None:
    upstream.behave("/texts", RESET, Status(202))

    send(http_sms, upstream)

    assert {received.document["id"] for received in upstream.received()} == {"msg_7"}


def test_twilio_receives_its_form_with_basic_authentication(upstream: MisbehavingUpstream) -> None:
    behave(upstream, Status(201))
    send(twilio, upstream)
    (received,) = upstream.received()

    assert received.path == "/2010-04-01/Accounts/AC1/Messages.json"
    assert dict(parse_qsl(received.body.decode())) == {
        "To": "+13105550123",
        "From": "+13105550100",
        "Body": TEXT.body,
    }
    kind, _, credentials = received.headers["authorization"].partition(" ")
    assert (kind, b64decode(credentials)) == ("Basic", b"AC1:a-token")


def test_twilio_sends_from_a_messaging_service(upstream: MisbehavingUpstream) -> None:
    sender = TwilioSms.at(upstream.url, account="AC1", token="t", sender="MG9", seconds=SECONDS)
    sender.send(Message(id=7, content=TEXT, attempts=1, created_at=EPOCH))
    (received,) = upstream.received()

    assert dict(parse_qsl(received.body.decode()))["MessagingServiceSid"] == "MG9"
    assert b"From" not in received.body


def test_twilio_never_sends_a_text_twice_within_one_attempt(upstream: MisbehavingUpstream) -> None:
    behave(upstream, RESET, Status(201))

    with pytest.raises(Unavailable):
        send(twilio, upstream)

    assert len(upstream.received()) == 1


@sms_senders
def test_refusal_has_the_code_and_not_the_text_of_the_gateway(
    make: MakeSender, upstream: MisbehavingUpstream
) -> None:
    words = b'{"code": 21211, "message": "+13105550123 is no number"}'
    behave(upstream, Raw(b"HTTP/1.1 400 No\r\ncontent-length: %d\r\n\r\n%s" % (len(words), words)))

    with pytest.raises(MessageRejected) as refused:
        send(make, upstream)

    assert re.search(r"\(400, code 21211\)", refused.value.message)
    assert "3105550123" not in refused.value.message


def test_webhook_has_a_standard_webhooks_signature(upstream: MisbehavingUpstream) -> None:
    send(webhook, upstream)
    (received,) = upstream.received()

    assert Webhook(SECRET).verify(received.body, dict(received.headers)) == {"offer": "rof_1"}
    assert received.headers["webhook-id"] == "msg_7"
    assert received.headers["content-type"] == "application/json"


def test_webhook_receiver_that_is_gone_gets_no_more(upstream: MisbehavingUpstream) -> None:
    behave(upstream, Status(410))

    with pytest.raises(MessageRejected):
        send(webhook, upstream)


@pytest.mark.parametrize(
    "url",
    [
        "http://tow.example.com/jobs",
        "https://127.0.0.1/jobs",
        "https://10.0.0.1/jobs",
        "https://169.254.169.254/latest/meta-data",
        "https://localhost/jobs",
        "https://user:password@tow.example.com/",
        "file:///etc/passwd",
    ],
)
def test_webhook_of_the_live_environment_goes_to_public_addresses_only(url: str) -> None:
    sender, content = webhook("")
    live = evolve(content, environment=Environment.LIVE, recipient=url)

    with pytest.raises(MessageRejected, match="URL"):
        sender.send(Message(id=7, content=live, attempts=1, created_at=EPOCH))


def test_webhook_to_a_name_of_this_machine_is_not_sent(upstream: MisbehavingUpstream) -> None:
    http = HttpSender(clock=now, seconds=SECONDS, look_up=lambda _host, _port: ["127.0.0.1"])
    sender = ProviderWebhooks(clock=now, vault=lambda: VAULT, http=http)
    port = upstream.url.rpartition(":")[2]
    live = evolve(SIGNED, environment=Environment.LIVE, recipient=f"https://tow.example.com:{port}/jobs")

    with pytest.raises(Unavailable, match="not public"):
        sender.send(Message(id=7, content=live, attempts=1, created_at=EPOCH))

    assert upstream.received() == []


def test_webhook_with_an_unreadable_secret_waits_for_the_right_key(upstream: MisbehavingUpstream) -> None:
    sender, content = webhook(upstream.url)
    other = FernetSecrets.of(["another secret of the installation"]).seal(SECRET)

    with pytest.raises(Unavailable, match="signing secret cannot be decrypted"):
        sender.send(Message(id=7, content=evolve(content, sealed=other), attempts=1, created_at=EPOCH))

    assert upstream.received() == []
