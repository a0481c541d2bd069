"""Sends e-mail by SMTP."""

import smtplib
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from email.message import EmailMessage
from email.utils import format_datetime
from queue import Empty
from typing import Final
from urllib.parse import unquote, urlsplit

from attrs import field, frozen
from typing_extensions import override

from repaircore.adapters.outbound.threads import DaemonThreads
from repaircore.kernel.errors import Unavailable
from repaircore.messages.errors import MessageRejected
from repaircore.messages.model import Message
from repaircore.messages.ports import Sender

_SECONDS: Final = 20.0
_PORTS: Final = {"smtp": 587, "smtps": 465}
_MOST_THREADS: Final = 4
_PERMANENT: Final = 500
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


@frozen(kw_only=True)
class SmtpServer:
    """A mail server: ``smtps`` URLs use TLS from the start, ``smtp`` URLs after STARTTLS if the server offers it."""

    host: str
    port: int
    implicit_tls: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def at(cls, url: str) -> "SmtpServer":
        """Return the server at a URL such as ``smtp://user:password@host:port``."""
        parts = urlsplit(url)
        return cls(
            host=parts.hostname or "",
            port=parts.port or _PORTS[parts.scheme],
            implicit_tls=parts.scheme == "smtps",
            user=None if parts.username is None else unquote(parts.username),
            password=None if parts.password is None else unquote(parts.password),
        )


@frozen(kw_only=True)
class SmtpSender(Sender):
    """A sender that gives each e-mail ``seconds`` in total, however slow the server is.

    The password is never sent without TLS, except to this machine.
    """

    server: SmtpServer
    sender: str
    seconds: float = _SECONDS
    tls: Callable[[], ssl.SSLContext] = ssl.create_default_context
    _threads: DaemonThreads = field(factory=lambda: DaemonThreads(_MOST_THREADS), init=False)

    @override
    def send(self, message: Message) -> None:
        try:
            mail = _mail(message, self.sender)
        except ValueError as error:
            raise MessageRejected(f"The e-mail cannot be created: {error}.") from error
        session = _Session(self.server, self.tls, self.seconds)
        box = self._threads.start(lambda: _send(session, mail))
        if box is None:
            raise Unavailable("Too many e-mails are being sent at once.")
        try:
            failure = box.get(timeout=self.seconds)
        except Empty:
            session.abort()
            raise Unavailable("The mail server did not respond in time.") from None
        if failure is not None:
            raise failure


class _TlsNotOffered(smtplib.SMTPException):
    """The server does not offer TLS, so the password was not sent."""

    def __init__(self) -> None:
        super().__init__(
            "The mail server does not offer TLS, which is required to send the password. "
            "Use smtps:// or enable STARTTLS."
        )


class _Session:
    """One SMTP session, which another thread may abort."""

    def __init__(self, server: SmtpServer, tls: Callable[[], ssl.SSLContext], seconds: float) -> None:
        self._server = server
        self._tls = tls
        self._seconds = seconds
        self._smtp: smtplib.SMTP | None = None

    def send(self, mail: EmailMessage) -> None:
        """Send an e-mail.

        Raises:
            SMTPException, OSError: the server rejected it or does not offer the required TLS, or the connection failed.
        """
        with self._connect() as smtp:
            self._smtp = smtp
            self._authenticate(smtp)
            smtp.send_message(mail)

    def abort(self) -> None:
        """Abort the session: a server that sends a byte now and then never triggers the socket's timeout."""
        smtp = self._smtp
        if smtp is not None and smtp.sock is not None:
            with suppress(OSError):
                smtp.sock.shutdown(socket.SHUT_RDWR)

    def _connect(self) -> smtplib.SMTP:
        server = self._server
        if server.implicit_tls:
            return smtplib.SMTP_SSL(server.host, server.port, timeout=self._seconds, context=self._tls())
        return smtplib.SMTP(server.host, server.port, timeout=self._seconds)

    def _authenticate(self, smtp: smtplib.SMTP) -> None:
        server = self._server
        smtp.ehlo_or_helo_if_needed()
        encrypted = server.implicit_tls
        if not encrypted and smtp.has_extn("starttls"):
            smtp.starttls(context=self._tls())
            encrypted = True
        if server.user is not None:
            if not encrypted and server.host not in _LOOPBACK:
                raise _TlsNotOffered
            smtp.login(server.user, server.password or "")


def _send(session: _Session, mail: EmailMessage) -> MessageRejected | Unavailable | None:
    try:
        session.send(mail)
    except smtplib.SMTPRecipientsRefused as error:
        code = next((code for code, _ in error.recipients.values()), 0)
        return _failure(code, "The mail server rejected the recipient.")
    except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
        return _failure(error.smtp_code, f"The mail server rejected the e-mail ({error.smtp_code}).")
    except smtplib.SMTPAuthenticationError:
        return Unavailable("The mail server rejected the user name or password.")
    except _TlsNotOffered as error:
        return Unavailable(str(error))
    except (smtplib.SMTPException, OSError, ValueError) as error:
        return Unavailable(
            f"The e-mail could not be sent ({type(error).__name__}). Check the mail server settings."
        )
    return None


def _failure(code: int, text: str) -> MessageRejected | Unavailable:
    return MessageRejected(text) if code >= _PERMANENT else Unavailable(text)


def _mail(message: Message, sender: str) -> EmailMessage:
    content = message.content
    mail = EmailMessage()
    mail["From"] = sender
    mail["To"] = content.recipient
    mail["Subject"] = content.subject
    mail["Date"] = format_datetime(message.created_at)
    domain = sender.rpartition("@")[2].strip("> ")
    mail["Message-ID"] = f"<{content.about}.{message.id}@{domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(content.body)
    return mail
