"""The content of repair guides and of category guides."""

from collections.abc import Sequence

from attrs import frozen

from repaircore.book.fit import Fit, FitOutcome
from repaircore.book.model import Category, Problem
from repaircore.kernel.money import PriceRange
from repaircore.pricing.model import Breakdown
from repaircore.repair_guides.examples import ExampleVehicle
from repaircore.transactions.price_distribution import PriceDistribution


@frozen(kw_only=True)
class JobPrice:
    """What a repair costs on a vehicle in a place, and the hours, labor rate and parts behind the average."""

    price: PriceRange
    breakdown: Breakdown


@frozen(kw_only=True)
class ExamplePrice:
    """The price of a repair on an example vehicle; ``job`` is None if the repair does not fit the vehicle."""

    example: ExampleVehicle
    fit: Fit
    job: JobPrice | None


@frozen(kw_only=True)
class LocalPrice:
    """The price of a repair on a visitor's vehicle at their ZIP code.

    If the repair does not fit the vehicle, ``job`` is None, and ``alternatives`` are similar repairs that do.
    """

    vehicle: str
    zip_code: str
    state: str
    fit: Fit
    job: JobPrice | None
    alternatives: Sequence[Problem] = ()


@frozen(kw_only=True)
class ShownSymptom:
    """A symptom's name, and the share (0 to 1) of vehicles needing the repair that show it."""

    name: str
    share: float


@frozen(kw_only=True)
class NamingCode:
    """A trouble code that calls for the repair on a share (0 to 1) of the vehicles that store it.

    If ``makes`` is empty, it applies to every make.
    """

    code: str
    title: str
    share: float
    makes: Sequence[str]


@frozen(kw_only=True)
class NextRepair:
    """A repair that often follows another.

    ``share`` is the share (0 to 1) of cars that had it within 60 days, or None if only the book lists it.
    """

    problem: Problem
    share: float | None = None


@frozen(kw_only=True)
class RepairGuide:
    """Everything about a repair that is the same for all visitors.

    ``comes_after`` lists the repairs that it often follows, and ``alike`` the repairs with similar symptoms. ``paid``
    is the distribution of the prices paid, or None if there are too few invoices. ``more_codes`` counts the codes not
    listed.
    """

    problem: Problem
    symptoms: Sequence[ShownSymptom]
    examples: Sequence[ExamplePrice]
    place: str
    follows: Sequence[NextRepair]
    comes_after: Sequence[Problem]
    alike: Sequence[Problem]
    codes: Sequence[NamingCode]
    more_codes: int
    paid: PriceDistribution | None

    @property
    def typical(self) -> ExamplePrice | None:
        """Return the price on the mid-size car if the repair surely fits it, else on the first vehicle it surely fits.

        If there is none, return the price on the first vehicle that it may fit, or None.
        """
        fitting = [each for each in self.examples if each.job is not None]
        surely = [each for each in fitting if each.fit.outcome is FitOutcome.FITS]
        midsize = (each for each in surely if each.example.kind == "Mid-size car")
        return next(midsize, None) or next(iter(surely or fitting), None)

    @property
    def priced(self) -> Sequence[ExamplePrice]:
        """Return the examples that the repair fits, or may fit."""
        return [each for each in self.examples if each.job is not None]

    @property
    def excluded(self) -> Sequence[ExamplePrice]:
        """Return the examples that cannot have the repair."""
        return [each for each in self.examples if each.job is None]


@frozen(kw_only=True)
class CategoryGuide:
    """A category and its repairs, sorted by name."""

    category: Category
    problems: Sequence[Problem]
