"""The count of parts in a line: a shop may quote both wheel bearings, while the book prices one.

Counts that cannot be right are found, too: six spark plugs for a V8 are two too few.
"""

from collections.abc import Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.book.equipment import possible_fittings
from repaircore.book.model import PartKind, Problem
from repaircore.kernel.facts import Layout, ValveTrain
from repaircore.kernel.money import round_half_up
from repaircore.quote_text.shop_words import significant_words
from repaircore.quotes.comparison import Expected, PriceAssessment, Verdict
from repaircore.quotes.stated_counts import marked_count, number_before, stated_count, stated_number
from repaircore.vehicle_facts.model import Factors, VehicleSpecs

_FIXED_LABOR: Final = 0.4
"""The share of labor that does not depend on how many parts are replaced; an editorial figure."""

_SETS: Final = frozenset({"set", "kit", "pack"})

OTHER_COUNT: Final = "The text states a different number of parts than the repair has."


def count_factor(
    description: str, parts: Sequence[str], problem: Problem, priced: int | None = None
) -> float:
    """Return the count of a part in a line relative to the book's, or 1 if it is unstated or cannot be compared.

    ``priced`` is how many the price on this vehicle is for, if that is not the book's number: a heavy diesel pickup has
    two batteries.
    """
    usual = _pieces(problem)
    if usual is not None and priced is not None:
        usual = priced
    if usual is None:
        return 1.0
    count = stated_count(description, problem) or _count_of_parts(parts, problem)
    return 1.0 if count is None else count / usual


def for_count(expected: Expected, factor: float) -> Expected:
    """Return the expected price for ``factor`` times as many parts; some of the labor is the same for any number."""
    labor = _FIXED_LABOR + (1 - _FIXED_LABOR) * factor
    parts = round_half_up(expected.parts * factor)
    total = parts + (expected.average - expected.parts) * labor
    ratio = total / expected.average
    average = max(1, round_half_up(total))
    return evolve(
        expected,
        low=max(1, min(average, round_half_up(expected.low * ratio))),
        average=average,
        high=max(average, round_half_up(expected.high * ratio)),
        hours=expected.hours * labor,
        parts=parts,
        items={name: round_half_up(price * factor) for name, price in expected.items.items()},
        center=expected.center * ratio,
    )


def _pieces(problem: Problem) -> int | None:
    """Return how many pieces the book's price is for, one or two; or None for sets, fluids and other counts."""
    if not problem.parts:
        return None
    first = problem.parts[0]
    is_piece = (
        first.kind is PartKind.PART and first.per is None and not _SETS & set(first.name.lower().split())
    )
    return first.quantity if is_piece and first.quantity in {1, 2} else None


def _count_of_parts(parts: Sequence[str], problem: Problem) -> int | None:
    words = significant_words(problem.parts[0].name)
    counts = [
        count
        for part in parts
        if significant_words(part) & words and (count := marked_count(part)) is not None
    ]
    return sum(counts) or None


_OF_AXLES: Final = {
    f"{slug}-{axle}": f"{axle} {noun}"
    for slug, noun in (
        ("brake-rotors", "rotors"),
        ("brake-caliper", "calipers"),
        ("struts", "struts"),
        ("shock-absorbers", "shock absorbers"),
        ("wheel-bearing", "wheel bearings"),
    )
    for axle in ("front", "rear")
}
"""Parts that an axle has two of; replacing only one of them raises no question."""

_PER_AXLE: Final = 2
_NOUNS: Final = {
    "spark-plugs": "spark plugs",
    "ignition-coil": "ignition coils",
    "glow-plugs": "glow plugs",
    **_OF_AXLES,
}
_V8: Final = 8
_COIL_PER_PLUG_FROM: Final = 2003
"""From this model year, pushrod V8s have a coil for each cylinder; those of General Motors use short plug wires."""


