"""Where events may be sent: rules about URLs as they are written, and about addresses as they are connected to.

What is written is judged when a subscription is made; that alone protects nobody, because a name may lead anywhere, and
elsewhere a moment later. So the address that a connection is made to is judged at every attempt.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from repaircore.kernel.callers import Environment

LONGEST_URL: Final = 2048

# No user, no fragment, nothing that programs read differently: what is allowed is what is read one way by all.
_URL: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<rest>[/?][A-Za-z0-9._~:/?@!$&'()*+,;=%\[\]-]*)?",
    re.ASCII | re.IGNORECASE,
)
_LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER: Final = re.compile(r"(0x[0-9a-f]*|[0-9]+)", re.ASCII)

_FORM: Final = "must be an https address such as https://example.com/hooks"
_NO_HTTP: Final = "must begin with https:// (in test, http:// leads to this machine alone)"
_PORT: Final = "must name port 443, or one from 1024 to 65535"
_NOT_PUBLIC: Final = "must lead to a public address"
_SPELLING: Final = "must spell its address in the usual way"

_OWN_NAMES: Final = (
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
"""Names, and what is below them, that no public server goes by."""

_LOWEST_PORT: Final = 1024
_HIGHEST_PORT: Final = 65535
_PORTS: Final = {"https": 443, "http": 80}
_LONGEST_HOST: Final = 253

# The special-purpose registries of IANA: what is not the public network. `is_global` differs between Pythons.
_V4_OTHERS: Final = tuple(
    IPv4Network(one)
    for one in (
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
_OWN: Final = IPv4Network("127.0.0.0/8")
_V6_PUBLIC: Final = IPv6Network("2000::/3")
_V6_OTHERS: Final = tuple(
    IPv6Network(one)
    for one in (
        "2001::/23",  # Teredo, ORCHID, benchmarks: nothing that serves
        "2001:db8::/32",
        "2002::/16",  # 6to4 leads to an IPv4 address of the sender's choice
        "3fff::/20",
    )
)
_V6_CARRYING_V4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""IPv4 in IPv6: mapped, and translated by the network (NAT64). They are what they carry."""


def is_public(address: str) -> bool:
    """Tell whether an address, as a connection is made to it, is one of the public network."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return _is_public_v4(found) if isinstance(found, IPv4Address) else _is_public_v6(found)


def is_loopback(address: str) -> bool:
    """Tell whether an address is this machine's own, in its plain form."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return found in _OWN if isinstance(found, IPv4Address) else found == IPv6Address(1)


def may_connect(address: str, *, environment: Environment, scheme: str) -> bool:
    """Tell whether events may be sent to an address: a public one; in test, this machine's own too.

    Without TLS nothing but this machine's own is reached, whatever its name led to before.
    """
    if environment is Environment.TEST and is_loopback(address):
        return True
    return scheme == "https" and is_public(address)


def fault_of(url: str, environment: Environment) -> str | None:
    """Say what is wrong with a URL ("must …"), None when nothing can be said before it is resolved."""
    found = _URL.fullmatch(url)
    if found is None or len(url) > LONGEST_URL:
        return _FORM
    scheme, host = found["scheme"].lower(), found["host"].lower()
    port = _PORTS[scheme] if found["port"] is None else int(found["port"])
    if port != _PORTS[scheme] and not _LOWEST_PORT <= port <= _HIGHEST_PORT:
        return _PORT
    is_own = _is_this_machine(host)
    if environment is Environment.TEST and is_own:
        return None
    return _NO_HTTP if scheme != "https" else _fault_of_host(host)


def _is_this_machine(host: str) -> bool:
    return host == "localhost" or is_loopback(host.strip("[]"))


def _fault_of_host(host: str) -> str | None:
    if host.startswith("["):
        return None if is_public(host[1:-1]) else _NOT_PUBLIC
    labels = host.removesuffix(".").split(".")
    if len(host) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, labels)):
        return _FORM
    if _NUMBER.fullmatch(labels[-1]):
        return _fault_of_number(host)
    name = "." + ".".join(labels)
    if len(labels) == 1 or any(name.endswith(f".{own}") for own in _OWN_NAMES):
        return _NOT_PUBLIC
    return None


def _fault_of_number(host: str) -> str | None:
    """Judge what resolvers take for an IPv4 address: 127.1, 0x7f000001, 017700000001 and 2130706433 are one."""
    try:
        IPv4Address(host)
    except ValueError:
        return _SPELLING
    return None if is_public(host) else _NOT_PUBLIC


def _is_public_v4(address: IPv4Address) -> bool:
    return not any(address in other for other in _V4_OTHERS)


def _is_public_v6(address: IPv6Address) -> bool:
    if any(address in carrying for carrying in _V6_CARRYING_V4):
        return _is_public_v4(IPv4Address(int(address) & 0xFFFFFFFF))
    return (
        address.scope_id is None
        and address in _V6_PUBLIC
        and not any(address in other for other in _V6_OTHERS)
    )
