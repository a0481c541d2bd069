"""Map IP addresses to clients."""

from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network
from typing import Final

_ONE_SITE: Final = 64
"""A client with one IPv6 address usually has all addresses that begin with the same 64 bits."""


def network_of(address: str) -> str:
    """Return the client behind an IP address: an IPv4 address itself, or the /64 network of an IPv6 address.

    Any other text (a proxy's word for an unknown client) is returned unchanged.
    """
    text = address.strip()
    try:
        return str(IPv4Address(text))
    except AddressValueError:
        pass
    try:
        full = IPv6Address(text.partition("%")[0])
    except AddressValueError:
        return text
    return str(full.ipv4_mapped or IPv6Network((full, _ONE_SITE), strict=False))
