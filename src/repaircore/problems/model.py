"""Categories and the repairs in them, as the repair book knows them."""

from datetime import datetime
from enum import StrEnum

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.kernel.traits import Body, Drive, Powertrain, Traits

__all__ = [
    "OFFLINE",
    "Category",
    "Description",
    "Fits",
    "PartNeed",
    "Problem",
    "Recurrence",
    "Safety",
    "Symptom",
    "Urgency",
    "Wear",
]

OFFLINE = "offline"
"""Who wrote a description that is made of the book's own text."""


class Wear(StrEnum):
    """How a repair comes back: with use, at random, or by the maintenance plan."""

    WEAR = "wear"
    RANDOM = "random"
    SCHEDULE = "schedule"


class Urgency(StrEnum):
    """How long it may wait, from not at all to as one likes."""

    STOP = "stop"
    NOW = "now"
    SOON = "soon"
    PLAN = "plan"
    COMFORT = "comfort"


class Safety(StrEnum):
    """Whether to drive on: not at all, gently to a shop, or as usual."""

    NO = "no"
    SHORT = "short"
    YES = "yes"


@frozen(kw_only=True)
class Category:
    """A main category. ``id`` is stable over editions of the book."""

    id: int
    slug: str
    name: str
    description: str


@frozen(kw_only=True)
class PartNeed:
    """A part that the repair takes, with the price that is typical of a mid-size mainstream vehicle."""

    name: str
    quantity: int
    price: Cents


@frozen(kw_only=True)
class Recurrence:
    """After how many miles or months, whichever comes first, the repair typically returns."""

    miles: int
    months: int
    kind: Wear


@frozen(kw_only=True)
class Symptom:
    """A symptom's slug, and the share of the vehicles in need of the repair that show it."""

    slug: str
    share: float


@frozen(kw_only=True)
class Fits:
    """The vehicles that a repair fits; an empty set rules nothing out."""

    powertrains: frozenset[Powertrain] = frozenset()
    drives: frozenset[Drive] = frozenset()
    bodies: frozenset[Body] = frozenset()

    def allows(self, traits: Traits) -> bool:
        """Tell whether nothing that is known of the vehicle rules the repair out."""
        return (
            _allowed(traits.powertrain, self.powertrains)
            and _allowed(traits.drive, self.drives)
            and _allowed(traits.body, self.bodies)
        )


def _allowed(trait: object | None, among: frozenset[object]) -> bool:
    return trait is None or not among or trait in among


@frozen(kw_only=True)
class Problem:
    """A repair (a sub-category of the specification) with everything the book says of it.

    Hours and prices are those of a mid-size mainstream vehicle, at the book's year and labor rate;
    ``low`` and ``high`` bound about eight of ten invoices in the country.
    """

    id: int
    slug: str
    name: str
    description: str
    parent: Category
    labor_hours: float
    parts: tuple[PartNeed, ...]
    low: Cents
    high: Cents
    recurrence: Recurrence
    urgency: Urgency
    safe_to_drive: Safety
    symptoms: tuple[Symptom, ...]
    fits: Fits
    followups: tuple[str, ...]
    keywords: tuple[str, ...]

    @property
    def display_name(self) -> str:
        """Name the repair under its category, ``Parent > Child``."""
        return f"{self.parent.name} > {self.name}"

    @property
    def parts_total(self) -> Cents:
        """Add the parts up, in cents."""
        return sum(part.price * part.quantity for part in self.parts)


@frozen(kw_only=True)
class Description:
    """What was written about a repair for car owners: plain text, no markup.

    ``edition`` is the edition of the repair book that it was written from; ``generated_by`` names the kind of
    writer (``offline``, ``openai``, ``anthropic``).
    """

    problem_id: int
    edition: str
    text: str
    generated_by: str
    generated_at: datetime

    def counts(self, *, edition: str, writer: str) -> bool:
        """Tell whether it need not be written anew.

        It must be of this edition, and what the book itself says only counts while nobody better is there.
        """
        return self.edition == edition and (self.generated_by != OFFLINE or writer == OFFLINE)
