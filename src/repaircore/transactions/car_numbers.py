"""Car numbers: pseudonyms that link the repairs of one car without its VIN.

A vehicle record stands for all cars of one kind. A car's number is 63 bits of an unkeyed hash of its whole VIN, so a
car has the same number in every installation and every import. Anyone with the VIN can find the repairs, and the VIN
can be derived from the number given enough time, so the number is erased along with the car's owner.
"""

from hashlib import blake2b
from typing import Final

_WHOLE: Final = 17
_BITS: Final = 64


def car_of(vin: str | None) -> int | None:
    """Return the number of the car with a validated VIN, or None if not all 17 characters are known."""
    if vin is None or len(vin) != _WHOLE:
        return None
    digest = blake2b(vin.encode("ascii"), digest_size=_BITS // 8).digest()
    return int.from_bytes(digest, "big") >> 1  # databases have signed 64-bit integers
