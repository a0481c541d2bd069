from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.overlaps import overlaps, shipped_overlaps
from repaircore.kernel.traits import Drive
from repaircore.vehicle_facts.model import EngineBay
from repaircore.vehicle_facts.overlap import (
    Job,
    JobSaving,
    Overlap,
    OverlapCondition,
    OverlapFacts,
    OverlapTable,
)

NOTHING_KNOWN = OverlapFacts()
UNDER_BELT = OverlapFacts(is_pump_under_belt=True, bay=EngineBay.V6_TRANSVERSE, drive=Drive.FWD)
SLUGS = sorted(problem.slug for problem in book().problems)
PARTS = ("Coolant, gallon", "Brake fluid", "Engine oil, quart", "Oil filter", "Axle nut", "Water pump")


def an_overlap(**changes: object) -> Overlap:
    usual: dict[str, object] = {
        "jobs": frozenset({"pads"}),
        "others": frozenset({"bearing"}),
        "share": 0.5,
        "reason": "The wheel comes off once.",
        "source": "editorial",
    }
    return Overlap(**{**usual, **changes})  # type: ignore[arg-type]


def savings(*jobs: Job, overlap: Overlap, facts: OverlapFacts = NOTHING_KNOWN) -> Sequence[JobSaving]:
    return OverlapTable((overlap,)).savings(jobs, facts)


def test_shorter_job_saves_its_share() -> None:
    (saving,) = savings(Job(slug="pads", hours=1.0), Job(slug="bearing", hours=2.0), overlap=an_overlap())

    assert saving == JobSaving(
        job="pads", other="bearing", hours=0.5, parts=0, reason="The wheel comes off once."
    )


def test_shorter_job_saves_though_the_table_expects_it_to_be_longer() -> None:
    (saving,) = savings(Job(slug="pads", hours=3.0), Job(slug="bearing", hours=2.0), overlap=an_overlap())

    assert (saving.job, saving.hours) == ("bearing", 1.0)


def test_hours_limit_the_share() -> None:
    (saving,) = savings(
        Job(slug="pads", hours=4.0), Job(slug="bearing", hours=9.0), overlap=an_overlap(hours=0.3)
    )

    assert saving.hours == 0.3


def test_part_of_both_jobs_is_needed_once() -> None:
    fluid = an_overlap(parts=frozenset({"Brake fluid"}))

    (saving,) = savings(
        Job(slug="pads", hours=1.0, parts={"Brake fluid": 12_00, "Pads": 80_00}),
        Job(slug="bearing", hours=2.0, parts={"Brake fluid": 10_00}),
        overlap=fluid,
    )

    assert saving.parts == 10_00


def test_covered_job_saves_everything_the_other_includes() -> None:
    covering = an_overlap(includes=True)
    pads = Job(slug="pads", hours=1.0, parts={"Pads": 80_00})

    (inside,) = savings(pads, Job(slug="bearing", hours=2.0, parts={"All": 200_00}), overlap=covering)
    (larger,) = savings(pads, Job(slug="bearing", hours=0.4, parts={"All": 50_00}), overlap=covering)

    assert (inside.job, inside.hours, inside.parts) == ("pads", 1.0, 80_00)
    assert (larger.job, larger.hours, larger.parts) == ("pads", 0.4, 50_00)


def test_job_saves_against_one_other_job_only() -> None:
    table = OverlapTable((
        an_overlap(),
        an_overlap(others=frozenset({"strut"}), share=0.9),
    ))  # fmt: skip
    jobs = [Job(slug="pads", hours=1.0), Job(slug="bearing", hours=2.0), Job(slug="strut", hours=3.0)]

    (saving,) = table.savings(jobs, NOTHING_KNOWN)

    assert (saving.other, saving.hours) == ("strut", 0.9)


@pytest.mark.parametrize(
    ("when", "facts", "holds"),
    [
        (OverlapCondition(is_pump_under_belt=True), NOTHING_KNOWN, False),
        (OverlapCondition(is_pump_under_belt=True), UNDER_BELT, True),
        (OverlapCondition(is_pump_under_belt=False), UNDER_BELT, False),
        (OverlapCondition(bays=frozenset({EngineBay.V8})), UNDER_BELT, False),
        (OverlapCondition(bays=frozenset({EngineBay.V6_TRANSVERSE})), UNDER_BELT, True),
        (OverlapCondition(drives=frozenset({Drive.FWD})), UNDER_BELT, True),
        (OverlapCondition(drives=frozenset({Drive.FWD})), NOTHING_KNOWN, False),
    ],
)
def test_condition_requires_known_facts(when: OverlapCondition, facts: OverlapFacts, *, holds: bool) -> None:
    assert when.holds(facts) is holds
    found = savings(
        Job(slug="pads", hours=1.0),
        Job(slug="bearing", hours=2.0),
        overlap=an_overlap(when=when),
        facts=facts,
    )
    assert bool(found) is holds


# The shipped table.


def test_shipped_table_refers_to_repairs_and_parts_of_the_book() -> None:
    parts = {part.name for problem in book().problems for part in problem.parts}

    for overlap in shipped_overlaps().overlaps:
        assert overlap.jobs | overlap.others <= {*SLUGS}
        assert overlap.parts <= parts
        assert overlap.reason.endswith(".")
        assert overlap.source


