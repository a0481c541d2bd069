"""Categories and repairs as clients see them, over HTTP and on the command line."""

from datetime import datetime
from typing import Annotated, Any, Self

from attrs import field

from repaircore.book.fit import Fit, ProblemFit
from repaircore.book.model import Category, PartNeed, Problem, Recurrence, Safety, Urgency, Wear
from repaircore.book.views import FitView
from repaircore.kernel.money import Cents, dollars, dollars_or_none
from repaircore.kernel.rules import Range
from repaircore.kernel.views import UNSET, Count, Dollars, Month, UnsetType, view
from repaircore.problems.fusion import SearchHit
from repaircore.problems.overview import ProblemDetails, ProblemEntry, ProblemStats
from repaircore.problems.service import DescribedProblem, MarketMatch


@view
class FittingProblemView:
    """A repair that fits the vehicle, or may fit it; ``display_name`` is ``Parent > Child``."""

    id: int
    display_name: str
    fit: FitView

    @classmethod
    def of(cls, found: ProblemFit) -> Self:
        """Return the view of a repair and whether it fits."""
        return cls(id=found.problem.id, display_name=found.problem.display_name, fit=FitView.of(found.fit))


@view
class CategoryItemView:
    """A main category, or a repair in one."""

    id: int
    name: str
    description: str | None

    @classmethod
    def of(cls, item: Category | Problem) -> Self:
        """Return the view of a category or a repair."""
        return cls(id=item.id, name=item.name, description=item.description)


@view
class ProblemCategoryView:
    """The name of a main category."""

    id: int
    name: str

    @classmethod
    def of(cls, category: Category) -> Self:
        """Return the view of a category's name."""
        return cls(id=category.id, name=category.name)


@view
class _ProblemInCategoryView:
    id: int
    slug: str
    name: str
    parent: ProblemCategoryView
    display_name: str


@view
class MarketMatchView(_ProblemInCategoryView):
    """A repair, and how many invoices its prices were learned from."""

    samples: Count

    @classmethod
    def of(cls, match: MarketMatch) -> Self:
        """Return the view of a repair with its number of invoices."""
        return cls(**_location(match.problem), samples=match.samples)


@view
class SearchHitView(_ProblemInCategoryView):
    """A repair that a search found; the best score is 1."""

    description: str | None
    score: Annotated[float, Range(0, 1)]

    @classmethod
    def of(cls, hit: SearchHit) -> Self:
        """Return the view of a repair with its score."""
        return cls(**_location(hit.problem), description=hit.problem.description, score=hit.score)


@view
class ProblemDescriptionView:
    """A description of a repair, with its writer."""

    id: int
    name: str
    description: str
    generated_by: str
    generated_at: datetime
    cached: bool

    @classmethod
    def of(cls, described: DescribedProblem) -> Self:
        """Return the view of a repair's description."""
        return cls(
            id=described.problem.id,
            name=described.problem.name,
            description=described.description.text,
            generated_by=described.description.generated_by,
            generated_at=described.description.generated_at,
            cached=described.cached,
        )


@view
class BookPartView:
    """A part that a repair needs."""

    name: str
    unit_price: Dollars
    quantity: Count

    @classmethod
    def of(cls, part: PartNeed) -> Self:
        """Return the view of a part with its price in dollars."""
        return cls(name=part.name, unit_price=dollars(part.price), quantity=part.quantity)


@view
class PriceRangeView:
    """The range that holds eight out of ten invoices."""

    low: Dollars
    high: Dollars

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the view of a repair's range, in dollars."""
        return cls(low=dollars(problem.low), high=dollars(problem.high))


@view
class RecurrenceView:
    """How soon a repair is due again."""

    miles: int | None
    months: int | None
    kind: Wear

    @classmethod
    def of(cls, recurrence: Recurrence) -> Self:
        """Return the view of a recurrence."""
        return cls(miles=recurrence.miles, months=recurrence.months, kind=recurrence.kind)


@view
class SymptomShareView:
    """A symptom, and the share of the vehicles in need of the repair that show it."""

    slug: str
    name: str
    share: float


@view
class RelatedProblemView:
    """A repair that often follows this one or, for a category, a repair in it."""

    id: int
    slug: str
    display_name: str
    name: str

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the view of a repair's names."""
        return cls(id=problem.id, slug=problem.slug, display_name=problem.display_name, name=problem.name)


@view
class _EntryView:
    id: int
    slug: str
    name: str
    description: str | None
    parent: ProblemCategoryView | None
    children_count: Count
    transactions_count: Count
    average_total: Dollars | None


@view
class ProblemEntryView(_EntryView):
    """A category or a repair, with its invoices."""

    @classmethod
    def of(cls, entry: ProblemEntry) -> Self:
        """Return the view of an entry with the count and the average of its invoices."""
        return cls(**_entry_fields(entry))


