"""View and edit the shop of an account."""

import os
from typing import BinaryIO

from attrs import asdict, evolve, frozen

from repaircore.kernel.callers import Caller, owner_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import field_errors
from repaircore.kernel.types import Clock
from repaircore.shops.model import MAX_LOGO_BYTES, Logo, SaveShop, Shop
from repaircore.shops.ports import LogoReader, OpenWork, ShopsWork


@frozen(kw_only=True)
class Shops:
    """Use cases for shops; an account has one shop for both environments."""

    transaction: OpenWork
    read: OpenWork
    logos: LogoReader
    clock: Clock

    @property
    def takes_logos(self) -> bool:
        """Whether this installation accepts logos."""
        return self.logos.is_on

    def find(self, caller: Caller) -> Shop | None:
        """Return the caller's shop, or None if it was never saved."""
        with self.read() as work:
            return work.shops.find(owner_of(caller))

    def save(self, data: SaveShop, caller: Caller) -> Shop:
        """Store the caller's shop; its logo does not change.

        Raises:
            Invalid: with every bad field.
        """
        with self.transaction() as work:
            self._require_valid(work, data)
            shop = Shop(owner_id=owner_of(caller), **asdict(_normalized(data)), updated_at=self.clock())
            return work.shops.save(shop)

    def logo(self, caller: Caller) -> Logo | None:
        """Return the logo of the caller's shop, or None."""
        with self.read() as work:
            return work.shops.logo(owner_of(caller))

    def set_logo(self, image: BinaryIO, caller: Caller) -> Shop:
        """Set the logo of the caller's shop, which must have been saved, and return the shop.

        Raises:
            Invalid: on ``logo``: it is too large, not a PNG or JPEG, or damaged; on ``name``: there is no shop yet.
        """
        if image.seek(0, os.SEEK_END) > MAX_LOGO_BYTES:
            raise logo_too_large()
        image.seek(0)
        logo = self.logos.read(image)
        with self.transaction() as work:
            shop = work.shops.find(owner_of(caller))
            if shop is None:
                raise Invalid({"name": ["Enter the name of the shop first."]})
            work.shops.set_logo(shop.owner_id, logo)
            return work.shops.find(shop.owner_id) or shop

    def delete_logo(self, caller: Caller) -> None:
        """Delete the logo of the caller's shop, if there is one."""
        with self.transaction() as work:
            if work.shops.find(owner_of(caller)) is not None:
                work.shops.set_logo(owner_of(caller), None)

    def _require_valid(self, work: ShopsWork, data: SaveShop) -> None:
        errors = field_errors(SaveShop, asdict(data))
        number = data.facility_id
        if number is not None and "facility_id" not in errors and work.facilities.by_id(number) is None:
            errors["facility_id"] = ["The facility id field must be the id of a facility."]
        if errors:
            raise Invalid(errors)


def logo_too_large() -> Invalid:
    """Return the error for a logo that is too large."""
    return Invalid({"logo": [f"The logo must not be larger than {MAX_LOGO_BYTES // 1024} KB."]})


def _normalized(data: SaveShop) -> SaveShop:
    """Return the input with strings trimmed and empty strings replaced by None."""
    return evolve(
        data,
        name=data.name.strip(),
        address=_trimmed(data.address),
        zip_code=_trimmed(data.zip_code),
        phone=_trimmed(data.phone),
        email=_trimmed(data.email),
        license_number=_trimmed(data.license_number),
        terms=_trimmed(data.terms),
    )


def _trimmed(text: str | None) -> str | None:
    return "\n".join(line.rstrip() for line in (text or "").strip().splitlines()) or None
