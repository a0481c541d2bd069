"""The categories and repairs of the book."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from attrs import field, frozen

from repaircore.kernel.facts import (
    Aspiration,
    BrakeSystem,
    CamDrive,
    Layout,
    PowerSteering,
    Transmission,
    ValveTrain,
)
from repaircore.kernel.money import Cents
from repaircore.kernel.traits import Body, Drive, Powertrain, Traits

OFFLINE = "offline"
"""The name of the writer whose descriptions are the book's own text."""


class Wear(StrEnum):
    """Why a repair recurs: wear, chance or the maintenance schedule."""

    WEAR = "wear"
    RANDOM = "random"
    SCHEDULE = "schedule"


class Urgency(StrEnum):
    """How long a repair can wait."""

    STOP = "stop"
    NOW = "now"
    SOON = "soon"
    PLAN = "plan"
    COMFORT = "comfort"


class Safety(StrEnum):
    """Whether it is safe to drive: not at all, only to a shop, or as usual."""

    NO = "no"
    SHORT = "short"
    YES = "yes"


@frozen(kw_only=True)
class Category:
    """A main category. Its ``id`` is stable across editions of the book."""

    id: int
    slug: str
    name: str
    description: str


class Per(StrEnum):
    """The fact that determines how much of a part a vehicle takes, or what the part costs."""

    SPARK_PLUG = "spark_plug"
    PLUG_TUBES = "plug_tubes"
    CYLINDER = "cylinder"
    OIL_QUART = "oil_quart"
    COOLANT_GALLON = "coolant_gallon"
    TRANSMISSION_QUART = "transmission_quart"
    BATTERY_KWH = "battery_kwh"


class PartKind(StrEnum):
    """Whether a part is sold in grades, is a fluid or material sold by amount, or is work done by another shop."""

    PART = "part"
    FLUID = "fluid"
    SERVICE = "service"


@frozen(kw_only=True)
class PartNeed:
    """A part that the repair takes, with the typical price for a mid-size mainstream vehicle.

    ``per`` is what its quantity depends on, or its price (``battery_kwh``: ``price`` is then the price of ``reference``
    kWh). For fluids whose amount depends on the vehicle, ``quantity`` is the default if that amount is unknown. A set
    of ``plug_tubes`` is needed once if the plugs sit in tubes under the valve cover, and not at all otherwise.
    ``ageing`` is how fast its price falls with the vehicle's age, relative to other parts.
    """

    name: str
    quantity: int
    price: Cents
    per: Per | None = None
    kind: PartKind = PartKind.PART
    reference: float | None = None
    ageing: float = 1.0


@frozen(kw_only=True)
class Recurrence:
    """The miles or months, whichever comes first, after which a repair is typically due again."""

    miles: int
    months: int
    kind: Wear


@frozen(kw_only=True)
class Symptom:
    """The slug of a symptom, and its share: how many of the vehicles that need the repair show the symptom."""

    slug: str
    share: float


@frozen(kw_only=True)
class Years:
    """The model years of a feature: none before ``first`` or after ``last``, every vehicle from ``all_from`` on."""

    first: int | None = None
    last: int | None = None
    all_from: int | None = None


@frozen(kw_only=True)
class Fits:
    """The vehicles that a repair fits; an empty set excludes nothing.

    Some vehicles with a powertrain in ``perhaps`` have the part, and others do not. ``fittings`` maps kinds of
    equipment (``equipment.py``) to the values that a repair needs. ``option`` is something that only some vehicles
    have and no fact covers ("a sunroof"). ``part`` is what a vehicle lacks if the repair does not fit: "spark plugs".
    ``doubt`` is what is unknown about a vehicle in ``perhaps``: "which of the oil changes it takes".
    """

    powertrains: frozenset[Powertrain] = frozenset()
    perhaps: frozenset[Powertrain] = frozenset()
    drives: frozenset[Drive] = frozenset()
    bodies: frozenset[Body] = frozenset()
    layouts: frozenset[Layout] = frozenset()
    valve_trains: frozenset[ValveTrain] = frozenset()
    cam_drives: frozenset[CamDrive] = frozenset()
    aspirations: frozenset[Aspiration] = frozenset()
    transmissions: frozenset[Transmission] = frozenset()
    brakes: frozenset[BrakeSystem] = frozenset()
    power_steering: frozenset[PowerSteering] = frozenset()
    fittings: Mapping[str, frozenset[str]] = field(factory=dict)
    years: Years = Years()
    option: str | None = None
    part: str | None = None
    doubt: str | None = None

    def allows(self, traits: Traits) -> bool:
        """Return whether powertrain, drive and body, as far as known, do not rule out the repair."""
        return (
            _allowed(traits.powertrain, self.powertrains | self.perhaps)
            and _allowed(traits.drive, self.drives)
            and _allowed(traits.body, self.bodies)
        )


def _allowed(trait: object | None, among: frozenset[object]) -> bool:
    return trait is None or not among or trait in among


@frozen(kw_only=True)
class LaborHours:
    """The hours of a repair, given by its slug, and their factors for other engine bays (``Problem.labor_factors``)."""

    repair: str
    hours: float
    factors: Mapping[str, float]


@frozen(kw_only=True)
class Problem:
    """A repair (a sub-category in the specification), with everything that the book says about it.

    Hours and prices are those of a mid-size mainstream vehicle, at the book's year and labor rate; about eight out of
    ten invoices in the country are between ``low`` and ``high``. ``labor_factors`` multiply the hours for engine bays
    (``vehicle_facts.model.EngineBay``) other than a transverse four's. ``under_belt`` has the hours for the timing belt
    if, on some engines, the belt covers the part and must come off first; otherwise, it is None.
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
    labor_factors: Mapping[str, float] = field(factory=dict)
    under_belt: LaborHours | None = None

    @property
    def display_name(self) -> str:
        """The name with its category: ``Parent > Child``."""
        return f"{self.parent.name} > {self.name}"

    @property
    def parts_total(self) -> Cents:
        """The total price of the parts, in cents."""
        return sum(part.price * part.quantity for part in self.parts)


@frozen(kw_only=True)
class Description:
    """A description of a repair for car owners: plain text, no markup.

    ``edition`` is the edition of the repair book that it was written from; ``generated_by`` is the kind of
    writer (``offline``, ``openai``, ``anthropic``).
    """

    problem_id: int
    edition: str
    text: str
    generated_by: str
    generated_at: datetime

    def is_current(self, *, edition: str, writer: str) -> bool:
        """Return whether the description is up to date.

        It must be from the given edition, and the book's own text is up to date only while ``writer`` is offline.
        """
        return self.edition == edition and (self.generated_by != OFFLINE or writer == OFFLINE)
