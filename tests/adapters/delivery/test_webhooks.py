"""Results of webhook attempts for any subscriber, and addresses that are never connected to."""

import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.programs import printed

from repaircore.adapters.delivery.webhooks import HttpSender
from repaircore.adapters.outbound.deadline import Deadline
from repaircore.adapters.outbound.failures import NoAnswer, NotPermitted
from repaircore.adapters.outbound.network import DeadlineNetwork
from repaircore.adapters.outbound.notice import notify
from repaircore.kernel.callers import Environment
from repaircore.testing.clock import FrozenClock
from repaircore.testing.upstream import (
    DRIP,
    DRIPPING_HEADERS,
    HANG,
    RESET,
    Body,
    MisbehavingUpstream,
    Raw,
    Status,
)
from repaircore.webhooks.model import AttemptResult, Message

LIVE, TEST = Environment.LIVE, Environment.TEST
NOT_PUBLIC = AttemptResult(error="the host resolves to an address that is not public")
GRACE = 2.0


@pytest.fixture
def upstream() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream(Body(b"thanks")) as server:
        yield server


class Listener:
    """A local server that counts connections."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]

    def connections(self) -> int:
        self._server.settimeout(0.2)
        found = 0
        with suppress(TimeoutError):
            while True:
                self._server.accept()[0].close()
                found += 1
        return found

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    new_listener = Listener()
    yield new_listener
    new_listener.close()


class ScriptedResolver:
    """A resolver with configured answers, one after another; the last one repeats."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = [*answers]
        self.lookups = 0

    def __call__(self, _host: str, _port: int) -> Sequence[str]:
        self.lookups += 1
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def _message(url: str, environment: Environment = TEST) -> Message:
    return Message(url=url, environment=environment, body=b'{"a":1}', headers={"webhook-id": "evt_1"})


def _send(
    url: str, *, environment: Environment = TEST, seconds: float = 5.0, names: ScriptedResolver | None = None
) -> AttemptResult:
    clock = FrozenClock()
    sender = (
        HttpSender(clock=clock, seconds=seconds)
        if names is None
        else HttpSender(clock=clock, seconds=seconds, look_up=names)
    )
    return sender.send(_message(url, environment))


# Requests and results


def test_send_posts_the_message(upstream: MisbehavingUpstream) -> None:
    assert _send(f"{upstream.url}/hooks?from=shop") == AttemptResult(status=200)
    (received,) = upstream.received()

    assert (received.method, received.path, received.query) == ("POST", "/hooks", "from=shop")
    assert received.body == b'{"a":1}'
    assert received.headers["webhook-id"] == "evt_1"
    assert received.headers["user-agent"].startswith("repaircore/")


@pytest.mark.parametrize("status", [204, 400, 404, 410, 500, 503])
def test_send_returns_every_status(upstream: MisbehavingUpstream, status: int) -> None:
    upstream.behave("/", Status(status))

    assert _send(f"{upstream.url}/") == AttemptResult(status=status)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        ("0", 0.0),
        (format_datetime(FrozenClock().now.replace(microsecond=0) + timedelta(seconds=91)), 90.321099),
        ("Sat, 01 Jan 2000 00:00:00 GMT", 0.0),
        ("soon", None),
        ("-1", None),
        ("1e9", None),
        ("99999999999999999999", None),
    ],
)
def test_send_reads_retry_after(upstream: MisbehavingUpstream, header: str, seconds: float | None) -> None:
    upstream.behave("/", Status(503, {"retry-after": header}))
    sent = _send(f"{upstream.url}/")

    assert sent.status == 503
    assert sent.retry_after == (None if seconds is None else pytest.approx(seconds))


def test_send_follows_no_redirect(upstream: MisbehavingUpstream, listener: Listener) -> None:
    location = {"location": f"http://127.0.0.1:{listener.port}/"}
    for status in (301, 302, 303, 307, 308):
        upstream.behave("/", Status(status, location))
        assert _send(f"{upstream.url}/") == AttemptResult(status=status)

    assert listener.connections() == 0


# Subscribers who misbehave


@pytest.mark.parametrize("behavior", [HANG, DRIPPING_HEADERS])
def test_send_times_out(upstream: MisbehavingUpstream, behavior: object) -> None:
    upstream.behave("/", behavior)  # type: ignore[arg-type]
    before = monotonic()

    assert _send(f"{upstream.url}/", seconds=0.4) == AttemptResult(error="no response within 0.4 s")
    assert monotonic() - before < 0.4 + GRACE


@pytest.mark.parametrize(
    "content", [b"HTTP/1.1 200 OK\r\ncontent-length: 9999999999\r\n\r\n" + b"x" * 200_000]
)
def test_send_ignores_the_rest_of_a_huge_response(upstream: MisbehavingUpstream, content: bytes) -> None:
    upstream.behave("/", Raw(content))

    assert _send(f"{upstream.url}/") == AttemptResult(status=200)


def test_send_accepts_a_slow_body(upstream: MisbehavingUpstream) -> None:
    upstream.behave("/", DRIP)
    before = monotonic()

    assert _send(f"{upstream.url}/", seconds=15.0).status == 200
    assert monotonic() - before < 1 + GRACE


def test_send_fails_on_a_closed_connection(upstream: MisbehavingUpstream) -> None:
    upstream.behave("/", RESET)

    assert _send(f"{upstream.url}/").error is not None
    upstream.behave("/", Raw(b"no HTTP\r\n\r\n"))

    assert _send(f"{upstream.url}/").error is not None


def test_send_limits_the_headers(upstream: MisbehavingUpstream) -> None:
    upstream.behave("/", Raw(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 500_000))

    assert _send(f"{upstream.url}/").error is not None


