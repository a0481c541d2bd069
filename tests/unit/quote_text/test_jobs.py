"""Jobs, and the lines that they form."""

from typing import Any

import pytest
from attrs import evolve

from repaircore.quote_text.jobs import (
    Job,
    continues,
    fuller,
    is_complete,
    is_labor,
    labor_of,
    line_of,
    lists_labor_apart,
    parts_of,
    trailing_related,
    with_counted_hours,
)
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import Label, QuoteLine, Row

PART = Row(description="Alternator", line=0, indent=0, amount=300_00)
LABOR = Row(description="Labor", line=1, indent=0, amount=240_00, label=Label.LABOR, hours=1.5)
BOTH = Row(description="Alternator", line=0, indent=0, amount=540_00, parts=300_00, labor=240_00, hours=1.5)
LUMP = Row(description="Alternator", line=0, indent=0, amount=540_00, hours=1.5)


def job(*rows: Row, name: str = "Alternator", **fields: Any) -> Job:
    return evolve(Job(name=name, indent=0, rows=[*rows]), **fields)


@pytest.mark.parametrize(("row", "expected"), [(PART, False), (LABOR, True), (BOTH, False), (LUMP, True)])
def test_row_is_labor_by_its_label_or_by_hours_without_parts(row: Row, *, expected: bool) -> None:
    assert is_labor(row) is expected


@pytest.mark.parametrize(
    ("rows", "parts", "labor"),
    [
        ((PART,), 300_00, 0),
        ((LABOR,), 0, 240_00),
        ((PART, LABOR), 300_00, 240_00),
        ((BOTH,), 300_00, 240_00),
        ((BOTH, PART), 600_00, 240_00),
    ],
)
def test_parts_and_labor_of_a_job_are_those_of_its_rows(
    rows: tuple[Row, ...], parts: int, labor: int
) -> None:
    assert (parts_of(job(*rows)), labor_of(job(*rows))) == (parts, labor)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [((PART,), False), ((LUMP,), False), ((LUMP, PART), True), ((LABOR,), True), ((PART, LABOR), True)],
)
def test_lists_labor_apart_where_labor_has_a_row_of_its_own(rows: tuple[Row, ...], *, expected: bool) -> None:
    assert lists_labor_apart(job(*rows)) is expected


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        (LUMP, None),
        (evolve(LUMP, rate=160_00), None),
        (evolve(LUMP, rate=360_00), 0),
        (evolve(LUMP, rate=360_00, amount=541_00), 0),
        (evolve(LUMP, rate=360_00, amount=541_01), None),
        (evolve(LUMP, rate=360_00, amount=538_99), None),
        (evolve(LUMP, label=Label.LABOR), 0),
        (BOTH, 300_00),
        (PART, None),
        (evolve(PART, label=Label.PARTS), 300_00),
        (evolve(BOTH, hours=None, amount=200_00), None),  # less than its parts
    ],
)
def test_parts_of_a_single_row_are_known_where_nothing_else_can_be_in_it(row: Row, parts: int | None) -> None:
    assert line_of(job(row), itemized=False).parts_total == parts


def test_line_of_a_job_sums_up_its_hours_and_has_its_first_rate() -> None:
    rows = (
        evolve(LABOR, hours=1.25, rate=160_00),
        evolve(LABOR, hours=0.5, rate=170_00),
        PART,
    )

    line = line_of(job(*rows, hours=9.0, rate=99_00), itemized=True)

    assert (line.total, line.labor_hours, line.labor_rate) == (780_00, 1.75, 160_00)


@pytest.mark.parametrize(("hours", "expected"), [(2.0, 2.0), (0.0, None), (None, None)])
def test_line_of_a_job_without_rows_of_hours_has_those_of_its_heading(
    hours: float | None, expected: float | None
) -> None:
    line = line_of(job(PART, hours=hours, rate=99_00, total=500_00), itemized=False)

    assert (line.total, line.labor_hours, line.labor_rate) == (500_00, expected, 99_00)


@pytest.mark.parametrize(
    ("found", "itemized", "kind"),
    [
        (job(PART), False, LineKind.REPAIR),
        (job(PART), True, LineKind.PART),
        (job(LABOR), True, LineKind.REPAIR),
        (job(evolve(PART, parts=300_00)), True, LineKind.REPAIR),
        (job(PART, has_heading=True), True, LineKind.REPAIR),
        (job(PART, hours=1.0), True, LineKind.REPAIR),
        (job(PART, name="Replace alternator"), True, LineKind.REPAIR),
        (job(evolve(PART, label=Label.PARTS)), False, LineKind.PART),
        (job(PART, name="Alternator kit"), False, LineKind.PART),
    ],
)
def test_line_is_a_part_where_the_quote_lists_labor_apart(
    found: Job, kind: LineKind, *, itemized: bool
) -> None:
    assert line_of(found, itemized=itemized).kind is kind


