"""Jobs of invoice files that are sure enough to learn from, and the doubts about the others."""

from collections.abc import Callable, Mapping
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
from repaircore.vehicles.model import Vehicle

BOOK = book().problems
BY_SLUG = {problem.slug: problem for problem in BOOK}
MATCHER = RepairMatcher(BOOK, job_names())
ALTERNATOR = BY_SLUG["alternator"]
SYNTHETIC = BY_SLUG["oil-change-synthetic"]
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


def lookup(*known: object) -> tuple[list[object], Callable[[Any], Vehicle]]:
    """Return the keys that are looked up, and a lookup that knows some."""
    keys: list[object] = []

    def vehicle(key: object) -> Vehicle:
        keys.append(key)
        if key not in known:
            raise BadCell(f"{key} is not known.")
        return a_vehicle()

    return keys, vehicle


def sort_by(vehicle: Callable[[Any], Vehicle], **changes: Any) -> Job:
    return JobSorter(MATCHER, BOOK, vehicle=vehicle, decisions={}).sort(evolve(JOB, **changes)).job


NAMED: dict[str, Any] = {"year": "2003", "make": "Honda", "model": "Accord EX Coupe"}


def test_vehicle_of_a_job_is_found_by_the_start_of_its_vin() -> None:
    keys, vehicle = lookup(JOB.vin[:11])

    assert sort_by(vehicle, **NAMED) == evolve(JOB, **NAMED)
    assert keys == [JOB.vin[:11]]


@pytest.mark.parametrize(
    ("changes", "known", "expected"),
    [
        ({}, ("2003", "Honda", "Accord", "EX Coupe"), ("Accord", "EX Coupe")),
        ({}, ("2003", "Honda", "Accord EX Coupe", ""), ("Accord EX Coupe", "")),
        ({"trim": "LX"}, ("2003", "Honda", "Accord EX", "LX"), ("Accord EX", "LX")),
        ({"model": "A B C D E F"}, ("2003", "Honda", "A B C D E", ""), ("A B C D E", "")),
    ],
)
@pytest.mark.parametrize(("vin", "kept"), [(JOB.vin, JOB.vin), ("1HG", ""), ("", "")])
def test_vehicle_of_a_job_is_found_by_its_model_without_its_last_words(
    changes: dict[str, Any], known: object, expected: tuple[str, str], vin: str, kept: str
) -> None:
    _, vehicle = lookup(known)

    found = sort_by(vehicle, vin=vin, **NAMED | changes)

    assert (found.model, found.trim, found.vin) == (*expected, kept)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, f"{JOB.vin[:11]} is not known"),
        ({"make": "Honda"}, f"{JOB.vin[:11]} is not known"),
        ({"vin": "1HG"}, "this one has 3"),
        ({"vin": "1HG", "make": "Honda", "model": "Accord"}, "this one has 3"),
        ({"vin": "1HG", "year": "2003", "model": "Accord"}, "this one has 3"),
        ({"vin": "1HG", "year": "2003", "make": "Honda", "model": " "}, "this one has 3"),
        ({"vin": "", **NAMED}, "'Accord EX Coupe', ''"),
    ],
)
def test_job_of_an_unknown_vehicle_is_rejected(changes: dict[str, str], reason: str) -> None:
    _, vehicle = lookup()

    with pytest.raises(BadCell, match=reason):
        sort_by(vehicle, **changes)


@pytest.mark.parametrize(
    ("total", "outcome"),
    [
        (SYNTHETIC.low, Outcome.SURE),
        (SYNTHETIC.high, Outcome.SURE),
        (SYNTHETIC.low - 1, Outcome.UNSURE),
        (SYNTHETIC.high + 1, Outcome.UNSURE),
        (None, Outcome.UNSURE),
    ],
)
def test_oil_that_is_not_named_is_the_usual_one_at_its_price(total: int | None, outcome: Outcome) -> None:
    job = evolve(JOB, text="oil and filter change", total=total, labor=None, parts_total=None, hours=None)
    match = sort(job).match

    assert match is not None
    assert match.outcome is outcome
    assert match.slug == (SYNTHETIC.slug if outcome is Outcome.SURE else None)


def test_named_and_decided_repairs_have_full_confidence() -> None:
    named = sort(evolve(JOB, problem="alternator")).match
    decided = sort(JOB, decisions={key_of(JOB.text): ALTERNATOR.id}).match
    doubted = sort(evolve(JOB, total=1)).match

    assert named is not None
    assert decided is not None
    assert doubted is not None
    assert (named.confidence, decided.confidence, doubted.confidence) == (1, 1, 0.5)


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