def test_shipped_table_has_at_least_forty_pairs() -> None:
    pairs = {frozenset({one, other}) for one in SLUGS for other in shipped_overlaps().partners(one)}

    assert len(pairs) >= 40


def test_part_of_an_overlap_is_used_by_both_jobs() -> None:
    parts_of = {problem.slug: {part.name for part in problem.parts} for problem in book().problems}

    for overlap in shipped_overlaps().overlaps:
        for part in overlap.parts:
            assert any(part in parts_of[slug] for slug in overlap.jobs), (part, overlap.jobs)
            assert any(part in parts_of[slug] for slug in overlap.others), (part, overlap.others)


@pytest.mark.parametrize(
    "line",
    [
        'with = ["b"]\nshare = 0.5\nreason = "x."\nsource = "editorial"',
        'jobs = ["a"]\nwith = ["b"]\nshare = 1.5\nreason = "x."\nsource = "editorial"',
        'jobs = ["a"]\nwith = ["b"]\nshare = 0\nreason = "x."\nsource = "editorial"',
        'jobs = ["a"]\nwith = ["b"]\nhours = 0\nreason = "x."\nsource = "editorial"',
        'jobs = ["a"]\nwith = ["b"]\nsource = "editorial"',
        'jobs = ["a"]\nwith = ["b"]\nreason = "x."\nsource = "editorial"\nwhen = { color = "red" }',
        'jobs = ["a"]\nwith = ["b"]\nreason = "x."\nsource = "editorial"\nwhen = { bays = ["left"] }',
    ],
)
def test_impossible_entry_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        overlaps(f"[[overlap]]\n{line}\n")


# Properties of all visits. An hour of labor costs a dollar here, so that hours and parts add up to a price.

HOURS = st.integers(0, 2000).map(lambda hundredths: hundredths / 100)
JOBS = st.lists(
    st.builds(
        Job,
        slug=st.sampled_from(SLUGS),
        hours=HOURS,
        parts=st.dictionaries(st.sampled_from(PARTS), st.integers(0, 500_00), max_size=4),
    ),
    max_size=12,
    unique_by=lambda job: job.slug,
)
FACTS = st.builds(
    OverlapFacts,
    bay=st.none() | st.sampled_from(EngineBay),
    is_pump_under_belt=st.none() | st.booleans(),
    drive=st.none() | st.sampled_from(Drive),
)
RELATED = JOBS.flatmap(
    lambda jobs: st.lists(
        st.builds(
            Job,
            slug=st.sampled_from(
                sorted(
                    {partner for job in jobs for partner in shipped_overlaps().partners(job.slug)} or SLUGS
                )
            ),
            hours=HOURS,
            parts=st.dictionaries(st.sampled_from(PARTS), st.integers(0, 500_00), max_size=4),
        ),
        max_size=12,
        unique_by=lambda job: job.slug,
    )
)
"""Jobs that overlap more often than twelve random ones."""


def hours_left(jobs: Sequence[Job], found: Sequence[JobSaving]) -> dict[str, float]:
    saved: dict[str, float] = {}
    for saving in found:
        saved[saving.job] = saved.get(saving.job, 0.0) + saving.hours
    return {job.slug: job.hours - saved.get(job.slug, 0.0) for job in jobs}


def parts_left(jobs: Sequence[Job], found: Sequence[JobSaving]) -> dict[str, int]:
    saved: dict[str, int] = {}
    for saving in found:
        saved[saving.job] = saved.get(saving.job, 0) + saving.parts
    return {job.slug: job.parts_total - saved.get(job.slug, 0) for job in jobs}


@given(jobs=JOBS | RELATED, facts=FACTS)
def test_joint_work_is_between_the_largest_job_and_the_sum(jobs: list[Job], facts: OverlapFacts) -> None:
    found = shipped_overlaps().savings(jobs, facts)

    hours, parts = hours_left(jobs, found), parts_left(jobs, found)
    assert all(left >= -1e-9 for left in hours.values())
    assert all(left >= 0 for left in parts.values())
    assert sum(hours.values()) <= sum(job.hours for job in jobs) + 1e-9
    assert sum(hours.values()) >= max((job.hours for job in jobs), default=0.0) - 1e-9
    assert sum(parts.values()) >= max((job.parts_total for job in jobs), default=0)


@given(jobs=JOBS | RELATED, facts=FACTS, order=st.randoms(use_true_random=False))
def test_order_of_the_lines_does_not_matter(jobs: list[Job], facts: OverlapFacts, order: object) -> None:
    shuffled = [*jobs]
    order.shuffle(shuffled)  # type: ignore[attr-defined]

    def as_set(found: Sequence[JobSaving]) -> set[JobSaving]:
        return {*found}

    table = shipped_overlaps()
    assert as_set(table.savings(shuffled, facts)) == as_set(table.savings(jobs, facts))


@given(jobs=JOBS | RELATED, facts=FACTS)
def test_only_covered_jobs_save_against_a_covered_job(jobs: list[Job], facts: OverlapFacts) -> None:
    found = shipped_overlaps().savings(jobs, facts)

    covered = {saving.job for saving in found if saving.covers}
    assert all(saving.covers for saving in found if saving.other in covered)
