"""One car told from another by a number: what its repairs have in common, without its VIN.

A vehicle's record stands for all that are built alike. The number is 63 bits of a hash of the whole VIN, without a key, so
that the same car has the same number in every installation and in every import. It is a pseudonym: who has a VIN
finds its repairs, and who has time finds the VIN. It goes when its owner is erased.
"""

from hashlib import blake2b
from typing import Final

_WHOLE: Final = 17
_BITS: Final = 64


def car_of(vin: str | None) -> int | None:
    """Give the number of the car with a sound VIN; None when the VIN is not told as a whole."""
    if vin is None or len(vin) != _WHOLE:
        return None
    digest = blake2b(vin.encode("ascii"), digest_size=_BITS // 8).digest()
    return int.from_bytes(digest, "big") >> 1  # a database counts to 2^63
