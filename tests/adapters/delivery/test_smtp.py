"""Mail sent to a local server."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_address
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from attrs import define, evolve, field
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from repaircore.adapters.delivery.smtp import SmtpSender, SmtpServer
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Unavailable
from repaircore.messages.errors import MessageRejected
from repaircore.messages.model import Channel, Message, NewMessage

MAIL = Message(
    id=7,
    content=NewMessage(
        channel=Channel.EMAIL,
        environment=Environment.LIVE,
        recipient="ada@example.org",
        subject="Your appointment at Müller's",
        body="Hello Ada,\nbis bald ✓\n",
        about="apt_1",
    ),
    attempts=1,
    created_at=datetime(2026, 3, 2, 12, tzinfo=UTC),
)


@define
class Inbox:
    """Accept mail, or answer as configured."""

    reply: str = "250 OK"
    to_recipient: str = "250 OK"
    received: list[EmailMessage] = field(factory=list)
    users: list[tuple[bytes, bytes]] = field(factory=list)

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if self.to_recipient.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.to_recipient

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        if self.reply.startswith("250"):
            read = message_from_bytes(envelope.content, policy=policy.default)
            self.received.append(read)
        return self.reply

    def authenticate(
        self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, login: LoginPassword
    ) -> AuthResult:
        self.users.append((login.login, login.password))
        known = login.password == b"p@ss word"
        return AuthResult(success=known, handled=known)


@contextmanager
def server(inbox: Inbox, host: str = "127.0.0.1", **options: Any) -> Iterator[str]:
    """Yield the address of a running server."""
    with socket.create_server((host, 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(inbox, hostname=host, port=port, authenticator=inbox.authenticate, **options)
    controller.start()
    try:
        yield f"{host}:{port}"
    finally:
        controller.stop()


@contextmanager
def mute(first: bytes, rest: bytes = b"") -> Iterator[str]:
    """Yield the address of a server that sends something, then the rest over and over, and never the expected response."""
    done = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            talk, _ = listener.accept()
            with talk, suppress(OSError):
                talk.sendall(first)
                while rest and not done.wait(0.05):
                    talk.sendall(rest)
                done.wait(20)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        done.set()
        listener.close()
        thread.join(10)


def mailer(url: str, **options: Any) -> SmtpSender:
    return SmtpSender(server=SmtpServer.at(url), sender="Repairs <no-reply@repairs.example>", **options)


def test_send_delivers_the_mail() -> None:
    inbox = Inbox()
    with server(inbox) as place:
        mailer(f"smtp://{place}").send(MAIL)

    (message,) = inbox.received

    assert message["To"] == "ada@example.org"
    assert message["From"] == "Repairs <no-reply@repairs.example>"
    assert message["Subject"] == "Your appointment at Müller's"
    assert message["Message-ID"] == "<apt_1.7@repairs.example>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message.get_content().replace("\r\n", "\n") == MAIL.content.body


def test_send_logs_in_with_the_password_of_the_url() -> None:
    inbox = Inbox()
    with server(inbox, auth_require_tls=False) as place:
        mailer(f"smtp://me%40shop:p%40ss%20word@{place}").send(MAIL)
        assert inbox.users == [(b"me@shop", b"p@ss word")]
        with pytest.raises(Unavailable, match="password"):
            mailer(f"smtp://me:wrong@{place}").send(MAIL)

    assert len(inbox.received) == 1


@pytest.mark.parametrize(
    ("behavior", "failure"),
    [
        ({"to_recipient": "550 no such user"}, MessageRejected),
        ({"to_recipient": "450 busy"}, Unavailable),
        ({"reply": "554 spam"}, MessageRejected),
        ({"reply": "451 later"}, Unavailable),
        ({"reply": "421 closing"}, Unavailable),
    ],
)
def test_send_distinguishes_permanent_and_temporary_refusals(
    behavior: dict[str, Any], failure: type[Exception]
) -> None:
    with server(Inbox(**behavior)) as place, pytest.raises(failure):
        mailer(f"smtp://{place}").send(MAIL)


def test_send_retries_when_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        place = f"127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(Unavailable):
        mailer(f"smtp://{place}").send(MAIL)


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        (b"", b""),
        (b"220 hello\r\n", b""),
        (b"", b"220-still\r\n"),
        (b"220 hello\r\n", b"250-x\r\n"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b""),
    ],
)
def test_send_times_out_on_an_endless_server(first: bytes, rest: bytes) -> None:
    with mute(first, rest) as place, pytest.raises(Unavailable):
        mailer(f"smtp://{place}", seconds=0.5).send(MAIL)


def test_send_refuses_an_invalid_mail() -> None:
    bad = evolve(MAIL, content=evolve(MAIL.content, subject="one\r\nBcc: eve@example.org"))
    with pytest.raises(MessageRejected):
        mailer("smtp://127.0.0.1:1").send(bad)


def test_send_keeps_the_password_from_a_server_without_tls() -> None:
    inbox = Inbox()
    with (
        server(inbox, "127.0.0.2", auth_require_tls=False) as place,
        pytest.raises(
            Unavailable, match=r"^The mail server does not offer TLS.*Use smtps:// or enable STARTTLS\.$"
        ),
    ):
        mailer(f"smtp://me:p%40ss%20word@{place}").send(MAIL)

    assert inbox.users == []


def test_send_refuses_a_self_signed_certificate(tmp_path: Any) -> None:
    context = _own_certificate(tmp_path)
    inbox = Inbox()
    with server(inbox, tls_context=context) as place:
        with pytest.raises(Unavailable):
            mailer(f"smtp://{place}").send(MAIL)
        trusting = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
        mailer(f"smtp://{place}", tls=lambda: trusting).send(MAIL)

    assert len(inbox.received) == 1


def _own_certificate(folder: Any) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context