@pytest.mark.parametrize(
    ("row", "names"),
    [
        (PART, ()),
        (evolve(PART, quantity=1.0), ()),
        (evolve(PART, quantity=2.0), ("2 × Alternator",)),
        (evolve(PART, quantity=2.5), ()),
        (evolve(PART, description="Belt"), ("Belt",)),
        (evolve(PART, description="Belt", quantity=1.0), ("Belt",)),
        (evolve(PART, description="Belt", quantity=2.5), ("Belt",)),
        (evolve(PART, description=""), ()),
        (LABOR, ()),
    ],
)
def test_parts_have_their_names_and_numbers(row: Row, names: tuple[str, ...]) -> None:
    assert line_of(job(row), itemized=False).parts == names


def test_line_has_at_most_twenty_parts() -> None:
    rows = [evolve(PART, description=f"Part {place}") for place in range(21)]

    assert len(line_of(job(*rows), itemized=False).parts) == 20


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (job(PART, name="Starter"), "Starter"),
        (job(evolve(PART, description=""), PART, name=""), "Alternator"),
        (job(evolve(PART, description=""), name=""), "Line without a description"),
        (job(PART, name="a" * 201), "a" * 200),
    ],
)
def test_line_of_a_job_is_described_by_its_name_or_its_rows(found: Job, words: str) -> None:
    assert line_of(found, itemized=False).description == words


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            evolve(PART, description="Diagnosis", hours=1.0, rate=150_00),
            QuoteLine(total=300_00, kind=LineKind.DIAGNOSIS, description="Diagnosis", labor_hours=1.0, labor_rate=150_00),
        ),
        (
            evolve(PART, description="Diagnosis", rate=150_00),
            QuoteLine(total=300_00, kind=LineKind.DIAGNOSIS, description="Diagnosis"),
        ),
        (
            evolve(PART, description="Tax", hours=1.0, rate=150_00),
            QuoteLine(total=300_00, kind=LineKind.TAX, description="Tax"),
        ),
        (
            evolve(PART, description="Coupon"),
            QuoteLine(total=-300_00, kind=LineKind.DISCOUNT, description="Coupon"),
        ),
        (
            evolve(PART, description="Tax", amount=-300_00),
            QuoteLine(total=-300_00, kind=LineKind.DISCOUNT, description="Tax"),
        ),
        (
            evolve(PART, description="", amount=-300_00),
            QuoteLine(total=-300_00, kind=LineKind.DISCOUNT, description="Discount"),
        ),
    ],
)  # fmt: skip
def test_line_of_a_charge_has_its_kind_and_sign(row: Row, expected: QuoteLine) -> None:
    assert line_of(row, itemized=False) == expected


@pytest.mark.parametrize(
    ("row", "hours"),
    [
        (evolve(PART, quantity=2.0), 2.0),
        (evolve(PART, quantity=1.0), 1.0),
        (evolve(PART, quantity=20.0), None),
        (PART, None),
        (evolve(PART, quantity=0.0), None),
        (evolve(PART, quantity=2.0, hours=3.0), 3.0),
    ],
)
def test_count_of_a_row_below_labor_is_its_hours_if_the_rate_is_plausible(
    row: Row, hours: float | None
) -> None:
    found = with_counted_hours(row)

    assert found.hours == hours
    if row.hours is None and hours is not None:
        assert found == evolve(row, hours=hours, quantity=None, label=Label.LABOR)
    else:
        assert found == row


def test_job_is_complete_with_rows_of_labor_and_of_parts() -> None:
    labor, parts = (evolve(LABOR, is_label=True), evolve(PART, label=Label.PARTS, is_label=True))

    assert is_complete(job(labor, parts))
    assert not is_complete(job(labor))
    assert not is_complete(job(labor, evolve(parts, is_label=False)))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (job(LABOR), False),
        (job(LABOR, has_heading=True), True),
        (job(LABOR, PART), True),
        (job(LABOR, evolve(PART, indent=2)), False),
        (job(LABOR, name="Belt"), True),
    ],
)
def test_item_continues_a_job_with_a_heading_or_rows_like_it(found: Job, *, expected: bool) -> None:
    assert continues(found, evolve(PART, description="Belt")) is expected


def test_related_items_begin_with_the_first_that_shares_a_word() -> None:
    items = [job(name=name) for name in ("Alternator", "Front pads", "Replace pads", "Front rotors", "Belt")]

    assert [item.name for item in trailing_related(items, "Pads")] == ["Front pads", "Front rotors", "Belt"]
    assert trailing_related(items, "Starter") == []
    assert trailing_related(items[2:3], "Pads") == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Pads", "Front pads", "Front pads"),
        ("Front pads", "Pads", "Front pads"),
        ("Pads", "Pads!", "Pads"),
        ("Replace pads", "Front pads", "Replace pads"),
        ("Pads", "Rotors", "Rotors"),
    ],
)
def test_fuller_name_has_all_words_of_the_other_or_names_the_work(
    first: str, second: str, expected: str
) -> None:
    assert fuller(first, second) == expected