@view
class ProblemDetailsView(_EntryView):
    """A category or a repair with everything in the book; fields that only repairs have are null for a category."""

    display_name: str | None = None
    labor_hours: float | None = None
    parts: list[BookPartView] = field(factory=list)
    price_range: PriceRangeView | None = None
    recurrence: RecurrenceView | None = None
    urgency: Urgency | None = None
    safe_to_drive: Safety | None = None
    keywords: list[str] = field(factory=list)
    symptoms: list[SymptomShareView]
    related_repairs: list[RelatedProblemView]

    @classmethod
    def of(cls, details: ProblemDetails) -> Self:
        """Return the view of an entry with everything that the book says about it."""
        item = details.entry.item
        return cls(
            **_entry_fields(details.entry),
            **(_problem_fields(item) if isinstance(item, Problem) else {}),
            symptoms=[
                SymptomShareView(slug=slug, name=name, share=share) for slug, name, share in details.symptoms
            ],
            related_repairs=[RelatedProblemView.of(problem) for problem in details.related],
        )


@view
class ProblemView:
    """A repair with its figures, as the command line shows it.

    ``fit`` is set only if there is a vehicle; the invoices are set only if a single repair is shown.
    """

    id: int
    slug: str
    name: str
    display_name: str
    description: str
    parent: ProblemCategoryView
    labor_hours: float
    parts: list[BookPartView]
    price_range: PriceRangeView
    urgency: Urgency
    safe_to_drive: Safety
    symptoms: list[str]
    keywords: list[str]
    fit: FitView | UnsetType = UNSET
    transactions_count: Count | UnsetType = UNSET
    average_total: Dollars | UnsetType | None = UNSET

    @classmethod
    def of(cls, problem: Problem, *, fit: Fit | None = None, entry: ProblemEntry | None = None) -> Self:
        """Return the view of a repair, with its fit to a vehicle and its invoices if given."""
        return cls(
            **_location(problem),
            description=problem.description,
            labor_hours=problem.labor_hours,
            parts=[BookPartView.of(part) for part in problem.parts],
            price_range=PriceRangeView.of(problem),
            urgency=problem.urgency,
            safe_to_drive=problem.safe_to_drive,
            symptoms=[symptom.slug for symptom in problem.symptoms],
            keywords=[*problem.keywords],
            fit=UNSET if fit is None else FitView.of(fit),
            transactions_count=UNSET if entry is None else entry.invoices,
            average_total=UNSET if entry is None else dollars_or_none(entry.average),
        )


@view
class ProblemMonthView:
    """The invoices of a month."""

    month: Month
    transactions_count: Count
    transactions_total: Dollars

    @classmethod
    def of(cls, month: str, count: int, total: Cents) -> Self:
        """Return the view of a month's invoices, in dollars."""
        return cls(month=month, transactions_count=count, transactions_total=dollars(total))


@view
class ProblemStatsView:
    """The number of entries in the book, and their invoices: overall, by category, by month and by repair."""

    total: Count
    categories: Count
    repairs: Count
    repairs_with_transactions: Count
    transactions_count: Count
    transactions_total: Dollars
    average_total: Dollars | None
    by_category: list[ProblemEntryView]
    most_frequent: list[ProblemEntryView]
    by_month: list[ProblemMonthView]

    @classmethod
    def of(cls, stats: ProblemStats) -> Self:
        """Return the view of the statistics, in dollars."""
        return cls(
            total=len(stats.categories) + len(stats.repairs),
            categories=len(stats.categories),
            repairs=len(stats.repairs),
            repairs_with_transactions=sum(entry.invoices > 0 for entry in stats.repairs),
            transactions_count=stats.invoices,
            transactions_total=dollars(stats.total),
            average_total=dollars_or_none(stats.average),
            by_category=[ProblemEntryView.of(entry) for entry in stats.categories],
            most_frequent=[ProblemEntryView.of(entry) for entry in stats.most_frequent],
            by_month=[
                ProblemMonthView.of(month, invoices.n, invoices.total)
                for month, invoices in stats.months.items()
            ],
        )


def _location(problem: Problem) -> dict[str, Any]:
    return {
        "id": problem.id,
        "slug": problem.slug,
        "name": problem.name,
        "parent": ProblemCategoryView.of(problem.parent),
        "display_name": problem.display_name,
    }


def _entry_fields(entry: ProblemEntry) -> dict[str, Any]:
    item, parent = entry.item, entry.parent
    return {
        "id": item.id,
        "slug": item.slug,
        "name": item.name,
        "description": item.description,
        "parent": None if parent is None else ProblemCategoryView.of(parent),
        "children_count": entry.children,
        "transactions_count": entry.invoices,
        "average_total": dollars_or_none(entry.average),
    }


def _problem_fields(problem: Problem) -> dict[str, Any]:
    return {
        "display_name": problem.display_name,
        "labor_hours": problem.labor_hours,
        "parts": [BookPartView.of(part) for part in problem.parts],
        "price_range": PriceRangeView.of(problem),
        "recurrence": RecurrenceView.of(problem.recurrence),
        "urgency": problem.urgency,
        "safe_to_drive": problem.safe_to_drive,
        "keywords": [*problem.keywords],
    }
