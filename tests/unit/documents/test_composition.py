"""What stands in the documents of a visit."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.unit.documents.test_billing import AT, TOTALS, VISIT, line

from repaircore.documents.composition import letterhead_of, private_document, shared_document
from repaircore.documents.model import Amount, DocumentLine
from repaircore.pricing.model import PartsTier
from repaircore.shops.model import Shop
from repaircore.visits.lifecycle import Status
from repaircore.visits.model import Choice, Decision, PricedLine, Totals, Visit, VisitCustomer

SHOP = Shop(
    owner_id=1,
    name="Elm Street Garage",
    address="12 Elm Street\nChicago",
    phone="312",
    license_number="7",
    terms="Cash.",
    updated_at=AT,
)
LATER = AT + timedelta(days=3)
DAY, LATER_DAY = AT.date(), LATER.date()


def visit_with(*lines: PricedLine, totals: Totals = TOTALS, **changes: Any) -> Visit:
    return evolve(
        VISIT, estimate=evolve(VISIT.estimate, lines=lines or VISIT.lines, totals=totals), **changes
    )


def shown(line: PricedLine) -> DocumentLine:
    (found,) = shared_document(visit_with(line), None, None).lines
    return found


def test_estimate_has_a_range_and_an_invoice_its_day() -> None:
    estimate, invoice = (
        private_document(visit_with(status=status, updated_at=LATER), SHOP, None, link="https://x")
        for status in (Status.DRAFT, Status.INVOICED)
    )

    assert (estimate.title, estimate.issued_on, estimate.valid_until) == ("Estimate", DAY, VISIT.valid_until)
    assert (estimate.low, estimate.high, estimate.link) == (TOTALS.low, TOTALS.high, "https://x")
    assert (invoice.title, invoice.issued_on, invoice.valid_until) == ("Invoice", LATER_DAY, None)
    assert (invoice.low, invoice.high, invoice.link, invoice.total) == (None, None, None, TOTALS.total)


def test_only_the_private_document_has_the_customer_the_vin_and_notes() -> None:
    vehicle = evolve(VISIT.estimate.vehicle, vin="1HGCM82633A004352")
    visit = evolve(
        VISIT,
        estimate=evolve(VISIT.estimate, vehicle=vehicle, mileage=88_000),
        customer=VisitCustomer(name="Ada Lovelace", phone="555"),
        notes="Waits.",
    )
    private, shared = private_document(visit, SHOP, None, link=None), shared_document(visit, SHOP, None)

    assert private.customer == ("Ada Lovelace", "555")
    assert private.vehicle == ("2003 Honda Accord", "VIN 1HGCM82633A004352", "88,000 miles")
    assert (private.notes, private.terms) == ("Waits.", "Cash.")
    assert (shared.customer, shared.vehicle, shared.notes) == ((), ("2003 Honda Accord",), "")


def test_document_leaves_out_what_is_unknown() -> None:
    document = private_document(VISIT, None, None, link=None)

    assert document.vehicle == ("2003 Honda Accord",)
    assert (document.customer, document.notes, document.terms) == ((), "", "")
    assert letterhead_of(None).name == "Repair estimate"
    assert letterhead_of(evolve(SHOP, license_number=None, address=None)).contact == ("312",)
    assert letterhead_of(SHOP).contact == ("312", "License 7")
    assert letterhead_of(SHOP).address == ("12 Elm Street", "Chicago")


@pytest.mark.parametrize(
    ("hours", "text", "rate"),
    [(0.0, "", None), (0.004, "", None), (0.01, "0.01", 100_00), (1.0, "1", 100_00), (1.254, "1.25", 100_00)],
)
def test_line_has_hours_with_their_rate_if_there_are_any(hours: float, text: str, rate: int | None) -> None:
    found = shown(evolve(line(1, labor=100_00, parts=0), hours=hours))

    assert (found.hours, found.rate) == (text, rate)


def test_line_leaves_out_sums_of_nothing() -> None:
    labor, parts = shown(line(1, labor=100_00, parts=0)), shown(line(1, labor=0, parts=50_00))

    assert (labor.labor, labor.parts, labor.amount, labor.decision) == (100_00, None, 100_00, "")
    assert (parts.labor, parts.parts, parts.amount) == (None, 50_00, 50_00)


def test_line_has_a_title_with_its_quantity_and_the_decision() -> None:
    two = line(1, labor=100_00, parts=0)
    two = evolve(
        two,
        requested=evolve(two.requested, quantity=2),
        decision=Decision(choice=Choice.APPROVED, name="Grace", at=AT),
    )

    assert shown(line(1, labor=100_00, parts=0)).title == "Job 1"
    assert (shown(two).title, shown(two).decision) == ("2 × Job 1", "Approved")


def test_notes_of_a_line_say_its_parts_savings_and_approved_price() -> None:
    plain, saving = VISIT.lines
    tiered = evolve(plain, parts_tier=PartsTier.OEM, approved=plain.average)

    assert shown(tiered).notes == (f"{PartsTier.OEM.label} parts",)
    assert shown(evolve(tiered, parts=0)).notes == ()
    assert shown(saving).notes == ("The wheel comes off for the other job.", "On its own: $140.00")
    assert shown(evolve(plain, approved=plain.average + 1)).notes == ("Approved at $300.01",)


def test_sums_are_those_that_are_not_nothing() -> None:
    document = shared_document(
        visit_with(totals=evolve(TOTALS, fees=5_00, supplies=3_00, discount=2_00)), None, None
    )

    assert document.sums == (
        Amount(label="Parts", amount=130_00),
        Amount(label="Labor", amount=250_00),
        Amount(label="Fees", amount=5_00),
        Amount(label="Shop supplies", amount=3_00),
        Amount(label="Discount", amount=-2_00),
        Amount(label="Sales tax, 10%", amount=13_00),
    )
    assert document.savings == (Amount(label="Done in one visit", amount=60_00),)


def test_document_without_tax_and_savings_has_none() -> None:
    document = shared_document(visit_with(totals=evolve(TOTALS, tax=None, saved=0)), None, None)

    assert [each.label for each in document.sums] == ["Parts", "Labor"]
    assert document.savings == ()
