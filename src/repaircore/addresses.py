"""Parse database and server URLs, and show them without their secrets."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from attrs import field, frozen

from repaircore.kernel.errors import Invalid

_SQLITE: Final = "sqlite:///"
_POSTGRES: Final = "postgresql+psycopg://"
_FORMS: Final = "must be sqlite:///file.db or postgresql+psycopg://user@host/name"
_REDIS_FORMS: Final = (
    "must be redis://user:password@host:6379/0 (or rediss:// for TLS) without options; "
    "special characters in the password must be percent-encoded: @ as %40"
)
_REDIS_PORT: Final = 6379
NO_DATABASE: Final = (
    "There is no database yet: `repaircore db upgrade`, or the first command that stores data, creates it"
)
HIDDEN: Final = "********"

_HARMLESS: Final = frozenset({
    "application_name",
    "channel_binding",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "port",
    "sslmode",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
})  # fmt: skip
_OPTIONS: Final = _HARMLESS | {
    "passfile",
    "password",
    "service",
    "sslcert",
    "sslcrl",
    "sslkey",
    "sslpassword",
    "sslrootcert",
}
"""The options allowed after the question mark: libpq's own, except those that the program sets itself."""

_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


@frozen(kw_only=True)
class DatabaseAddress:
    """A database address: the ``file`` of a SQLite database, or libpq's connection parameters for a ``server``."""

    file: Path | None = None
    server: Mapping[str, str] = field(factory=dict, repr=False)


def database_address(url: str) -> DatabaseAddress:
    """Parse a database URL.

    Raises:
        Invalid: on ``database_url``, whose value is never quoted.
    """
    if url.startswith(_SQLITE):
        return DatabaseAddress(file=_file(url.removeprefix(_SQLITE)))
    if url.startswith(_POSTGRES):
        return DatabaseAddress(server=_server(url.removeprefix(_POSTGRES)))
    raise _bad_database(_FORMS)


def _file(path: str) -> Path:
    if not path or path == ":memory:" or not path.isprintable():
        raise _bad_database(f"{_FORMS}; in-memory databases are not supported")
    if "?" in path or "%" in path:
        raise _bad_database("must be sqlite:/// followed by a plain file path, without options or %")
    return Path(path)


def _server(rest: str) -> dict[str, str]:
    if not rest.isprintable() or _STRAY_PERCENT.search(rest):
        raise _bad_database(
            "must have special characters in the user name and password percent-encoded: @ as %40 and % as %25"
        )
    try:
        parts = urlsplit(f"//{rest}")
        parsed = {
            "user": unquote(parts.username or ""),
            "password": unquote(parts.password or ""),
            "host": unquote(parts.hostname or ""),
            "port": "" if parts.port is None else str(parts.port),
            "dbname": unquote(parts.path[1:]),
        }
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    except ValueError:
        raise _bad_database(_FORMS) from None  # the cause would quote the password
    if parts.fragment or set("/@") & set(parts.path[1:]):
        raise _bad_database(f"{_FORMS}; in the password, / ? # @ must be written as %2F %3F %23 %40")
    if not options.keys() <= _OPTIONS:
        raise _bad_database(f"must have no options other than {', '.join(sorted(_OPTIONS))}")
    return {name: text for name, text in {**parsed, **options}.items() if text}


def redis_address(url: str) -> Mapping[str, Any]:
    """Parse a Redis URL into keyword arguments for a client.

    Raises:
        Invalid: on ``redis_url``, whose value is never quoted.
    """
    try:
        parts = urlsplit(url)
        host, port, number = parts.hostname, parts.port or _REDIS_PORT, int(parts.path.strip("/") or 0)
    except ValueError:
        raise _bad_redis() from None  # the cause would quote the password
    is_redis = parts.scheme in {"redis", "rediss"} and host and number >= 0
    if not is_redis or parts.query or parts.fragment or not url.isprintable() or _STRAY_PERCENT.search(url):
        raise _bad_redis()
    return {
        "username": unquote(parts.username or "") or None,
        "password": unquote(parts.password or "") or None,
        "host": host,
        "port": port,
        "db": number,
        "ssl": parts.scheme == "rediss",
    }


def _bad_redis() -> Invalid:
    return Invalid({"redis_url": [_REDIS_FORMS]})


def _bad_database(text: str) -> Invalid:
    return Invalid({"database_url": [text]})


def shown_database(url: str) -> str:
    """Return a database URL for display; asterisks replace its password and the values of options that may hold one."""
    address, mark, query = url.partition("?")
    scheme, colon, rest = address.partition("://")
    credentials, at, place = rest.rpartition("@")
    user, secret, _ = credentials.partition(":")
    if secret:
        rest = f"{user}:{HIDDEN}{at}{place}"
    return f"{scheme}{colon}{rest}{mark}{_shown_query(query, harmless=_HARMLESS)}"


def shown_server(url: str) -> str:
    """Return a server URL for display, without its fragment; asterisks replace its credentials and query values."""
    address, mark, query = url.partition("#")[0].partition("?")
    scheme, colon, rest = address.partition("://")
    _, at, place = rest.rpartition("@")
    return f"{scheme}{colon}{HIDDEN if at else ''}{at}{place}{mark}{_shown_query(query)}"


def _shown_query(query: str, *, harmless: frozenset[str] = frozenset()) -> str:
    return "&".join(
        part if part.partition("=")[0] in harmless else _shown_part(part) for part in query.split("&")
    )


def _shown_part(part: str) -> str:
    name, equals, _ = part.partition("=")
    return f"{name}={HIDDEN}" if equals else HIDDEN if part else ""


def is_server(url: str) -> bool:
    """Return whether a URL begins with http:// or https:// and names a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_mail_server(url: str) -> bool:
    """Return whether a URL begins with smtp:// or smtps://, names a host, and has no path, query or fragment."""
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in {"smtp", "smtps"}
            and bool(parts.hostname)
            and parts.port != 0
            and parts.path in {"", "/"}
            and not parts.query
            and not parts.fragment
        )
    except ValueError:
        return False
