"""Recording of drafts: one transaction for each repair, without shared charges."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from attrs import evolve

from repaircore.invoice_drafts.model import DraftInvoice, DraftLine, InvoiceDraft
from repaircore.invoice_drafts.recording import obstacles, repair_costs
from repaircore.invoice_drafts.splitting import complete, usual_rate
from repaircore.invoice_drafts.sums import sums_that_differ
from repaircore.kernel.callers import Environment
from repaircore.quote_text.kinds import LineKind

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def line(slug: str | None = "alternator", **changes: Any) -> DraftLine:
    draft_line = DraftLine(
        kind=LineKind.REPAIR,
        description="Alternator",
        problem_slug=slug,
        labor_hours=2.0,
        labor_rate=10_000,
        parts_total=30_000,
        total=50_000,
    )
    return evolve(draft_line, **changes)


def charge(kind: LineKind, total: int) -> DraftLine:
    return DraftLine(kind=kind, description=kind.value, total=total)


def draft(*lines: DraftLine, **changes: Any) -> InvoiceDraft:
    invoice = DraftInvoice(performed_on=date(2026, 1, 1), vin="4T1BF1FK5FU033210", lines=lines)
    return InvoiceDraft(
        number="D-1",
        environment=Environment.LIVE,
        owner_id=1,
        invoice=evolve(invoice, **changes),
        file_name="",
        file_hash=b"",
        created_at=NOW,
        updated_at=NOW,
        expires_at=NOW,
    )


def errors(invoice_draft: InvoiceDraft, *, accept: bool = False) -> set[str]:
    return set(obstacles(invoice_draft, accept_difference=accept))


def test_charges_are_not_part_of_any_repair() -> None:
    costs = repair_costs(
        [
            line(),
            charge(LineKind.TAX, 4_000),
            charge(LineKind.SUPPLIES, 1_500),
            charge(LineKind.DISCOUNT, -2_000),
            evolve(charge(LineKind.FEE, 900), problem_slug="water-pump"),
        ]
    )

    assert [(cost.slug, cost.labor_hours, cost.labor_rate, cost.parts_total) for cost in costs] == [
        ("alternator", 2.0, 10_000, 30_000)
    ]


def test_lines_of_the_same_repair_are_one_transaction() -> None:
    part = line(kind=LineKind.PART, labor_hours=0.0, labor_rate=None, parts_total=5_000, total=5_000)
    expensive = line(labor_hours=1.0, labor_rate=13_000, parts_total=0, total=13_000)

    (cost,) = repair_costs([line(), part, expensive])

    assert (cost.labor_hours, cost.labor_rate, cost.parts_total) == (3.0, 11_000, 35_000)


def test_complete_draft_has_no_obstacles() -> None:
    assert errors(draft(line(), charge(LineKind.TAX, 4_000), total=54_000)) == set()


@pytest.mark.parametrize(
    ("invoice_draft", "fields"),
    [
        (draft(line(), performed_on=None), {"performed_on"}),
        (draft(line(), vin=None), {"vin"}),
        (draft(line(), vin=None, year=2015, make="Toyota", model="Camry"), set()),
        (draft(line(None)), {"lines"}),
        (draft(line(parts_total=None)), {"lines.0.parts_total"}),
        (draft(line(), line("water-pump", labor_hours=None)), {"lines.1.labor_hours"}),
        (draft(line(total=60_000)), {"lines.0.total"}),
        (draft(line(total=-1)), {"lines.0.total"}),
        (draft(line(), total=60_000), {"total"}),
        (evolve(draft(line()), doubts={"vin": "?"}), {"doubts"}),
    ],
)
def test_obstacles_are_named_by_field(invoice_draft: InvoiceDraft, fields: set[str]) -> None:
    assert errors(invoice_draft) == fields


def test_only_a_difference_of_the_total_may_be_accepted() -> None:
    assert errors(draft(line(), total=60_000), accept=True) == set()
    assert errors(draft(line(total=60_000)), accept=True) == {"lines.0.total"}


def test_sums_may_be_off_by_a_rounding() -> None:
    invoice_draft = draft(line(labor_hours=1.3, labor_rate=9_999, total=43_000), total=43_002)

    assert sums_that_differ(invoice_draft.invoice) == ()
    assert sums_that_differ(evolve(invoice_draft.invoice, total=43_010)) != ()


def test_subtotal_may_cover_the_work_alone() -> None:
    invoice = draft(line(), charge(LineKind.FEE, 900), charge(LineKind.TAX, 100)).invoice

    assert sums_that_differ(evolve(invoice, subtotal=50_900)) == ()
    assert sums_that_differ(evolve(invoice, subtotal=50_000)) == ()
    assert sums_that_differ(evolve(invoice, subtotal=51_000)) == (
        "Before tax the lines add up to $509.00, the invoice says $510.00.",
    )


def test_rate_follows_from_hours_and_labor() -> None:
    completed = complete(line(labor_rate=None), None, None)

    assert (completed.line.labor_rate, completed.doubts) == (10_000, {})


def test_hours_from_the_rate_of_other_lines_are_uncertain() -> None:
    rate = usual_rate([line(), line(labor_rate=9_000, labor_hours=0.5)])
    completed = complete(line(labor_hours=None, labor_rate=None), None, rate)

    assert (rate, completed.line.labor_hours) == (10_000, 2.0)
    assert set(completed.doubts) == {"labor_hours"}


def test_line_that_cannot_be_split_is_unchanged_and_uncertain() -> None:
    bare = line(None, labor_hours=None, labor_rate=None, parts_total=None)
    completed = complete(bare, None, 10_000)

    assert completed.line == bare
    assert set(completed.doubts) == {"parts_total"}