@frozen(kw_only=True)
class CountMismatch:
    """The number of parts that a line states, which differs from the number that the engine or axle has.

    ``noun`` is the plural name of the part.
    """

    stated: int
    has: int
    noun: str
    vehicle: str

    @property
    def is_more(self) -> bool:
        """Return whether the line states more parts than the engine or axle has."""
        return self.stated > self.has

    def factor(self, problem: Problem) -> float:
        """Return the count that the line is compared for, relative to the count in the repair's expected price."""
        part = problem.parts[0]
        return min(self.stated, self.has) / (part.quantity if part.per is None else self.has)

    @property
    def prefix(self) -> str:
        """Return the start of a sentence that says for which count the line is compared."""
        if self.is_more:
            return f"The quote has {self.stated} {self.noun}, but a {self.vehicle} has {self.has}. For {self.has}:"
        return f"For {self.stated} of its {self.has} {self.noun}:"

    @property
    def question(self) -> str:
        """Return the question to ask the shop."""
        if self.is_more:
            return f"Why {self.stated} {self.noun}, when this vehicle has {self.has}?"
        if self.noun == _NOUNS["ignition-coil"]:
            return f"Which of the {self.has} {self.noun} does the price cover, and how were they tested?"
        return (
            f"This engine has {self.has} {self.noun}: does the price cover all {self.has}, or {self.stated}?"
        )


def count_mismatch(
    description: str, parts: Sequence[str], problem: Problem, specs: VehicleSpecs, factors: Factors
) -> CountMismatch | None:
    """Return the mismatch between a line's count and the vehicle's.

    Return None if either is unknown, if they agree, or if the line is only for some of an axle's parts.
    """
    noun = _NOUNS.get(problem.slug)
    if noun is None:
        return None
    counts = (_count_in(text, problem) for text in (description, *parts))
    stated = next((count for count in counts if count is not None), None)
    has = None if stated is None else _number_of(problem.slug, specs, factors)
    if stated is None or has is None or stated == has or (stated < has and problem.slug in _OF_AXLES):
        return None
    return CountMismatch(stated=stated, has=has, noun=noun, vehicle=specs.profile.name)


def _count_in(text: str, problem: Problem) -> int | None:
    """Return the number of a part in ``text``, or None; a "(4)" in text about rotors and pads may count the pads."""
    has_pads = problem.slug.startswith("brake-rotors-") and "pad" in significant_words(text)
    return number_before(text, problem) if has_pads else stated_number(text, problem)


def with_count_mismatch(assessment: PriceAssessment, count: CountMismatch) -> PriceAssessment:
    """Return an assessment that states the vehicle's own count; if the line has more, the verdict is at least high."""
    text = f"{count.prefix} {assessment.reason.text}"
    verdict = Verdict.HIGH if count.is_more and not assessment.verdict.is_above else assessment.verdict
    return evolve(assessment, verdict=verdict, reason=evolve(assessment.reason, text=text))


def _number_of(slug: str, specs: VehicleSpecs, factors: Factors) -> int | None:
    """Return how many of the part an axle or the engine has; None if unknown or different for the possible engines."""
    if slug in _OF_AXLES:
        return _PER_AXLE
    possible = [each for _, each in factors.possible] or [factors]
    if slug == "spark-plugs":
        counts = {each.amounts.plugs for each in possible}
    elif slug == "glow-plugs" or _has_coil_per_cylinder(specs):
        counts = {each.amounts.cylinders for each in possible if each.job(slug) is None}
    else:
        return None
    return next(iter(counts)) if len(counts) == 1 else None


def _has_coil_per_cylinder(specs: VehicleSpecs) -> bool:
    engines = specs.facts.engines
    if not engines or any(engine.layout is Layout.ROTARY for engine in engines):
        return False
    has_short_wires = all(
        engine.valve_train is ValveTrain.OHV and engine.cylinders == _V8 for engine in engines
    )
    ignitions = possible_fittings("ignition", specs.profile)
    return ignitions == frozenset({"coil_on_plug"}) or (specs.year >= _COIL_PER_PLUG_FROM and has_short_wires)