# Where a connection may be made to

PRIVATE = [
    "127.0.0.1",
    "127.8.9.10",
    "0.0.0.0",  # noqa: S104 - nobody listens
    "10.0.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "fe80::1",
    "fe80::1%lo",
    "fc00::1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_send_connects_to_no_private_address_in_live(listener: Listener, address: str) -> None:
    names = ScriptedResolver([address])

    assert _send(f"https://hooks.example.com:{listener.port}/", environment=LIVE, names=names) == NOT_PUBLIC
    assert listener.connections() == 0


@pytest.mark.parametrize("address", PRIVATE)
def test_send_refuses_a_private_address_among_public_ones(listener: Listener, address: str) -> None:
    names = ScriptedResolver(["93.184.216.34", address])

    assert _send(f"https://hooks.example.com:{listener.port}/", environment=LIVE, names=names) == NOT_PUBLIC
    assert listener.connections() == 0


@pytest.mark.parametrize(
    "spelling",
    [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "017700000001",
        "127.1",
        "0x7f.1",
        "localhost",
        "[::ffff:127.0.0.1]",
    ],
)
def test_send_refuses_private_addresses_of_the_system_resolver(listener: Listener, spelling: str) -> None:
    for scheme in ("http", "https"):
        result = _send(f"{scheme}://{spelling}:{listener.port}/", environment=LIVE)
        assert result.status is None

    assert listener.connections() == 0


def test_send_connects_to_the_checked_address(listener: Listener) -> None:
    """A name that resolves to an allowed address first and to another a moment later gains nothing."""
    names = ScriptedResolver(["127.0.0.2"], ["127.0.0.1"])

    def attempt() -> None:
        notify(
            f"http://hooks.example.com:{listener.port}/",
            content=b"{}",
            headers={},
            seconds=5,
            look_up=names,
            permits=lambda address: address == "127.0.0.2",
        )

    with pytest.raises(NoAnswer, match="no connection"):  # nobody listens there
        attempt()

    assert names.lookups == 1
    with pytest.raises(NotPermitted):  # it is checked at every attempt
        attempt()

    assert names.lookups == 2
    assert listener.connections() == 0


def test_send_without_tls_reaches_this_machine_only() -> None:
    names = ScriptedResolver(["93.184.216.34"])

    assert _send("http://localhost:8080/", names=names) == NOT_PUBLIC


def test_send_reaches_only_this_machine_in_test(
    upstream: MisbehavingUpstream,
) -> None:
    assert _send(f"{upstream.url}/") == AttemptResult(status=200)
    assert _send("https://hooks.example.com/", names=ScriptedResolver(["10.0.0.1"])) == NOT_PUBLIC


def test_send_checks_the_peer_address(listener: Listener) -> None:
    """Nothing is sent when the peer has another address than the one checked."""
    answers = iter([True, False])
    network = DeadlineNetwork(
        Deadline(5), lambda _host, _port: ["127.0.0.1"], permits=lambda _: next(answers)
    )
    with pytest.raises(NotPermitted):
        network.connect_tcp("hooks.example.com", listener.port)


# TLS: the certificate must be for the name in the URL, whatever address it resolved to

SEND = """
import sys
from datetime import UTC, datetime
from repaircore.adapters.delivery.webhooks import HttpSender
from repaircore.kernel.callers import Environment
from repaircore.webhooks.model import Message
sender = HttpSender(clock=lambda: datetime.now(UTC), look_up=lambda host, port: ["127.0.0.1"])
message = Message(url=sys.argv[1], environment=Environment.TEST, body=b"{}", headers={})
print(sender.send(message))
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a self-signed certificate for hooks.example.com."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "hooks.example.com")])
    now = datetime.now(UTC)
    names = [x509.DNSName("hooks.example.com"), x509.IPAddress(ip_address("10.0.0.1"))]
    new_listener = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "hooks.pem"
    kind = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())
    path.write_bytes(new_listener.public_bytes(serialization.Encoding.PEM) + secret)
    return path


@contextmanager
def _serving(certificate: Path) -> Iterator[tuple[int, list[str | None], list[bytes]]]:
    """Serve over TLS, and record the requested name and the data of each client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    wanted, received_bytes, done = list[str | None](), list[bytes](), Event()
    context.sni_callback = lambda _socket, name, _context: wanted.append(name)

    def serve() -> None:
        while not done.is_set():
            with suppress(OSError), context.wrap_socket(listening.accept()[0], server_side=True) as safe:
                received_bytes.append(safe.recv(65536))
                while not received_bytes[-1].endswith(
                    b"{}"
                ):  # a peer that closes during a send loses its answer
                    received_bytes[-1] += safe.recv(65536)
                safe.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1], wanted, received_bytes
        done.set()
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def test_send_verifies_the_certificate_of_the_name(certificate: Path) -> None:
    with _serving(certificate) as (port, wanted, received_bytes):
        output = printed(SEND, f"https://hooks.example.com:{port}/x", SSL_CERT_FILE=str(certificate))

    assert output == "AttemptResult(status=204, error=None, retry_after=None, was_sent=True)\n"
    assert wanted == ["hooks.example.com"]
    assert f"host: hooks.example.com:{port}".encode() in received_bytes[0].lower()


def test_send_refuses_a_certificate_of_another_name(certificate: Path) -> None:
    with _serving(certificate) as (port, _, received_bytes):
        output = printed(SEND, f"https://other.example.com:{port}/x", SSL_CERT_FILE=str(certificate))

    assert "the certificate is not trusted" in output
    assert not any(received_bytes)
