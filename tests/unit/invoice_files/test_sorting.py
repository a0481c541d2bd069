"""Jobs of invoice files that are sure enough to learn from, and the doubts about the others."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from attrs import evolve

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names
from repaircore.book.model import PartKind, Per, Problem
from repaircore.invoice_files.model import key_of
from repaircore.invoice_files.sorting import FAR, NO_LABOR, NO_PARTS, JobSorter, SortedJob
from repaircore.job_matching.model import Outcome
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.quotes.counts import OTHER_COUNT
from repaircore.shop_tables.jobs import CREDIT, MIXED_PARTS, NO_PRICE
from repaircore.shop_tables.model import Job, JobPart
from repaircore.testing.builders import a_vehicle
from repaircore.transactions.file_cells import BadCell

BOOK = book().problems
BY_SLUG = {problem.slug: problem for problem in BOOK}
MATCHER = RepairMatcher(BOOK, job_names())
ALTERNATOR = BY_SLUG["alternator"]
JOB = Job(
    line=2,
    order="7",
    text="R&R alternator",
    vin="1HGCM82633A004352",
    year="",
    make="",
    model="",
    trim="",
    performed_on=date(2025, 1, 31),
    hours=2.1,
    labor=300_00,
    parts_total=400_00,
    total=700_00,
)


def sort(job: Job, *problems: Problem, decisions: Mapping[str, int | None] | None = None) -> SortedJob:
    changed = {problem.slug: problem for problem in problems}
    known = [changed.get(problem.slug, problem) for problem in BOOK]
    sorter = JobSorter(MATCHER, known, vehicle=lambda _: a_vehicle(), decisions=decisions or {})
    return sorter.sort(job)


def doubt(text: str = "R&R alternator", *problems: Problem, **changes: Any) -> str | None:
    match = sort(evolve(JOB, text=text, **changes), *problems).match
    assert match is not None
    assert (match.outcome is Outcome.SURE) is (match.reason is None)
    return match.reason


def test_clear_job_at_a_usual_price_is_sure() -> None:
    match = sort(JOB).match

    assert match is not None
    assert (match.outcome, match.slug) == (Outcome.SURE, "alternator")


@pytest.mark.parametrize(
    ("total", "is_far"), [(200_00, False), (199_99, True), (2_750_00, False), (2_750_01, True)]
)
def test_price_far_from_the_usual_ones_is_doubtful(total: int, *, is_far: bool) -> None:
    expected = FAR.format(low=ALTERNATOR.low / 100, high=ALTERNATOR.high / 100)

    assert (ALTERNATOR.low, ALTERNATOR.high) == (500_00, 1_100_00)
    assert doubt(total=total) == (expected if is_far else None)


@pytest.mark.parametrize(
    ("hours", "labor", "book_hours", "expected"),
    [
        (None, 0, 2.1, NO_LABOR),
        (2.1, 0, 2.1, None),
        (None, None, 2.1, None),
        (None, 0, 0.5, None),
        (None, 0, 0.51, NO_LABOR),
    ],
)
def test_job_without_labor_is_doubtful_if_the_repair_takes_half_an_hour(
    hours: float | None, labor: int | None, book_hours: float, expected: str | None
) -> None:
    assert (
        doubt("R&R alternator", evolve(ALTERNATOR, labor_hours=book_hours), hours=hours, labor=labor)
        == expected
    )


@pytest.mark.parametrize(
    ("parts_total", "price", "expected"),
    [(0, 20_01, NO_PARTS), (0, 20_00, None), (None, 20_01, None), (1, 20_01, None)],
)
def test_job_without_parts_is_doubtful_if_the_repair_takes_some(
    parts_total: int | None, price: int, expected: str | None
) -> None:
    cheap = evolve(ALTERNATOR, parts=(evolve(ALTERNATOR.parts[0], price=price),))

    assert doubt("R&R alternator", cheap, parts_total=parts_total) == expected


@pytest.mark.parametrize(
    ("text", "total", "expected"),
    [
        ("Replaced spark plugs", 250_00, None),
        ("Replaced spark plug cyl 3", 250_00, OTHER_COUNT),
        ("Replaced spark plugs #3", 250_00, OTHER_COUNT),
        ("tire rotation", 30_00, None),
        ("tire rotation 2 wheels", 30_00, OTHER_COUNT),
        ("LF CV axle", 500_00, None),
        ("LF & RF CV axle", 500_00, OTHER_COUNT),
    ],
)
def test_text_with_another_number_than_the_repair_has_is_doubtful(
    text: str, total: int, expected: str | None
) -> None:
    assert doubt(text, total=total) == expected


@pytest.mark.parametrize(
    ("quantities", "expected"), [((), None), ((1,), None), ((2,), OTHER_COUNT), ((1, 1), OTHER_COUNT)]
)
def test_parts_in_another_number_than_the_repair_takes_are_doubtful(
    quantities: tuple[int, ...], expected: str | None
) -> None:
    parts = tuple(JobPart(name="CV AXLE SHAFT", quantity=count, unit_price=200_00) for count in quantities)

    assert doubt("Replaced CV axle", total=500_00, parts=parts) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, OTHER_COUNT),
        ({"kind": PartKind.FLUID}, None),
        ({"per": Per.CYLINDER}, None),
        ({"quantity": 2}, None),
    ],
)
def test_only_parts_in_a_fixed_number_are_counted(changes: dict[str, Any], expected: str | None) -> None:
    part = evolve(ALTERNATOR.parts[0], **changes)
    parts = (JobPart(name=part.name, quantity=2, unit_price=200_00),)

    assert doubt("R&R alternator", evolve(ALTERNATOR, parts=(part,)), parts=parts) == expected
    assert doubt("R&R alternator", evolve(ALTERNATOR, parts=()), parts=parts) is None


def test_doubt_of_the_file_comes_before_others() -> None:
    assert doubt(doubts=(MIXED_PARTS,), total=1) == MIXED_PARTS


@pytest.mark.parametrize("what", [NO_PRICE, CREDIT])
def test_job_without_a_price_is_no_repair(what: str) -> None:
    assert sort(evolve(JOB, doubts=(what,), problem="alternator")).match is None


@pytest.mark.parametrize("problem", ["alternator", str(ALTERNATOR.id), f" {ALTERNATOR.id} "])
def test_repair_that_the_file_names_is_sure(problem: str) -> None:
    match = sort(evolve(JOB, text="something", problem=problem, total=1)).match

    assert match is not None
    assert (match.outcome, match.slug) == (Outcome.SURE, "alternator")


@pytest.mark.parametrize("problem", ["flux-capacitor", "99999999"])
def test_repair_that_the_file_names_must_exist(problem: str) -> None:
    with pytest.raises(BadCell, match="There is no repair"):
        sort(evolve(JOB, problem=problem))


def test_earlier_decision_about_a_text_counts_unless_the_job_is_doubtful() -> None:
    job = evolve(JOB, text="Zzyzx special", total=1)
    decisions = {key_of(job.text): ALTERNATOR.id}
    sure, unsure = (sort(one, decisions=decisions).match for one in (job, evolve(job, doubts=(MIXED_PARTS,))))

    assert sort(job, decisions={key_of(job.text): None}).match is None
    assert sure is not None
    assert (sure.outcome, sure.slug) == (Outcome.SURE, "alternator")
    assert unsure is not None
    assert (unsure.outcome, unsure.reason, unsure.suggestions) == (
        Outcome.UNSURE,
        MIXED_PARTS,
        ("alternator",),
    )
