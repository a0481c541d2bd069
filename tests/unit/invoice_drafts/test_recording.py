"""Recording of drafts: one transaction for each repair, without shared charges."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve

from repaircore.invoice_drafts.model import DraftInvoice, DraftLine, InvoiceDraft
from repaircore.invoice_drafts.recording import fields_of_draft, obstacles, repair_costs, transaction_of
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
        (draft(line(), vin=None, make="Toyota", model="Camry"), {"vin"}),
        (draft(line(), vin=None, year=2015, model="Camry"), {"vin"}),
        (draft(line(), vin=None, year=2015, make="Toyota"), {"vin"}),
        (draft(line(None)), {"lines"}),
        (draft(line(parts_total=None)), {"lines.0.parts_total"}),
        (draft(line(), line("water-pump", labor_hours=None)), {"lines.1.labor_hours"}),
        (draft(line(total=60_000)), {"lines.0.total"}),
        (draft(line(total=-1)), {"lines.0.total"}),
        (draft(line(labor_hours=0.0, parts_total=0, total=0)), set()),
        (draft(line(labor_hours=0.0, parts_total=30_000, total=30_002)), set()),
        (draft(line(labor_hours=0.0, parts_total=30_000, total=30_003)), {"lines.0.labor_hours"}),
        (draft(line(labor_hours=0.0, parts_total=30_003, total=30_000)), {"lines.0.total"}),
        (draft(line(None, parts_total=None), line()), set()),
        (draft(line(), total=60_000), {"total"}),
        (evolve(draft(line()), doubts={"vin": "?"}), {"doubts"}),
    ],
)
def test_obstacles_are_named_by_field(invoice_draft: InvoiceDraft, fields: set[str]) -> None:
    assert errors(invoice_draft) == fields


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"labor_hours": None, "parts_total": 30_000},
            "Enter the hours: the line has $200.00 of labor.",
        ),
        ({"total": 60_000}, "Labor and parts add up to $500.00, but the line says $600.00."),
    ],
)
def test_obstacle_of_a_line_names_its_amounts(changes: dict[str, Any], text: str) -> None:
    (found,) = obstacles(draft(line(**changes)), accept_difference=False).values()

    assert found == [text]


def test_repair_without_hours_has_no_rate() -> None:
    (cost,) = repair_costs([line(labor_hours=None, labor_rate=None, total=30_000)])

    assert (cost.labor_hours, cost.labor_rate, cost.parts_total) == (0, 0, 30_000)


def test_line_with_hours_of_no_rate_counts_as_free() -> None:
    (cost,) = repair_costs([line(labor_hours=1.0, labor_rate=None), line(labor_hours=1.0)])

    assert (cost.labor_hours, cost.labor_rate) == (2.0, 5_000)
    (free,) = repair_costs([line(labor_hours=1.0, labor_rate=None)])
    assert (free.labor_hours, free.labor_rate) == (1.0, 0)


def test_transaction_names_the_invoice_and_the_draft() -> None:
    found, unnumbered = (
        transaction_of(
            draft(line(), invoice_number=number, odometer=48_210, facility_id=7),
            repair_costs([line()])[0],
            problem_id=5,
            vehicle_id=UUID(int=1),
        )
        for number in ("4711", None)
    )

    assert (found.notes, unnumbered.notes) == ("Invoice 4711, draft D-1", "draft D-1")
    assert (found.performed_on, found.mileage, found.facility_id, found.problem_id) == (
        date(2026, 1, 1),
        48_210,
        7,
        5,
    )
    assert (found.labor_hours, found.labor_rate, found.parts_total) == (2.0, 10_000, 30_000)
    with pytest.raises(LookupError):
        transaction_of(
            draft(line(), performed_on=None),
            repair_costs([line()])[0],
            problem_id=5,
            vehicle_id=UUID(int=1),
        )


def test_errors_of_a_transaction_have_the_names_of_the_draft() -> None:
    errors = {"labor_hours": ["a"], "mileage": ["b"], "vehicle_id": ["c"], "performed_on": ["d"]}
    invoice = draft(line("water-pump"), line()).invoice

    assert fields_of_draft(errors, invoice, "alternator") == {
        "lines.1.labor_hours": ["a"],
        "odometer": ["b"],
        "vin": ["c"],
        "performed_on": ["d"],
    }


def test_only_a_difference_of_the_total_may_be_accepted() -> None:
    assert errors(draft(line(), total=60_000), accept=True) == set()
    assert errors(draft(line(total=60_000)), accept=True) == {"lines.0.total"}
