"""Ports for shops."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol, TypeAlias

from repaircore.facilities.ports import FacilityRecords
from repaircore.shops.model import Logo, Shop


class ShopRecords(Protocol):
    """The stored shops, one for each account."""

    def find(self, owner_id: int) -> Shop | None:
        """Return the shop of an account, or None."""

    def save(self, shop: Shop) -> Shop:
        """Store or replace the shop of an account, but not its logo, and return it with its next version.

        ``has_logo`` is taken from the stored row, never from ``shop``.
        """

    def logo(self, owner_id: int) -> Logo | None:
        """Return the logo of an account's shop, or None."""

    def set_logo(self, owner_id: int, logo: Logo | None) -> None:
        """Store, replace or (if None) delete the logo of a stored shop, and increment the shop's version."""


class LogoReader(Protocol):
    """Reads uploaded logos."""

    @property
    def is_on(self) -> bool:
        """Whether this installation can read images."""

    def read(self, image: BinaryIO) -> Logo:
        """Decode an untrusted image and re-encode its pixels, in bounded time and memory.

        Raises:
            Invalid: on ``logo``: it is not a PNG or JPEG, exceeds the limits, or is damaged.
        """


class ShopsWork(Protocol):
    """The part of a unit of work that shops need."""

    @property
    def shops(self) -> ShopRecords:
        """The stored shops."""

    @property
    def facilities(self) -> FacilityRecords:
        """The stored facilities."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[ShopsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
