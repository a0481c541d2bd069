"""Compose documents from visits."""

from collections.abc import Iterator
from datetime import date
from typing import Final

from repaircore.documents.model import Amount, Document, DocumentLine, Letterhead
from repaircore.documents.wording import DECISIONS, TIERS
from repaircore.kernel.views import in_utc
from repaircore.kernel.wording import money
from repaircore.shops.model import Logo, Shop
from repaircore.visits.lifecycle import Status
from repaircore.visits.model import LineKind, PricedLine, Totals, Visit

_NO_SHOP: Final = Letterhead(name="Repair estimate")


def private_document(visit: Visit, shop: Shop | None, logo: Logo | None, *, link: str | None) -> Document:
    """Return a visit's document for the shop and for paper copies, with the customer, the VIN and the notes."""
    customer = visit.customer
    vehicle = visit.estimate.vehicle
    facts = [
        vehicle.display_name,
        *([f"VIN {vehicle.vin}"] if vehicle.vin else []),
        *([f"{visit.estimate.mileage:,} miles"] if visit.estimate.mileage is not None else []),
    ]
    return _document(
        visit,
        shop,
        logo,
        customer=tuple(filter(None, (customer.name, customer.phone, customer.email))),
        vehicle=tuple(facts),
        notes=visit.notes or "",
        link=link,
    )


def shared_document(visit: Visit, shop: Shop | None, logo: Logo | None) -> Document:
    """Return a visit's document for anyone with its link, without the customer, the VIN or the notes."""
    return _document(
        visit, shop, logo, customer=(), vehicle=(visit.estimate.vehicle.display_name,), notes="", link=None
    )


def letterhead_of(shop: Shop | None) -> Letterhead:
    """Return the letterhead of a shop, or a generic one if there is no shop."""
    if shop is None:
        return _NO_SHOP
    license_line = None if shop.license_number is None else f"License {shop.license_number}"
    return Letterhead(
        name=shop.name,
        address=tuple((shop.address or "").splitlines()),
        contact=tuple(filter(None, (shop.phone, shop.email, license_line))),
    )


def _document(
    visit: Visit,
    shop: Shop | None,
    logo: Logo | None,
    *,
    customer: tuple[str, ...],
    vehicle: tuple[str, ...],
    notes: str,
    link: str | None,
) -> Document:
    is_invoice = visit.status is Status.INVOICED
    totals = visit.estimate.totals
    return Document(
        title="Invoice" if is_invoice else "Estimate",
        number=visit.number,
        issued_on=_day(visit),
        created_at=in_utc(visit.updated_at),
        valid_until=None if is_invoice else visit.valid_until,
        shop=letterhead_of(shop),
        logo=logo,
        customer=customer,
        vehicle=vehicle,
        lines=tuple(_line(line) for line in visit.lines),
        sums=tuple(_sums(totals)),
        savings=tuple(_savings(totals)),
        total=totals.total,
        low=None if is_invoice else totals.low,
        high=None if is_invoice else totals.high,
        notes=notes,
        terms="" if shop is None else shop.terms or "",
        link=None if is_invoice else link,
    )


def _day(visit: Visit) -> date:
    at = visit.updated_at if visit.status is Status.INVOICED else visit.estimated_at
    return at.date()


def _line(line: PricedLine) -> DocumentLine:
    hours = _hours(line)
    return DocumentLine(
        key=str(line.id),
        title=line_title(line),
        notes=tuple(_notes(line)),
        hours=hours,
        rate=line.rate if hours else None,
        labor=line.labor or None,
        parts=line.parts or None,
        amount=line.average,
        decision="" if line.decision is None else DECISIONS[line.decision.choice],
    )


def _hours(line: PricedLine) -> str:
    """Return the hours of a line, with at most two decimals, or "" if that is zero."""
    text = f"{round(line.hours, 2):g}"
    return "" if text == "0" else text


def line_title(line: PricedLine) -> str:
    """Return the title of a line: its name, with the quantity unless that is 1."""
    quantity = line.requested.quantity
    return line.name if quantity == 1 else f"{quantity} × {line.name}"


def _notes(line: PricedLine) -> Iterator[str]:
    if line.requested.kind is LineKind.REPAIR and line.parts and line.parts_tier is not None:
        yield TIERS[line.parts_tier]
    for saving in line.savings:
        yield saving.reason
    if line.savings:
        yield f"On its own: {money(line.apart)}"
    if line.approved is not None and line.approved != line.average:
        yield f"Approved at {money(line.approved)}"


def _sums(totals: Totals) -> Iterator[Amount]:
    rows = (
        ("Parts", totals.parts),
        ("Labor", totals.labor),
        ("Fees", totals.fees),
        ("Shop supplies", totals.supplies),
        ("Discount", -totals.discount),
    )
    for label, amount in rows:
        if amount:
            yield Amount(label=label, amount=amount)
    if totals.tax is not None:
        yield Amount(label=f"Sales tax, {totals.tax.percent:.4g}%", amount=totals.tax.amount)


def _savings(totals: Totals) -> Iterator[Amount]:
    if totals.saved > 0:
        yield Amount(label="Done in one visit", amount=totals.saved)
