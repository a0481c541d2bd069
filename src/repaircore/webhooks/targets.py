"""Check the URLs and IP addresses that events may be sent to (protection against SSRF).

A URL is validated when a subscription is created. That is not enough, because a host name may resolve to any IP
address, and to a different one a moment later, so every attempt also checks the IP address that it connects to.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from repaircore.kernel.callers import Environment
from repaircore.webhooks.model import LONGEST_URL

# No user, no fragment, nothing on which parsers disagree: every program reads the allowed URLs the same way.
_URL: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<rest>[/?][A-Za-z0-9._~:/?@!$&'()*+,;=%\[\]-]*)?",
    re.ASCII | re.IGNORECASE,
)
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER: Final = re.compile(r"(0x[0-9a-f]*|[0-9]+)", re.ASCII)

_FORM: Final = "must be an https URL such as https://example.com/hooks"
_NO_HTTP: Final = "must begin with https:// (in test, http:// may be used for this server only)"
_HTTPS: Final = "must begin with https://"
_PORT: Final = "must use port 443, or one from 1024 to 65535"
_NOT_PUBLIC: Final = "must use a public address"
_SPELLING: Final = "must have its IP address written as four decimal numbers"

_PRIVATE_DOMAINS: Final = (
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "home.arpa",
    "onion",
    "test",
    "invalid",
    "example",
    "arpa",
)
"""Domains that have no public servers."""

_LOWEST_PORT: Final = 1024
_HIGHEST_PORT: Final = 65535
_PORTS: Final = {"https": 443, "http": 80}
_LONGEST_HOST: Final = 253

# From IANA's special-purpose address registries; `is_global` differs between versions of Python.
_V4_SPECIAL: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
    )
)
_LOOPBACK: Final = IPv4Network("127.0.0.0/8")
_V6_PUBLIC: Final = IPv6Network("2000::/3")
_V6_SPECIAL: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # Teredo, ORCHID, benchmarks: no servers
        "2001:db8::/32",
        "2002::/16",  # 6to4 leads to any IPv4 address that the sender chooses
        "3fff::/20",
    )
)
_V6_CARRYING_V4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""IPv6 addresses that contain an IPv4 address (mapped or NAT64), which decides whether they are public."""


def is_public(address: str) -> bool:
    """Return whether a string is a public IP address."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return _is_public_v4(found) if isinstance(found, IPv4Address) else _is_public_v6(found)


def is_loopback(address: str) -> bool:
    """Return whether a string is a loopback IP address in its plain form."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return found in _LOOPBACK if isinstance(found, IPv4Address) else found == IPv6Address(1)


def may_connect(address: str, *, environment: Environment, scheme: str, is_trusted: bool = True) -> bool:
    """Return whether events may be sent to an IP address: a public one over TLS, or in test, a loopback one.

    Loopback addresses also require ``is_trusted``.
    """
    if is_trusted and environment is Environment.TEST and is_loopback(address):
        return True
    return scheme == "https" and is_public(address)


def url_error(url: str, environment: Environment, *, is_trusted: bool = True) -> str | None:
    """Return the predicate that a URL breaks ("must …"), or None; ``is_trusted`` is as in ``may_connect``."""
    found = _URL.fullmatch(url)
    if found is None or len(url) > LONGEST_URL:
        return _FORM
    scheme, host = found["scheme"].lower(), found["host"].lower()
    port = _PORTS[scheme] if found["port"] is None else int(found["port"])
    if port != _PORTS[scheme] and not _LOWEST_PORT <= port <= _HIGHEST_PORT:
        return _PORT
    is_local = _is_this_machine(host)
    if is_trusted and environment is Environment.TEST and is_local:
        return None
    if scheme == "https":
        return _host_error(host)
    return _NO_HTTP if is_trusted else _HTTPS


def _is_this_machine(host: str) -> bool:
    return host == "localhost" or is_loopback(host.strip("[]"))


def _host_error(host: str) -> str | None:
    if host.startswith("["):
        return None if is_public(host[1:-1]) else _NOT_PUBLIC
    labels = host.removesuffix(".").split(".")
    if len(host) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, labels)):
        return _FORM
    if _NUMBER.fullmatch(labels[-1]):
        return _number_error(host)
    name = "." + ".".join(labels)
    if len(labels) == 1 or any(name.endswith(f".{domain}") for domain in _PRIVATE_DOMAINS):
        return _NOT_PUBLIC
    return None


def _number_error(host: str) -> str | None:
    """Check a host that resolvers read as an IPv4 address; return the predicate that it breaks, or None.

    Unusual spellings, such as 127.1, 0x7f000001 or 2130706433 (all the same), are rejected.
    """
    try:
        IPv4Address(host)
    except ValueError:
        return _SPELLING
    return None if is_public(host) else _NOT_PUBLIC


def _is_public_v4(address: IPv4Address) -> bool:
    return not any(address in network for network in _V4_SPECIAL)


def _is_public_v6(address: IPv6Address) -> bool:
    if any(address in carrying for carrying in _V6_CARRYING_V4):
        return _is_public_v4(IPv4Address(int(address) & 0xFFFFFFFF))
    return (
        address.scope_id is None
        and address in _V6_PUBLIC
        and not any(address in network for network in _V6_SPECIAL)
    )
