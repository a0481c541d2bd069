"""Repairs on one quote that share labor or parts: their joint prices, and what is charged twice."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.wording import money
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.shop_words import significant_words
from repaircore.quotes.comparison import Expected
from repaircore.vehicle_facts.overlap import Job, JobSaving, OverlapFacts, OverlapTable


@frozen(kw_only=True)
class QuotedJob:
    """A line that is compared with a repair.

    ``name`` is the repair's, ``core`` has the words that distinguish it within its category, and ``expected`` is its
    price by itself.
    """

    line: QuoteLine
    slug: str
    name: str
    core: frozenset[str]
    expected: Expected

    @property
    def words(self) -> str:
        """Return the shop's words, including those for parts; the repair's name replaces a missing description."""
        return " ".join([self.line.description or self.name, *self.line.parts])


@frozen(kw_only=True)
class JointPrice:
    """The price of a line, given the other lines of its quote.

    ``expected`` is None if nothing is left to pay. ``charged_twice`` is a sentence about what another line already charges,
    or None. ``questions`` are for the shop.
    """

    expected: Expected | None
    charged_twice: str | None = None
    questions: tuple[str, ...] = ()


def joint_prices(
    jobs: Sequence[QuotedJob], table: OverlapTable, facts: OverlapFacts
) -> tuple[JointPrice, ...]:
    """Return the joint prices of the lines, in order; what they share is counted once, as for a visit."""
    again = _repeated_lines(jobs)
    named_once = [place for place in range(len(jobs)) if place not in again]
    shared = _shared(jobs, named_once, table, facts)
    left = {place: _remaining(jobs, place, shared.get(place, ())) for place in named_once}
    return tuple(
        _repeated_price(job, jobs[again[place]])
        if place in again
        else _joint_price(jobs, place, left, shared)
        for place, job in enumerate(jobs)
    )


@frozen(kw_only=True)
class _Shared:
    """The saving on a line because of the line at index ``other``."""

    other: int
    saving: JobSaving


def _repeated_lines(jobs: Sequence[QuotedJob]) -> Mapping[int, int]:
    """Map the index of each line that names the same repair as an earlier line to the index of the earlier one."""
    found: dict[int, int] = {}
    for place, job in enumerate(jobs):
        for before in range(place):
            if before not in found and jobs[before].slug == job.slug and not _are_apart(jobs[before], job):
                found[place] = before
                break
    return found


def _repeated_price(job: QuotedJob, first: QuotedJob) -> JointPrice:
    is_split = _names_labor(job) != _names_labor(first)
    both = job.line.total + first.line.total
    if is_split and both <= first.expected.high:
        return JointPrice(expected=None)  # the labor and the parts of one repair
    if is_split and 0 in {job.line.parts_total, first.line.parts_total}:
        return JointPrice(
            expected=None,
            charged_twice=(
                f"The labor and the parts of {job.name} are on two lines: together they cost {money(both)}, "
                f"when at most {money(first.expected.high)} is usual."
            ),
            questions=(
                f"How many hours of labor does {job.name} take in total, and what do its parts cost?",
            ),
        )
    verb, they = _verb_and_pronoun(job.name)
    return JointPrice(
        expected=None,
        charged_twice=f"{job.name} {verb} on this quote twice: {they} should be charged only once.",
        questions=(f"Why {verb} {job.name} on the quote twice, and what is each of the two charges for?",),
    )


def _shared(
    jobs: Sequence[QuotedJob], named_once: Sequence[int], table: OverlapTable, facts: OverlapFacts
) -> Mapping[int, Sequence[_Shared]]:
    """Return the savings on each line because of other lines, by index; work on the left saves nothing on the right."""
    by_slug: dict[str, list[int]] = {}
    for place in named_once:
        by_slug.setdefault(jobs[place].slug, []).append(place)
    longest = [max((jobs[place] for place in places), key=_hours) for places in by_slug.values()]
    found: dict[int, list[_Shared]] = {}
    for saving in table.savings([_job(job) for job in longest], facts):
        taken: set[int] = set()
        for place in by_slug[saving.job]:
            others = [
                other
                for other in by_slug[saving.other]
                if other not in taken and not _are_apart(jobs[place], jobs[other])
            ]
            if others:
                found.setdefault(place, []).append(_Shared(other=others[0], saving=saving))
                taken |= {others[0]} if saving.covers else set()
    return found


def _hours(job: QuotedJob) -> float:
    return job.expected.hours


def _job(job: QuotedJob) -> Job:
    return Job(slug=job.slug, hours=job.expected.hours, parts=job.expected.items)


def _remaining(jobs: Sequence[QuotedJob], place: int, shared: Sequence[_Shared]) -> Expected | None:
    """Return the expected price of a line after its savings, or None if nothing is left.

    Its range shrinks in proportion.
    """
    expected = jobs[place].expected
    labor, parts, hours = expected.average - expected.parts, expected.parts, expected.hours
    for work in shared:
        other = jobs[work.other].expected
        share = work.saving.hours / expected.hours if expected.hours else 0.0
        alone = expected.average - expected.parts
        labor -= min(alone, other.average - other.parts, round_half_up(alone * share))
        parts -= work.saving.parts
        hours -= work.saving.hours
    labor, parts, hours = max(0, labor), max(0, parts), max(0.0, hours)
    average = labor + parts
    if average == 0:
        return None
    ratio = average / expected.average
    return evolve(
        expected,
        low=max(1, round_half_up(expected.low * ratio)),
        average=average,
        high=round_half_up(expected.high * ratio),
        hours=hours,
        parts=parts,
        center=expected.center * ratio,
    )


def _joint_price(
    jobs: Sequence[QuotedJob],
    place: int,
    left: Mapping[int, Expected | None],
    shared: Mapping[int, Sequence[_Shared]],
) -> JointPrice:
    own = shared.get(place, ())
    main = next((work.other for work in own if work.saving.covers), None)
    if main is None:
        return JointPrice(
            expected=left[place], questions=tuple(_shared_work_questions(jobs[place], left[place], own))
        )
    parts_of_it = [
        number for number, found in shared.items() if any(_is_part_of(work, main) for work in found)
    ]
    return _contained(
        jobs[place], jobs[main], left[place], is_above=_is_above(jobs, [main, *parts_of_it], left)
    )


def _is_part_of(work: _Shared, main: int) -> bool:
    return work.saving.covers and work.other == main


def _is_above(jobs: Sequence[QuotedJob], places: Sequence[int], left: Mapping[int, Expected | None]) -> bool:
    """Return whether the lines together exceed what eight out of ten pay for them."""
    high = sum(expected.high for place in places if (expected := left[place]) is not None)
    return sum(jobs[place].line.total for place in places) > high


def _contained(job: QuotedJob, main: QuotedJob, left: Expected | None, *, is_above: bool) -> JointPrice:
    """Return the joint price of a line that is part of another.

    A shop may split one price between the two, unless it names the contained work in both.
    """
    is_named = bool(job.core) and job.core <= significant_words(main.words)
    verb, they = _verb_and_pronoun(job.name)
    if not (is_named or is_above):
        return JointPrice(expected=left)
    return JointPrice(
        expected=left,
        charged_twice=f"{job.name} {verb} part of {main.name} on this quote: {they} should be charged only once.",
        questions=(
            f"Does the price of {main.name} include {job.name}, and will the second charge be removed?",
        ),
    )


def _shared_work_questions(job: QuotedJob, left: Expected | None, shared: Sequence[_Shared]) -> Sequence[str]:
    """Return questions about work that a line shares with others, unless its price already allows for it."""
    if left is not None and job.line.total <= left.high:
        return ()
    return [
        f"{work.saving.reason} {'Is that labor' if work.saving.hours else 'Are those parts'} charged once?"
        for work in shared
    ]


def _verb_and_pronoun(name: str) -> tuple[str, str]:
    """Return the verb and the pronoun that go with a name."""
    last = name.lower().split("(")[0].split()[-1]
    return ("are", "they") if last.endswith("s") and not last.endswith("ss") else ("is", "it")


_LABOR: Final = re.compile(r"\b(?:labou?r|install\w*)\b", re.IGNORECASE)


def _names_labor(job: QuotedJob) -> bool:
    is_labor_alone = job.line.parts_total == 0 and job.expected.parts > 0
    return is_labor_alone or _LABOR.search(job.line.description or "") is not None


def _axis(*places: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in places)


_AXES: Final = (
    _axis(
        r"left|lh|lf|lr|lt|driver'?s?|l/[fr]|both|pair|l ?[/&] ?r",
        r"right|rh|rf|rr|rt|passenger'?s?|r/[fr]|both|pair|l ?[/&] ?r",
    ),
    _axis(r"front|frt|fr|lf|rf|[lr]/f", r"rear|back|rr|lr|[lr]/r"),
    _axis(r"upper|upr", r"lower|lwr"),
    _axis(r"inner|inr", r"outer|otr"),
    _axis("upstream", "downstream"),
)
"""Where one of several similar parts is: for each axis, the words for one side and for its opposite."""

_NUMBER: Final = re.compile(r"(?:\b(?:bank|cyl(?:inder)?|sensor|no|number)\.?\s*|#\s*)(\d)", re.IGNORECASE)


def _are_apart(one: QuotedJob, other: QuotedJob) -> bool:
    """Return whether the words of two lines name different locations, such as left and right, or cylinders 1 and 2."""
    return any(
        first and second and first.isdisjoint(second)
        for first, second in zip(_places(one.words), _places(other.words), strict=True)
    )


def _places(text: str) -> Sequence[frozenset[int]]:
    """Return the locations that ``text`` names, on each axis and by number."""
    on_axes = [frozenset(number for number, words in enumerate(axis) if words.search(text)) for axis in _AXES]
    return [*on_axes, frozenset(int(number) for number in _NUMBER.findall(text))]


def charged_twice_amount(total: Cents, left: Expected | None) -> Cents:
    """Return how much a line that is charged twice exceeds what is left to pay."""
    return max(0, total - (0 if left is None else left.high))


def included_in(description: str, jobs: Sequence[QuotedJob]) -> str | None:
    """Return the name of the repair whose expected price includes a part that is on a separate line, or None.

    Only minor parts and fluids are included, such as the coolant for a water pump.
    """
    words = significant_words(description) - _OF_FLUIDS
    for job in jobs:
        for item in [*job.expected.items][1:]:
            named = significant_words(item) - _OF_FLUIDS
            if named and words == named:
                return job.name
    return None


_OF_FLUIDS: Final = frozenset(
    [
        "0w20",
        "5w30",
        "atf",
        "bottle",
        "conventional",
        "dexcool",
        "engine",
        "full",
        "jug",
        "lb",
        "life",
        "long",
        "mercon",
        "pound",
        "premix",
        "quart",
        "spec",
        "synthetic",
        "universal",
    ]
)
"""Words that do not turn a fluid into another one."""
