"""The shop of an account, as shown on its documents."""

from datetime import datetime
from typing import Annotated, Final, TypeAlias

from attrs import frozen

from repaircore.kernel.emails import Email
from repaircore.kernel.ids import MAX_INTEGER
from repaircore.kernel.rules import Pattern, PlainText, Range

MAX_LOGO_BYTES: Final = 500 * 1024
"""The maximum size of a logo file."""

VALID_DAYS: Final = 30
"""How many days an estimate is valid by default."""

_Line: TypeAlias = Annotated[str, PlainText(0, 120)]


@frozen(kw_only=True)
class SaveShop:
    """A shop as users enter it; ``valid_days`` is how long a new visit is valid unless it sets ``valid_until``."""

    name: Annotated[str, PlainText(1, 120)]
    address: Annotated[str, PlainText(0, 300, lines=True)] | None = None
    zip_code: Annotated[str, Pattern(r"\s*\d{5}(-\d{4})?\s*", "must be a US ZIP code")] | None = None
    phone: Annotated[str, PlainText(0, 50)] | None = None
    email: Annotated[str, Email()] | None = None
    license_number: _Line | None = None
    terms: Annotated[str, PlainText(0, 4000, lines=True)] | None = None
    valid_days: Annotated[int, Range(1, 365)] = VALID_DAYS
    facility_id: Annotated[int, Range(1, MAX_INTEGER)] | None = None


@frozen(kw_only=True)
class Logo:
    """A logo as it is stored and served: a PNG without metadata, at most 1,200 by 600 pixels."""

    png: bytes
    width: int
    height: int


@frozen(kw_only=True)
class Shop:
    """The shop of an account. ``version`` counts its changes, including those of the logo."""

    owner_id: int
    name: str
    address: str | None = None
    zip_code: str | None = None
    phone: str | None = None
    email: str | None = None
    license_number: str | None = None
    terms: str | None = None
    valid_days: int = VALID_DAYS
    facility_id: int | None = None
    has_logo: bool = False
    updated_at: datetime
    version: int = 1
