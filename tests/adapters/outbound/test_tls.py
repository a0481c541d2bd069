"""Certificates that we trust, and the deadline inside TLS."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.programs import printed

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import NoAnswer

ASK = """
import sys
from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import NoAnswer
try:
    print(Outbound(url=sys.argv[1]).get(seconds=float(sys.argv[2])).body.decode())
except NoAnswer as failure:
    print(failure.message)
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a self-signed certificate for 127.0.0.1, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "party.test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "party.pem"
    kind = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + secret)
    return path


@contextmanager
def serving(certificate: Path, answer: bytes, *, drips: bool = False) -> Iterator[str]:
    """Serve one answer over TLS to every client; with ``drips``, repeat the last byte endlessly."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    done = Event()

    def serve(connection: socket.socket) -> None:
        with suppress(OSError), context.wrap_socket(connection, server_side=True) as safe:
            safe.recv(65536)
            safe.sendall(answer)
            while drips and not done.wait(0.05):
                safe.sendall(answer[-1:])

    def accept() -> None:
        while not done.is_set():
            with suppress(OSError):
                serve(listener.accept()[0])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=accept)
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        done.set()
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)


ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nwell"


def test_self_signed_certificate_is_not_trusted(certificate: Path) -> None:
    with (
        serving(certificate, ANSWER) as url,
        pytest.raises(NoAnswer, match=r"^the certificate is not trusted$"),
    ):
        Outbound(url=url).get(seconds=5)


def test_operator_can_configure_trusted_certificates(certificate: Path) -> None:
    with serving(certificate, ANSWER) as url:
        assert printed(ASK, url, "5", SSL_CERT_FILE=str(certificate)) == "well\n"


def test_certificate_for_another_name_is_not_trusted(certificate: Path) -> None:
    with serving(certificate, ANSWER) as url:
        elsewhere = url.replace("127.0.0.1", "localhost")
        output = printed(ASK, elsewhere, "5", SSL_CERT_FILE=str(certificate))

    assert output == "the certificate is not trusted\n"


def test_unreadable_certificates_give_a_reason(tmp_path: Path) -> None:
    output = printed(ASK, "https://127.0.0.1:1", "5", SSL_CERT_FILE=str(tmp_path / "none.pem"))

    assert output == "the CA certificates could not be loaded (check SSL_CERT_FILE and SSL_CERT_DIR)\n"


@pytest.mark.parametrize("answer", [b"HTTP/1.1 200 OK\r\nx-long: y", ANSWER.replace(b"4\r", b"40000\r")])
def test_dripping_tls_server_exceeds_the_deadline(certificate: Path, answer: bytes) -> None:
    with serving(certificate, answer, drips=True) as url:
        output = printed(ASK, url, "0.5", SSL_CERT_FILE=str(certificate))

    assert output == "no response within 0.5 s\n"
