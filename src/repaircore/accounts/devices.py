"""Where a session began: a short browser name and the network of an IP address, enough for its user to recognize it.

A whole user agent and a whole IP address would identify a device and a household (docs/decisions/sessions.md).
"""

import re
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

_LONGEST_USER_AGENT: Final = 1024
_NETWORK_BITS: Final = {4: 24, 6: 48}

# Many browsers also name the browsers that they descend from, so the first match decides.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("HeadlessChrome/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)
_PROGRAM: Final = re.compile(r"[A-Za-z][A-Za-z._-]{0,29}")


def short_browser(user_agent: str) -> str | None:
    """Return a browser such as "Firefox on Windows" or a program such as "curl", or None if no name is found."""
    text = user_agent[:_LONGEST_USER_AGENT]
    browser = _first(_BROWSERS, text)
    if browser is None:
        program = _PROGRAM.match(text)
        return None if program is None else program[0]
    system = _first(_SYSTEMS, text)
    return browser if system is None else f"{browser} on {system}"


def short_network(address: str) -> str | None:
    """Return the network of an IPv4 address (24 bits) or IPv6 address (48 bits), or None for anything else."""
    try:
        full = ip_address(address.strip().partition("%")[0])
    except ValueError:
        return None
    if isinstance(full, IPv6Address) and full.ipv4_mapped is not None:
        full = full.ipv4_mapped
    return str(ip_network((full, _NETWORK_BITS[full.version]), strict=False))


def _first(names: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((name for mark, name in names if mark in text), None)
