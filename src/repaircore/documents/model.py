"""A document as it is shown, printed and shared: everything in it is final text or an amount."""

from datetime import date, datetime

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.shops.model import Logo


@frozen(kw_only=True)
class Letterhead:
    """The head of a document: the shop. ``contact`` has a line each for phone, e-mail and license."""

    name: str
    address: tuple[str, ...] = ()
    contact: tuple[str, ...] = ()


@frozen(kw_only=True)
class DocumentLine:
    """A line: a repair, a part, a fee or a discount. ``key`` identifies it in the approval form.

    ``notes`` are sentences below the title, such as about labor shared with another line. ``decision`` is the
    customer's answer in words; "" before there is one.
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
    """An estimate or an invoice. ``vin`` and ``customer`` are only on the shop's own copy and the customer's paper.

    ``low`` to ``high`` is the range of eight in ten totals; both None on an invoice. ``link`` is where the customer approves it.
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
