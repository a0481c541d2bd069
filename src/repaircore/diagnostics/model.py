"""What is known of a vehicle that is not well, and what follows from it."""

from attrs import Factory, frozen

from repaircore.kernel.traits import Traits
from repaircore.problems.model import Problem

__all__ = ["Candidate", "Clues", "Diagnosis", "Finding", "Hint", "Reason", "SymptomQuestion"]


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

    def __bool__(self) -> bool:
        """Tell whether anything is known of what is wrong; the vehicle alone says nothing of it."""
        return bool(self.findings or self.codes or self.hints)


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


@frozen
class SymptomQuestion:
    """A question that is worth asking. ``id`` is the symptom's slug; ``bits`` is what the answer tells on average."""

    id: str
    text: str
    options: tuple[str, ...]
    bits: float
