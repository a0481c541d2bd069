"""What is known of a vehicle that is not well, and what follows from it."""

from collections.abc import Iterable
from itertools import chain
from typing import Final

from attrs import Factory, evolve, frozen

from repaircore.book.model import Problem
from repaircore.kernel.traits import Powertrain, Traits

_TOLD: Final = 5
_LEAST_LIKELY: Final = 0.01
"""So many repairs are told of at most, and none that is less likely than this."""


@frozen
class Finding:
    """A symptom of the book, by its slug, that was looked for and is there, or is not."""

    symptom: str
    present: bool


@frozen
class Hint:
    """A repair, by its slug, whose own words were used: how much that speaks for it, in bits."""

    repair: str
    bits: float


@frozen(kw_only=True)
class Clues:
    """Everything that a diagnosis goes by. The order of nothing in it matters; what is said twice counts once.

    ``make`` decides what a trouble code of the manufacturer means; None is not known.
    ``from_text`` are the symptoms that were only read in what somebody wrote: the words themselves are hints as well, and
    so the symptoms count ``trust`` of what answers would. ``topics`` are those of a short complaint (`topics.TOPICS`).
    """

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    mileage: int | None = None
    traits: Traits = Factory(Traits)
    make: str | None = None
    from_text: frozenset[str] = frozenset()
    trust: float = 1.0
    topics: tuple[str, ...] = ()


@frozen(kw_only=True)
class Evidence:
    """What a conversation has brought to light so far; ``asked`` are symptoms that need not be asked about again.

    ``dangers`` are what the driver is warned of for as long as the conversation lasts. ``answered`` are symptoms that were
    answered outright or seen; the others were read in what was written. ``powertrain``, ``mileage`` and ``make`` were mentioned,
    ``concerns`` must not be belittled, ``topics`` are what a short complaint is about.
    """

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    asked: tuple[str, ...] = ()
    dangers: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    powertrain: Powertrain | None = None
    mileage: int | None = None
    concerns: tuple[str, ...] = ()
    trust: float = 1.0
    make: str | None = None
    topics: tuple[str, ...] = ()

    def clues(self, traits: Traits, make: str | None = None) -> Clues:
        """Return what a diagnosis of a vehicle goes by; what is known of the vehicle counts more than what was said."""
        return Clues(
            findings=self.findings,
            codes=self.codes,
            hints=self.hints,
            mileage=self.mileage,
            traits=with_powertrain(traits, self.powertrain),
            from_text=frozenset(one.symptom for one in self.findings) - frozenset(self.answered),
            trust=self.trust,
            make=self.make if make is None else make,
            topics=self.topics,
        )

    def having_mentioned(
        self,
        powertrain: Powertrain | None,
        mileage: int | None,
        concerns: Iterable[str] = (),
        make: str | None = None,
        topics: Iterable[str] = (),
    ) -> "Evidence":
        """Add what was said of the vehicle; what was said later counts."""
        return evolve(
            self,
            concerns=tuple(dict.fromkeys((*self.concerns, *concerns))),
            powertrain=self.powertrain if powertrain is None else powertrain,
            mileage=self.mileage if mileage is None else mileage,
            make=self.make if make is None else make,
            topics=tuple(dict.fromkeys((*self.topics, *topics))),
        )

    def having_answered(self, symptoms: Iterable[str]) -> "Evidence":
        """Add symptoms that were answered outright, or seen."""
        return evolve(self, answered=tuple(dict.fromkeys((*self.answered, *symptoms))))

    def having(
        self,
        findings: Iterable[Finding] = (),
        codes: Iterable[str] = (),
        hints: Iterable[Hint] = (),
        dangers: Iterable[str] = (),
    ) -> "Evidence":
        """Add what came to light; of two findings on a symptom the later one counts, of two hints the stronger."""
        found = {one.symptom: one for one in chain(self.findings, findings)}
        hinted: dict[str, Hint] = {}
        for hint in chain(self.hints, hints):
            known = hinted.get(hint.repair)
            if known is None or hint.bits > known.bits:
                hinted[hint.repair] = hint
        return evolve(
            self,
            findings=tuple(found.values()),
            codes=tuple(dict.fromkeys(chain(self.codes, codes))),
            hints=tuple(hinted.values()),
            dangers=tuple(dict.fromkeys(chain(self.dangers, dangers))),
        )

    def having_asked(self, symptom: str) -> "Evidence":
        """Add a symptom that need not be asked about again."""
        return self if symptom in self.asked else evolve(self, asked=(*self.asked, symptom))


def with_powertrain(traits: Traits, powertrain: Powertrain | None) -> Traits:
    """Return the traits with a powertrain that was mentioned, unless another is known."""
    return traits if traits.powertrain is not None else evolve(traits, powertrain=powertrain)


@frozen
class Reason:
    """A sentence on what speaks for a repair, or against it, and by how much.

    ``weight`` is the change of the log-odds in bits: +1 doubles the odds, -1 halves them.
    """

    text: str
    weight: float


@frozen
class Candidate:
    """A repair with its probability, 0 to 1, and the reasons, the weightiest first.

    The probabilities of all repairs add up to 1. ``stated`` is how often a repair of that probability was among those that a
    mechanic would look at first, where that was counted; of these there may be several.
    """

    problem: Problem
    probability: float
    reasons: tuple[Reason, ...]
    stated: float | None = None

    def unexplained(self, clues: Clues) -> tuple[str, ...]:
        """Return the symptoms that are there and that the repair does not explain, by their slugs."""
        shown = {symptom.slug for symptom in self.problem.symptoms}
        there = (one.symptom for one in clues.findings if one.present)
        return tuple(dict.fromkeys(one for one in there if one not in shown))

    @property
    def confidence(self) -> float:
        """Return what is stated of the repair, in percent, with one decimal: the probability where nothing was counted."""
        return round(100 * (self.probability if self.stated is None else self.stated), 1)


@frozen
class Diagnosis:
    """The repairs that explain the clues, the likeliest first.

    Args:
        candidates: all that fit the vehicle; the probabilities add up to 1.
        enough: whether the first ones stand out far enough to act upon; else they are a first guess.
        entropy: how undecided it still is, in bits.
    """

    candidates: tuple[Candidate, ...]
    enough: bool
    entropy: float

    @property
    def likely(self) -> tuple[Candidate, ...]:
        """The few that are worth telling."""
        return tuple(one for one in self.candidates[:_TOLD] if one.probability >= _LEAST_LIKELY)


@frozen
class SymptomQuestion:
    """A question that is worth asking. ``id`` is the symptom's slug; ``bits`` is what the answer tells on average.

    ``why`` is a sentence on what it tells apart.
    """

    id: str
    text: str
    options: tuple[str, ...]
    bits: float
    why: str = ""


@frozen(kw_only=True)
class OpenQuestion:
    """A question about a symptom, whose slug is its ``id``, as it was worded, and why it is asked."""

    id: str
    text: str
    options: tuple[str, ...]
    why: str = ""
