"""What is known of a vehicle that is not well, and what follows from it."""

from collections.abc import Iterable
from itertools import chain
from typing import Final

from attrs import Factory, evolve, frozen

from repaircore.kernel.traits import Traits
from repaircore.problems.model import Problem

__all__ = ["Candidate", "Clues", "Diagnosis", "Evidence", "Finding", "Hint", "Reason", "SymptomQuestion"]

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
    """Everything that a diagnosis goes by. The order of nothing in it matters; what is said twice counts once."""

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    mileage: int | None = None
    traits: Traits = Factory(Traits)


@frozen(kw_only=True)
class Evidence:
    """What a conversation has brought to light so far; ``asked`` are symptoms that need not be asked about again.

    ``dangers`` are what the driver is warned of for as long as the conversation lasts.
    """

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    asked: tuple[str, ...] = ()
    dangers: tuple[str, ...] = ()

    def clues(self, traits: Traits) -> Clues:
        """Give what a diagnosis of a vehicle goes by."""
        return Clues(findings=self.findings, codes=self.codes, hints=self.hints, traits=traits)

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


@frozen
class Reason:
    """A sentence on what speaks for a repair, or against it, and by how much.

    ``weight`` is the change of the log-odds in bits: +1 doubles the odds, -1 halves them.
    """

    text: str
    weight: float


@frozen
class Candidate:
    """A repair with its probability, 0 to 1, and the reasons, the weightiest first."""

    problem: Problem
    probability: float
    reasons: tuple[Reason, ...]

    @property
    def confidence(self) -> float:
        """Tell the probability in percent, with one decimal."""
        return round(100 * self.probability, 1)


@frozen
class Diagnosis:
    """The repairs that explain the clues, the likeliest first.

    Args:
        candidates: all that fit the vehicle; the probabilities add up to 1.
        enough: whether the first ones stand out far enough to act upon.
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
    """A question that is worth asking. ``id`` is the symptom's slug; ``bits`` is what the answer tells on average."""

    id: str
    text: str
    options: tuple[str, ...]
    bits: float
