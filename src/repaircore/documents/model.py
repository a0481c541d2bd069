"""A document as it is shown, printed and shared: it only contains final text and amounts."""

from datetime import date, datetime

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.shops.model import Logo


@frozen(kw_only=True)
class Letterhead:
    """The letterhead of a document: the shop. ``contact`` has one line each for phone, e-mail and license."""

    name: str
    address: tuple[str, ...] = ()
    contact: tuple[str, ...] = ()


@frozen(kw_only=True)
class DocumentLine:
    """A line: a repair, a part, labor, a fee or a discount. ``key`` identifies it in the approval form.

    ``notes`` are shown below the title, for example about labor that is shared with another line. ``decision`` is the
    customer's answer in words, or "" before there is one.
    """

    key: str
    title: str
    notes: tuple[str, ...] = ()
    hours: str = ""
    rate: Cents | None = None
    labor: Cents | None = None
    parts: Cents | None = None
    amount: Cents
    decision: str = ""


@frozen(kw_only=True)
class Amount:
    """A labeled amount below the lines."""

    label: str
    amount: Cents


@frozen(kw_only=True)
class Document:
    """An estimate or an invoice. Shared documents have no customer, VIN or notes; ``vehicle`` has one fact per line.

    Eight in ten totals are between ``low`` and ``high``, which are None on an invoice. ``link`` is the URL where the
    customer approves the estimate, or None.
    """

    title: str
    number: str
    issued_on: date
    created_at: datetime
    valid_until: date | None
    shop: Letterhead
    logo: Logo | None = None
    customer: tuple[str, ...] = ()
    vehicle: tuple[str, ...] = ()
    lines: tuple[DocumentLine, ...]
    sums: tuple[Amount, ...] = ()
    savings: tuple[Amount, ...] = ()
    total: Cents
    low: Cents | None = None
    high: Cents | None = None
    notes: str = ""
    terms: str = ""
    link: str | None = None
