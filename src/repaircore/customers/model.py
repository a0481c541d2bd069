"""Customers, and the requests to find, create, update and list them."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Final
from unicodedata import category

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.emails import Email
from repaircore.kernel.metadata import Metadata
from repaircore.kernel.phones import e164
from repaircore.kernel.rules import Length, NotBlank

# A name with control characters or line breaks could inject lines into the e-mails that greet a customer by it.
_CONTROL: Final = frozenset({"Cc", "Zl", "Zp"})
_LAYOUT: Final = frozenset("\n\r\t")
_LONGEST_PHONE: Final = 50


@frozen
class NoControlCharacters:
    """Requires text without control characters; ``lines`` allows tabs and line breaks. Outer whitespace is ignored."""

    lines: bool = False

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        allowed = _LAYOUT if self.lines else frozenset[str]()
        is_plain = all(category(char) not in _CONTROL or char in allowed for char in value.strip())
        return None if is_plain else "must not contain control characters"


@frozen
class Phone:
    """Requires a phone number, in which spaces and dashes are allowed."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        if not value.strip():
            return "is required"
        # Longer values are rejected without parsing them, which would take time.
        is_phone = len(value) <= _LONGEST_PHONE and e164(value) is not None
        return None if is_phone else "must be a phone number, with the country code if it is outside the US"


@frozen(kw_only=True)
class ResolveCustomer:
    """The person to find or create as a customer."""

    first_name: Annotated[str, NotBlank(255), NoControlCharacters()]
    last_name: Annotated[str, NotBlank(255), NoControlCharacters()]
    email: Annotated[str, Email()]
    phone: Annotated[str, Phone()]
    address: Annotated[str | None, Length(0, 500), NoControlCharacters(lines=True)] = None
    metadata: Metadata | None = None


@frozen(kw_only=True)
class UpdateCustomer:
    """The fields of a customer to change; None leaves a field unchanged. ``metadata`` replaces all stored metadata."""

    first_name: Annotated[str, NotBlank(255), NoControlCharacters()] | None = None
    last_name: Annotated[str, NotBlank(255), NoControlCharacters()] | None = None
    email: Annotated[str, Email()] | None = None
    phone: Annotated[str, Phone()] | None = None
    address: Annotated[str, Length(0, 500), NoControlCharacters(lines=True)] | None = None
    metadata: Metadata | None = None


@frozen(kw_only=True)
class CustomerFilter:
    """Which customers to list: by e-mail (ignoring case), phone number, or day of creation (UTC)."""

    email: str | None = None
    phone: str | None = None
    date_from: date | None = None
    date_to: date | None = None


ALL_CUSTOMERS: Final = CustomerFilter()


@frozen(kw_only=True)
class Customer:
    """A person as one partner knows them in one environment.

    ``ref`` (``cus_…``) and ``id`` both identify them; ``phone`` is in E.164 form. Erasing a customer empties ``email``,
    ``phone`` and ``address``, and from then on they can only be found through records that refer to them.
    """

    id: int
    ref: str
    partner_id: int
    environment: Environment
    first_name: str
    last_name: str
    email: str | None
    phone: str | None
    address: str | None
    metadata: Mapping[str, str] | None = None
    created_at: datetime
    updated_at: datetime


@frozen(kw_only=True)
class ResolvedCustomer:
    """A customer, and whether it was just created.

    ``not_taken`` has the names of the given fields that differ from those of an existing customer; the stored values
    stay.
    """

    customer: Customer
    created: bool
    not_taken: tuple[str, ...] = ()
