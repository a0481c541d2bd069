from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.overlaps import overlaps, shipped_overlaps
from repaircore.kernel.facts import Engine, VehicleFacts
from repaircore.kernel.traits import Drive
from repaircore.vehicle_facts.model import EngineBay, Factors, VehicleSpecs
from repaircore.vehicle_facts.overlap import (
    Job,
    JobSaving,
    Overlap,
    OverlapCondition,
    OverlapFacts,
    OverlapTable,
    SharedWork,
    overlap_facts,
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


# The rules, of small tables.


def test_overlap_is_between_its_jobs_and_the_others_only() -> None:
    overlap = an_overlap(jobs=frozenset({"pads", "rotors"}))

    assert overlap.is_between("pads", "bearing")
    assert overlap.is_between("bearing", "rotors")
    for one, other in (("pads", "rotors"), ("bearing", "bearing"), ("pads", "strut"), ("strut", "pads")):
        assert not overlap.is_between(one, other)


def test_only_one_side_of_an_overlap_includes_the_other() -> None:
    covering = an_overlap(includes=True)

    assert covering.covers("pads", "bearing")
    assert not covering.covers("bearing", "pads")
    assert not covering.covers("pads", "strut")
    assert not an_overlap().covers("pads", "bearing")


@pytest.mark.parametrize(
    ("hours", "shorter", "longer", "saved"),
    [(None, 2.0, 3.0, 1.0), (None, 3.0, 2.0, 1.0), (0.9, 2.0, 3.0, 0.9), (1.5, 2.0, 3.0, 1.0)],
)
def test_hours_saved_are_a_share_of_the_shorter_job_up_to_the_limit(
    hours: float | None, shorter: float, longer: float, saved: float
) -> None:
    assert an_overlap(hours=hours).hours_saved(shorter, longer) == saved


def test_partners_of_a_repair_lie_on_the_other_side() -> None:
    table = OverlapTable((
        an_overlap(jobs=frozenset({"pads", "rotors"})),
        an_overlap(jobs=frozenset({"strut", "pads"}), others=frozenset({"pads"})),
    ))  # fmt: skip

    assert table.partners("pads") == {"bearing", "strut"}
    assert table.partners("bearing") == {"pads", "rotors"}
    assert table.partners("radiator") == set()


def test_shared_work_concerns_repairs_on_both_sides() -> None:
    rear = OverlapCondition(drives=frozenset({Drive.RWD}))
    table = OverlapTable((
        an_overlap(jobs=frozenset({"pads", "rotors"}), parts=frozenset({"Nut", "Fluid"}), hours=0.3),
        an_overlap(others=frozenset({"strut"})),
        an_overlap(when=rear),
    ))  # fmt: skip

    (found,) = table.shared_work(frozenset({"pads", "bearing"}), NOTHING_KNOWN)

    assert found == SharedWork(
        jobs=("pads",),
        others=("bearing",),
        share=0.5,
        hours=0.3,
        parts=("Fluid", "Nut"),
        includes=False,
        reason="The wheel comes off once.",
    )
    assert SharedWork.of(found.overlap, frozenset({"pads", "bearing"})) == found
    assert found.overlap.source == ""
    assert table.shared_work(frozenset({"bearing"}), NOTHING_KNOWN) == ()
    assert len(table.shared_work(frozenset({"pads", "bearing"}), OverlapFacts(drive=Drive.RWD))) == 2


def test_jobs_of_equal_hours_are_compared_in_the_order_of_their_names() -> None:
    (saving,) = savings(Job(slug="pads", hours=2.0), Job(slug="bearing", hours=2.0), overlap=an_overlap())

    assert (saving.job, saving.other, saving.hours) == ("pads", "bearing", 1.0)


def test_job_is_covered_by_the_longest_that_is_not_covered_itself() -> None:
    table = OverlapTable((
        an_overlap(jobs=frozenset({"flush"}), others=frozenset({"radiator", "engine"}), includes=True),
        an_overlap(jobs=frozenset({"engine"}), others=frozenset({"swap"}), includes=True),
    ))  # fmt: skip
    flush, radiator = Job(slug="flush", hours=1.0), Job(slug="radiator", hours=2.0)
    engine, swap = Job(slug="engine", hours=8.0), Job(slug="swap", hours=9.0)

    def coverers(*jobs: Job) -> dict[str, str]:
        return {saving.job: saving.other for saving in table.savings(jobs, NOTHING_KNOWN) if saving.covers}

    assert coverers(radiator, flush, engine) == {"flush": "engine"}
    assert coverers(radiator, flush, engine, swap) == {"flush": "radiator", "engine": "swap"}
    assert coverers(flush, engine, swap) == {"flush": "engine", "engine": "swap"}


def test_shared_part_is_saved_at_the_lower_price_because_of_the_dearest_other() -> None:
    fluid = frozenset({"Fluid", "Nut"})
    table = OverlapTable((
        an_overlap(others=frozenset({"bearing"}), share=0.9, parts=frozenset({"Nut"}), reason="Hours."),
        an_overlap(others=frozenset({"strut", "hose"}), share=0.1, parts=fluid, reason="Fluid."),
    ))  # fmt: skip
    jobs = [
        Job(slug="pads", hours=1.0, parts={"Fluid": 12, "Nut": 3, "Pads": 80}),
        Job(slug="bearing", hours=2.0, parts={"Nut": 5}),
        Job(slug="strut", hours=3.0, parts={"Fluid": 9, "Nut": 4}),
        Job(slug="hose", hours=4.0, parts={"Fluid": 0}),
    ]

    assert set(table.savings(jobs, NOTHING_KNOWN)) == {
        JobSaving(job="pads", other="bearing", hours=0.9, parts=3, reason="Hours."),
        JobSaving(job="pads", other="strut", hours=0.0, parts=9, reason="Fluid."),
    }


def test_parts_of_one_other_job_add_up_and_jobs_that_save_nothing_are_left_out() -> None:
    both = an_overlap(share=0.0, parts=frozenset({"Fluid", "Nut"}))
    pads = Job(slug="pads", hours=1.0, parts={"Fluid": 12, "Nut": 3})

    (saving,) = savings(pads, Job(slug="bearing", hours=2.0, parts={"Fluid": 10, "Nut": 1}), overlap=both)

    assert (saving.hours, saving.parts) == (0.0, 11)
    (least,) = savings(pads, Job(slug="bearing", hours=2.0, parts={"Nut": 1}), overlap=both)
    assert least.parts == 1
    assert not savings(pads, Job(slug="bearing", hours=2.0), overlap=both)
    assert not savings(pads, Job(slug="strut", hours=2.0, parts={"Fluid": 10}), overlap=both)


def possible(*own: Factors) -> Factors:
    return Factors(labor=1.0, parts=1.0, possible=tuple((Engine(), one) for one in own), bay=EngineBay.FLAT)


def test_facts_about_overlaps_are_unknown_if_the_possible_engines_differ() -> None:
    about = VehicleSpecs(make="Ford", model="F-150", year=2015, source="test")
    v8 = Factors(labor=1.0, parts=1.0, bay=EngineBay.V8, pump_under_belt=True)
    v6 = Factors(labor=1.0, parts=1.0, bay=EngineBay.V6_LONGITUDINAL)

    assert overlap_facts(about, v8) == OverlapFacts(bay=EngineBay.V8, is_pump_under_belt=True)
    assert overlap_facts(about, possible(v8, v8)) == OverlapFacts(bay=EngineBay.V8, is_pump_under_belt=True)
    assert overlap_facts(about, possible(v8, v6)) == OverlapFacts()


def test_drive_in_the_facts_is_preferred_to_that_of_the_name() -> None:
    factors = Factors(labor=1.0, parts=1.0)
    named = VehicleSpecs(make="Ford", model="F-150", year=2015, drive=Drive.RWD, source="test")
    known = VehicleSpecs(
        make="Ford",
        model="F-150",
        year=2015,
        drive=Drive.RWD,
        facts=VehicleFacts(drives=frozenset({Drive.FOUR_WD})),
        source="test",
    )

    assert overlap_facts(named, factors).drive is Drive.RWD
    assert overlap_facts(known, factors).drive is Drive.FOUR_WD
