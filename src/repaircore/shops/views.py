"""Shops as clients see them."""

from datetime import datetime
from typing import Self

from repaircore.kernel.views import view
from repaircore.shops.model import Shop


@view
class ShopView:
    """The shop of an account, as shown on its documents."""

    name: str
    address: str | None
    zip_code: str | None
    phone: str | None
    email: str | None
    license_number: str | None
    terms: str | None
    valid_days: int
    facility_id: int | None
    has_logo: bool
    updated_at: datetime

    @classmethod
    def of(cls, shop: Shop) -> Self:
        """Return the view of a shop."""
        return cls(
            name=shop.name,
            address=shop.address,
            zip_code=shop.zip_code,
            phone=shop.phone,
            email=shop.email,
            license_number=shop.license_number,
            terms=shop.terms,
            valid_days=shop.valid_days,
            facility_id=shop.facility_id,
            has_logo=shop.has_logo,
            updated_at=shop.updated_at,
        )
