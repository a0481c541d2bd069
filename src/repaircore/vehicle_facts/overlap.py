"""Overlapping labor: what is saved when several jobs on one vehicle are done in one visit.

A job that another one covers is done along with it, and saves everything that the other job also includes. The rest are
sorted by hours, longest first, and each saves the hours that it shares with one earlier job, the one with which it
shares the most: a wheel comes off once, however many jobs need it off. So a job never saves more hours than it takes or
than the other job takes, and a covered job saves nothing for other jobs. It follows that all jobs together cost no more
than separately and no less than the most expensive one alone, and that the order of the lines does not matter.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from attrs import field, frozen

from repaircore.kernel.money import Cents
from repaircore.kernel.traits import Drive
from repaircore.vehicle_facts.model import EngineBay, Factors, VehicleSpecs


@frozen(kw_only=True)
class OverlapFacts:
    """The facts about a vehicle that decide whether jobs overlap.

    ``is_pump_under_belt`` says whether the timing belt has to come off before the water pump. Unknown facts are None;
    an overlap that depends on one saves nothing.
    """

    bay: EngineBay | None = None
    is_pump_under_belt: bool | None = None
    drive: Drive | None = None


@frozen(kw_only=True)
class OverlapCondition:
    """The vehicles on which jobs overlap; an empty set, or None, matches every vehicle."""

    bays: frozenset[EngineBay] = frozenset()
    drives: frozenset[Drive] = frozenset()
    is_pump_under_belt: bool | None = None

    def holds(self, facts: OverlapFacts) -> bool:
        """Return whether jobs overlap on a vehicle; unknown facts meet no condition."""
        return (
            (not self.bays or facts.bay in self.bays)
            and (not self.drives or facts.drive in self.drives)
            and self.is_pump_under_belt in {None, facts.is_pump_under_belt}
        )


ALWAYS: Final = OverlapCondition()


@frozen(kw_only=True)
class Overlap:
    """Work that two jobs share.

    Each of ``jobs`` (slugs of repairs) shares it with each of ``others``. The shorter job saves ``share`` of its hours
    (0 to 1), or ``hours`` if that is less. ``parts`` are the names of shared parts that the visit needs only once;
    ``includes`` means that the others include everything that each of ``jobs`` takes. ``reason`` is a sentence for the
    customer.
    """

    jobs: frozenset[str]
    others: frozenset[str]
    share: float = 1.0
    hours: float | None = None
    parts: frozenset[str] = frozenset()
    includes: bool = False
    when: OverlapCondition = ALWAYS
    reason: str
    source: str

    def is_between(self, one: str, other: str) -> bool:
        """Return whether these two jobs share the work."""
        return (one in self.jobs and other in self.others) or (other in self.jobs and one in self.others)

    def covers(self, job: str, other: str) -> bool:
        """Return whether the other job includes everything that a job takes."""
        return self.includes and job in self.jobs and other in self.others

    def hours_saved(self, shorter: float, longer: float) -> float:
        """Return the hours that the shorter job saves."""
        saved = self.share * min(shorter, longer)
        return saved if self.hours is None else min(self.hours, saved)


@frozen(kw_only=True)
class SharedWork:
    """The stored form of work that the repairs in a visit share: an ``Overlap`` without a condition or a source."""

    jobs: tuple[str, ...]
    others: tuple[str, ...]
    share: float
    hours: float | None
    parts: tuple[str, ...]
    includes: bool
    reason: str

    @classmethod
    def of(cls, overlap: Overlap, slugs: AbstractSet[str]) -> "SharedWork":
        """Return the part of an overlap that concerns the given repairs."""
        return cls(
            jobs=tuple(sorted(overlap.jobs & slugs)),
            others=tuple(sorted(overlap.others & slugs)),
            share=overlap.share,
            hours=overlap.hours,
            parts=tuple(sorted(overlap.parts)),
            includes=overlap.includes,
            reason=overlap.reason,
        )

    @property
    def overlap(self) -> Overlap:
        """Return the shared work as an overlap, without a condition or a source."""
        return Overlap(
            jobs=frozenset(self.jobs),
            others=frozenset(self.others),
            share=self.share,
            hours=self.hours,
            parts=frozenset(self.parts),
            includes=self.includes,
            reason=self.reason,
            source="",
        )


@frozen(kw_only=True)
class Job:
    """A repair in a visit: its slug, its hours, and the prices of its parts by name, in cents."""

    slug: str
    hours: float
    parts: Mapping[str, Cents] = field(factory=dict)

    @property
    def parts_total(self) -> Cents:
        """Return the total price of the parts."""
        return sum(self.parts.values())


@frozen(kw_only=True)
class JobSaving:
    """What one job saves because of another: hours, and parts (in cents) that the visit needs only once.

    ``covers`` means that the other job includes everything that this one takes.
    """

    job: str
    other: str
    hours: float
    parts: Cents
    reason: str
    covers: bool = False


@frozen
class OverlapTable:
    """The overlaps of the repair book."""

    overlaps: tuple[Overlap, ...]
    _by_slug: Mapping[str, Sequence[Overlap]] = field(init=False, repr=False, eq=False)

    @_by_slug.default
    def _index(self) -> Mapping[str, Sequence[Overlap]]:
        found: dict[str, list[Overlap]] = {}
        for overlap in self.overlaps:
            for slug in overlap.jobs | overlap.others:
                found.setdefault(slug, []).append(overlap)
        return found

    def between(self, one: str, other: str, facts: OverlapFacts) -> Iterator[Overlap]:
        """Yield the work that two jobs share on a vehicle."""
        for overlap in self._by_slug.get(one, ()):
            if overlap.is_between(one, other) and overlap.when.holds(facts):
                yield overlap

    def partners(self, slug: str) -> AbstractSet[str]:
        """Return the repairs that share work with a repair on at least some vehicles."""
        found = {
            other
            for overlap in self.overlaps
            for ours, theirs in ((overlap.jobs, overlap.others), (overlap.others, overlap.jobs))
            if slug in ours
            for other in theirs
        }
        return found - {slug}

    def shared_work(self, slugs: AbstractSet[str], facts: OverlapFacts) -> tuple["SharedWork", ...]:
        """Return the work that the given repairs share on a vehicle."""
        return tuple(
            SharedWork.of(overlap, slugs)
            for overlap in self.overlaps
            if overlap.when.holds(facts) and overlap.jobs & slugs and overlap.others & slugs
        )

    def savings(self, jobs: Sequence[Job], facts: OverlapFacts) -> Sequence[JobSaving]:
        """Return the savings from doing jobs together, in no particular order; no slug may occur twice in ``jobs``."""
        by_hours = sorted(jobs, key=lambda job: (-job.hours, job.slug))
        coverers = {job.slug: self._coverers(job, by_hours, facts) for job in by_hours}
        whole = [job for job in by_hours if not coverers[job.slug]]
        found: list[JobSaving] = []
        for job in by_hours:
            if coverers[job.slug]:
                main = next((pair for pair in coverers[job.slug] if pair[0] in whole), coverers[job.slug][0])
                found.append(_covered(job, *main))
        for place, job in enumerate(whole):
            shared = [
                (other, overlap)
                for other in whole[:place]
                for overlap in self.between(job.slug, other.slug, facts)
            ]
            found += _savings_of(job, shared)
        return found

    def _coverers(self, job: Job, among: Sequence[Job], facts: OverlapFacts) -> Sequence[tuple[Job, Overlap]]:
        """Return the jobs that include everything that a job takes, longest first, each with its overlap."""
        return [
            (other, overlap)
            for other in among
            if other is not job
            for overlap in self.between(job.slug, other.slug, facts)
            if overlap.covers(job.slug, other.slug)
        ]


def overlap_facts(about: VehicleSpecs, factors: Factors) -> OverlapFacts:
    """Return the facts that decide which jobs overlap on a vehicle.

    A fact is None if it differs between the possible engines.
    """
    possible = [own for _, own in factors.possible] or [factors]
    bays, belts = {own.bay for own in possible}, {own.pump_under_belt for own in possible}
    return OverlapFacts(
        bay=bays.pop() if len(bays) == 1 else None,
        is_pump_under_belt=belts.pop() if len(belts) == 1 else None,
        drive=about.facts.drive or about.drive,
    )


def _covered(job: Job, other: Job, overlap: Overlap) -> JobSaving:
    return JobSaving(
        job=job.slug,
        other=other.slug,
        hours=min(job.hours, other.hours),
        parts=min(job.parts_total, other.parts_total),
        reason=overlap.reason,
        covers=True,
    )


def _savings_of(job: Job, shared: Sequence[tuple[Job, Overlap]]) -> Sequence[JobSaving]:
    """Return what a job saves because of others: the most hours that any one of them saves, and all shared parts.

    Hours and parts because of the same other job are one saving.
    """
    if not shared:
        return ()
    best, overlap = max(shared, key=lambda pair: pair[1].hours_saved(job.hours, pair[0].hours))
    parts: dict[str, tuple[Cents, str]] = {}
    for name, price in job.parts.items():
        _save_part(parts, name, price, shared)
    hours = {best.slug: (overlap.hours_saved(job.hours, best.hours), overlap.reason)}
    found = [
        JobSaving(
            job=job.slug,
            other=other,
            hours=hours.get(other, (0.0, ""))[0],
            parts=parts.get(other, (0, ""))[0],
            reason=(hours.get(other) or parts[other])[1],
        )
        for other in {**hours, **parts}
    ]
    return [saving for saving in found if saving.hours > 0 or saving.parts > 0]


def _save_part(
    saved: dict[str, tuple[Cents, str]], name: str, price: Cents, shared: Sequence[tuple[Job, Overlap]]
) -> None:
    having = [pair for pair in shared if name in pair[1].parts and pair[0].parts.get(name, 0) > 0]
    if having:
        other, overlap = max(having, key=lambda pair: pair[0].parts[name])
        before, _ = saved.get(other.slug, (0, ""))
        saved[other.slug] = before + min(price, other.parts[name]), overlap.reason
