"""Which addresses are one client."""

from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network
from typing import Final

_ONE_SITE: Final = 64
"""Whoever has one IPv6 address usually has all that begin with the same 64 bits."""


def network_of(address: str) -> str:
    """Name the client behind an address: an IPv4 address itself, the network of an IPv6 one.

    What is no address (a proxy's word for an unknown client) is its own name.
    """
    text = address.strip()
    try:
        return str(IPv4Address(text))
    except AddressValueError:
        pass
    try:
        long = IPv6Address(text.partition("%")[0])
    except AddressValueError:
        return text
    return str(long.ipv4_mapped or IPv6Network((long, _ONE_SITE), strict=False))
